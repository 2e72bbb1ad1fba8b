//! The part of a heatmap that is shown, and the way back to earlier parts.

use alloc::vec::Vec;
use core::ops::Range;

use crate::ceil;

/// A part of a heatmap. The unit of its time is a second, the unit of its keys a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// From left to right.
    pub seconds: Span,
    /// From top to bottom.
    pub buckets: Span,
}

/// A part of an axis, `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The beginning of the span.
    pub from: f64,
    /// The end of the span.
    pub until: f64,
}

impl Area {
    /// The whole heatmap. Without seconds or buckets, it counts as one.
    pub fn whole(seconds: u32, buckets: usize) -> Area {
        Area { seconds: Span::whole(seconds.into()), buckets: Span::whole(buckets as f64) }
    }

    /// The heatmap from a second on.
    pub fn from(second: u32, seconds: u32, buckets: usize) -> Area {
        let whole = Area::whole(seconds, buckets);
        let from = f64::from(second).min(whole.seconds.until - Span::LENGTH_MIN).max(0.0);
        Area { seconds: Span { from, ..whole.seconds }, ..whole }
    }

    /// Returns the area made smaller by `factor` (larger for one below 1). The point at these
    /// shares of its sides stays where it is, if the heatmap is large enough.
    pub fn zoomed(self, whole: Area, at: (f64, f64), factor: f64) -> Area {
        Area {
            seconds: self.seconds.zoomed(whole.seconds, at.0, factor),
            buckets: self.buckets.zoomed(whole.buckets, at.1, factor),
        }
    }

    /// Returns the area moved by these shares of its sides.
    pub fn moved(self, whole: Area, by: (f64, f64)) -> Area {
        Area {
            seconds: self.seconds.moved(whole.seconds, by.0),
            buckets: self.buckets.moved(whole.buckets, by.1),
        }
    }

    /// Returns the area moved just enough to show a cell.
    pub fn showing(self, whole: Area, cell: Area) -> Area {
        Area {
            seconds: self.seconds.showing(whole.seconds, cell.seconds),
            buckets: self.buckets.showing(whole.buckets, cell.buckets),
        }
    }

    /// Returns the area clipped to a heatmap that may have other sides than the one it was chosen
    /// in.
    pub fn within(self, whole: Area) -> Area {
        Area { seconds: self.seconds.within(whole.seconds), buckets: self.buckets.within(whole.buckets) }
    }

    /// Returns whether two areas overlap.
    pub fn touches(self, other: Area) -> bool {
        let touch = |one: Span, other: Span| one.from < other.until && other.from < one.until;
        touch(self.seconds, other.seconds) && touch(self.buckets, other.buckets)
    }

    /// Returns the part of the area between two points in shares of its sides.
    pub fn between(self, one: (f64, f64), other: (f64, f64)) -> Area {
        Area { seconds: self.seconds.between(one.0, other.0), buckets: self.buckets.between(one.1, other.1) }
    }
}

impl Span {
    /// The least length: one second, one bucket.
    const LENGTH_MIN: f64 = 1.0;

    /// From 0 on.
    fn whole(length: f64) -> Span {
        Span { from: 0.0, until: length.max(Span::LENGTH_MIN) }
    }

    /// Returns the length of the span.
    pub fn length(self) -> f64 {
        self.until - self.from
    }

    /// Returns the position at a share of the span.
    pub fn at(self, share: f64) -> f64 {
        self.from + share * self.length()
    }

    /// Returns the share of the span before a position; below 0 or above 1 if it is outside.
    pub fn share(self, place: f64) -> f64 {
        (place - self.from) / self.length()
    }

    /// Returns the whole units that the span touches, of `count` units.
    pub fn units(self, count: usize) -> Range<usize> {
        let until = ceil(self.until).min(count);
        (self.from as usize).min(until)..until
    }

