//! The first, middle and last keys of the table, in byte order.

use tabletop_schema::KeyView;
use yew::{Html, html};

use crate::actions::Actions;
use crate::messages::messages;
use crate::results::key_line;
use crate::state::State;
use crate::widgets::{Icon, toggle};

/// Three short lists side by side, coloured as the chips are; as hexadecimal bytes on demand.
pub fn keys_pane(state: &State, actions: &Actions) -> Html {
    let (view, hex) = (&state.view, state.look.hex);
    let list = |name: &'static str, keys: &[KeyView]| {
        let key = |key: &KeyView| html! { <li class="mono">{key_line(key, hex)}</li> };
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
            { toggle(messages().panes.hex, Icon::Binary, hex, actions.look(|look| look.hex = !look.hex)) }
        </div>
    }
}
