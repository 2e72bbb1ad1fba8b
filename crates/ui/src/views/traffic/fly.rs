//! Tablets fly from node to node when they move: each chip that changes nodes is animated from its
//! previous position.

use std::collections::HashMap;

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlElement;

use crate::browser;

/// Milliseconds of a flight.
const MILLIS: f64 = 500.0;

/// Where the chips of tablets were when they were last drawn.
pub struct Flight {
    moves: bool,
    /// By tablet and its index among equal ones: node, left and top.
    chips: HashMap<String, (String, f64, f64)>,
}

impl Flight {
    /// Returns a flight without chips. With `moves`, chips fly; without, for users who prefer
    /// reduced motion, they do not.
    pub fn new(moves: bool) -> Flight {
        Flight { moves, chips: HashMap::new() }
    }

    /// Examines the chips after they were drawn, and animates the ones that have changed nodes.
    pub fn rendered(&mut self) {
        if !self.moves {
            return;
        }
        let Ok(list) = browser::document().query_selector_all(".tablet-chip") else { return };
        let mut chips = HashMap::new();
        for at in 0..list.length() {
            let Some(chip) = list.item(at).and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) else {
                continue;
            };
            let data = |name| chip.get_attribute(name).unwrap_or_default();
            let (tablet, node) = (data("data-tablet"), data("data-node"));
            let place = chip.get_bounding_client_rect();
            let (left, top) = (place.left(), place.top());
            if let Some((before, x, y)) = self.chips.get(&tablet)
                && *before != node
                && !chips.contains_key(&tablet)
            {
                fly(&chip, x - left, y - top);
            }
            chips.entry(tablet).or_insert((node, left, top));
        }
        self.chips = chips;
    }
}

/// Animates an element from a distance to its position. Without animations in the browser, it is
/// there at once.
fn fly(chip: &HtmlElement, x: f64, y: f64) {
    let frame = |transform: &str| {
        let frame = Object::new();
        drop(Reflect::set(&frame, &"transform".into(), &transform.into()));
        frame
    };
    let frames = Array::of2(&frame(&format!("translate({x:.0}px, {y:.0}px) scale(1.6)")), &frame("none"));
    if let Ok(animate) = Reflect::get(chip, &"animate".into())
        && let Some(animate) = animate.dyn_ref::<Function>()
    {
        drop(animate.call2(chip, &frames, &JsValue::from_f64(MILLIS)));
    }
}
