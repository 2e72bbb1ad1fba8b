//! The focus, when a change takes away the button that has it.

use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement};

use crate::browser::document;

/// The steps that a person is at, and the title of the section where there are none. No button: a key that is held would press it, too.
const PLACES: [&str; 2] = [".migration-steps > .now", "#profiles-migration-title"];

/// Whether the focus is in the section.
pub fn is_here() -> bool {
    document()
        .active_element()
        .is_some_and(|element| element.closest(".profiles-migration").is_ok_and(|section| section.is_some()))
}

/// Moves the focus to the present step if what had it is gone, or cannot be pressed any more.
pub fn find_again() {
    // The body has the focus when the element that had it is gone.
    let is_lost = document()
        .active_element()
        .is_none_or(|element| element.tag_name() == "BODY" || element.matches(":disabled").unwrap_or(false));
    if !is_lost {
        return;
    }
    // A person may look at the figures below meanwhile.
    let stays = FocusOptions::new();
    stays.set_prevent_scroll(true);
    let place = PLACES.iter().find_map(|place| document().query_selector(place).ok().flatten());
    if let Some(place) = place.and_then(|place| place.dyn_into::<HtmlElement>().ok()) {
        // Fails only for an element that is not shown.
        drop(place.focus_with_options(&stays));
    }
}
