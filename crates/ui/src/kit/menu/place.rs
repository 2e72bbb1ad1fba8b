//! The position of the list of a menu button.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Places the list below the button, or above it if there is more space, within the visible part of
/// the pane.
pub fn place(root: Option<&HtmlElement>) -> Option<()> {
    const GAP: f64 = 4.0;
    let root = root?;
    let list: HtmlElement = root.query_selector("[role=menu]").ok()??.unchecked_into();
    // The results pane clips what is higher than itself, except for what is in the top layer.
    let is_over_grid = root.closest(".grid, .results").ok()?.is_some();
    if is_over_grid {
        list.set_attribute("popover", "manual").ok()?;
        list.show_popover().ok()?;
    }
    let window = web_sys::window()?;
    let (mut left, mut top) = (0.0, 0.0);
    let (mut right, mut bottom) =
        (window.inner_width().ok()?.as_f64()?, window.inner_height().ok()?.as_f64()?);
    if let Some(pane) = root.closest(".side, .single-scroll").ok()? {
        let seen = pane.get_bounding_client_rect();
        // The heading of a pane covers the top, and so do the tablets on a narrow page.
        let heading = root.closest(".side .pane").ok()?.and_then(|pane| pane.first_element_child());
        let cover = heading.or(pane.query_selector(".tablets-above").ok()?);
        (left, top) = (seen.left(), seen.top() + cover.map_or(0.0, |cover| f64::from(cover.client_height())));
        (right, bottom) = (left + f64::from(pane.client_width()), seen.bottom());
    }
    let (button, size) = (root.get_bounding_client_rect(), list.get_bounding_client_rect());
    let (below, above) = (bottom - button.bottom() - 2.0 * GAP, button.top() - top - 2.0 * GAP);
    let up = size.height() > below && above > below;
    let x = size.left().min(right - GAP - size.width()).max(left + GAP) - button.left();
    let style = list.style();
    let set = |name: &str, value: &str| style.set_property(name, value).ok();
    if is_over_grid {
        let height = size.height().min(if up { above } else { below }).max(0.0);
        let x = (button.right() - size.width()).min(right - GAP - size.width()).max(left + GAP);
        let y = if up { button.top() - GAP - height } else { button.bottom() + GAP };
        set("position", "fixed")?;
        set("inset", &format!("{y}px auto auto {x}px"))?;
        set("margin", "0")?;
        return set("max-height", &format!("{height}px"));
    }
    set("left", &format!("{x}px"))?;
    set("right", "auto")?;
    set("max-height", &format!("{}px", size.height().min(if up { above } else { below }).max(0.0)))?;
    if up {
        set("top", "auto")?;
        set("bottom", "calc(100% + 4px)")?;
    }
    Some(())
}
