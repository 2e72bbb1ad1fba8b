//! Where the readers of all forms put what they read, and what they could not read.

use tabletop_model::{Error, Result};
use tabletop_schema::{Field, LoadProblem, OnBadLine};

use super::Events;
use super::detect::Detector;

/// Problems that are kept in words; all bad lines are counted.
const PROBLEMS_MAX: usize = 100;

/// A place in a file, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
    /// The byte before was a carriage return, which ends a line together with a line feed that may follow.
    after_return: bool,
}

impl Place {
    pub(super) const START: Place = Place { line: 1, column: 1, after_return: false };

    /// Goes on over `bytes`.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => {
                    self.line += 1;
                    self.column = 1;
                }
                // The second and later bytes of a character.
                0x80..0xc0 => {}
                _ => self.column += 1,
            }
            self.after_return = byte == b'\r';
        }
    }
}

/// What was wrong so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) problems: Vec<LoadProblem>,
    pub(super) bad_lines: u64,
}

/// Where the forms put what they read.
pub(super) struct Output<'a> {
    pub(super) events: &'a mut Events,
    pub(super) detector: &'a mut Detector,
    pub(super) log: &'a mut Log,
    /// Of the first byte of the `rest` that a form is given.
    pub(super) place: Place,
    pub(super) on_bad_line: OnBadLine,
    /// A record that is longer is a bad line.
    pub(super) record_bytes_max: usize,
}

impl Output<'_> {
    /// Adds a field; `given` says that its kind is not to be looked for.
    pub(super) fn add_field(&mut self, field: Field, given: bool) {
        self.detector.add_field(&field.name, given);
        self.events.add_field(field);
    }

    pub(super) fn has_field(&self, name: &str) -> bool {
        self.events.fields().iter().any(|field| field.name == name)
    }

    /// `name`, or `name_2`, `name_3`, … if it is taken.
    pub(super) fn unused_name(&self, name: &str) -> String {
        let name = if name.is_empty() { "field" } else { name };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.to_owned()).chain(numbered).find(|name| !self.has_field(name)).expect("one of endlessly many")
    }

    /// Adds an event.
    pub(super) fn push<'t>(&mut self, values: impl Iterator<Item = Option<&'t str>>) -> Result<()> {
        let detector = &mut *self.detector;
        self.events.push_each(
            values
                .enumerate()
                .inspect(|(field, value)| {
                    if let Some(text) = value {
                        detector.see(*field, text);
                    }
                })
                .map(|(_, value)| value),
        )?;
        self.detector.end_record(self.events);
        Ok(())
    }

    /// Reports and counts a bad line, `at` bytes into `rest`.
    ///
    /// # Errors
    /// The same, when the load is to stop at bad lines.
    pub(super) fn bad(&mut self, rest: &[u8], at: usize, message: impl Into<String>) -> Result<()> {
        self.log.bad_lines += 1;
        let message = message.into();
        let stop = (self.on_bad_line == OnBadLine::Stop).then(|| self.fatal(rest, at, &message));
        self.note(rest, at, message);
        stop.map_or(Ok(()), Err)
    }

    /// [`Output::bad`] for a record that goes on for too long.
    pub(super) fn too_long(&mut self, rest: &[u8]) -> Result<()> {
        let mebibytes = self.record_bytes_max >> 20;
        self.bad(rest, 0, format!("This record is longer than {mebibytes} MiB: is a line end or a bracket missing?"))
    }

    /// [`Output::bad`] for a record that is not UTF-8.
    pub(super) fn not_utf8(&mut self, rest: &[u8], at: usize) -> Result<()> {
        self.bad(rest, at, format!("The byte 0x{:02x} is not UTF-8: save the file as UTF-8.", rest[at]))
    }

    /// Reports something that loses no line.
    pub(super) fn note(&mut self, rest: &[u8], at: usize, message: impl Into<String>) {
        if self.log.problems.len() < PROBLEMS_MAX {
            let Place { line, column, .. } = self.place_at(rest, at);
            self.log.problems.push(LoadProblem { line, column, message: message.into() });
        }
    }

    /// What ends the load.
    pub(super) fn fatal(&self, rest: &[u8], at: usize, message: &str) -> Error {
        let Place { line, column, .. } = self.place_at(rest, at);
        Error::invalid(format!("Line {line}, column {column}: {message} The load stopped there."))
    }

    fn place_at(&self, rest: &[u8], at: usize) -> Place {
        let mut place = self.place;
        place.advance(&rest[..at]);
        place
    }
}
