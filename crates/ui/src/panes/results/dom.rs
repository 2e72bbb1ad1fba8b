//! The browser's functions that the grid calls in addition to Yew's.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MouseEvent, ResizeObserver};
use yew::NodeRef;
use yew::functional::UseForceUpdateHandle;

use super::cursor::Cursor;
use crate::browser;

/// The usual type size, pixels.
const REM_PX: f64 = 16.0;

/// The size of a grid's box when the grid was drawn last.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Measures {
    /// The inner width without scroll bars, pixels.
    pub width_px: f64,
    /// The inner height without scroll bars, pixels.
    pub height_px: f64,
    /// The page's type size, pixels.
    pub rem_px: f64,
}

impl Measures {
    /// The measures of the window.
    fn of_window() -> Measures {
        let (width, height) =
            browser::root().map_or((1_440, 900), |root| (root.client_width(), root.client_height()));
        Measures { width_px: width.into(), height_px: height.into(), rem_px: rem_px().unwrap_or(REM_PX) }
    }
}

/// The measures of a grid's box, which follow its size.
#[derive(Default)]
pub struct BoxSize {
    measures: Rc<Cell<Measures>>,
    watch: Option<SizeWatch>,
}

impl BoxSize {
    /// Starts with the size of the window as an estimate: the lines of a grid that is drawn for the
    /// first time need not wait for a frame.
    pub fn of_window() -> BoxSize {
        BoxSize { measures: Rc::new(Cell::new(Measures::of_window())), watch: None }
    }

    /// Returns the last measures.
    pub fn measures(&self) -> Measures {
        self.measures.get()
    }

    /// Observes the size of this box, and redraws the grid after each change; without a box,
    /// observes nothing.
    pub fn follow(&mut self, element: Option<&HtmlElement>, redraw: &UseForceUpdateHandle) {
        if self.watch.as_ref().map(|watch| &watch.element) == element {
            return;
        }
        let (last, redraw) = (self.measures.clone(), redraw.clone());
        let on_change = move |measures: Measures| {
            // A grid that has just left the page has no size. The next one will have about the same
            // size.
            if measures.width_px > 0.0 && last.replace(measures) != measures {
                redraw.force_update();
            }
        };
        self.watch = element.map(|element| SizeWatch::new(element, on_change));
    }
}

/// Measures an element now and after each change of its size, until it is dropped.
struct SizeWatch {
    element: HtmlElement,
    observer: Option<ResizeObserver>,
    /// The callback of the observer.
    _measure: Closure<dyn Fn()>,
}

impl SizeWatch {
    /// Calls `on_change` with the measures of `element`.
    fn new(element: &HtmlElement, on_change: impl Fn(Measures) + 'static) -> SizeWatch {
        let measured = element.clone();
        let measure = Closure::<dyn Fn()>::new(move || {
            on_change(Measures {
                width_px: f64::from(measured.client_width()),
                height_px: f64::from(measured.client_height()),
                rem_px: rem_px().unwrap_or(REM_PX),
            });
        });
        // Every browser that supports WebAssembly with bulk memory has one.
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
        }
        SizeWatch { element: element.clone(), observer, _measure: measure }
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
    let root = browser::root()?;
    let size = browser::window().get_computed_style(&root).ok()??.get_property_value("font-size").ok()?;
    size.trim_end_matches("px").parse().ok()
}

/// Returns the element of a reference, while it is in the page.
pub fn element(node: &NodeRef) -> Option<HtmlElement> {
    node.cast::<HtmlElement>().filter(|element| element.is_connected())
}

/// Sets a length of an element through the CSSOM, which the page's policy allows.
pub fn set_style(node: &NodeRef, name: &str, pixels: f64) {
    if let Some(element) = element(node) {
        // Names and values are well formed, so this cannot fail.
        drop(element.style().set_property(name, &format!("{pixels}px")));
    }
}

/// Returns whether text is selected: then a click or a copy is about that text.
pub fn text_is_selected() -> bool {
    browser::window().get_selection().ok().flatten().is_some_and(|text| !text.is_collapsed())
}

/// Returns the line and column that were clicked.
pub fn clicked(event: &MouseEvent) -> Option<Cursor> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let number =
        |name: &str| target.closest(&format!("[{name}]")).ok()??.get_attribute(name)?.parse::<usize>().ok();
    Some(Cursor {
        line: number("data-line")?,
        column: number("aria-colindex").map_or(0, |column| column - 1),
    })
}
