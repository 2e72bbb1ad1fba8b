//! A sheet on which pictures for documents are drawn, from top to bottom.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::ceil;
use crate::scene::{Paint, Pen, Point, Scene, Shape, Text, part_paint};
use crate::tablets::text_width;

/// The width of a sheet, px.
const WIDTH: f64 = 1_032.0;
/// Margin around what is drawn, px.
pub const MARGIN: f64 = 16.0;
/// The width between the margins, px.
pub const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// What is drawn so far.
pub struct Sheet {
    /// The top of the next part, px.
    pub y: f64,
    title: String,
    shapes: Vec<Shape>,
}

impl Sheet {
    /// A sheet with a title.
    pub fn new(title: &str) -> Sheet {
        let mut sheet = Sheet { y: MARGIN, title: title.to_string(), shapes: Vec::new() };
        sheet.text(Text::new((MARGIN, sheet.y + 16.0), 18.0, title, Paint::Ink).bold());
        sheet.y += 32.0;
        sheet
    }

    /// Writes a line. What does not fit on the sheet ends in an ellipsis.
    pub fn text(&mut self, text: Text) {
        let room = WIDTH - MARGIN - text.at.0;
        self.text_within(text, room);
    }

    /// Writes a line within a width, px. What does not fit ends in an ellipsis.
    pub fn text_within(&mut self, mut text: Text, room: f64) {
        for (piece, _) in &mut text.pieces {
            *piece = fitting(piece, room, text.size);
        }
        self.push(Shape::Text(text));
    }

    /// Writes pieces of a key within a width, each in the colour of its class, in a font of
    /// constant width. Returns the width of what is written, px.
    pub fn key(&mut self, at: Point, pieces: &[(String, &'static str)], room: f64) -> f64 {
        const SIZE: f64 = 11.0;
        const CHARACTER: f64 = 6.7;
        let most = (room / CHARACTER) as usize;
        let mut left = most;
        let mut shown = Vec::new();
        for (text, class) in pieces {
            let count = text.chars().count();
            let piece = if count <= left { text.clone() } else { cut(text, left) };
            left = left.saturating_sub(count);
            if !piece.is_empty() {
                shown.push((piece, part_paint(class)));
            }
            if left == 0 {
                break;
            }
        }
        let text = Text::new(at, SIZE, "", Paint::Soft);
        self.push(Shape::Text(Text { is_mono: true, pieces: shown, ..text }));
        (most - left) as f64 * CHARACTER
    }

    /// Writes a paragraph in lines that fit, and moves below it.
    pub fn paragraph(&mut self, text: &str, size: f64, paint: Paint) {
        for line in lines_of(text, INNER, size) {
            self.y += size + 4.0;
            self.text(Text::new((MARGIN, self.y), size, line, paint));
        }
        self.y += 6.0;
    }

    /// Draws a rectangle.
    pub fn rect(&mut self, at: Point, size: Point, fill: Paint, edge: Paint) {
        self.push(Shape::Rect { at, size, radius: 2.0, fill, edge });
    }

    /// Draws a line.
    pub fn line(&mut self, from: Point, to: Point, paint: Paint) {
        self.push(Shape::line(from, to, Pen::of(paint)));
    }

    /// Draws a shape.
    pub fn push(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    /// Returns the picture, as high as what is drawn.
    pub fn finish(self) -> Scene {
        Scene {
            title: self.title,
            size: (WIDTH, ceil(self.y + MARGIN) as f64),
            shapes: self.shapes,
            ..Scene::default()
        }
    }
}

/// An upper estimate of the width of a text, px.
pub fn width_of(text: &str, size: f64) -> f64 {
    text_width(text) * size / 12.0 * 0.85
}

/// Returns a text with at most this many characters: a longer one ends in an ellipsis.
fn cut(text: &str, most: usize) -> String {
    match most {
        0 => String::new(),
        _ => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

/// Returns as much of a text as fits.
fn fitting(text: &str, room: f64, size: f64) -> String {
    if width_of(text, size) <= room {
        return text.into();
    }
    let count = text.chars().count();
    let most = (0..count).rev().find(|most| width_of(&cut(text, *most), size) <= room);
    most.map_or(String::new(), |most| cut(text, most))
}

/// Divides a text into lines that fit.
fn lines_of(text: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::LIGHT;

    #[test]
    fn texts_fit_and_have_no_markup() {
        assert_eq!(fitting("short", 1_000.0, 12.0), "short");
        let cut = fitting(&"wide ".repeat(100), 200.0, 12.0);
        assert!(cut.ends_with('…') && width_of(&cut, 12.0) <= 200.0, "{cut}");
        assert_eq!(fitting("nothing fits", 1.0, 12.0), "");
        let lines = lines_of(&"one two three ".repeat(30), 300.0, 12.0);
        assert!(lines.len() > 5 && lines.iter().all(|line| width_of(line, 12.0) <= 300.0), "{lines:?}");
        let mut sheet = Sheet::new("<a> & \"b\"");
        let width = sheet.key((0.0, 0.0), &[("<k>".into(), "part-1"), ("#rest".into(), "part-none")], 40.0);
        assert!(width <= 40.0);
        let scene = sheet.finish();
        let svg = scene.file(&LIGHT);
        assert!(
            svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>") && svg.contains("&lt;k&gt;</tspan>"),
            "{svg}"
        );
        assert!(svg.contains(&format!("height=\"{}\"", scene.size.1)));
    }
}
