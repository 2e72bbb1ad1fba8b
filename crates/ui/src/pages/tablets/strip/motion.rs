//! How tablets move to their places: a new one grows out of the tablet that it was split from.

use std::rc::Rc;

use tabletop_model::{SortedMap, TabletId};
use web_sys::Element;
use yew::{NodeRef, hook, use_effect_with, use_force_update, use_mut_ref};

use super::{MOVING_MAX, StripProps};
use crate::pages::tablets::geometry::{Place, beginnings, places};

/// Where tablets are drawn, and whether they move.
pub struct Motion {
    /// Where they belong.
    pub targets: Rc<Vec<Place>>,
    /// Where they are drawn now.
    pub shown: Rc<Vec<Place>>,
    /// They move from the last drawing to this one.
    pub moves: bool,
}

/// The places in a strip of this width. A drawing with new tablets is followed by a second one: first they stand where they come
/// from, then they go where they belong.
#[hook]
pub fn use_motion(props: &StripProps, width: f64, root: &NodeRef) -> Motion {
    let drawn = use_mut_ref(SortedMap::<TabletId, Place>::new);
    let drawn_width = use_mut_ref(|| 0.0);
    let force_update = use_force_update();
    let (table, view) = (props.picture.table(), &props.picture.view);
    let targets = Rc::new(places(table, props.measure, width, props.zoom));
    // A strip that has just been given another width is drawn without moving.
    let resized = drawn_width.replace(width) != width;
    // Nobody watches a table that is built again at full speed, and moving its tablets costs a second layout for each picture.
    let built_again = view.building && !view.playing;
    let moves = table.tablets.len() <= MOVING_MAX && !drawn.borrow().is_empty() && !resized && !built_again;
    let fresh = moves && table.tablets.iter().any(|tablet| !drawn.borrow().contains_key(&tablet.id));
    let shown = if fresh { Rc::new(beginnings(table, &targets, &drawn.borrow())) } else { targets.clone() };
    drawn.borrow_mut().clear();
    drawn.borrow_mut().extend(table.tablets.iter().map(|tablet| tablet.id).zip(targets.iter().copied()));
    use_effect_with((fresh, table.splits, table.merges), {
        let root = root.clone();
        move |_| {
            if fresh {
                // Once the browser has laid them out where they come from, they can go where they belong.
                if let Some(element) = root.cast::<Element>() {
                    element.get_bounding_client_rect();
                }
                force_update.force_update();
            }
        }
    });
    Motion { targets, shown, moves }
}
