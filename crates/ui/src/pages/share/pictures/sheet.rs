//! A sheet on which pictures are drawn (SVG): self-contained, including the colours of the page.

use std::fmt::Write;

use super::super::escape::xml;

/// The width of a sheet, px.
pub const WIDTH: f64 = 1_032.0;
/// Margin around what is drawn, px.
pub const MARGIN: f64 = 16.0;
/// The width between the margins, px.
pub const INNER: f64 = WIDTH - 2.0 * MARGIN;

/// The colours of a picture, the same as the page's (www/style/tokens.css).
#[derive(Debug, PartialEq, Eq)]
pub struct Colors {
    pub page: &'static str,
    pub ink: &'static str,
    pub soft: &'static str,
    pub line: &'static str,
    pub edge: &'static str,
    pub good: &'static str,
    pub warn: &'static str,
    pub hot: &'static str,
    /// The fills of tablets by their load, and texts on them.
    pub fills: [&'static str; 5],
    pub on_fills: [&'static str; 5],
    /// The fields: `part-0` to `part-7`.
    pub parts: [&'static str; 8],
}

/// The light theme, also for print.
pub const LIGHT: Colors = Colors {
    page: "#ffffff",
    ink: "#191c23",
    soft: "#545b69",
    line: "#dde1e8",
    edge: "#868e9c",
    good: "#116b3f",
    warn: "#8a4b00",
    hot: "#b3261e",
    fills: ["#dfe5f2", "#b9c8f2", "#8aa5ec", "#e59a4f", "#c93c27"],
    on_fills: ["#191c23", "#191c23", "#191c23", "#191c23", "#ffffff"],
    parts: ["#2f54d0", "#0b6e6e", "#8a3fb0", "#8a4b00", "#a8285f", "#3f6212", "#6b5900", "#0a6188"],
};
/// The dark theme.
pub const DARK: Colors = Colors {
    page: "#161920",
    ink: "#e8eaf0",
    soft: "#a4adbd",
    line: "#2a2f3a",
    edge: "#707a8c",
    good: "#5fd39a",
    warn: "#f0b35c",
    hot: "#ff8d80",
    fills: ["#242a38", "#2f4076", "#4360b4", "#c9772b", "#ef5a43"],
    on_fills: ["#e8eaf0", "#e8eaf0", "#ffffff", "#0f1115", "#0f1115"],
    parts: ["#8fa8ff", "#56cfcf", "#cf9bf0", "#f0b35c", "#ff94bf", "#a8cf6a", "#d9c94f", "#74c4f0"],
};

impl Colors {
    /// Returns the colour of a class of base.css that colours the parts of keys.
    pub fn of_class(&self, class: &str) -> &'static str {
        let part = class.strip_prefix("part-").and_then(|part| part.parse::<usize>().ok());
        part.and_then(|part| self.parts.get(part)).copied().unwrap_or(self.soft)
    }
}

/// A line of text.
pub struct Text<'a> {
    pub x: f64,
    /// Its base line.
    pub y: f64,
    /// px.
    pub size: f64,
    pub color: &'a str,
    pub is_bold: bool,
}

/// What is drawn so far.
pub struct Sheet {
    pub colors: &'static Colors,
    /// The top of the next part, px.
    pub y: f64,
    body: String,
}

impl Sheet {
    /// A sheet with a title.
    pub fn new(title: &str, colors: &'static Colors) -> Sheet {
        let mut sheet = Sheet { colors, y: MARGIN, body: String::new() };
        sheet.text(Text { x: MARGIN, y: sheet.y + 16.0, size: 18.0, color: colors.ink, is_bold: true }, title);
        sheet.y += 32.0;
        sheet
    }

    /// Writes a line. What does not fit on the sheet ends in an ellipsis.
    pub fn text(&mut self, place: Text, text: &str) {
        let room = WIDTH - MARGIN - place.x;
        self.text_within(place, text, room);
    }

