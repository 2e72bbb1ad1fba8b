//! Where each pane stands: a column and two rows with lines between them that can be moved, or one pane at a time.

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::{Callback, Html, html};

use super::Deeds;
use crate::browser;
use crate::chrome::{PANEL_ID, tab_id, tabs};
use crate::state::{Action, Look, State};
use crate::widgets::{Direction, Separator};

/// Least and greatest width of the column, px.
const SIDE: (f64, f64) = (280.0, 640.0);
/// Least and greatest height of the upper row, px.
const UPPER: (f64, f64) = (160.0, 900.0);

/// Sizes and theme as they were at the last visit.
pub fn restore(look: &mut Look) {
    let kept = |name: &str| browser::stored(name).and_then(|text| text.parse().ok()).filter(|size: &f64| size.is_finite());
    look.side = kept("side").unwrap_or(look.side).clamp(SIDE.0, SIDE.1);
    look.upper = kept("upper").unwrap_or(look.upper).clamp(UPPER.0, UPPER.1);
    look.theme = crate::chrome::stored_theme();
    // The style sheet has the usual sizes.
    resize("--side", look.side);
    resize("--upper", look.upper);
}

/// All panes at once: a column, a row above with the inspector beside it, and a row below.
pub fn wide(state: &State, deeds: &Deeds, side: [Html; 3], upper: Html, inspector: Option<Html>, lower: Html) -> Html {
    let look = &state.look;
    let on_side = on_resize(deeds, "side", |look, size| look.side = size);
    let on_upper = on_resize(deeds, "upper", |look, size| look.upper = size);
    html! {
        <main class="workbench">
            <div class="side">{ for side }</div>
            <Separator label="Width of the left column" direction={Direction::Vertical} value={look.side}
                min={SIDE.0} max={SIDE.1} on_change={on_side} />
            <div class="centre">
                <div class="upper"><div class="upper-main">{upper}</div>if let Some(inspector) = inspector { {inspector} }</div>
                <Separator label="Height of the tablets" direction={Direction::Horizontal} value={look.upper}
                    min={UPPER.0} max={UPPER.1} on_change={on_upper} />
                {lower}
            </div>
        </main>
    }
}

/// One pane at a time.
pub fn narrow(state: &State, deeds: &Deeds, pane: Html) -> Html {
    html! {
        <main class="single">
            { tabs(state.look.pane, deeds) }
            <div class="single-scroll">
                <div id={PANEL_ID} class="single-pane" role="tabpanel" aria-labelledby={tab_id(state.look.pane)}>{pane}</div>
            </div>
        </main>
    }
}

fn on_resize(deeds: &Deeds, name: &'static str, change: fn(&mut Look, f64)) -> Callback<f64> {
    deeds.act.reform(move |size: f64| {
        browser::store(name, &size.to_string());
        resize(if name == "side" { "--side" } else { "--upper" }, size);
        Action::Look(Box::new(move |look| change(look, size)))
    })
}

/// The policy of the page forbids style attributes, not this.
fn resize(property: &str, size: f64) {
    let root = browser::document().document_element().and_then(|root| root.dyn_into::<HtmlElement>().ok());
    if let Some(root) = root {
        // Always a valid length.
        let _ = root.style().set_property(property, &format!("{size}px"));
    }
}
