//! Charts with axes: lines, or bars, for the page and for files.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::scene::{Anchor, Paint, Pen, Point, Scene, Shape, Text, path};

/// The size of a chart, px.
const SIZE: Point = (560.0, 340.0);
const LEFT: f64 = 76.0;
const RIGHT: f64 = 28.0;
const BOTTOM: f64 = 44.0;
/// The height of a line of the legend, px.
const LEGEND: f64 = 16.0;
/// The height of the font, px.
const FONT: f64 = 12.0;
/// The maximum number of characters of a name in the legend.
const NAME_CHARS: usize = 34;
/// The approximate number of ticks of an axis.
const TICKS: f64 = 5.0;

/// A chart with two axes.
pub struct AxesChart {
    /// What it shows.
    pub title: String,
    /// The names of both axes.
    pub axes: [&'static str; 2],
    /// The texts of values on both axes.
    pub texts: [fn(f64) -> String; 2],
    /// The curves; a curve of one point is a bar.
    pub series: Vec<Series>,
    /// A height to compare with, and its name.
    pub level: Option<(f64, &'static str)>,
}

/// A curve.
pub struct Series {
    /// The name of the series.
    pub name: String,
    /// The number of its colour: the same thing has the same colour in all charts.
    pub color: usize,
    /// x, y, and the least and the largest y, in the order of x.
    pub points: Vec<[f64; 4]>,
    /// A straight line through them: its height at 0, and its slope.
    pub line: Option<(f64, f64)>,
}

impl AxesChart {
    /// Draws the chart.
    pub fn scene(&self) -> Scene {
        let frame = Frame::of(self);
        let mut shapes = vec![Shape::Text(Text::new((0.0, 14.0), 14.0, &*self.title, Paint::Ink).bold())];
        shapes.extend(self.series.iter().enumerate().flat_map(legend));
        self.axes(&frame, &mut shapes);
        if let Some((level, name)) = self.level {
            let at = (frame.right(), frame.y(level) - 4.0);
            shapes.push(frame.across(level, Pen { dashes: "2 3", ..Pen::of(Paint::Soft) }));
            shapes.push(Shape::Text(Text::new(at, FONT, name, Paint::Soft).anchored(Anchor::End)));
        }
        let room = (frame.right() - LEFT) / self.series.len().max(1) as f64;
        for (at, series) in self.series.iter().enumerate() {
            if frame.is_bars {
                self.bar(&frame, series, (LEFT + room * (at as f64 + 0.2), room * 0.6), &mut shapes);
            } else {
                series.curve(&frame, &mut shapes);
            }
        }
        Scene { title: self.title.clone(), size: SIZE, shapes, ..Scene::default() }
    }

    /// Draws the lines and the numbers of both axes, and their names.
    fn axes(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let mut text = |at: Point, anchor: Anchor, text: &str| {
            shapes.push(Shape::Text(Text::new(at, FONT, text, Paint::Soft).anchored(anchor)));
        };
        let foot = SIZE.1 - BOTTOM;
        for tick in ticks(frame.step_y, frame.end_y + frame.step_y / 2.0) {
            text((LEFT - 6.0, frame.y(tick) + 4.0), Anchor::End, &(self.texts[1])(tick));
        }
        // Bars have no numbers below them: the legend names them.
        for tick in ticks(frame.step_x, frame.most_x + frame.step_x / 100.0).filter(|_| !frame.is_bars) {
            text((frame.x(tick), foot + 18.0), Anchor::Middle, &(self.texts[0])(tick));
        }
        text((frame.right(), SIZE.1 - 8.0), Anchor::End, self.axes[0]);
        text((LEFT, frame.top - 8.0), Anchor::Start, self.axes[1]);
        let lines = ticks(frame.step_y, frame.end_y + frame.step_y / 2.0);
        shapes.extend(lines.map(|tick| frame.across(tick, Pen::of(Paint::Line))));
    }

    fn bar(&self, frame: &Frame, series: &Series, (left, width): (f64, f64), shapes: &mut Vec<Shape>) {
        let value = series.points[0][1];
        let top = frame.y(value);
        shapes.push(Shape::bar((left, top), (width, SIZE.1 - BOTTOM - top), series.paint()));
        let text = Text::new((left + width / 2.0, top - 4.0), FONT, (self.texts[1])(value), Paint::Ink);
        shapes.push(Shape::Text(text.anchored(Anchor::Middle)));
    }
}

/// The scales of a chart.
struct Frame {
    /// Where the highest value is, px.
    top: f64,
    is_bars: bool,
    /// The largest x, and the y at the upper end of the axis.
    most_x: f64,
    end_y: f64,
    /// The distances of ticks.
    step_x: f64,
    step_y: f64,
}

impl Frame {
    fn of(chart: &AxesChart) -> Frame {
        let values = || chart.series.iter().flat_map(|series| &series.points);
        let level = chart.level.map(|level| level.0);
        let most_y = values().map(|point| point[3]).chain(level).fold(0.0, f64::max);
        let most_x = values().map(|point| point[0]).fold(0.0, f64::max);
        let (step_x, step_y) = (step(most_x), step(most_y));
        Frame {
            top: 48.0 + chart.series.len().div_ceil(2) as f64 * LEGEND,
            is_bars: chart.series.iter().all(|series| series.points.len() == 1),
            most_x,
            end_y: libm::ceil(most_y / step_y).max(1.0) * step_y,
            step_x,
            step_y,
        }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + value / self.most_x.max(f64::MIN_POSITIVE) * (self.right() - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        let foot = SIZE.1 - BOTTOM;
        foot - value / self.end_y * (foot - self.top)
    }

    fn right(&self) -> f64 {
        SIZE.0 - RIGHT
    }

    /// A line at a height.
    fn across(&self, value: f64, pen: Pen) -> Shape {
        Shape::line((LEFT, self.y(value)), (self.right(), self.y(value)), pen)
    }
}

impl Series {
    fn paint(&self) -> Paint {
        // Neighbours in this order are easy to distinguish.
        const ORDER: [u8; 8] = [0, 3, 1, 2, 4, 5, 6, 7];
        Paint::Part(ORDER[self.color % ORDER.len()])
    }

    /// Draws the points with their spread, and the line through them.
    fn curve(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let pen = Pen::of(self.paint());
        let shape = match self.line {
            Some((from, slope)) => {
                let end = |x: f64| (frame.x(x), frame.y((from + slope * x).clamp(0.0, frame.end_y)));
                Shape::line(end(0.0), end(frame.most_x), Pen { dashes: "6 4", ..pen })
            }
            None => {
                let points = self.points.iter().map(|[x, y, ..]| (frame.x(*x), frame.y(*y)));
                Shape::Line { path: path(points), pen: Pen { width: 2.0, ..pen } }
            }
        };
        shapes.push(shape);
        for [x, y, low, high] in &self.points {
            let x = frame.x(*x);
            shapes.push(Shape::line((x, frame.y(*low)), (x, frame.y(*high)), pen));
            shapes.push(Shape::Disc { at: (x, frame.y(*y)), radius: 3.5, fill: self.paint() });
        }
    }
}

/// Draws the colour and the name of a series.
fn legend((at, series): (usize, &Series)) -> [Shape; 2] {
    let (left, base) = ((at % 2) as f64 * SIZE.0 / 2.0, 34.0 + (at / 2) as f64 * LEGEND);
    let name = Text::new((left + 18.0, base), FONT, short(&series.name), Paint::Ink);
    [Shape::bar((left, base - 6.0), (12.0, 4.0), series.paint()), Shape::Text(name)]
}

/// Returns 0 and the ticks after it, up to `end`.
fn ticks(step: f64, end: f64) -> impl Iterator<Item = f64> {
    (0..).map(move |at| f64::from(at) * step).take_while(move |tick| *tick <= end)
}

/// Returns the distance of ticks: 1, 2 or 5 times a power of ten.
fn step(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let rough = most / TICKS;
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= rough).unwrap_or(10.0);
    times * power
}

fn short(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS {
        name.into()
    } else {
        name.chars().take(NAME_CHARS - 1).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;

    use super::*;
    use crate::scene::LIGHT;

    #[test]
    fn ticks_are_round() {
        for (most, expected) in
            [(10.0, 2.0), (12.0, 5.0), (100_000.0, 20_000.0), (0.7, 0.2), (0.0, 1.0), (f64::NAN, 1.0)]
        {
            assert!((step(most) - expected).abs() < 1e-9, "{most}: {}", step(most));
        }
    }

    #[test]
    fn lines_have_their_points_and_spread_and_names_are_escaped() {
        let series = Series {
            name: "<wide>".into(),
            color: 1,
            points: vec![[50.0, 1.0, 0.5, 2.0], [100.0, 2.0, 1.5, 4.0]],
            line: Some((0.0, 0.02)),
        };
        let chart = AxesChart {
            title: "a & b".into(),
            axes: ["x", "y"],
            texts: [|x| format!("{x}"), |y| format!("{y} ms")],
            series: vec![series],
            level: Some((3.0, "three")),
        };
        let page = chart.scene().on_page().svg();
        assert_eq!((page.matches("<circle").count(), page.matches("stroke-dasharray").count()), (2, 2));
        assert!(
            page.contains("&lt;wide&gt;")
                && page.contains("a &amp; b")
                && page.contains("4 ms")
                && page.contains("var(--ink)")
        );
        assert!(
            page.contains("var(--part-3)") && !page.contains("var(--part-0)"),
            "its colour is its own, not that of its place"
        );
        let file = chart.scene().file(&LIGHT);
        assert!(file.contains(&*LIGHT.of(Paint::Ink)) && !file.contains("var("));
        // The last point is at the right edge, and the highest value fits below the top.
        assert!(page.contains("cx=\"532\""), "{page}");
    }

    #[test]
    fn single_points_are_bars() {
        let bar = |name: &str, value: f64| Series {
            name: name.into(),
            color: 0,
            points: vec![[0.0, value, value, value]],
            line: None,
        };
        let chart = AxesChart {
            title: "bytes".into(),
            axes: ["", ""],
            texts: [|_| String::new(), |y| format!("{y}")],
            series: vec![bar("one", 5.0), bar("other", 0.0)],
            level: None,
        };
        let page = chart.scene().on_page().svg();
        assert_eq!(
            (page.matches("<circle").count(), page.contains("NaN"), page.contains("inf")),
            (0, false, false)
        );
    }
}
