//! The strip: the tablets of a table from left to right, with their figures and the marks of hot
//! ones. The page paints it in elements that move and can be chosen, and files as shapes.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_advice::Verdict;
use tabletop_model::{TableView, TabletView};
use tabletop_texts::messages;
use tabletop_texts::numbers::bytes;
use tabletop_texts::tablets::Precision;

use super::first_key::{LINE, PADDING, WrittenKey, written_key};
use super::words::{describe, rate};
use super::{Asked, MARK_WORDS, Mark, Place, marks, text_width};
use crate::scene::{Anchor, Paint, Point, Shape, Text};

/// The height of the space above the tablets for the marks of hot ones, px.
pub const MARKS_HEIGHT: f64 = 20.0;

/// What a strip is drawn from.
pub struct Strip<'a> {
    /// The table.
    pub table: &'a TableView,
    /// The judgement on its load.
    pub verdict: &'a Verdict,
    /// The share of the load that each tablet takes.
    pub shares: &'a [f64],
    /// The share of the strip's height that each tablet has in a skyline.
    pub heights: &'a [f64],
    /// The first key of each tablet, to be written into tall ones; empty to write none.
    pub keys: &'a [String],
    /// The place of each tablet.
    pub places: &'a [Place],
    /// The width of all tablets, px.
    pub width: f64,
    /// The height of the tallest tablet, px.
    pub height: f64,
    /// Whether the height of a tablet shows its share of the load.
    pub is_skyline: bool,
    /// The tablets that are drawn.
    pub in_sight: Range<usize>,
}

/// The rectangle of a tablet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// The left edge, px from that of the strip.
    pub x: f64,
    /// The upper edge, px below that of the tallest tablet.
    pub top: f64,
    /// The width, px.
    pub width: f64,
    /// The height, px.
    pub height: f64,
    /// The level of its load, 0 to 4.
    pub level: usize,
}

/// A line of text in a tablet.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The text, centered.
    pub text: String,
    /// The base line, px below the upper edge of the tablet.
    pub y: f64,
    /// Whether the height is the share of the load.
    pub is_share: bool,
}

