//! The rows of a table by their size, as bars: as many rows as have that size, or as many bytes as
//! these rows have.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_keys::{bytes, thousands};
use tabletop_protocol::row_sizes::SizeClass;

use crate::scene::{Anchor, Paint, Pen, Point, Scene, Shape, Text};

/// The size of the picture, px.
const SIZE: Point = (640.0, 260.0);
/// The place of the title and of the figure above the highest bar, px.
const TOP: f64 = 44.0;
/// The place of the sizes below the bars, px.
const BOTTOM: f64 = 24.0;
/// The space on both sides, for the texts at the edges of the outer bars, px.
const SIDE: f64 = 28.0;
/// The height of the font, px.
const FONT: f64 = 12.0;

/// What a bar counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// The rows of its size.
    #[default]
    Rows,
    /// The bytes of these rows.
    Bytes,
}

impl Counted {
    /// All choices, in the order in which the page shows them.
    pub const ALL: [Counted; 2] = [Counted::Rows, Counted::Bytes];

    fn of(self, class: &SizeClass) -> u64 {
        match self {
            Counted::Rows => class.rows,
            Counted::Bytes => class.bytes,
        }
    }

    fn text(self, value: u64) -> String {
        match self {
            Counted::Rows => thousands(value),
            Counted::Bytes => bytes(value),
        }
    }
}

/// Draws a bar for each class, from the smallest rows to the largest ones that exist. `None` if no
/// row is counted.
pub fn scene(classes: &[SizeClass], counted: Counted, title: String) -> Option<Scene> {
    let first = classes.iter().position(|class| class.rows > 0)?;
    let shown: Vec<u64> = classes[first..].iter().map(|class| counted.of(class)).collect();
    let most = shown.iter().copied().max().unwrap_or(0).max(1) as f64;
    let (foot, width) = (SIZE.1 - BOTTOM, (SIZE.0 - 2.0 * SIDE) / shown.len() as f64);
    let edge = |bar: usize| SIDE + bar as f64 * width;
    let label = |at: Point, text: String, paint: Paint| {
        Shape::Text(Text::new(at, FONT, text, paint).anchored(Anchor::Middle))
    };
    let mut shapes = vec![Shape::Text(Text::new((0.0, 14.0), 14.0, &*title, Paint::Ink).bold())];
    for (bar, value) in shown.iter().copied().enumerate().filter(|(_, value)| *value > 0) {
        let height = value as f64 / most * (foot - TOP);
        shapes.push(Shape::bar((edge(bar) + 1.0, foot - height), (width - 2.0, height), Paint::Part(0)));
        let above = (edge(bar) + width / 2.0, foot - height - 4.0);
        shapes.push(label(above, counted.text(value), Paint::Ink));
    }
    shapes.push(Shape::line((SIDE, foot), (SIZE.0 - SIDE, foot), Pen::of(Paint::Line)));
    // The sizes are below the edges of the bars: a bar has the rows between two of them.
    let sizes = (0..=shown.len()).map(|bar| (edge(bar), bytes(1 << (first + bar).min(63))));
    shapes.extend(sizes.map(|(x, size)| label((x, foot + 16.0), size, Paint::Soft)));
    Some(Scene { title, size: SIZE, shapes, ..Scene::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::LIGHT;

    #[test]
    fn bars_begin_at_the_smallest_rows_and_count_rows_or_bytes() {
        let mut classes = vec![SizeClass::default(); 7];
        classes[4] = SizeClass { rows: 4_000, bytes: 80_000 };
        classes[6] = SizeClass { rows: 1_000, bytes: 100_000 };
        let drawn = |counted| {
            let svg = scene(&classes, counted, "Sizes".into()).expect("rows").file(&LIGHT);
            let of = |start: &str, part: fn(&str) -> Option<&str>| {
                svg.lines()
                    .filter(|line| line.starts_with(start))
                    .filter_map(part)
                    .map(String::from)
                    .collect::<Vec<_>>()
            };
            let heights =
                of("<rect", |line| line.split_once("height=\"")?.1.split_once('"').map(|(height, _)| height));
            let texts = of("<text", |line| line.split_once('>')?.1.split_once('<').map(|(text, _)| text));
            (heights, texts)
        };
        let (heights, texts) = drawn(Counted::Rows);
        // The first rectangle is the page.
        assert_eq!(heights[1..], ["192", "48"]);
        assert_eq!(texts, ["Sizes", "4,000", "1,000", "16 B", "32 B", "64 B", "128 B"]);
        let (heights, texts) = drawn(Counted::Bytes);
        assert_eq!(heights[1..], ["153.6", "192"]);
        assert_eq!(texts[1..3], ["80.0 kB", "100 kB"]);
    }

    #[test]
    fn a_table_without_rows_has_no_picture() {
        assert_eq!(scene(&[], Counted::Rows, "Sizes".into()), None);
        assert_eq!(scene(&[SizeClass::default()], Counted::Bytes, "Sizes".into()), None);
    }
}