    /// Returns a span of this length, at most as long as the whole, moved into the whole.
    fn placed(from: f64, length: f64, whole: Span) -> Span {
        let length = length.clamp(Span::LENGTH_MIN, whole.length().max(Span::LENGTH_MIN));
        let from = from.min(whole.until - length).max(whole.from);
        Span { from, until: from + length }
    }

    fn zoomed(self, whole: Span, at: f64, factor: f64) -> Span {
        let length = (self.length() / factor).clamp(Span::LENGTH_MIN, whole.length());
        Span::placed(self.at(at) - at * length, length, whole)
    }

    fn moved(self, whole: Span, by: f64) -> Span {
        Span::placed(self.from + by * self.length(), self.length(), whole)
    }

    fn showing(self, whole: Span, cell: Span) -> Span {
        let from = self.from.max(cell.until - self.length()).min(cell.from);
        Span::placed(from, self.length(), whole)
    }

    fn within(self, whole: Span) -> Span {
        Span::placed(self.from, self.length(), whole)
    }

    fn between(self, one: f64, other: f64) -> Span {
        let (from, until) = (self.at(one.min(other)), self.at(one.max(other)));
        Span { from, until: until.max(from + Span::LENGTH_MIN) }
    }
}

/// The areas that were shown, the last one on top. If empty, the whole heatmap is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zooms {
    areas: Vec<Area>,
    /// Whether the area on top belongs to a gesture: its next step replaces it.
    in_gesture: bool,
}

impl Zooms {
    /// The maximum number of areas that the user can go back to.
    const AREAS_MAX: usize = 100;

    /// The area that is shown.
    pub fn area(&self, whole: Area) -> Area {
        self.areas.last().map_or(whole, |area| area.within(whole))
    }

    /// Returns whether there is a previous area.
    pub fn can_go_back(&self) -> bool {
        !self.areas.is_empty()
    }

    /// Shows an area.
    pub fn show(&mut self, area: Area, whole: Area) {
        self.in_gesture = false;
        self.push(area, whole);
    }

    /// Shows the area of a step of a wheel, of two fingers or of the cursor. Consecutive steps are
    /// undone together.
    pub fn slide(&mut self, area: Area, whole: Area) {
        let area = area.within(whole);
        if self.in_gesture {
            self.areas.pop();
        }
        self.in_gesture = self.push(area, whole);
    }

    /// The next step of a gesture is the first one of another gesture.
    pub fn end_gesture(&mut self) {
        self.in_gesture = false;
    }

    /// Shows the previous area.
    pub fn back(&mut self) {
        self.in_gesture = false;
        self.areas.pop();
    }

    /// Shows the whole heatmap, and clears the way back.
    pub fn reset(&mut self) {
        *self = Zooms::default();
    }

    fn push(&mut self, area: Area, whole: Area) -> bool {
        let area = area.within(whole);
        let is_other = area != self.area(whole);
        if is_other {
            if self.areas.len() == Zooms::AREAS_MAX {
                self.areas.remove(0);
            }
            self.areas.push(area);
        }
        is_other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: f64, until: f64) -> Span {
        Span { from, until }
    }

    const WHOLE: Area =
        Area { seconds: Span { from: 0.0, until: 60.0 }, buckets: Span { from: 0.0, until: 512.0 } };

    #[test]
    fn the_point_under_the_pointer_stays_where_it_is() {
        let area = WHOLE.zoomed(WHOLE, (0.25, 0.5), 2.0);
        assert_eq!(area, Area { seconds: span(7.5, 37.5), buckets: span(128.0, 384.0) });
        assert_eq!(area.zoomed(WHOLE, (0.25, 0.5), 0.5), WHOLE, "there and back");
        let corner = WHOLE.zoomed(WHOLE, (1.0, 0.0), 4.0);
        assert_eq!((corner.seconds.until, corner.buckets.from), (60.0, 0.0));
        assert_eq!(
            corner.zoomed(WHOLE, (0.0, 1.0), 0.5).within(WHOLE),
            corner.zoomed(WHOLE, (0.0, 1.0), 0.5),
            "it stays inside"
        );
        assert_eq!(WHOLE.zoomed(WHOLE, (0.5, 0.5), 1e9).seconds.length(), 1.0, "a cell is the least");
        assert_eq!(WHOLE.zoomed(WHOLE, (0.5, 0.5), 0.1), WHOLE, "the whole is the most");
    }