impl Strip<'_> {
    /// Returns the rectangle of a tablet. All have a common base line.
    pub fn body(&self, at: usize) -> Body {
        let place = self.places[at];
        let height = if self.is_skyline { self.height * self.heights[at] } else { self.height };
        Body {
            x: place.x + 0.5,
            top: self.height - height,
            width: (place.width - 1.0).max(1.0),
            height,
            level: self.level(at),
        }
    }

    /// Returns the level of a tablet's load, 0 to 4.
    pub fn level(&self, at: usize) -> usize {
        self.verdict.level(at, self.shares[at])
    }

    /// Returns the texts of a tablet of this height: the figures that fit, and its first key.
    pub fn texts(&self, at: usize, height: f64) -> (Vec<Figure>, Option<WrittenKey>) {
        let width = self.places[at].width;
        let lines = figures(&self.table.tablets[at], self.shares[at], width, height);
        let below = lines.len() as f64 * LINE;
        let first = if self.is_skyline { LINE } else { (height - below) / 2.0 + 12.0 };
        let figure = |(line, (is_share, text)): (usize, (bool, String))| Figure {
            text,
            y: first + line as f64 * LINE,
            is_share,
        };
        let key = self.keys.get(at).filter(|_| self.is_skyline);
        let key = key.and_then(|key| written_key(key, width, height, height - below - LINE));
        (lines.into_iter().enumerate().map(figure).collect(), key)
    }

    /// Returns the marks of the hot tablets that are drawn.
    pub fn marks(&self) -> Vec<Mark> {
        let mut hot: Vec<usize> = self.in_sight.clone().filter(|at| self.verdict.is_hot(*at)).collect();
        hot.sort_by(|one, other| self.shares[*other].total_cmp(&self.shares[*one]));
        let hot: Vec<(usize, f64)> =
            hot.into_iter().map(|at| (at, text_width(&self.words_of_mark(at)))).collect();
        marks(self.places, &hot, self.width)
    }

    /// Returns the words next to the mark of a hot tablet.
    pub fn words_of_mark(&self, at: usize) -> String {
        (messages().tablets.hot_share)(self.shares[at] * 100.0)
    }

    /// Returns a tablet in words, with what the query reads of it and whether it has the chosen
    /// event.
    pub fn name(&self, at: usize, asked: Option<Asked>, has_event: bool) -> String {
        let says = &messages().tablets;
        let mut name = describe(self.table, self.verdict, at);
        name.push_str(match asked {
            None => "",
            Some(Asked::Whole) => says.asked_whole,
            Some(Asked::Part) => says.asked_part,
        });
        if has_event {
            name.push_str(says.has_event);
        }
        name
    }

    /// Returns the strip as shapes for a file. `at` is the upper left corner of the tallest tablet;
    /// the marks are above it.
    pub fn shapes(&self, at: Point) -> Vec<Shape> {
        let size = (self.width, self.height);
        let mut shapes = vec![Shape::Rect { at, size, radius: 2.0, fill: Paint::None, edge: Paint::Line }];
        for tablet in self.in_sight.clone() {
            let body = self.body(tablet);
            let (x, y) = (at.0 + self.places[tablet].x, at.1 + body.top);
            shapes.push(body.shape(at));
            let paint = Paint::OnLoad(body.level as u8);
            let (figures, key) = self.texts(tablet, body.height);
            for Figure { text, y: below, is_share } in figures {
                let place = (x + self.places[tablet].width / 2.0, y + below);
                let text = Text::new(place, 12.0, text, paint).anchored(Anchor::Middle);
                shapes.push(Shape::Text(Text { is_bold: is_share, ..text }));
            }
            if let Some(key) = key {
                let text = Text::new((x + key.at.0, y + key.at.1), 11.0, key.text, paint);
                shapes.push(Shape::Text(Text { is_mono: true, is_upright: key.is_upright, ..text }));
            }
        }
        for mark in self.marks() {
            let (x, y) = (at.0 + mark.x, at.1 - MARKS_HEIGHT);
            shapes.push(Shape::Disc { at: (x + 8.0, y + 9.0), radius: 4.0, fill: Paint::Hot });
            if mark.has_words {
                let words =
                    Text::new((x + MARK_WORDS, y + 13.0), 12.0, self.words_of_mark(mark.at), Paint::Hot);
                shapes.push(Shape::Text(words.bold()));
            }
        }
        shapes
    }
}

impl Body {
    /// Returns the rectangle as a shape below and to the right of a place. Only a tablet without
    /// load needs an edge to be seen.
    fn shape(&self, at: Point) -> Shape {
        Shape::Rect {
            at: (at.0 + self.x, at.1 + self.top),
            size: (self.width, self.height),
            radius: 2.0,
            fill: Paint::Load(self.level as u8),
            edge: if self.level == 0 { Paint::Edge } else { Paint::None },
        }
    }
}

