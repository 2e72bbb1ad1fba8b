//! A pane with a heading, in a column of panes that fold.

use yew::{Html, classes, html};

use crate::kit::{Icon, icon};
use crate::page::actions::Actions;
use crate::page::state::PageState;

/// Draws a section with a heading and a soft `summary`. On a wide page the heading folds it, if
/// `folds` is given.
pub fn section(
    id: &'static str,
    title: &'static str,
    summary: &str,
    folds: Option<&Actions>,
    state: &PageState,
    body: Html,
) -> Html {
    let folds = folds.filter(|_| !state.look.narrow);
    let folded = folds.is_some() && state.look.folded.contains(&id);
    let (title_id, body_id) = (format!("{id}-title"), format!("{id}-body"));
    let heading = match folds {
        None => html! { {title} },
        Some(actions) => {
            let toggle = actions.look(move |look| {
                if folded { look.folded.retain(|each| *each != id) } else { look.folded.push(id) }
            });
            html! {
                <button type="button" class="fold" aria-expanded={if folded { "false" } else { "true" }} aria-controls={body_id.clone()}
                    onclick={toggle.reform(|_| ())}>
                    {icon(if folded { Icon::Right } else { Icon::Down })}
                    {title}
                </button>
            }
        }
    };
    html! {
        <section key={id} class={classes!("pane", format!("pane-{id}"))} aria-labelledby={title_id.clone()}>
            <div class="pane-head">
                <h2 id={title_id}>{heading}</h2>
                <span class="pane-summary soft small num">{summary.to_owned()}</span>
            </div>
            <div id={body_id} class="pane-body" hidden={folded}>{body}</div>
        </section>
    }
}
