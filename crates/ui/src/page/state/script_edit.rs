//! Changes of the workspace by scripts of the page, merged with the edits of the user.
//!
//! A script changes the workspace that the engine has, and the page learns of it when the engine
//! has answered. What the user has edited by then stays.

use tabletop_client::ScriptEdit;
use tabletop_workspace::{Design, Workspace};

/// Returns the current workspace with a script's changes, except where the user has changed the
/// same since. A change of events that the user has left in the meantime is dropped.
#[inline(never)]
pub fn on(screen: &Workspace, edit: ScriptEdit) -> Workspace {
    let ScriptEdit { before, after: mut next } = edit;
    let Some(before) = before else { return next };
    if !screen.source.may_have_events_of(&before.source) {
        return screen.clone();
    }
    // Corrected fields belong to the events that they correct.
    if next.source.may_have_events_of(&before.source) {
        keep(&mut next.source, &before.source, &screen.source);
    }
    keep(&mut next.name, &before.name, &screen.name);
    keep(&mut next.cluster, &before.cluster, &screen.cluster);
    keep(&mut next.query, &before.query, &screen.query);
    keep(&mut next.queries, &before.queries, &screen.queries);
    keep(&mut next.limits, &before.limits, &screen.limits);
    keep(&mut next.rates, &before.rates, &screen.rates);
    keep(&mut next.traffic, &before.traffic, &screen.traffic);
    keep(&mut next.strategy, &before.strategy, &screen.strategy);
    keep(&mut next.arrived, &before.arrived, &screen.arrived);
    // Other events end an example. A script may also open another example, which has another id.
    if next.example == before.example && !next.source.may_have_events_of(&before.source) {
        next.example = None;
    }
    keep(&mut next.example, &before.example, &screen.example);
    let count = before.designs.len();
    if screen.designs.len() == count && next.designs.len() >= count {
        for ((next, before), screen) in next.designs.iter_mut().zip(&before.designs).zip(&screen.designs) {
            keep_design(next, before, screen);
        }
    } else {
        // Designs that were added or removed in the meantime have other indexes.
        keep(&mut next.designs, &before.designs, &screen.designs);
    }
    next
}

fn keep_design(next: &mut Design, before: &Design, screen: &Design) {
    keep(&mut next.name, &before.name, &screen.name);
    keep(&mut next.template, &before.template, &screen.template);
    keep(&mut next.layout, &before.layout, &screen.layout);
    keep(&mut next.families, &before.families, &screen.families);
    keep(&mut next.index_of, &before.index_of, &screen.index_of);
    keep(&mut next.results, &before.results, &screen.results);
}

/// Keeps the user's changes.
fn keep<T: PartialEq + Clone>(next: &mut T, before: &T, screen: &T) {
    if screen != before {
        next.clone_from(screen);
    }
}
