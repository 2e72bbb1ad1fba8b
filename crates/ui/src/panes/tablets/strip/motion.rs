//! The motion of tablets to their positions: a new one grows out of the tablet that it was split
//! from.

use std::rc::Rc;

use tabletop_model::{SortedMap, TabletId};
use tabletop_views::tablets::{Place, beginnings, places};
use web_sys::Element;
use yew::{NodeRef, hook, use_effect_with, use_force_update, use_mut_ref};

use super::{MOVING_MAX, StripProps};
use crate::browser;

/// How long tablets move, in milliseconds: `--slow` of the style sheet.
const MOTION_MILLIS: f64 = 320.0;

/// The positions of tablets, and whether they move.
pub struct Motion {
    /// The final positions.
    pub targets: Rc<Vec<Place>>,
    /// The positions of this drawing.
    pub shown: Rc<Vec<Place>>,
    /// Whether the tablets move from the positions of the last drawing.
    pub moves: bool,
}

/// Returns the positions in a strip of this width. New tablets are first drawn at the position of
/// their origin, and then at their final position.
#[hook]
pub fn use_motion(props: &StripProps, width: f64, root: &NodeRef) -> Motion {
    let drawn = use_mut_ref(SortedMap::<TabletId, Place>::new);
    let drawn_width = use_mut_ref(|| 0.0);
    let last_occasion = use_mut_ref(|| None);
    let moves_until = use_mut_ref(|| 0.0);
    let force_update = use_force_update();
    let (table, view) = (props.picture.table(), &props.picture.view);
    let targets = Rc::new(places(table, props.measure, width, props.zoom));
    // A strip of another width is drawn without motion.
    let resized = drawn_width.replace(width) != width;
    // A table that is built at full speed is drawn without motion, which would cost a second layout
    // per picture.
    let built_again = view.building && !view.playing;
    // A motion below the still is invisible, and would continue when the still is removed.
    let seen = cfg!(test) || browser::still().is_none();
    // While events arrive, each picture differs by a few pixels: such a step needs no motion, which
    // would draw the strip 60 times a second.
    let now = browser::now_millis();
    let occasion = (table.splits, table.merges, props.measure, props.zoom.to_bits());
    if last_occasion.replace(Some(occasion)) != Some(occasion) {
        moves_until.replace(now + MOTION_MILLIS);
    }
    let is_step = view.playing && now >= *moves_until.borrow();
    let moves = seen
        && table.tablets.len() <= MOVING_MAX
        && !drawn.borrow().is_empty()
        && !resized
        && !built_again
        && !is_step;
    let fresh = moves && table.tablets.iter().any(|tablet| !drawn.borrow().contains_key(&tablet.id));
    let shown = if fresh { Rc::new(beginnings(table, &targets, &drawn.borrow())) } else { targets.clone() };
    drawn.borrow_mut().clear();
    drawn.borrow_mut().extend(table.tablets.iter().map(|tablet| tablet.id).zip(targets.iter().copied()));
    use_effect_with((fresh, table.splits, table.merges), {
        let root = root.clone();
        move |_| {
            if fresh {
                // The browser lays the new tablets out at their origin before they move.
                if let Some(element) = root.cast::<Element>() {
                    element.get_bounding_client_rect();
                }
                force_update.force_update();
            }
        }
    });
    Motion { targets, shown, moves }
}
