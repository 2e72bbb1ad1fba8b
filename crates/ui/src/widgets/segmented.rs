//! A few choices side by side, one of them taken: a radiogroup with one tab stop.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{AttrValue, Callback, Html, KeyboardEvent, Properties, classes, function_component, html};

use super::{Icon, IconView};

/// Properties of [`Segmented`].
#[derive(Properties, PartialEq)]
pub struct SegmentedProps {
    /// Name of the group.
    pub label: AttrValue,
    /// Value and text of each choice.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// The value that is taken; none of them if it is another.
    pub selected: AttrValue,
    /// Another was taken.
    pub on_select: Callback<AttrValue>,
    /// In smaller type, for dense places.
    #[prop_or_default]
    pub small: bool,
    /// In place of the texts, which become names and tooltips: one for each choice, or none at all.
    #[prop_or_default]
    pub icons: Vec<Icon>,
    /// None can be taken now.
    #[prop_or_default]
    pub disabled: bool,
}

/// A radiogroup; arrow keys, Home and End move and take at once, as radios do.
#[function_component]
pub fn Segmented(props: &SegmentedProps) -> Html {
    let count = props.options.len();
    let current = props.options.iter().position(|(value, _)| *value == props.selected);
    let on_key = {
        let values: Vec<AttrValue> = props.options.iter().map(|(value, _)| value.clone()).collect();
        let on_select = props.on_select.clone();
        Callback::from(move |event: KeyboardEvent| {
            let at = current.unwrap_or(0);
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (at + 1) % count,
                "ArrowLeft" | "ArrowUp" => (at + count - 1) % count,
                "Home" => 0,
                "End" => count - 1,
                _ => return,
            };
            event.prevent_default();
            focus_child(&event, next);
            on_select.emit(values[next].clone());
        })
    };
    html! {
        <div
            class={classes!("segmented", props.small.then_some("small"))}
            role="radiogroup"
            aria-label={props.label.clone()}
            onkeydown={on_key}
        >
            { for props.options.iter().enumerate().map(|(at, (value, text))| {
                let checked = current == Some(at);
                let stop = checked || (current.is_none() && at == 0);
                let onclick = props.on_select.reform({
                    let value = value.clone();
                    move |_| value.clone()
                });
                let icon = props.icons.get(at).copied();
                html! {
                    <button
                        key={value.to_string()}
                        type="button"
                        role="radio"
                        aria-checked={checked.to_string()}
                        tabindex={if stop { "0" } else { "-1" }}
                        disabled={props.disabled}
                        aria-label={icon.map(|_| text.clone())}
                        title={icon.map(|_| text.clone())}
                        {onclick}
                    >
                        if let Some(icon) = icon { <IconView {icon} /> } else { {text.clone()} }
                    </button>
                }
            }) }
        </div>
    }
}

/// Moves the focus to the child `at` of the element that listens.
fn focus_child(event: &KeyboardEvent, at: usize) {
    let group = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let child = group.and_then(|group| group.children().item(at as u32));
    if let Some(child) = child.and_then(|child| child.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown, and this one has the focus within its group.
        let _ = child.focus();
    }
}
