//! Pictures as lists of shapes, with two painters: [`Scene::file`] writes an SVG file, and the page
//! draws the elements of [`Scene::on_page`].
//!
//! A shape names its colours by their role ([`Paint`]), so the same scene is drawn in the theme of
//! the page and in the fixed colours of a file.

mod colors;
mod element;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

pub use colors::{Colors, DARK, LIGHT, PAGE, Paint, part_paint};
pub use element::{Element, xml};

/// A place, or a width and a height, in the units of the picture.
pub type Point = (f64, f64);

/// A picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The picture in words.
    pub title: String,
    /// The width and the height of the box that holds the shapes. In a file, its units are pixels.
    pub size: Point,
    /// How the box fills its place on the page.
    pub fit: Fit,
    /// The shapes. Later ones cover earlier ones.
    pub shapes: Vec<Shape>,
}

/// How the box of a picture fills its place on the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// The box keeps its proportions.
    #[default]
    Keep,
    /// The box is as wide and as high as its place. Lines keep their widths.
    Stretch,
    /// The box keeps its proportions, and edges are on whole pixels.
    Sharp,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle.
    Rect {
        /// The upper left corner.
        at: Point,
        /// The width and height.
        size: Point,
        /// The radius of its corners.
        radius: f64,
        /// The colour of its area.
        fill: Paint,
        /// The colour of its edge.
        edge: Paint,
    },
    /// A disc.
    Disc {
        /// The centre of the disc.
        at: Point,
        /// The radius of the disc.
        radius: f64,
        /// The colour of the disc.
        fill: Paint,
    },
    /// A line along a path in the language of SVG. Its width does not change where the picture is
    /// stretched.
    Line {
        /// The path.
        path: String,
        /// How it is drawn.
        pen: Pen,
    },
    /// A line of text.
    Text(Text),
    /// Another picture, stretched to fill a rectangle.
    Inset {
        /// The upper left corner.
        at: Point,
        /// The width and height.
        size: Point,
        /// The picture.
        file: Inset,
    },
}

/// A picture within a picture.
#[derive(Clone, Debug, PartialEq)]
pub enum Inset {
    /// The address of an SVG file.
    Address(&'static str),
    /// The elements of an SVG file, with the box that holds them.
    Elements {
        /// The elements.
        svg: String,
        /// Left, top, width and height.
        view_box: &'static str,
    },
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// The colour of the line.
    pub paint: Paint,
    /// The width, px.
    pub width: f64,
    /// The lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static str,
    /// Whether the ends are round: a path without a length is a dot.
    pub is_round: bool,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The place of its anchor, on the base line.
    pub at: Point,
    /// The height of its font.
    pub size: f64,
    /// Where its place is.
    pub anchor: Anchor,
    /// Whether the font is bold.
    pub is_bold: bool,
    /// Whether all characters have the same width.
    pub is_mono: bool,
    /// Whether the text is turned, and read from the bottom to the top.
    pub is_upright: bool,
    /// The pieces of the text with their colours.
    pub pieces: Vec<(String, Paint)>,
}

/// The end of a text that is at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// The start of the text.
    #[default]
    Start,
    /// The middle of the text.
    Middle,
    /// The end of the text.
    End,
}

impl Pen {
    /// A solid line of 1 px.
    pub fn of(paint: Paint) -> Pen {
        Pen { paint, width: 1.0, dashes: "", is_round: false }
    }
}

impl Text {
    /// A plain text that starts at a place.
    pub fn new(at: Point, size: f64, text: impl Into<String>, paint: Paint) -> Text {
        let pieces = vec![(text.into(), paint)];
        Text { at, size, anchor: Anchor::Start, is_bold: false, is_mono: false, is_upright: false, pieces }
    }

    /// Makes the text bold.
    pub fn bold(self) -> Text {
        Text { is_bold: true, ..self }
    }

    /// Puts another end of the text at its place.
    pub fn anchored(self, anchor: Anchor) -> Text {
        Text { anchor, ..self }
    }
}

impl Shape {
    /// A rectangle with sharp corners and without an edge.
    pub fn bar(at: Point, size: Point, fill: Paint) -> Shape {
        Shape::Rect { at, size, radius: 0.0, fill, edge: Paint::None }
    }

    /// A straight line.
    pub fn line(from: Point, to: Point, pen: Pen) -> Shape {
        Shape::Line { path: path([from, to]), pen }
    }

