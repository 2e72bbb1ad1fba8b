//! Objects one after another: one per line, over several lines, or several on one line. After an
//! error, reading resumes at a line that begins with an object.

use tabletop_keys::Field;
use tabletop_model::Result;

use super::super::output::Output;
use super::Objects;
use super::parse::{Fault, skip_space};

/// Objects one after another.
#[derive(Clone, Debug)]
pub(in super::super) struct Lines {
    objects: Objects,
    skipping: Skipping,
    /// An object is not parsed again before it has this many bytes, so that a large object in small
    /// slices is read about twice, not once per slice.
    try_at: usize,
}

/// The part of the file that is skipped after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skipping {
    Nothing,
    /// The rest of the line.
    Line,
    /// The rest of the line, and the lines that continue the object.
    Object,
    /// At the start of a line that may continue the object.
    ObjectLine,
}

impl Lines {
    pub(in super::super) fn new(given: Vec<Field>, out: &mut Output<'_>) -> Self {
        Lines { objects: Objects::new(given, out), skipping: Skipping::Nothing, try_at: 0 }
    }

    /// Reads the next object of `rest`, or the text between objects. Returns the number of bytes
    /// read, or 0 if it needs more.
    pub(in super::super) fn step(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> Result<usize> {
        let Some(first) = rest.first() else { return Ok(0) };
        match self.skipping {
            Skipping::Line => return Ok(self.skip_line(rest, Skipping::Nothing)),
            Skipping::Object => return Ok(self.skip_line(rest, Skipping::ObjectLine)),
            // The objects within an object are indented.
            Skipping::ObjectLine if *first == b'{' => self.skipping = Skipping::Nothing,
            Skipping::ObjectLine => {
                self.skipping = Skipping::Object;
                return Ok(self.skip_line(rest, Skipping::ObjectLine));
            }
            Skipping::Nothing => {}
        }
        let space = skip_space(rest, 0);
        if space > 0 {
            return Ok(space);
        }
        if *first != b'{' {
            self.skipping = Skipping::Line;
            out.bad(rest, 0, "An object (`{`) is expected at the start of each line.")?;
            return self.step(rest, last, out);
        }
        if rest.len() < self.try_at && !last {
            return Ok(0);
        }
        self.object(rest, last, out)
    }

    /// Reads the object at the start of `rest`.
    fn object(&mut self, rest: &[u8], last: bool, out: &mut Output<'_>) -> Result<usize> {
        let limited = &rest[..rest.len().min(out.record_bytes_max)];
        let is_whole = last && limited.len() == rest.len();
        self.try_at = 0;
        match self.objects.read(limited) {
            Ok(length) => {
                let after = limited[length..].iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                match after.map(|after| (length + after, limited[length + after])) {
                    None if limited.len() == rest.len() && !last => {
                        self.try_at = rest.len() + 1;
                        Ok(0)
                    }
                    None | Some((_, b'\n' | b'{')) => {
                        self.objects.push(rest, 0, length, out)?;
                        Ok(length)
                    }
                    Some((after, b',')) => self.before_comma(rest, limited, length, after, last, out),
                    Some((after, _)) => {
                        self.skipping = Skipping::Line;
                        out.bad(
                            rest,
                            after,
                            "Something follows the object: put each object on its own line.",
                        )?;
                        self.step(rest, last, out)
                    }
                }
            }
            Err(Fault::Incomplete) if limited.len() == rest.len() && !is_whole => {
                self.try_at = (rest.len() * 2).min(out.record_bytes_max + 1);
                Ok(0)
            }
            Err(fault) => {
                self.report(limited, rest, fault, out)?;
                self.step(rest, last, out)
            }
        }
    }

    /// Reads the object of `length` bytes at the start of `rest`, which is followed by a comma, as
    /// the elements of an array are that has lost its brackets.
    fn before_comma(
        &mut self,
        rest: &[u8],
        limited: &[u8],
        length: usize,
        comma: usize,
        last: bool,
        out: &mut Output<'_>,
    ) -> Result<usize> {
        let next = limited[comma + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        match next {
            None if limited.len() == rest.len() && !last => {
                self.try_at = rest.len() + 1;
                Ok(0)
            }
            None | Some(b'\n' | b'{') => {
                self.objects.push(rest, 0, length, out)?;
                Ok(comma + 1)
            }
            Some(_) => {
                self.skipping = Skipping::Line;
                out.bad(rest, comma, "Something follows the object: put each object on its own line.")?;
                self.step(rest, last, out)
            }
        }
    }

    /// Reports an object with an error. If its first line has no error, either the line is cut off,
    /// and the next line begins with another object, or the object has several lines.
    fn report(&mut self, limited: &[u8], rest: &[u8], fault: Fault, out: &mut Output<'_>) -> Result<()> {
        const NOT_ENDED: &str = "The object does not end on its line, and the lines after it do not continue it: a brace or a quote is missing.";
        let end = limited.iter().position(|byte| *byte == b'\n');
        let next = end.and_then(|end| limited.get(skip_space(limited, end)));
        let is_followed = next == Some(&b'{');
        self.skipping = Skipping::Line;
        match (fault, end) {
            (Fault::Wrong { at, message }, None) => out.bad(rest, at, message),
            (Fault::Wrong { at, message }, Some(end)) if at <= end => out.bad(rest, at, message),
            (Fault::Wrong { at, message }, Some(_)) if !is_followed => {
                self.skipping = Skipping::Object;
                out.bad(rest, at, message)
            }
            (Fault::Incomplete, None) if limited.len() < rest.len() => out.too_long(rest),
            (_, end) => {
                if !is_followed {
                    self.skipping = Skipping::Object;
                }
                let line = &limited[..end.unwrap_or(limited.len())];
                out.bad(rest, line.trim_ascii_end().len(), NOT_ENDED)
            }
        }
    }

    /// Skips the rest of the line, and then enters `next`.
    fn skip_line(&mut self, rest: &[u8], next: Skipping) -> usize {
        match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                self.skipping = next;
                end + 1
            }
            None => rest.len(),
        }
    }
}
