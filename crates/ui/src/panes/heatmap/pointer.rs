//! The pointer on the picture: a click pins the figures of a cell, a drag with a mouse or a pen
//! draws a rectangle, two fingers and the wheel zoom. One finger scrolls the page, and so does the
//! wheel alone: the picture is as wide as a phone, and the user could not scroll past it otherwise.
//! A pinch on a touchpad arrives as a wheel with Ctrl.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_views::heatmap::{Area, Drag, HeatMatrix, Spot};
use web_sys::Element;
use yew::{Callback, NodeRef, PointerEvent, WheelEvent};

use super::sight::Changes;

/// Pixels below which a drag is a click.
const DRAG_MIN: f64 = 4.0;
/// The factor of a zoom for each pixel of a wheel, as a power of 2.
const WHEEL: f64 = 1.0 / 240.0;
/// The maximum for one event: a wheel with large steps sends 120 or more.
const WHEEL_MAX: f64 = 120.0;

/// What the pointer acts on.
#[derive(Clone)]
pub struct Plane {
    /// The element of the picture.
    pub element: NodeRef,
    /// The cells.
    pub matrix: Rc<HeatMatrix>,
    /// All of the heatmap.
    pub whole: Area,
    /// The second at which the picture ends.
    pub until: f64,
    /// Takes changes.
    pub changes: Changes,
    /// The fingers on the picture.
    pub fingers: Rc<RefCell<Fingers>>,
}

/// The fingers on the picture, in shares of its sides.
#[derive(Default)]
pub struct Fingers {
    touching: Vec<(i32, (f64, f64))>,
    /// Whether there were two of them, so lifting one is not a click.
    pinched: bool,
}

/// The handlers of the picture.
pub struct Handlers {
    pub on_down: Callback<PointerEvent>,
    pub on_move: Callback<PointerEvent>,
    pub on_up: Callback<PointerEvent>,
    pub on_cancel: Callback<PointerEvent>,
    pub on_leave: Callback<PointerEvent>,
    pub on_wheel: Callback<WheelEvent>,
}

impl Plane {
    /// Returns the handlers.
    pub fn handlers(&self) -> Handlers {
        let with = |act: fn(&Plane, PointerEvent)| {
            let plane = self.clone();
            Callback::from(move |event: PointerEvent| act(&plane, event))
        };
        let plane = self.clone();
        Handlers {
            on_down: with(Plane::down),
            on_move: with(Plane::moved),
            on_up: with(Plane::up),
            on_cancel: with(Plane::cancel),
            on_leave: with(|plane, _| plane.change(|sight| sight.hover = None)),
            on_wheel: Callback::from(move |event: WheelEvent| plane.wheel(&event)),
        }
    }

    fn change(&self, change: impl FnOnce(&mut super::sight::Sight) + 'static) {
        self.changes.dispatch(Box::new(change));
    }

    /// The position of a pointer in shares of the sides, and the size of the picture, px.
    fn place(&self, (x, y): (i32, i32)) -> Option<((f64, f64), (f64, f64))> {
        let size = self.element.cast::<Element>()?.get_bounding_client_rect();
        let share = |at: f64, from: f64, length: f64| ((at - from) / length.max(1.0)).clamp(0.0, 1.0);
        let at = (share(x.into(), size.x(), size.width()), share(y.into(), size.y(), size.height()));
        Some((at, (size.width().max(1.0), size.height().max(1.0))))
    }

    fn down(&self, event: PointerEvent) {
        let Some((at, _)) = self.place((event.client_x(), event.client_y())) else { return };
        if event.pointer_type() == "touch" {
            let mut fingers = self.fingers.borrow_mut();
            fingers.touching.retain(|(id, _)| *id != event.pointer_id());
            fingers.touching.push((event.pointer_id(), at));
            fingers.pinched = fingers.touching.len() > 1 || (fingers.pinched && fingers.touching.len() > 1);
            drop(fingers);
            self.change(|sight| sight.zooms.end_gesture());
        } else if event.button() == 0 {
            if let Some(element) = self.element.cast::<Element>() {
                // Without the capture, the drag would end at the edge.
                drop(element.set_pointer_capture(event.pointer_id()));
            }
            self.change(move |sight| sight.drag = Some(Drag { from: at, to: at }));
        }
    }

