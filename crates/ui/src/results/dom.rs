//! What the grid asks of the browser beside Yew.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, MouseEvent, ResizeObserver};
use yew::{Callback, NodeRef};

use super::line::Cursor;
use crate::browser;

/// The box of the grid, as last measured.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// Of what is inside, without scroll bars, pixels.
    pub width_px: f64,
    /// The same.
    pub height_px: f64,
    /// The page's type size.
    pub rem_px: f64,
}

/// Whether a person has selected text with the pointer: then a click or a copy is about that text.
pub fn text_is_selected() -> bool {
    browser::window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed())
}

/// The line and column that were clicked.
pub fn clicked(event: &MouseEvent) -> Option<Cursor> {
    let element = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    let line = element.closest("[data-line]").ok()??.get_attribute("data-line")?.parse().ok()?;
    let column =
        element.closest("[aria-colindex]").ok()?.and_then(|cell| cell.get_attribute("aria-colindex")?.parse::<usize>().ok());
    Some(Cursor { line, column: column.map_or(0, |column| column - 1) })
}

/// Sets one property of an element through the CSSOM, which the page's policy allows.
pub fn set_style(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Both names and values are well formed, so nothing can fail.
        drop(element.style().set_property(name, value));
    }
}

/// Measures the grid now and whenever its size changes; what it returns ends that.
pub fn observe_size(grid: NodeRef, on_change: Callback<Measures>) -> impl FnOnce() {
    let measure = Closure::<dyn Fn()>::new({
        let grid = grid.clone();
        move || {
            let Some(grid) = grid.cast::<HtmlElement>() else { return };
            let rem = browser::document().document_element().and_then(|root| {
                let size = browser::window().get_computed_style(&root).ok()??.get_property_value("font-size").ok()?;
                size.trim_end_matches("px").parse().ok()
            });
            on_change.emit(Measures {
                width_px: f64::from(grid.client_width()),
                height_px: f64::from(grid.client_height()),
                rem_px: rem.unwrap_or(16.0),
            });
        }
    });
    let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
    if let (Some(observer), Some(element)) = (&observer, grid.cast::<HtmlElement>()) {
        observer.observe(&element);
    }
    move || {
        if let Some(observer) = observer {
            observer.disconnect();
        }
        drop(measure);
    }
}
