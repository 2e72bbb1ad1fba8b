//! The pieces of a text, with their positions.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::Span;

/// `name(arg, arg)` or `name`, with positions.
pub(super) struct Item<'a> {
    /// The whole item, including its arguments.
    pub whole: Piece<'a>,
    pub name: Piece<'a>,
    /// The arguments; `None` without parentheses.
    pub args: Option<Vec<Piece<'a>>>,
}

/// A piece of the text, without surrounding white space.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub text: &'a str,
    /// The offset in the text.
    pub start: usize,
}

impl Piece<'_> {
    /// Returns its position.
    pub fn span(&self) -> Span {
        Span { start: self.start as u32, end: (self.start + self.text.len()) as u32 }
    }

    /// Returns the name and value of `name=value`, unless the piece begins with a quote.
    pub fn option(&self) -> Option<(&str, &str)> {
        let (name, value) = self.text.split_once('=').filter(|_| !self.text.starts_with('"'))?;
        Some((name.trim(), value.trim()))
    }

    /// Returns the name in quotes, or the text itself.
    pub fn name(&self) -> String {
        let Some(quoted) = self.text.strip_prefix('"') else {
            return self.text.to_owned();
        };
        let mut name = String::new();
        let mut chars = quoted.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => name.extend(chars.next()),
                '"' => break,
                c => name.push(c),
            }
        }
        name
    }
}

/// Returns the offset of the first character outside of quotes for which `is_end` is true.
pub(super) fn split_end(text: &str, is_end: impl Fn(char) -> bool) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if !quoted && is_end(c) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Splits `text` at every `separator` outside of quotes and parentheses. Returns at least one
/// piece.
pub(super) fn split(text: &str, start: usize, separator: char) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut from = 0;
    loop {
        let depth = core::cell::Cell::new(0u32);
        let end = split_end(&text[from..], |c| {
            match c {
                '(' => depth.set(depth.get() + 1),
                ')' => depth.set(depth.get().saturating_sub(1)),
                _ => {}
            }
            c == separator && depth.get() == 0
        });
        let to = end.map_or(text.len(), |at| from + at);
        pieces.push(trim(&text[from..to], start + from));
        match end {
            Some(_) => from = to + separator.len_utf8(),
            None => return pieces,
        }
    }
}

fn trim(text: &str, start: usize) -> Piece<'_> {
    let left = text.trim_start();
    Piece { text: left.trim_end(), start: start + text.len() - left.len() }
}

/// Parses a piece as a name and its arguments. An unclosed parenthesis ends with the piece.
pub(super) fn item(piece: Piece<'_>) -> Item<'_> {
    let open = split_end(piece.text, |c| c == '(');
    let Some(open) = open else {
        return Item { whole: piece, name: piece, args: None };
    };
    let inside = &piece.text[open + 1..];
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    let args = split(inside, piece.start + open + 1, ',');
    let none = args.len() == 1 && args[0].text.is_empty();
    Item {
        whole: piece,
        name: trim(&piece.text[..open], piece.start),
        args: Some(if none { Vec::new() } else { args }),
    }
}