    fn moved(&self, event: PointerEvent) {
        let Some((at, size)) = self.place((event.client_x(), event.client_y())) else { return };
        if event.pointer_type() == "touch" {
            return self.finger_moved(event.pointer_id(), at);
        }
        let plane = self.clone();
        self.change(move |sight| match &mut sight.drag {
            Some(drag) => drag.to = at,
            None => sight.hover = plane.under(sight, at, size),
        });
    }

    /// Two fingers zoom by their distance, and move what is under their middle.
    fn finger_moved(&self, id: i32, at: (f64, f64)) {
        let mut fingers = self.fingers.borrow_mut();
        let before = fingers.pair();
        if let Some(finger) = fingers.touching.iter_mut().find(|(finger, _)| *finger == id) {
            finger.1 = at;
        }
        let (Some((middle, distance)), Some((to, wider))) = (before, fingers.pair()) else { return };
        drop(fingers);
        let whole = self.whole;
        self.change(move |sight| {
            let area = sight.zooms.area(whole).moved(whole, (middle.0 - to.0, middle.1 - to.1));
            sight.zooms.slide(area.zoomed(whole, to, wider / distance), whole);
        });
    }

    fn up(&self, event: PointerEvent) {
        let Some((at, size)) = self.place((event.client_x(), event.client_y())) else { return };
        let is_touch = event.pointer_type() == "touch";
        if is_touch && self.lift(event.pointer_id()) {
            return;
        }
        let plane = self.clone();
        self.change(move |sight| {
            let drag = sight.drag.take();
            let (from, is_begun) = (drag.map_or(at, |drag| drag.from), drag.is_some() || is_touch);
            let far = |from: f64, to: f64, length: f64| (to - from).abs() * length >= DRAG_MIN;
            if !is_begun {
            } else if far(from.0, at.0, size.0) && far(from.1, at.1, size.1) {
                let area = sight.zooms.area(plane.whole);
                sight.zooms.show(area.between(from, at), plane.whole);
                sight.hover = None;
            } else {
                let spot = plane.under(sight, at, size);
                sight.pinned = spot.filter(|spot| sight.pinned != Some(*spot));
                sight.cursor = spot.or(sight.cursor);
                sight.corner = None;
            }
        });
    }

    /// A finger is lifted. Returns whether it was one of two.
    fn lift(&self, id: i32) -> bool {
        let mut fingers = self.fingers.borrow_mut();
        fingers.touching.retain(|(finger, _)| *finger != id);
        let was_pinched = fingers.pinched;
        fingers.pinched &= !fingers.touching.is_empty();
        was_pinched
    }

    fn cancel(&self, event: PointerEvent) {
        self.lift(event.pointer_id());
        self.change(|sight| {
            sight.drag = None;
            sight.hover = None;
        });
    }

    fn wheel(&self, event: &WheelEvent) {
        if !event.ctrl_key() && !event.meta_key() {
            return;
        }
        // Otherwise the browser zooms the whole page.
        event.prevent_default();
        let Some((at, _)) = self.place((event.client_x(), event.client_y())) else { return };
        // Some browsers count lines.
        let pixels = event.delta_y() * if event.delta_mode() == 0 { 1.0 } else { 40.0 };
        let factor = 2f64.powf(-pixels.clamp(-WHEEL_MAX, WHEEL_MAX) * WHEEL);
        let whole = self.whole;
        self.change(move |sight| {
            let area = sight.zooms.area(whole);
            sight.zooms.slide(area.zoomed(whole, at, factor), whole);
        });
    }

    fn under(&self, sight: &super::sight::Sight, at: (f64, f64), size: (f64, f64)) -> Option<Spot> {
        let area = sight.zooms.area(self.whole);
        Spot::under(&self.matrix, sight.shown, area, self.until, at, (1.0 / size.0, 1.0 / size.1))
    }
}

impl Fingers {
    /// The middle between two fingers and their distance.
    fn pair(&self) -> Option<((f64, f64), f64)> {
        let [(_, one), (_, other)] = self.touching[..] else { return None };
        let distance = (one.0 - other.0).hypot(one.1 - other.1);
        Some((((one.0 + other.0) / 2.0, (one.1 + other.1) / 2.0), distance.max(0.02)))
    }
}