    /// Returns the element of a shape, in these colours.
    pub fn element(&self, colors: &Colors) -> Element {
        match self {
            Shape::Rect { at, size, radius, fill, edge } => {
                let mut rect = Element::new("rect").place(*at).size(*size).with("fill", colors.of(*fill));
                if *edge != Paint::None {
                    rect = rect.with("stroke", colors.of(*edge));
                }
                if *radius > 0.0 { rect.with("rx", number(*radius)) } else { rect }
            }
            Shape::Disc { at, radius, fill } => {
                let disc = Element::new("circle").with("cx", number(at.0)).with("cy", number(at.1));
                disc.with("r", number(*radius)).with("fill", colors.of(*fill))
            }
            Shape::Line { path, pen } => pen.element(path, colors),
            Shape::Text(text) => text.element(colors),
            Shape::Inset { at, size, file: Inset::Address(address) } => Element::new("image")
                .place(*at)
                .size(*size)
                .with("preserveAspectRatio", "none")
                .with("href", *address),
            Shape::Inset { at, size, file: Inset::Elements { svg, view_box } } => {
                let inset = Element::new("svg").place(*at).size(*size).with("preserveAspectRatio", "none");
                Element { inner: svg.clone(), ..inset.with("viewBox", *view_box) }
            }
        }
    }
}

impl Pen {
    fn element(&self, path: &str, colors: &Colors) -> Element {
        let mut line = Element::new("path").with("d", path.to_string()).with("fill", "none");
        line = line.with("stroke", colors.of(self.paint)).with("vector-effect", "non-scaling-stroke");
        if self.width != 1.0 {
            line = line.with("stroke-width", number(self.width));
        }
        if !self.dashes.is_empty() {
            line = line.with("stroke-dasharray", self.dashes);
        }
        if self.is_round { line.with("stroke-linecap", "round") } else { line }
    }
}

impl Text {
    fn element(&self, colors: &Colors) -> Element {
        let mut text = Element::new("text").with("font-size", number(self.size));
        text = if self.is_upright {
            text.with(
                "transform",
                format!("translate({} {}) rotate(-90)", number(self.at.0), number(self.at.1)),
            )
        } else {
            text.place(self.at)
        };
        match self.anchor {
            Anchor::Start => {}
            Anchor::Middle => text = text.with("text-anchor", "middle"),
            Anchor::End => text = text.with("text-anchor", "end"),
        }
        if self.is_bold {
            text = text.with("font-weight", "600");
        }
        if self.is_mono {
            text = text.with("font-family", "ui-monospace, monospace").with("xml:space", "preserve");
        }
        match &self.pieces[..] {
            [(piece, paint)] => Element { text: piece.clone(), ..text.with("fill", colors.of(*paint)) },
            pieces => {
                let piece = |(piece, paint): &(String, Paint)| {
                    let span = Element::new("tspan").with("fill", colors.of(*paint));
                    Element { text: piece.clone(), ..span }
                };
                Element { children: pieces.iter().map(piece).collect(), ..text }
            }
        }
    }
}

impl Scene {
    /// Returns the picture as an element of the page, in the theme of the page.
    pub fn on_page(&self) -> Element {
        let picture = self.root().with("role", "img").with("aria-label", self.title.clone());
        Element { children: self.shapes.iter().map(|shape| shape.element(&PAGE)).collect(), ..picture }
    }

    /// Writes the picture as an SVG file, on a page of its own.
    pub fn file(&self, colors: &Colors) -> String {
        let picture = self.root().with("xmlns", "http://www.w3.org/2000/svg");
        let picture = picture
            .with("width", number(self.size.0))
            .with("height", number(self.size.1))
            .with("role", "img");
        let title = Element { text: self.title.clone(), ..Element::new("title") };
        let page = Shape::bar((0.0, 0.0), self.size, Paint::Page).element(colors);
        let shapes = self.shapes.iter().map(|shape| shape.element(colors));
        Element { children: [title, page].into_iter().chain(shapes).collect(), ..picture }.svg()
    }

    fn root(&self) -> Element {
        let view_box = format!("0 0 {} {}", number(self.size.0), number(self.size.1));
        let root = Element::new("svg").with("viewBox", view_box).with("font-family", "system-ui, sans-serif");
        match self.fit {
            Fit::Keep => root,
            Fit::Stretch => root.with("preserveAspectRatio", "none"),
            Fit::Sharp => root.with("shape-rendering", "crispEdges"),
        }
    }
}

/// Returns the path through these points.
pub fn path(points: impl IntoIterator<Item = Point>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let step = if path.is_empty() { 'M' } else { 'L' };
        path.push_str(&format!("{step}{} {}", number(x), number(y)));
    }
    path
}

/// Writes a number with at most two decimals.
pub fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests;
