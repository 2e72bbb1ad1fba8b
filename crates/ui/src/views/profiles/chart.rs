//! Charts of the experiment: lines or bars with axes, for the page and for files.

use std::fmt::Write;

use crate::pages::share::{LIGHT, xml};

/// The size of a chart, px.
pub const SIZE: (f64, f64) = (560.0, 340.0);
const LEFT: f64 = 76.0;
const RIGHT: f64 = 28.0;
const BOTTOM: f64 = 44.0;
/// The height of a line of the legend, px.
const LEGEND: f64 = 16.0;
/// The most characters of a name in the legend.
const NAME_CHARS: usize = 34;
/// The approximate number of ticks of an axis.
const TICKS: f64 = 5.0;

/// A chart.
pub struct Chart {
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
    /// Its name.
    pub name: String,
    /// The number of its colour: the same thing has the same colour in all charts.
    pub color: usize,
    /// x, y, and the least and the largest y, in the order of x.
    pub points: Vec<[f64; 4]>,
    /// A straight line through them: its height at 0, and its slope.
    pub line: Option<(f64, f64)>,
}

/// The colours of a chart.
struct Paints {
    page: &'static str,
    ink: &'static str,
    soft: &'static str,
    line: &'static str,
    series: [&'static str; 8],
}

/// The colours of the page, in both themes.
const OF_PAGE: Paints = Paints {
    page: "none",
    ink: "var(--ink)",
    soft: "var(--ink-soft)",
    line: "var(--line)",
    series: [
        "var(--part-0)",
        "var(--part-3)",
        "var(--part-1)",
        "var(--part-2)",
        "var(--part-4)",
        "var(--part-5)",
        "var(--part-6)",
        "var(--part-7)",
    ],
};

impl Chart {
    /// Draws it for the page.
    pub fn for_page(&self) -> String {
        self.svg(&OF_PAGE)
    }

    /// Draws it for a file, in print colours.
    pub fn for_file(&self) -> String {
        let of = |at: usize| LIGHT.parts[at];
        let series = [of(0), of(3), of(1), of(2), of(4), of(5), of(6), of(7)];
        self.svg(&Paints { page: LIGHT.page, ink: LIGHT.ink, soft: LIGHT.soft, line: LIGHT.line, series })
    }

