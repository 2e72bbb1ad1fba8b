//! Curves over the seconds of a history.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::Range;

use crate::scene::{Fit, Paint, Pen, Point, Scene, Shape, path};

/// The box of the curves, in its own units.
const SIZE: Point = (600.0, 100.0);
/// Points of a curve, at most.
const POINTS_MAX: usize = 300;

/// A curve.
pub struct Curve<S> {
    /// The colour of the curve.
    pub paint: Paint,
    /// The name of the curve.
    pub name: &'static str,
    /// The value of the curve in a second.
    pub value: fn(&S) -> u32,
}

/// How values become heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By their logarithm, from this value on: smaller ones are at the bottom.
    LogFrom(u32),
}

/// Seconds as curves.
pub struct Curves<'a, S> {
    /// What the curves show.
    pub title: &'static str,
    /// The curves.
    pub curves: &'a [Curve<S>],
    /// The seconds.
    pub history: &'a [S],
    /// The number of the first second.
    pub history_from: u32,
    /// The seconds from the left edge to the right one.
    pub seconds: Range<u32>,
    /// The present second: later ones are not drawn.
    pub position: u32,
    /// How values become heights.
    pub scale: Scale,
}

impl<S> Curve<S> {
    /// A curve of these values.
    pub fn new(paint: Paint, name: &'static str, value: fn(&S) -> u32) -> Curve<S> {
        Curve { paint, name, value }
    }
}

impl<S> Curves<'_, S> {
    /// Draws the curves up to the current second, and a line at it.
    pub fn scene(&self) -> Scene {
        let x = self.place(f64::from(self.position));
        let now = Shape::line((x, 0.0), (x, SIZE.1), Pen { dashes: "2 2", ..Pen::of(Paint::Soft) });
        let most = self.most();
        let curve = |curve: &Curve<S>| {
            let points = path(self.points(most, curve.value));
            Shape::Line { path: points, pen: Pen { width: 1.5, ..Pen::of(curve.paint) } }
        };
        let shapes = self.curves.iter().map(curve).chain([now]).collect();
        Scene { title: self.title.to_string(), size: SIZE, fit: Fit::Stretch, shapes }
    }

    /// Returns the largest value of all curves, at least 1.
    pub fn most(&self) -> u32 {
        let values =
            self.history.iter().flat_map(|second| self.curves.iter().map(|curve| (curve.value)(second)));
        values.max().unwrap_or(0).max(1)
    }

    /// Returns the value of a curve at the current second; `None` before the first one.
    pub fn now(&self, curve: &Curve<S>) -> Option<u32> {
        self.shown().last().map(curve.value)
    }

    /// The seconds until the current one.
    fn shown(&self) -> &[S] {
        let until = (self.position + 1).saturating_sub(self.history_from) as usize;
        &self.history[..self.history.len().min(until)]
    }

    /// The place of a second between the edges.
    fn place(&self, second: f64) -> f64 {
        let Range { start, end } = self.seconds;
        (second - f64::from(start)) / f64::from(end.saturating_sub(start).max(1)) * SIZE.0
    }

    /// Returns the points of a curve. Of several seconds at one point, the largest value counts.
    fn points(&self, most: u32, value: fn(&S) -> u32) -> Vec<Point> {
        let (from, history) = (self.history_from.max(self.seconds.start), self.shown());
        let history = &history[((from - self.history_from) as usize).min(history.len())..];
        let step = self.seconds.len().div_ceil(POINTS_MAX).max(1);
        let point = |(at, seconds_of): (usize, &[S])| {
            let highest = seconds_of.iter().map(value).max().unwrap_or(0);
            let x = self.place(f64::from(from) + (at * step) as f64);
            (x, SIZE.1 * (1.0 - self.scale.share(highest, most)))
        };
        history.chunks(step).enumerate().map(point).collect()
    }
}

impl Scale {
    /// Returns the height of a value, as a share of that of the largest one.
    fn share(self, value: u32, most: u32) -> f64 {
        match self {
            Scale::Linear => f64::from(value) / f64::from(most),
            Scale::LogFrom(least) => {
                let log = |value: u32| libm::log(f64::from(value.max(least)) / f64::from(least));
                // A scale of one value has it at the bottom.
                log(value) / log(most.max(least.saturating_mul(2)))
            }
        }
    }
}

