//! The focus, when a change removes the focused button.

use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement};

use crate::browser::document;

/// The current step, and the title of the section where there is none. It is not a button, because
/// a held key would press it.
const PLACES: [&str; 2] = [".migration-steps > .now", "#profiles-migration-title"];

/// Whether the focus is in the section.
pub fn is_here() -> bool {
    // A test has no focus.
    !cfg!(test)
        && document().active_element().is_some_and(|element| {
            element.closest(".profiles-migration").is_ok_and(|section| section.is_some())
        })
}

/// Moves the focus to the current step if the focused element was removed, or cannot be pressed any
/// more.
pub fn find_again() {
    // The body has the focus when the focused element was removed.
    let is_lost = document()
        .active_element()
        .is_none_or(|element| element.tag_name() == "BODY" || element.matches(":disabled").unwrap_or(false));
    if !is_lost {
        return;
    }
    // The user may be looking at the figures below.
    let stays = FocusOptions::new();
    stays.set_prevent_scroll(true);
    let place = PLACES.iter().find_map(|place| document().query_selector(place).ok().flatten());
    if let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(place.focus_with_options(&stays));
    }
}
