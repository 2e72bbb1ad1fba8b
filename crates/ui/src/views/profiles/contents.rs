//! The content of the view, and its sections in the order of the articles.

use tabletop_texts::messages;
use tabletop_workspace::Place;
use yew::{Html, html};

use crate::kit::{ButtonKind, push};
use crate::page::actions::Actions;

/// Draws them. Each button scrolls to its section and moves the focus there; objects have their own
/// view.
pub fn contents(actions: &Actions) -> Html {
    let says = &messages().profiles;
    let sections = [
        (says.strategy, Place::Strategy),
        (says.pipelines.title, Place::Pipelines),
        (says.user.title, Place::User),
        (says.experiment.title, Place::Experiment),
        (says.migration.title, Place::Migration),
        (says.objects, Place::RowViews),
    ];
    let line = |(name, place): (&'static str, Place)| {
        let on_click = actions.place.reform(move |()| place);
        let needs_pipelines = matches!(place, Place::Pipelines | Place::User);
        html! {
            <li>
                { push(name, None, ButtonKind::Quiet, on_click) }
                // The style sheet shows this if a design makes no profiles: a problem is shown in
                // their place.
                if needs_pipelines { <span class="not-yet soft small">{says.not_yet}</span> }
            </li>
        }
    };
    html! {
        <nav class="profiles-contents" aria-label={says.contents}>
            <p class="soft">{says.about}</p>
            <ul>{ for sections.map(line) }</ul>
        </nav>
    }
}