    /// Writes a line within this width, px.
    pub fn text_within(&mut self, place: Text, text: &str, room: f64) {
        let Text { x, y, size, color, is_bold } = place;
        let weight = if is_bold { " font-weight=\"600\"" } else { "" };
        let shown = fitting(text, room, size);
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" fill=\"{color}\"{weight}>{}</text>",
            xml(&shown)
        ));
    }

    /// Writes pieces of a key, each in its colour, in a font of constant width. Returns their width, px.
    pub fn key(&mut self, x: f64, y: f64, pieces: &[(String, &'static str)], room: f64) -> f64 {
        const SIZE: f64 = 11.0;
        const CHARACTER: f64 = 6.7;
        let most = (room / CHARACTER) as usize;
        let mut left = most;
        let mut spans = String::new();
        for (text, class) in pieces {
            let count = text.chars().count();
            let (shown, color) = (if count <= left { text.clone() } else { cut(text, left) }, self.colors.of_class(class));
            left = left.saturating_sub(count);
            if !shown.is_empty() {
                spans += &format!("<tspan fill=\"{color}\">{}</tspan>", xml(&shown));
            }
            if left == 0 {
                break;
            }
        }
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{SIZE}\" font-family=\"ui-monospace, monospace\" xml:space=\"preserve\">{spans}</text>"
        ));
        (most - left) as f64 * CHARACTER
    }

    /// Writes a paragraph in lines that fit, and moves below it.
    pub fn paragraph(&mut self, text: &str, size: f64, color: &str) {
        for line in lines_of(text, INNER, size) {
            self.y += size + 4.0;
            self.text(Text { x: MARGIN, y: self.y, size, color, is_bold: false }, &line);
        }
        self.y += 6.0;
    }

    /// Draws a rectangle.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str, edge: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" fill=\"{fill}\" stroke=\"{edge}\"/>"
        ));
    }

    /// Draws a line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), color: &str) {
        self.push(format_args!("<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{color}\" fill=\"none\"/>"));
    }

    /// Adds an element.
    pub fn push(&mut self, element: std::fmt::Arguments) {
        writeln!(self.body, "{element}").expect("a string takes all");
    }

    /// Returns the picture, and its width and height, px.
    pub fn finish(self) -> Picture {
        let (height, Colors { page, ink, .. }) = ((self.y + MARGIN).ceil(), self.colors);
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             font-family=\"system-ui, sans-serif\" fill=\"{ink}\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{page}\"/>\n{}</svg>\n",
            self.body
        );
        Picture { svg, size: (WIDTH, height) }
    }
}

/// A self-contained picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub svg: String,
    /// Its width and height, px.
    pub size: (f64, f64),
}

/// An upper estimate of the width of a text, px.
pub fn width_of(text: &str, size: f64) -> f64 {
    crate::pages::tablets::text_width(text) * size / 12.0 * 0.85
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

    const TOKENS: &str = include_str!("../../../../../../www/style/tokens.css");

    #[test]
    fn colours_are_those_of_the_page() {
        let both = |name: &str| {
            let start = format!("--{name}: light-dark(");
            let line =
                TOKENS.lines().find_map(|line| line.trim().strip_prefix(start.as_str())).unwrap_or_else(|| panic!("--{name}"));
            let (light, dark) = line.split_once(')').unwrap().0.split_once(", ").unwrap();
            [light.to_owned(), dark.to_owned()]
        };
        for (at, colors) in [&LIGHT, &DARK].into_iter().enumerate() {
            let named = [("ink", colors.ink), ("ink-soft", colors.soft), ("line", colors.line), ("good", colors.good)];
            let more = [("hot", colors.hot), ("warn", colors.warn), ("load-edge", colors.edge), ("surface", colors.page)];
            for (name, color) in named.into_iter().chain(more) {
                assert_eq!(both(name)[at], color, "{name}");
            }
            for (level, (fill, on)) in colors.fills.iter().zip(&colors.on_fills).enumerate() {
                assert_eq!(
                    (both(&format!("load-{level}"))[at].as_str(), both(&format!("on-load-{level}"))[at].as_str()),
                    (*fill, *on)
                );
            }
            for (part, color) in colors.parts.iter().enumerate() {
                assert_eq!(both(&format!("part-{part}"))[at], *color, "part-{part}");
                assert_eq!(colors.of_class(&format!("part-{part}")), *color);
            }
            assert_eq!(colors.of_class("part-none"), colors.soft);
        }
    }

    #[test]
    fn texts_fit_and_have_no_markup() {
        assert_eq!(fitting("short", 1_000.0, 12.0), "short");
        let cut = fitting(&"wide ".repeat(100), 200.0, 12.0);
        assert!(cut.ends_with('…') && width_of(&cut, 12.0) <= 200.0, "{cut}");
        assert_eq!(fitting("nothing fits", 1.0, 12.0), "");
        let lines = lines_of(&"one two three ".repeat(30), 300.0, 12.0);
        assert!(lines.len() > 5 && lines.iter().all(|line| width_of(line, 12.0) <= 300.0), "{lines:?}");
        let mut sheet = Sheet::new("<a> & \"b\"", &LIGHT);
        let width = sheet.key(0.0, 0.0, &[("<k>".into(), "part-1"), ("#rest".into(), "part-none")], 40.0);
        assert!(width <= 40.0);
        let Picture { svg, size } = sheet.finish();
        assert!(svg.contains(">&lt;a&gt; &amp; &quot;b&quot;</text>") && svg.contains("&lt;k&gt;</tspan>"), "{svg}");
        assert!(svg.contains(&format!("height=\"{}\"", size.1)));
    }
}
