//! Parts of the page that a text points at: shown, scrolled to, ringed for a moment, and focused.

use tabletop_workspace::Place;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::browser;
use crate::page::actions::{fold_side, show_view};
use crate::page::state::{Action, Pane};
use crate::views::{Frame, Target, VIEWS, View};

/// The maximum number of frames to wait for a part: another view has to be drawn, and perhaps a
/// query has to run, or a simulation to start.
const FRAMES_MAX: u32 = 600;
/// Frames in which a view that was just opened finds its size: about a second.
const FRAMES_TO_SETTLE: u32 = 60;

/// Returns the view that contains a part of the page, and where the part is in it.
fn target(place: Place) -> Option<(&'static View, Target)> {
    VIEWS.iter().find_map(|view| Some((*view, (view.place)(place)?)))
}

/// Returns the callback with which a view shows a part of any view.
pub fn place_shower(act: Callback<Action>) -> Callback<Place> {
    Callback::from(move |place| show_place(place, &act))
}

/// Shows a part of the page and moves the focus to it.
#[inline(never)]
pub fn show_place(place: Place, act: &Callback<Action>) {
    let Some(selector) = reveal(place, act) else { return };
    spawn_local(async move { _ = point_soon(&selector).await });
}

/// Shows a part of a view that opens with it. Content above the part may still grow, so it is shown
/// again if it has left the screen by then.
pub fn open_at(place: Place, act: &Callback<Action>) {
    let Some(selector) = reveal(place, act) else { return };
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

/// Opens the view, the pane and the fold that contain a part. Returns the selector of the part.
fn reveal(place: Place, act: &Callback<Action>) -> Option<String> {
    let (view, Target { pane, selector, opens }) = target(place)?;
    let id = view.id;
    let is_in_column = match &view.frame {
        Frame::Panes => matches!(pane, Pane::Query | Pane::Design),
        Frame::Section(section) => section.side.is_some() && pane == Pane::Query,
        Frame::Whole { .. } => false,
    };
    show_view(act, id);
    act.emit(Action::Look(Box::new(move |look| {
        look.pane = pane;
        // The row key and the query are in the column, or what a view has in place of the query.
        if is_in_column && look.side_folded.contains(&id) {
            fold_side(look, id, false);
        }
        if let Some(open) = opens {
            open(look);
        }
        let folds = match pane {
            Pane::Query => "query",
            Pane::Design => "design",
            _ => return,
        };
        look.folded.retain(|folded| *folded != folds);
    })));
    Some(selector)
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

#[cfg(test)]
mod tests {
    use tabletop_texts::messages;
    use tabletop_workspace::Example;

    use super::*;

    #[test]
    fn each_place_of_an_example_is_in_one_view() {
        for (phrase, place) in Example::ALL.iter().flat_map(|example| (messages().example)(*example).places) {
            let views = VIEWS.iter().filter(|view| (view.place)(*place).is_some());
            assert_eq!(views.count(), 1, "{phrase}: {place:?}");
        }
    }
}