    #[test]
    fn an_area_moves_no_further_than_to_the_edge_and_to_a_cell() {
        let area = Area { seconds: span(10.0, 20.0), buckets: span(100.0, 200.0) };
        assert_eq!(
            area.moved(WHOLE, (0.5, -2.0)),
            Area { seconds: span(15.0, 25.0), buckets: span(0.0, 100.0) }
        );
        let cell = Area { seconds: span(25.0, 26.0), buckets: span(150.0, 151.0) };
        assert_eq!(
            area.showing(WHOLE, cell),
            Area { seconds: span(16.0, 26.0), buckets: span(100.0, 200.0) }
        );
        let before = Area { seconds: span(3.0, 4.0), buckets: span(0.0, 1.0) };
        assert_eq!(area.showing(WHOLE, before), Area { seconds: span(3.0, 13.0), buckets: span(0.0, 100.0) });
        assert!(area.touches(cell.moved(WHOLE, (-6.0, 0.0))) && !area.touches(cell), "side by side is apart");
        let smaller = Area::whole(12, 50);
        assert_eq!(
            area.within(smaller),
            Area { seconds: span(2.0, 12.0), buckets: span(0.0, 50.0) },
            "of another heatmap"
        );
    }

    #[test]
    fn a_rectangle_may_be_drawn_from_any_corner() {
        let expected = Area { seconds: span(6.0, 12.0), buckets: span(256.0, 384.0) };
        assert_eq!(WHOLE.between((0.1, 0.5), (0.2, 0.75)), expected);
        assert_eq!(WHOLE.between((0.2, 0.75), (0.1, 0.5)), expected);
    }

    #[test]
    fn a_heatmap_may_begin_later() {
        assert_eq!(Area::from(40, 60, 512), Area { seconds: span(40.0, 60.0), ..WHOLE });
        assert_eq!(Area::from(90, 60, 512).seconds, span(59.0, 60.0), "a second is the least");
        assert_eq!(Area::from(0, 0, 0), Area::whole(0, 0));
    }

    #[test]
    fn units_are_those_that_are_touched() {
        assert_eq!(span(1.5, 3.2).units(10), 1..4);
        assert_eq!(span(1.0, 3.0).units(2), 1..2);
        assert_eq!(span(5.0, 6.0).units(2), 2..2);
    }

    #[test]
    fn the_way_back_has_a_step_for_each_gesture() {
        let mut zooms = Zooms::default();
        let (near, nearer) = (WHOLE.zoomed(WHOLE, (0.5, 0.5), 2.0), WHOLE.zoomed(WHOLE, (0.5, 0.5), 4.0));
        zooms.slide(near, WHOLE);
        zooms.slide(nearer, WHOLE);
        assert_eq!(zooms.area(WHOLE), nearer);
        zooms.back();
        assert_eq!(zooms.area(WHOLE), WHOLE, "the wheel was one gesture");
        zooms.show(near, WHOLE);
        zooms.slide(nearer, WHOLE);
        zooms.back();
        assert_eq!(zooms.area(WHOLE), near, "a gesture begins after what was shown");
        zooms.show(near, WHOLE);
        zooms.back();
        assert!(!zooms.can_go_back(), "showing the same again is no step");
        zooms.slide(WHOLE, WHOLE);
        assert!(!zooms.can_go_back(), "nor is a wheel that has no effect");
        zooms.show(near, WHOLE);
        zooms.show(nearer, WHOLE);
        zooms.reset();
        assert!(!zooms.can_go_back());
    }
}
