//! Parts of the page that a text points at: shown, scrolled to, ringed for a moment, and focused.

use tabletop_schema::{Place, ViewId};
use wasm_bindgen_futures::spawn_local;

use crate::actions::{Actions, fold_side, show_view};
use crate::browser;
use crate::state::Pane;

/// The part of the design's pane with the GC rules, which unfolds.
pub const GC_RULES: &str = "gc";
/// The most frames to wait for a part: another view has to be drawn, and perhaps a query has to run, or a simulation to begin.
const FRAMES_MAX: u32 = 600;
/// Frames in which a view that was just opened finds its size: about a second.
const FRAMES_TO_SETTLE: u32 = 60;

/// A part of the page: where it is, and how it is found.
struct Target {
    view: ViewId,
    /// The pane that has it on a narrow page.
    pane: Pane,
    selector: String,
}

fn target(place: Place) -> Target {
    let design = |pane: Pane, selector: &str| Target { view: ViewId::Design, pane, selector: selector.into() };
    let compare = |selector: String| Target { view: ViewId::Compare, pane: Pane::Design, selector };
    let traffic = |selector: &str| Target { view: ViewId::Traffic, pane: Pane::Design, selector: selector.into() };
    let profiles = |selector: &str| Target { view: ViewId::Profiles, pane: Pane::Design, selector: selector.into() };
    match place {
        Place::Query => design(Pane::Query, ".pane-query"),
        Place::Cost => design(Pane::Results, ".pane-results .cost"),
        Place::Keys => design(Pane::Tablets, ".pane-keys"),
        Place::Warnings => design(Pane::Design, ".pane-design .warnings"),
        Place::Strip(at) => compare(format!(".design-cards > li:nth-child({}) .compare-strip", at + 1)),
        Place::Figures => compare(".compare-table".into()),
        Place::Pattern(at) => compare(format!("#pattern-{at}")),
        Place::Anatomy => compare(".anatomy".into()),
        Place::GcRules => design(Pane::Design, "#unfolded-gc"),
        Place::Patterns => compare(".scoreboard".into()),
        Place::Estimate => compare(".estimate".into()),
        Place::Streams => traffic(".traffic-streams"),
        Place::Diagnoses => traffic(".traffic-diagnoses"),
        Place::Nodes => traffic(".traffic-nodes"),
        Place::Latency => traffic(".traffic-charts"),
        Place::Heatmap => traffic(".heat-plane"),
        Place::Strategy => profiles(".profiles-strategy"),
        // A design that makes no profiles has a problem in place of these.
        Place::Pipelines => profiles(".profiles-pipelines, .profiles:not(:has(.profiles-pipelines)) > .problem"),
        Place::User => profiles(".profiles-user, .profiles:not(:has(.profiles-user)) > .problem"),
        // They are below these, so they move once these are there.
        Place::Experiment => profiles(".profiles > :is(.profiles-user, .problem) ~ .profiles-experiment"),
        Place::Migration => profiles(".profiles > :is(.profiles-user, .problem) ~ .profiles-migration"),
        Place::RowViews => design(Pane::Results, ".pane-results .results-tools"),
    }
}

/// Shows a part of the page and moves the focus to it.
#[inline(never)]
pub fn show_place(place: Place, actions: &Actions) {
    let selector = reveal(place, actions);
    spawn_local(async move { _ = point_soon(&selector).await });
}

/// Does the same for a view that is opened with it: what is above the part may still grow, so it is shown again if it has left the screen
/// by that.
pub fn open_at(place: Place, actions: &Actions) {
    let selector = reveal(place, actions);
    spawn_local(async move {
        if !point_soon(&selector).await {
            return;
        }
        for _ in 0..FRAMES_TO_SETTLE {
            browser::next_frame().await;
        }
        if browser::has_left_screen(&selector) {
            browser::point_at(&selector);
        }
    });
}

/// Opens the view, the pane and the fold that have a part. Returns the selector of the part.
fn reveal(place: Place, actions: &Actions) -> String {
    let Target { view, pane, selector } = target(place);
    show_view(&actions.act, view);
    actions
        .look(move |look| {
            look.pane = pane;
            // The column has the row key and the query.
            if matches!(pane, Pane::Query | Pane::Design) && view == ViewId::Design && look.side_folded.contains(&view) {
                fold_side(look, view, false);
            }
            if place == Place::GcRules && !look.unfolded.contains(&GC_RULES) {
                look.unfolded.push(GC_RULES);
            }
            let folds = match pane {
                Pane::Query => "query",
                Pane::Design => "design",
                _ => return,
            };
            look.folded.retain(|folded| *folded != folds);
        })
        .emit(());
    selector
}

/// Points at a part as soon as it is drawn. Returns whether it was.
async fn point_soon(selector: &str) -> bool {
    for _ in 0..FRAMES_MAX {
        browser::next_frame().await;
        if browser::point_at(selector) {
            return true;
        }
    }
    false
}
