//! Pointing at a part of the page, with a ring around it.

use std::cell::RefCell;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, FocusOptions, HtmlElement, ScrollBehavior, ScrollIntoViewOptions, ScrollLogicalPosition,
};

use super::{document, reduced_motion, window};

/// The attribute of a ringed part (www/style/share.css).
const POINTED: &str = "data-pointed";
/// Milliseconds for which a part is ringed.
const RING_MILLIS: u32 = 2_500;

thread_local! {
    /// The ringed part, and the timeout that ends its ring. Dropping a timeout cancels it.
    static RING: RefCell<Option<(Element, Timeout)>> = const { RefCell::new(None) };
}

fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

/// What scrolls with a view: its panes and the column next to them. The shell is not included: it
/// stays at its end.
const SCROLLED: &str = ".side, .upper-main, .centre.view, .single-scroll";

/// Scrolls all panes of the view back to the top.
pub fn scroll_to_beginning() {
    let Ok(panes) = document().query_selector_all(SCROLLED) else { return };
    for pane in (0..panes.length()).filter_map(|at| panes.get(at)?.dyn_into::<Element>().ok()) {
        pane.set_scroll_top(0);
    }
}

/// Scrolls to a part of the page, focuses it, and rings it for a moment. One part is ringed at a
/// time. Returns `false` as long as it is not drawn or has no size.
pub fn point_at(selector: &str) -> bool {
    let Some(part) = find(selector) else { return false };
    if let Ok(Some(folded)) = part.closest("details:not([open])") {
        // Fails only for an invalid attribute name.
        drop(folded.set_attribute("open", ""));
    }
    let height = part.get_bounding_client_rect().height();
    if height == 0.0 {
        return false;
    }
    let room = height_of_window();
    let scroll = ScrollIntoViewOptions::new();
    scroll.set_behavior(if reduced_motion() { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
    scroll.set_block(if height > room * 0.7 {
        ScrollLogicalPosition::Start
    } else {
        ScrollLogicalPosition::Center
    });
    let focus = FocusOptions::new();
    focus.set_prevent_scroll(true);
    if !part.has_attribute("tabindex") {
        // It takes the focus from here, and not with the Tab key. Fails only for an invalid
        // attribute name.
        drop(part.set_attribute("tabindex", "-1"));
    }
    if let Some(part) = part.dyn_ref::<HtmlElement>() {
        // Fails only for an element that is not shown.
        drop(part.focus_with_options(&focus));
    }
    part.scroll_into_view_with_scroll_into_view_options(&scroll);
    remove_ring();
    drop(part.set_attribute(POINTED, ""));
    let end = Timeout::new(RING_MILLIS, remove_ring);
    RING.with(|ring| ring.replace(Some((part, end))));
    true
}

/// Returns whether the focused part is out of sight.
pub fn has_left_screen(selector: &str) -> bool {
    let focused = document().active_element();
    let Some(part) = find(selector).filter(|part| focused.as_ref() == Some(part)) else { return false };
    let rect = part.get_bounding_client_rect();
    rect.bottom() <= 0.0 || rect.top() >= height_of_window()
}

fn height_of_window() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(0.0)
}

fn remove_ring() {
    if let Some((part, _)) = RING.with(RefCell::take) {
        // Fails only for an invalid attribute name.
        drop(part.remove_attribute(POINTED));
    }
}
