//! The output of the readers of all formats: events, fields, and problems.

use std::borrow::Cow;

use tabletop_keys::{Field, FieldKind, is_placeholder, time::DateFormat};
use tabletop_model::{Error, Result};
use tabletop_workspace::OnBadLine;

use super::Events;
use super::detect::{Detector, Sought};
use super::log::{FilePosition, Log, choices};

/// The maximum number of fields of events.
pub(super) const FIELDS_MAX: usize = 1_000;
/// The output of the readers of all formats.
pub(super) struct Output<'a> {
    pub(super) events: &'a mut Events,
    /// The time formats of these fields.
    pub(super) times: &'a [(String, DateFormat)],
    pub(super) detector: &'a mut Detector,
    pub(super) log: &'a mut Log,
    /// The position of the first byte of `rest`.
    pub(super) position: FilePosition,
    pub(super) on_bad_line: OnBadLine,
    /// A record longer than this is a bad line.
    pub(super) record_bytes_max: usize,
}

impl Output<'_> {
    /// Adds a field. If it is `given`, its kind is not detected, but the format of a time without
    /// one is.
    pub(super) fn add_field(&mut self, mut field: Field, given: bool) {
        let format =
            self.times.iter().find(|(name, _)| *name == field.name).map(|(_, format)| format.clone());
        let sought = match (given || format.is_some(), &field) {
            (true, Field { kind: FieldKind::Time, format: None, .. }) if format.is_none() => {
                Sought::TimeFormat
            }
            (true, _) => Sought::Nothing,
            (false, _) => Sought::Kind,
        };
        if format.is_some() {
            (field.kind, field.format) = (FieldKind::Time, format);
        }
        if field.kind == FieldKind::Time
            && let Some(zoned) = field.format.as_ref().and_then(|format| self.detector.zoned_format(format))
        {
            field.format = Some(zoned);
        }
        self.detector.add_field(&field.name, sought);
        self.events.add_field(field);
    }

    pub(super) fn has_field(&self, name: &str) -> bool {
        self.events.fields().iter().any(|field| field.name == name)
    }

    /// Returns `name`, or `name_2`, `name_3`, … if it is taken.
    pub(super) fn unused_name(&self, name: &str) -> String {
        let name = if name.is_empty() { "field" } else { name };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !self.has_field(name))
            .expect("one of endlessly many")
    }

    /// Adds an event: for each field its text, if any, and the offset of the text in `rest`.
    pub(super) fn push<'t>(
        &mut self,
        rest: &[u8],
        values: impl Iterator<Item = Option<(usize, &'t str)>>,
    ) -> Result<()> {
        let mut values: Vec<Option<(usize, Cow<'t, str>)>> =
            values.map(|value| value.map(|(at, text)| (at, Cow::Borrowed(text)))).collect();
        for (field, value) in values.iter_mut().enumerate() {
            let Some((at, text)) = value else { continue };
            let (start, at) = (self.position, *at);
            let position = || start.after(&rest[..at]);
            self.detector.see(field, text, position);
            let read = self.detector.read(field, &self.events.fields()[field], text, position, self.log);
            if let Some(read) = read {
                *text = Cow::Owned(read);
            }
            self.check_time(field, text, rest, at);
        }
        self.join(&mut values);
        self.events.push_each(values.iter().map(|value| value.as_ref().map(|(_, text)| &**text)))?;
        self.detector.end_record(self.events, self.log);
        Ok(())
    }

    /// Sets the time that has its parts in several fields.
    fn join(&mut self, values: &mut Vec<Option<(usize, Cow<'_, str>)>>) {
        let value = |at: usize| values.get(at)?.as_ref().map(|(_, text)| &**text);
        let Some((at, text)) = self.detector.join().map(|join| (join.at, join.text(value))) else { return };
        let read = text.map(|text| {
            let field = &self.events.fields()[at];
            self.detector.read(at, field, &text, || self.position, self.log).unwrap_or(text)
        });
        values.resize(values.len().max(at + 1), None);
        values[at] = read.map(|text| (0, Cow::Owned(text)));
    }

    /// Reports a text that does not match the time format of its field. The event keeps the text as
    /// it is.
    fn check_time(&mut self, field: usize, text: &str, rest: &[u8], at: usize) {
        let Some(Field { name, format: Some(format), .. }) = self.events.fields().get(field) else { return };
        if format.parse(text).is_none() && !is_placeholder(text) {
            let shown: String = text.chars().take(40).collect();
            let message =
                format!("{name} is \"{shown}\" here; a time in the format {} is expected.", format.as_str());
            self.note(rest, at, message);
        }
    }

    /// Reports and counts a bad line, `at` bytes into `rest`.
    ///
    /// # Errors
    /// The problem as an error, if the load has to stop at bad lines.
    pub(super) fn bad(&mut self, rest: &[u8], at: usize, message: impl Into<String>) -> Result<()> {
        self.log.bad_lines += 1;
        let message = message.into();
        let stop = (self.on_bad_line == OnBadLine::Stop).then(|| self.fatal(rest, at, &message));
        self.log.add(self.position_at(rest, at), message, true);
        stop.map_or(Ok(()), Err)
    }

    /// Reports a record that is too long, as [`Output::bad`] does.
    pub(super) fn too_long(&mut self, rest: &[u8]) -> Result<()> {
        let mebibytes = self.record_bytes_max >> 20;
        self.bad(
            rest,
            0,
            format!("This record is longer than {mebibytes} MiB: is a line end or a bracket missing?"),
        )
    }

    /// Reports a record that is not UTF-8, as [`Output::bad`] does.
    pub(super) fn not_utf8(&mut self, rest: &[u8], at: usize) -> Result<()> {
        self.bad(
            rest,
            at,
            format!("The byte 0x{:02x} is not UTF-8: {}, or save it as UTF-8.", rest[at], choices::ENCODING),
        )
    }

    /// Reports a problem that loses no line.
    pub(super) fn note(&mut self, rest: &[u8], at: usize, message: impl Into<String>) {
        let position = self.position_at(rest, at);
        self.log.note(position, message);
    }

    /// Returns an error that ends the load.
    pub(super) fn fatal(&self, rest: &[u8], at: usize, message: &str) -> Error {
        let FilePosition { line, column, .. } = self.position_at(rest, at);
        Error::invalid(format!("Line {line}, column {column}: {message} The load stopped there."))
    }

    fn position_at(&self, rest: &[u8], at: usize) -> FilePosition {
        self.position.after(&rest[..at])
    }
}