    fn svg(&self, paints: &Paints) -> String {
        let (width, height) = SIZE;
        let rows = self.series.len().div_ceil(2) as f64;
        let top = 48.0 + rows * LEGEND;
        let is_bars = self.series.iter().all(|series| series.points.len() == 1);
        let values = || self.series.iter().flat_map(|series| &series.points);
        let most_y = values().map(|point| point[3]).chain(self.level.map(|level| level.0)).fold(0.0, f64::max);
        let most_x = values().map(|point| point[0]).fold(0.0, f64::max);
        let (step_y, step_x) = (step(most_y), step(most_x));
        let end_y = (most_y / step_y).ceil().max(1.0) * step_y;
        let x = |value: f64| LEFT + value / most_x.max(f64::MIN_POSITIVE) * (width - LEFT - RIGHT);
        let y = |value: f64| height - BOTTOM - value / end_y * (height - BOTTOM - top);
        let mut out = String::new();
        let mut push = |part: std::fmt::Arguments| out.write_fmt(part).expect("writing to a string cannot fail");
        push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{}\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\
             <text x=\"0\" y=\"14\" fill=\"{}\" font-size=\"14\" font-weight=\"600\">{}</text>",
            xml(&self.title),
            paints.page,
            paints.ink,
            xml(&self.title)
        ));
        for (at, series) in self.series.iter().enumerate() {
            let (left, base) = ((at % 2) as f64 * width / 2.0, 34.0 + (at / 2) as f64 * LEGEND);
            let color = paints.series[series.color % paints.series.len()];
            push(format_args!(
                "<rect x=\"{left}\" y=\"{:.1}\" width=\"12\" height=\"4\" fill=\"{color}\"/><text x=\"{:.1}\" y=\"{base:.1}\" fill=\"{}\">{}</text>",
                base - 6.0,
                left + 18.0,
                paints.ink,
                xml(&short(&series.name))
            ));
        }
        let mut tick = 0.0;
        while tick <= end_y + step_y / 2.0 {
            push(format_args!(
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"{2}\"/><text x=\"{3:.1}\" y=\"{4:.1}\" \
                 text-anchor=\"end\" fill=\"{5}\">{6}</text>",
                width - RIGHT,
                y(tick),
                paints.line,
                LEFT - 6.0,
                y(tick) + 4.0,
                paints.soft,
                xml(&(self.texts[1])(tick))
            ));
            tick += step_y;
        }
        if !is_bars {
            let mut tick = 0.0;
            while tick <= most_x + step_x / 100.0 {
                push(format_args!(
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
                    x(tick),
                    height - BOTTOM + 18.0,
                    paints.soft,
                    xml(&(self.texts[0])(tick))
                ));
                tick += step_x;
            }
        }
        push(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{2}\">{3}</text><text x=\"{LEFT}\" y=\"{4:.1}\" fill=\"{2}\">{5}</text>",
            width - RIGHT,
            height - 8.0,
            paints.soft,
            xml(self.axes[0]),
            top - 8.0,
            xml(self.axes[1])
        ));
        if let Some((level, name)) = self.level {
            push(format_args!(
                "<line x1=\"{LEFT}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"{2}\" stroke-dasharray=\"2 3\"/>\
                 <text x=\"{0:.1}\" y=\"{3:.1}\" text-anchor=\"end\" fill=\"{2}\">{4}</text>",
                width - RIGHT,
                y(level),
                paints.soft,
                y(level) - 4.0,
                xml(name)
            ));
        }
        let room = (width - LEFT - RIGHT) / self.series.len().max(1) as f64;
        for (at, series) in self.series.iter().enumerate() {
            let color = paints.series[series.color % paints.series.len()];
            if is_bars {
                let value = series.points[0][1];
                let left = LEFT + room * at as f64 + room * 0.2;
                push(format_args!(
                    "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{color}\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                     text-anchor=\"middle\" fill=\"{}\">{}</text>",
                    y(value),
                    room * 0.6,
                    height - BOTTOM - y(value),
                    left + room * 0.3,
                    y(value) - 4.0,
                    paints.ink,
                    xml(&(self.texts[1])(value))
                ));
                continue;
            }
            if let Some((from, slope)) = series.line {
                let end = |value: f64| y((from + slope * value).clamp(0.0, end_y));
                push(format_args!(
                    "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\" stroke-dasharray=\"6 4\"/>",
                    x(0.0),
                    end(0.0),
                    x(most_x),
                    end(most_x)
                ));
            } else {
                let points: String =
                    series.points.iter().map(|[at, value, ..]| format!("{:.1},{:.1} ", x(*at), y(*value))).collect();
                push(format_args!("<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"));
            }
            for [at, value, low, high] in &series.points {
                push(format_args!(
                    "<line x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{2:.1}\" stroke=\"{color}\"/><circle cx=\"{0:.1}\" cy=\"{3:.1}\" r=\"3.5\" \
                     fill=\"{color}\"/>",
                    x(*at),
                    y(*low),
                    y(*high),
                    y(*value)
                ));
            }
        }
        push(format_args!("</svg>"));
        out
    }
}

/// Returns the distance of ticks: 1, 2 or 5 times a power of ten.
fn step(most: f64) -> f64 {
    if most <= 0.0 || !most.is_finite() {
        return 1.0;
    }
    let rough = most / TICKS;
    let power = 10.0_f64.powf(rough.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|times| times * power >= rough).unwrap_or(10.0);
    times * power
}

fn short(name: &str) -> String {
    if name.chars().count() <= NAME_CHARS { name.into() } else { name.chars().take(NAME_CHARS - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        for (most, expected) in [(10.0, 2.0), (12.0, 5.0), (100_000.0, 20_000.0), (0.7, 0.2), (0.0, 1.0), (f64::NAN, 1.0)] {
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
        let chart = Chart {
            title: "a & b".into(),
            axes: ["x", "y"],
            texts: [|x| format!("{x}"), |y| format!("{y} ms")],
            series: vec![series],
            level: Some((3.0, "three")),
        };
        let page = chart.for_page();
        assert_eq!((page.matches("<circle").count(), page.matches("stroke-dasharray").count()), (2, 2));
        assert!(
            page.contains("&lt;wide&gt;") && page.contains("a &amp; b") && page.contains("4 ms") && page.contains("var(--ink)")
        );
        assert!(
            page.contains(OF_PAGE.series[1]) && !page.contains(OF_PAGE.series[0]),
            "its colour is its own, not that of its place"
        );
        let file = chart.for_file();
        assert!(file.contains(LIGHT.ink) && !file.contains("var("));
        // The last point is at the right edge, and the highest value fits below the top.
        assert!(page.contains("cx=\"532.0\""), "{page}");
    }

    #[test]
    fn single_points_are_bars() {
        let bar =
            |name: &str, value: f64| Series { name: name.into(), color: 0, points: vec![[0.0, value, value, value]], line: None };
        let chart = Chart {
            title: "bytes".into(),
            axes: ["", ""],
            texts: [|_| String::new(), |y| format!("{y}")],
            series: vec![bar("one", 5.0), bar("other", 0.0)],
            level: None,
        };
        let page = chart.for_page();
        assert_eq!((page.matches("<circle").count(), page.contains("NaN"), page.contains("inf")), (0, false, false));
    }
}
