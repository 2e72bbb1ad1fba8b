//! What is unwise about a template, with what the loaded events show, and a button that mends it.

use std::rc::Rc;

use tabletop_schema::{EventsView, Template, Warning};
use yew::{Callback, Html, Properties, function_component, html};

use super::fixes::fixes;
use crate::widgets::{Button, Icon, IconView};

/// Properties of [`Warnings`].
#[derive(Properties, PartialEq)]
pub struct WarningsProps {
    /// The template.
    pub template: Rc<Template>,
    /// What is unwise about it.
    pub warnings: Rc<Vec<Warning>>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// Another template, as text.
    pub on_change: Callback<String>,
}

/// A list; nothing at all when all is well.
#[function_component]
pub fn Warnings(props: &WarningsProps) -> Html {
    if props.warnings.is_empty() {
        return html! {};
    }
    html! {
        <ul class="warnings" aria-label="Warnings">
            { for props.warnings.iter().enumerate().map(|(at, warning)| html! {
                <li key={at} class="warning">
                    <IconView icon={Icon::Warning} />
                    <div>
                        <p>{warning.message.clone()}</p>
                        <p class="soft small">{warning.evidence.clone()}</p>
                        <p class="fixes">
                            { for fixes(&props.template, warning, &props.preview).into_iter().map(|fix| {
                                let on_click = props.on_change.reform({
                                    let text = fix.text.clone();
                                    move |()| text.clone()
                                });
                                html! { <Button key={fix.label.clone()} label={fix.label.clone()} {on_click} /> }
                            }) }
                        </p>
                    </div>
                </li>
            }) }
        </ul>
    }
}
