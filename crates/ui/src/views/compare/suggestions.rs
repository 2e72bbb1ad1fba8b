//! Access patterns that the user can add with a click: those that suit the events, and the current
//! query.

use tabletop_texts::messages;
use tabletop_workspace::{NamedQuery, QUERIES_MAX};
use yew::{Callback, Html, html};

use super::patterns::add;
use crate::kit::{ButtonKind, Icon, clicked, icon, push};
use crate::page::actions::Actions;
use crate::page::state::PageState;

/// Draws the buttons. Patterns that are already in the list are not suggested.
pub fn suggestions(state: &PageState, actions: &Actions) -> Html {
    let (says, queries) = (&messages().scoreboard, &state.workspace.queries);
    let is_new = |named: &&NamedQuery| queries.iter().all(|known| known.query != named.query);
    let patterns = state.look_ups().first().map(|best| best.patterns.as_slice()).unwrap_or_default();
    let left: Vec<NamedQuery> = patterns.iter().filter(is_new).cloned().collect();
    let on_screen = NamedQuery::new(
        (messages().query.saved.default_name)(queries.len() as u32 + 1),
        state.workspace.query.clone(),
    );
    let on_screen = NamedQuery { tables: state.read_tables(), ..on_screen };
    let on_screen = Some(on_screen).filter(|named| is_new(&named));
    let one = |named: &NamedQuery| {
        let on_click = add(state, actions, vec![named.clone()]);
        html! {
            <button
                type="button"
                class="button"
                disabled={on_click.is_none()}
                title={tabletop_views::in_words::in_words(&named.query)}
                aria-label={(says.add)(&named.name)}
                onclick={on_click.map(|on_click: Callback<()>| clicked(&(says.add)(&named.name), &on_click))}
            >
                {icon(Icon::Plus)}
                <span class="button-text">{named.name.clone()}</span>
            </button>
        }
    };
    html! {
        <div class="score-add">
            if !left.is_empty() {
                <div class="score-suggested" role="group" aria-label={says.suggested}>
                    <span class="soft small">{says.suggested}</span>
                    if left.len() > 1 {
                        { push(&(says.suggest_all)(left.len()), Some(Icon::Plus), ButtonKind::Plain, add(state, actions, left.clone())) }
                    }
                    { for left.iter().map(one) }
                    <span class="soft small">{says.guesses}</span>
                </div>
            }
            { push(says.add_query, Some(Icon::Plus), ButtonKind::Quiet, on_screen.and_then(|named| add(state, actions, vec![named]))) }
            if queries.len() >= QUERIES_MAX { <span class="soft small">{(says.too_many)(QUERIES_MAX)}</span> }
        </div>
    }
}