/// Returns the figures of a tablet that fit, and whether each is the share of the load.
fn figures(tablet: &TabletView, share: f64, width: f64, height: f64) -> Vec<(bool, String)> {
    let says = &messages().tablets;
    let fits = |text: &String| text_width(text) + 2.0 * PADDING <= width;
    let mut lines = Vec::new();
    if share >= 0.005 {
        let text = format!("{:.0}%", share * 100.0);
        if !fits(&text) {
            // One of the other figures would be mistaken for the share.
            return lines;
        }
        lines.push((true, text));
    }
    if tablet.writes_per_second > 0.0 {
        lines.push((false, (says.writes_short)(&rate(tablet.writes_per_second))));
    }
    lines.push((false, bytes(tablet.bytes)));
    let precision = if tablet.exact { Precision::Exact } else { Precision::AtMost };
    lines.push((false, (says.rows_short)(tablet.rows, precision)));
    lines.retain(|(_, text)| fits(text));
    lines.truncate(((height - LINE) / LINE) as usize);
    lines
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use tabletop_advice::TableLoad;
    use tabletop_model::TabletId;

    use super::super::{Measure, first_keys, heights, places};
    use super::*;
    use crate::scene::{LIGHT, Scene};

    /// A table whose last tablet takes all writes.
    fn table() -> TableView {
        let tablet = |id: u64| TabletView {
            id: TabletId(id),
            parent: None,
            start: if id == 0 { Default::default() } else { format!("2026-01-0{id}").into() },
            end: Default::default(),
            rows: 1_000,
            cells: 1_000,
            exact: id > 0,
            bytes: 50_000,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 1,
            reads_per_second: 0.0,
            writes_per_second: if id == 3 { 100.0 } else { 0.0 },
        };
        TableView { tablets: (0..4).map(tablet).collect(), ..TableView::default() }
    }

    fn with_strip<T>(width: f64, height: f64, is_skyline: bool, then: impl Fn(&Strip) -> T) -> T {
        let table = table();
        let (load, places) = (TableLoad::of(&table), places(&table, Measure::Bytes, width, 1.0));
        let verdict = Verdict { hot: vec![3], fair_share: 0.25, ..Verdict::default() };
        then(&Strip {
            table: &table,
            verdict: &verdict,
            shares: &load.shares,
            heights: &heights(&load.shares),
            keys: &first_keys(&table.tablets),
            places: &places,
            width,
            height,
            is_skyline,
            in_sight: 0..4,
        })
    }

    fn texts(width: f64, height: f64, is_skyline: bool, at: usize) -> Vec<String> {
        with_strip(width, height, is_skyline, |strip| {
            let (figures, key) = strip.texts(at, strip.body(at).height);
            figures.into_iter().map(|figure| figure.text).chain(key.map(|key| key.text)).collect()
        })
    }

    #[test]
    fn a_tablet_shows_as_many_figures_as_fit() {
        assert_eq!(texts(800.0, 60.0, false, 3), ["100%", "100/s"]);
        assert_eq!(texts(800.0, 60.0, false, 0), ["50.0 kB", "≤ 1,000 rows"]);
        assert_eq!(texts(240.0, 60.0, false, 0), ["50.0 kB"]);
        assert_eq!(texts(140.0, 60.0, false, 3), [""; 0], "nothing could be mistaken for the share");
        assert_eq!(texts(800.0, 300.0, true, 1).last().map(String::as_str), Some("…01"));
    }

    #[test]
    fn tablets_stand_on_a_common_line_and_a_file_has_what_the_page_shows() {
        with_strip(800.0, 200.0, true, |strip| {
            let bodies: Vec<Body> = (0..4).map(|at| strip.body(at)).collect();
            assert!(bodies.iter().all(|body| body.top + body.height == 200.0), "{bodies:?}");
            assert!(bodies[3].height == 200.0 && bodies[0].height < 120.0, "{bodies:?}");
            assert_eq!((bodies[1].x, bodies[1].width, bodies[3].level), (200.5, 199.0, 4));
            let marks = strip.marks();
            assert_eq!((marks.len(), marks[0].at), (1, 3));
            let scene = Scene { shapes: strip.shapes((0.0, 20.0)), ..Scene::default() };
            let svg = scene.file(&LIGHT);
            let (figures, _) = strip.texts(3, 200.0);
            for text in figures.iter().map(|figure| &figure.text).chain([&strip.words_of_mark(3)]) {
                assert!(svg.contains(&format!(">{text}</text>")), "{text} in {svg}");
            }
            assert_eq!(svg.matches(&LIGHT.of(Paint::Load(4)).to_string()).count(), 1);
        });
    }
}
