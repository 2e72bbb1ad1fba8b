//! One array of objects, which may be a single line of any length. It is read object by object.
//! After an error, reading resumes at the next object that can be recognized.

use tabletop_keys::Field;
use tabletop_model::Result;

use super::super::output::Output;
use super::Objects;
use super::parse::{Fault, skip_space};

/// The number of bytes after an error in which the end of the faulty object is searched.
const LOOKAHEAD_BYTES: usize = 64 << 10;

/// The position of the next byte within the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ArrayState {
    /// Before an array's bracket.
    Outside,
    /// After the bracket.
    First,
    /// After a comma.
    Element,
    /// After an element.
    AfterElement,
    /// In an element that is not an object, at this depth of its brackets. Reading resumes at the
    /// comma or bracket after it, or at the end of the line.
    Wrong(u32),
    /// In a line that an error has made unreadable. Reading resumes at the next line that begins
    /// with an object.
    Lost,
    /// At the start of a line after such a line.
    LostLine,
    /// After the last array.
    Done,
    /// In text that follows the last array.
    Ignored,
}

/// One array of objects.
#[derive(Clone, Debug)]
pub(in super::super) struct Array {
    objects: Objects,
    state: ArrayState,
    /// An object is not parsed again before it has this many bytes, so that a large object in small
    /// slices is read about twice, not once per slice.
    try_at: usize,
}

impl Array {
    pub(in super::super) fn new(given: Vec<Field>, out: &mut Output<'_>) -> Self {
        Array { objects: Objects::new(given, out), state: ArrayState::Outside, try_at: 0 }
    }

    /// Reads the next element or the text between elements. Returns the number of bytes read, or 0
    /// if it needs more.
    pub(in super::super) fn step(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> Result<usize> {
        if rest.is_empty() {
            return if last { self.end(out) } else { Ok(0) };
        }
        match self.state {
            ArrayState::Ignored => return Ok(rest.len()),
            ArrayState::Wrong(depth) => {
                let used = self.pass_wrong(rest, depth);
                // The element may end at the first byte of a slice.
                return if used > 0 { Ok(used) } else { self.step(rest, last, out) };
            }
            ArrayState::Lost => {
                let end = rest.iter().position(|&byte| byte == b'\n');
                if end.is_some() {
                    self.state = ArrayState::LostLine;
                }
                return Ok(end.map_or(rest.len(), |end| end + 1));
            }
            _ => {}
        }
        let space = skip_space(rest, 0);
        if space > 0 {
            return Ok(space);
        }
        match (self.state, rest[0]) {
            (ArrayState::Outside | ArrayState::Done, b'[') => self.pass(ArrayState::First),
            (ArrayState::First | ArrayState::AfterElement | ArrayState::Element, b']') => {
                if self.state == ArrayState::Element {
                    out.bad(rest, 0, "There must be no comma before the closing bracket.")?;
                }
                self.pass(ArrayState::Done)
            }
            (ArrayState::AfterElement, b',') => self.pass(ArrayState::Element),
            (ArrayState::First | ArrayState::Element, b',') => {
                out.bad(rest, 0, "An object is missing before this comma.")?;
                self.pass(ArrayState::Element)
            }
            (ArrayState::LostLine | ArrayState::First | ArrayState::Element, b'{') => {
                self.element(rest, last, out)
            }
            (ArrayState::AfterElement, b'{') => {
                self.state = ArrayState::Element;
                out.bad(rest, 0, "A comma is missing before this object.")?;
                self.element(rest, last, out)
            }
            (ArrayState::LostLine, _) => {
                self.state = ArrayState::Lost;
                self.step(rest, last, out)
            }
            (ArrayState::Outside | ArrayState::Done, _) => {
                self.state = ArrayState::Ignored;
                out.bad(rest, 0, "Something follows the array: everything from here on is omitted.")?;
                Ok(rest.len())
            }
            _ => {
                out.bad(rest, 0, "Every element of the array must be an object (`{`).")?;
                Ok(self.pass_wrong(rest, 0))
            }
        }
    }

    fn pass(&mut self, state: ArrayState) -> Result<usize> {
        self.state = state;
        Ok(1)
    }

    /// Skips an element that is not an object. Brackets within its strings are counted too.
    fn pass_wrong(&mut self, rest: &[u8], mut depth: u32) -> usize {
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth > 0 => depth -= 1,
                b',' | b']' if depth == 0 => {
                    self.state = ArrayState::AfterElement;
                    return at;
                }
                b'\n' => {
                    self.state = ArrayState::AfterElement;
                    return at + 1;
                }
                _ => {}
            }
        }
        self.state = ArrayState::Wrong(depth);
        rest.len()
    }

    fn element(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> Result<usize> {
        if rest.len() < self.try_at && !last {
            return Ok(0);
        }
        let limited = &rest[..rest.len().min(out.record_bytes_max)];
        match self.objects.read(limited) {
            Ok(length) => {
                self.try_at = 0;
                self.state = ArrayState::AfterElement;
                self.objects.push(rest, 0, length, out)?;
                Ok(length)
            }
            Err(Fault::Incomplete) if rest.len() <= out.record_bytes_max && !last => {
                self.try_at = rest.len() * 2;
                Ok(0)
            }
            Err(Fault::Incomplete) => {
                if rest.len() > out.record_bytes_max {
                    out.too_long(rest)?;
                } else {
                    out.bad(
                        rest,
                        rest.len(),
                        "The object does not end: the file may be cut off, or a bracket is missing.",
                    )?;
                }
                self.lose(rest)
            }
            Err(Fault::Wrong { at, message }) => {
                let window = at + LOOKAHEAD_BYTES;
                match balanced(&rest[..rest.len().min(window)]) {
                    Balance::Closed(length) => {
                        self.try_at = 0;
                        self.state = ArrayState::AfterElement;
                        out.bad(rest, at, message)?;
                        Ok(length)
                    }
                    Balance::Open if rest.len() < window && !last => {
                        self.try_at = rest.len() * 2;
                        Ok(0)
                    }
                    _ => {
                        out.bad(rest, at, message)?;
                        self.lose(rest)
                    }
                }
            }
        }
    }

    /// Skips the line that `rest` begins on.
    fn lose(&mut self, rest: &[u8]) -> Result<usize> {
        self.try_at = 0;
        let end = rest.iter().position(|&byte| byte == b'\n');
        self.state = if end.is_some() { ArrayState::LostLine } else { ArrayState::Lost };
        Ok(end.map_or(rest.len(), |end| end + 1))
    }

    fn end(&mut self, out: &mut Output<'_>) -> Result<usize> {
        if matches!(
            self.state,
            ArrayState::First | ArrayState::Element | ArrayState::AfterElement | ArrayState::Wrong(_)
        ) {
            out.bad(b"", 0, "The array does not end (`]`): the file may be cut off.")?;
        }
        Ok(0)
    }
}

enum Balance {
    Closed(usize),
    Open,
    /// Quotes or brackets do not match.
    Broken,
}

/// Finds the end of the object at the start of `text` by its brackets and quotes alone, despite any
/// other errors in it.
fn balanced(text: &[u8]) -> Balance {
    let mut open = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            end @ (b'}' | b']') => {
                if open.pop() != Some(end) {
                    return Balance::Broken;
                }
                if open.is_empty() {
                    return Balance::Closed(at + 1);
                }
            }
            b'"' => {
                at += 1;
                while at < text.len() && text[at] != b'"' {
                    match text[at] {
                        b'\n' => return Balance::Broken,
                        b'\\' => at += 2,
                        _ => at += 1,
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    Balance::Open
}
