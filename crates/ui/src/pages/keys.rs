//! The first, middle and last keys of the table, in byte order.

use std::rc::Rc;

use tabletop_schema::{DesignView, KeyView};
use yew::{Callback, Html, Properties, function_component, html, use_state};

use crate::results::KeyText;
use crate::widgets::{Button, ButtonKind, Icon};

/// Properties of [`KeysPane`].
#[derive(Properties, PartialEq)]
pub struct KeysPaneProps {
    /// The design's table.
    pub view: Rc<DesignView>,
}

/// Three short lists side by side, coloured as the chips are; as hexadecimal bytes on demand.
#[function_component]
pub fn KeysPane(props: &KeysPaneProps) -> Html {
    let hex = use_state(|| false);
    let toggle = {
        let hex = hex.clone();
        Callback::from(move |()| hex.set(!*hex))
    };
    let view = &props.view;
    let list = |name: &'static str, keys: &[KeyView]| {
        html! {
            <div class="keys-column">
                <h3 class="soft small">{name}</h3>
                <ol>
                    { for keys.iter().map(|key| html! { <li class="mono" title={key.key.to_string()}><KeyText view={key.clone()} hex={*hex} /></li> }) }
                </ol>
            </div>
        }
    };
    html! {
        <div class="keys">
            <div class="keys-columns">
                { list("First keys", &view.first_keys) }
                { list("Middle keys", &view.middle_keys) }
                { list("Last keys", &view.last_keys) }
            </div>
            <Button label="Hex" icon={Icon::Binary} kind={ButtonKind::Quiet} pressed={*hex} on_click={toggle} />
        </div>
    }
}