/// Draws values as one line for each list: the number of a value's column is in `columns`, and both
/// axes end at `most`. A diagonal shows values that grow with their columns.
pub fn against_diagonal(title: &str, columns: &[u32], most: u32, lists: &[(Paint, Vec<f64>)]) -> Scene {
    const SIZE: Point = (320.0, 160.0);
    let most = f64::from(most);
    let diagonal = Shape::line((0.0, SIZE.1), (SIZE.0, 0.0), Pen { dashes: "2 2", ..Pen::of(Paint::Soft) });
    let line = |(paint, values): &(Paint, Vec<f64>)| {
        let points = columns.iter().zip(values);
        let points = points
            .map(|(column, value)| (f64::from(*column) / most * SIZE.0, SIZE.1 - value / most * SIZE.1));
        Shape::Line { path: path(points), pen: Pen { width: 1.5, ..Pen::of(*paint) } }
    };
    let shapes = [diagonal].into_iter().chain(lists.iter().map(line)).collect();
    Scene { title: title.to_string(), size: SIZE, fit: Fit::Stretch, shapes }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn chart<'a>(
        curves: &'a [Curve<u32>],
        history: &'a [u32],
        history_from: u32,
        seconds: Range<u32>,
    ) -> Curves<'a, u32> {
        let position = seconds.end;
        Curves { title: "requests", curves, history, history_from, seconds, position, scale: Scale::Linear }
    }

    fn curve() -> [Curve<u32>; 1] {
        [Curve::new(Paint::Part(1), "all", |second| *second)]
    }

    #[test]
    fn a_curve_keeps_its_peaks() {
        let mut history = vec![0; 600];
        history[301] = 50;
        let (curves, seconds) = (curve(), 0..600);
        let points = chart(&curves, &history, 0, seconds).points(50, |second| *second);
        assert_eq!(points.len(), POINTS_MAX);
        assert!(points.contains(&(300.0, 0.0)), "{points:?}");
    }

    #[test]
    fn a_curve_may_begin_later() {
        let history: Vec<u32> = (0..60).collect();
        let curves = curve();
        let points = chart(&curves, &history, 100, 140..200).points(59, |second| *second);
        assert_eq!(points.len(), 20);
        assert!(points[0].0 == 0.0 && (points[0].1 - 32.2).abs() < 0.1, "{points:?}");
    }

    #[test]
    fn later_seconds_are_not_drawn() {
        let history: Vec<u32> = (0..10).collect();
        let curves = curve();
        let mut chart = chart(&curves, &history, 0, 0..10);
        chart.position = 4;
        assert_eq!(
            (chart.points(9, |second| *second).len(), chart.now(&curves[0]), chart.most()),
            (5, Some(4), 9)
        );
        let scene = chart.scene();
        assert_eq!((scene.shapes.len(), scene.fit), (2, Fit::Stretch));
        let svg = scene.on_page().svg();
        assert!(svg.contains("d=\"M240 0L240 100\"") && svg.contains("stroke=\"var(--part-1)\""), "{svg}");
    }

    #[test]
    fn latencies_are_on_a_logarithmic_scale() {
        let share = |value, most| Scale::LogFrom(1_000).share(value, most);
        assert_eq!([share(0, 100_000), share(1_000, 100_000), share(100_000, 100_000)], [0.0, 0.0, 1.0]);
        assert!((share(10_000, 100_000) - 0.5).abs() < 1e-9);
        assert!(share(1_500, 1_500) < 1.0, "a millisecond and a half fills no scale");
    }

    #[test]
    fn what_grows_with_its_columns_is_on_the_diagonal() {
        let scene = against_diagonal("nodes", &[1, 2, 4], 4, &[(Paint::Hot, vec![1.0, 2.0, 4.0])]);
        let svg = scene.on_page().svg();
        assert!(svg.contains("d=\"M80 120L160 80L320 0\"") && svg.contains("d=\"M0 160L320 0\""), "{svg}");
    }
}
