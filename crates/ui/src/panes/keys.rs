//! The first, middle and last keys of the table, in byte order.

use tabletop_keys::KeyView;
use tabletop_texts::messages;
use yew::{Html, html};

use crate::kit::{Icon, Toggle, toggle};
use crate::page::actions::Actions;
use crate::page::state::{KeyForm, PageState, Part};
use crate::panes::results::key_line;

/// How the keys of the table are written.
#[derive(Clone)]
struct KeysLook {
    form: KeyForm,
}

impl Part for KeysLook {}

impl Default for KeysLook {
    fn default() -> Self {
        KeysLook { form: KeyForm::Text }
    }
}

/// Draws three short lists in the colours of the chips, or as hexadecimal bytes.
pub fn keys_pane(state: &PageState, actions: &Actions) -> Html {
    let (view, form) = (&state.view, state.look.part::<KeysLook>().form);
    let list = |name: &'static str, keys: &[KeyView]| {
        // Another key is another element, so that the parts of the previous key do not move.
        let key = |key: &KeyView| html! { <li key={key.key.to_string()} class="mono">{key_line(key, &state.shown.stored.colors, form, &[])}</li> };
        html! {
            <div class="keys-column">
                <h3 class="soft small">{name}</h3>
                <ol>{ for keys.iter().map(key) }</ol>
            </div>
        }
    };
    html! {
        <div class="keys">
            <div class="keys-columns">
                { list(messages().panes.first_keys, &view.first_keys) }
                { list(messages().panes.middle_keys, &view.middle_keys) }
                { list(messages().panes.last_keys, &view.last_keys) }
            </div>
            { toggle(Toggle {
                label: messages().panes.hex,
                icon: Icon::Binary,
                icon_only: true,
                pressed: form == KeyForm::Hex,
                on_click: actions.part(|look: &mut KeysLook| look.form = look.form.other()),
            }) }
        </div>
    }
}
