//! What the grid asks of the browser beside Yew.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MouseEvent, ResizeObserver};
use yew::NodeRef;

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

/// Measures an element now and whenever its size changes, until it is dropped.
pub struct SizeWatch {
    element: HtmlElement,
    observer: Option<ResizeObserver>,
    /// What the observer calls.
    _measure: Closure<dyn Fn()>,
}

impl SizeWatch {
    /// Tells `on_change` the measures of `element`.
    pub fn new(element: &HtmlElement, on_change: impl Fn(Measures) + 'static) -> SizeWatch {
        let measured = element.clone();
        let measure = Closure::<dyn Fn()>::new(move || {
            on_change(Measures {
                width_px: f64::from(measured.client_width()),
                height_px: f64::from(measured.client_height()),
                rem_px: rem_px().unwrap_or(16.0),
            });
        });
        // Every browser that runs WebAssembly with bulk memory has one.
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
        }
        SizeWatch { element: element.clone(), observer, _measure: measure }
    }

    /// Whether this is the element that it watches.
    pub fn is_of(&self, element: &HtmlElement) -> bool {
        self.element == *element
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

fn rem_px() -> Option<f64> {
    let root = browser::document().document_element()?;
    let size = browser::window().get_computed_style(&root).ok()??.get_property_value("font-size").ok()?;
    size.trim_end_matches("px").parse().ok()
}

/// The element of a reference, while it is in the page.
pub fn element(node: &NodeRef) -> Option<HtmlElement> {
    node.cast::<HtmlElement>().filter(|element| element.is_connected())
}

/// Sets a length of an element through the CSSOM, which the page's policy allows.
pub fn set_style(node: &NodeRef, name: &str, pixels: f64) {
    if let Some(element) = element(node) {
        // Both names and values are well formed, so nothing can fail.
        drop(element.style().set_property(name, &format!("{pixels}px")));
    }
}

/// Whether a person has selected text with the pointer: then a click or a copy is about that text.
pub fn text_is_selected() -> bool {
    browser::window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed())
}

/// The line and column that were clicked.
pub fn clicked(event: &MouseEvent) -> Option<Cursor> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let number = |name: &str| target.closest(&format!("[{name}]")).ok()??.get_attribute(name)?.parse::<usize>().ok();
    Some(Cursor { line: number("data-line")?, column: number("aria-colindex").map_or(0, |column| column - 1) })
}
