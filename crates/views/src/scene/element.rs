//! Elements of SVG: what both painters make of a picture.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Point, number};

/// An element of SVG.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The name of the SVG element.
    pub tag: &'static str,
    /// Names and values of its attributes.
    pub attributes: Vec<(&'static str, Cow<'static, str>)>,
    /// The text within the element.
    pub text: String,
    /// Elements of another file, which are part of it.
    pub inner: String,
    /// The elements within the element.
    pub children: Vec<Element>,
}

impl Element {
    pub(super) fn new(tag: &'static str) -> Element {
        Element {
            tag,
            attributes: Vec::new(),
            text: String::new(),
            inner: String::new(),
            children: Vec::new(),
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Element {
        self.attributes.push((name, value.into()));
        self
    }

    pub(super) fn place(self, at: Point) -> Element {
        self.with("x", number(at.0)).with("y", number(at.1))
    }

    pub(super) fn size(self, size: Point) -> Element {
        self.with("width", number(size.0)).with("height", number(size.1))
    }

    /// Writes the element, with a line for each of its parts.
    pub fn svg(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        out.push('<');
        out.push_str(self.tag);
        for (name, value) in &self.attributes {
            for part in [" ", name, "=\"", &xml(value), "\""] {
                out.push_str(part);
            }
        }
        out.push('>');
        out.push_str(&xml(&self.text));
        out.push_str(&self.inner);
        // A line break between the pieces of a text would be a space.
        let is_text = self.tag == "text";
        for child in &self.children {
            if !is_text {
                out.push('\n');
            }
            child.write(out);
        }
        for part in ["</", self.tag, ">"] {
            out.push_str(part);
        }
    }
}

/// Writes a text as content or as the value of an attribute in XML and HTML.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML allows no other control characters, not even escaped.
            character if character.is_control() => out.push(' '),
            character => out.push(character),
        }
    }
    out
}
