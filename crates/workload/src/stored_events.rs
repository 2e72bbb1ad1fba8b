//! Reads rows back into the events that a layout wrote: the reverse of `LayoutWriter`, as far as a
//! table stores events.
//!
//! A table stores what its keys and cells have. The layouts of the article with facets store the
//! type, the name and the facets, and of the other fields those in the key. Rows and cells with the
//! whole record store everything. Times are stored in milliseconds. The order of facets may be
//! lost, so events are compared without it ([`StoredEvents::canonical`]).

use std::collections::BTreeMap;

use serde_json::Value;
use tabletop_keys::{
    Encoding, EventRoles, FacetCount, FacetNames, Field, FieldKind, Layout, LayoutKind, Part, Record, Roles,
    Template, Transform, facets, family_name,
    time::{self, TimeFormat},
};
use tabletop_model::{Cell, Code, Error, Result, Row, Timestamp, escape};
use tabletop_workspace::{Format, OnBadLine, OwnData};

use crate::{Events, Reader};

/// The texts of an event's fields, one for each; `None` if the event has none, or the table does
/// not store it.
pub type EventTexts = Vec<Option<String>>;

/// Reads the events of a table with one layout and one template.
#[derive(Clone, Debug)]
pub struct StoredEvents {
    shape: Shape,
    /// The encoding of values that consist of several parts.
    encoding: Encoding,
    fields: Vec<Field>,
    /// The template of the stored keys.
    template: Template,
    time: usize,
    /// For each field, whether the table stores it.
    kept: Vec<bool>,
}

#[derive(Clone, Debug)]
enum Shape {
    Narrow(EventRoles),
    Wide(EventRoles),
    /// The whole record in each cell.
    Records,
    /// A cell for each field.
    Fields,
}

impl StoredEvents {
    /// Prepares to read the rows that `LayoutWriter` makes of events with these fields.
    ///
    /// # Errors
    /// `FailedPrecondition` for a layout or events that cannot be read back; the message says why.
    pub fn new(layout: &Layout, fields: &[Field], template: &Template) -> Result<StoredEvents> {
        let refused = |message: &str| Err(Error::new(Code::FailedPrecondition, message));
        let roles = Roles::of(fields);
        let Some(time) = roles.time else {
            return refused(
                "The events have no time, so their cells have none either, and cannot be distinguished: correct the kind of a field.",
            );
        };
        let shape = match (layout.kind, roles.event) {
            (LayoutKind::Narrow, Some(event)) => Shape::Narrow(event),
            (LayoutKind::Wide, Some(event)) => Shape::Wide(event),
            (LayoutKind::RowPerEntity, _) | (LayoutKind::Narrow, None) => Shape::Records,
            (LayoutKind::Wide, None) => Shape::Fields,
            (LayoutKind::Columns, _) => {
                return refused(
                    "Custom columns do not necessarily store whole events, so events cannot be read back from such a table.",
                );
            }
        };
        let template = template.stored(layout);
        let in_key = |name: &str| {
            template.parts().iter().any(|part| match part {
                Part::Field { name: of, transforms } => of == name && transforms.iter().all(is_read_back),
                _ => false,
            })
        };
        let kept = |(at, field): (usize, &Field)| match &shape {
            Shape::Records | Shape::Fields => true,
            Shape::Narrow(event) | Shape::Wide(event) => {
                at == time
                    || [event.event_type, event.event_name, event.facets].contains(&at)
                    || in_key(&field.name)
            }
        };
        let kept = fields.iter().enumerate().map(kept).collect();
        Ok(StoredEvents { shape, encoding: layout.encoding, fields: fields.to_vec(), template, time, kept })
    }

    /// Returns, for each field, whether the table stores it.
    pub fn kept(&self) -> &[bool] {
        &self.kept
    }

    /// Returns whether the keys hold the text of a field, unchanged or transformed, and not only
    /// the time that it denotes.
    pub fn has_text_in_key(&self, at: usize) -> bool {
        let is_time = |transform: &Transform| matches!(transform, Transform::Time(_) | Transform::Bucket(_));
        let transforms = self.transforms_in_key(at);
        transforms.into_iter().any(|transforms| !transforms.first().is_some_and(is_time))
    }

    /// Returns whether the text of a field that the table stores is read back exactly as in the
    /// event. Otherwise only the time or the number that it denotes is: see
    /// [`StoredEvents::make_plain`].
    pub fn keeps_text(&self, at: usize) -> bool {
        let (Shape::Narrow(event) | Shape::Wide(event)) = &self.shape else { return true };
        if [event.event_type, event.event_name, event.facets].contains(&at) {
            return true;
        }
        // If several parts have the field, the first is read.
        let read =
            self.transforms_in_key(at).into_iter().find(|transforms| transforms.iter().all(is_read_back));
        let is_text = |transform: &Transform| !matches!(transform, Transform::Time(_) | Transform::Pad(_));
        read.is_some_and(|transforms| transforms.iter().all(is_text))
    }

    /// Returns whether facets are read back as the event has written them, in their order.
    pub fn keeps_facets(&self) -> bool {
        matches!(self.shape, Shape::Fields)
    }

    /// Rewrites times and whole numbers as they are read back from a key that stores only what they
    /// denote. Other texts stay.
    pub fn make_plain(&self, fields: &[usize], event: &mut [Option<String>]) {
        for &at in fields {
            let plain = |text: &String| match self.fields[at].kind {
                FieldKind::Time => self.fields[at].micros(text).map(time::format),
                _ => plain_number(text),
            };
            event[at] = event[at].as_ref().and_then(plain).or(event[at].take());
        }
    }

    /// Returns whether events at different times have different rows.
    pub fn has_time_in_key(&self) -> bool {
        self.transforms_in_key(self.time).into_iter().any(|transforms| transforms.iter().all(is_read_back))
    }

    /// Returns the transforms of each part of the key that has a field.
    fn transforms_in_key<'a>(&'a self, at: usize) -> Vec<&'a [Transform]> {
        let of_field = |part: &'a Part| match part {
            Part::Field { name, transforms } if *name == self.fields[at].name => Some(&**transforms),
            _ => None,
        };
        self.template.parts().iter().filter_map(of_field).collect()
    }

    /// Returns the events of some rows, in the order of rows and cells.
    ///
    /// # Errors
    /// `DataLoss` for a row that this layout has not written; the message names it.
    pub fn read(&self, rows: &[Row]) -> Result<Vec<EventTexts>> {
        if let Shape::Records = self.shape {
            return self.read_records(rows);
        }
        let mut events = Vec::new();
        for row in rows {
            let mut of_key: EventTexts = vec![None; self.fields.len()];
            for (name, text) in self.template.decode(&row.key) {
                if let Some(at) = self.fields.iter().position(|field| field.name == name) {
                    of_key[at] = Some(text);
                }
            }
            self.check_key(row, &of_key)?;
            let wrong = |cell: &Cell| {
                let column = format!("{}:{}", cell.family, escape(&cell.qualifier));
                Error::new(
                    Code::DataLoss,
                    format!(
                        "The cell {column} of row {} is not one that this design writes.",
                        escape(&row.key)
                    ),
                )
            };
            match &self.shape {
                Shape::Narrow(event) => {
                    for cell in &row.cells {
                        let texts = narrow(cell, self.encoding).ok_or_else(|| wrong(cell))?;
                        events.push(self.event(&of_key, cell.timestamp, event, texts));
                    }
                }
                Shape::Wide(event) => {
                    let mut groups: BTreeMap<(Timestamp, String, String), Vec<String>> = BTreeMap::new();
                    for cell in &row.cells {
                        let (of, name, values) = wide(cell, self.encoding).ok_or_else(|| wrong(cell))?;
                        groups.entry((cell.timestamp, of, name)).or_default().extend(values);
                    }
                    for ((timestamp, of, name), values) in groups {
                        events.push(self.event(&of_key, timestamp, event, [of, name, list(&values)]));
                    }
                }
                Shape::Records => {}
                Shape::Fields => {
                    let mut groups: BTreeMap<Timestamp, EventTexts> = BTreeMap::new();
                    for cell in &row.cells {
                        let at = self
                            .fields
                            .iter()
                            .position(|field| field.name.as_bytes() == cell.qualifier.as_slice());
                        let (Some(at), Ok(value)) = (at, str::from_utf8(&cell.value)) else {
                            return Err(wrong(cell));
                        };
                        groups.entry(cell.timestamp).or_insert_with(|| vec![None; self.fields.len()])[at] =
                            Some(value.into());
                    }
                    events.extend(groups.into_values());
                }
            }
        }
        Ok(events)
    }

    /// Rejects a key that the template does not write, or that can be read in several ways.
    fn check_key(&self, row: &Row, of_key: &EventTexts) -> Result<()> {
        let (Shape::Narrow(event) | Shape::Wide(event)) = &self.shape else { return Ok(()) };
        let in_cells = [self.time, event.event_type, event.event_name, event.facets];
        let missing = (0..self.fields.len())
            .find(|at| self.kept[*at] && !in_cells.contains(at) && of_key[*at].is_none());
        missing.map_or(Ok(()), |at| {
            let (key, name) = (escape(&row.key), &self.fields[at].name);
            let message = format!(
                "The key of row {key} does not contain a readable {name}: this design has not written it, or a value contains the separator, so that it \
                 can be read in several ways. Load these events from their source."
            );
            Err(Error::new(Code::DataLoss, message))
        })
    }

    fn event(
        &self,
        of_key: &EventTexts,
        timestamp: Timestamp,
        roles: &EventRoles,
        texts: [String; 3],
    ) -> EventTexts {
        let mut event = of_key.clone();
        // The key may have no time, or only a part of one.
        event[self.time].get_or_insert_with(|| time::format(timestamp));
        for (at, text) in [roles.event_type, roles.event_name, roles.facets].into_iter().zip(texts) {
            event[at] = Some(text);
        }
        event
    }

    /// Reads events as JSON, as they are read from a file, so that each text is the text of the
    /// event.
    fn read_records(&self, rows: &[Row]) -> Result<Vec<EventTexts>> {
        let own = OwnData {
            name: "rows".into(),
            format: Format::JsonLines,
            fields: self.fields.clone(),
            on_bad_line: OnBadLine::Stop,
            reading: Default::default(),
            content: None,
        };
        let mut lines = Vec::new();
        let (mut count, mut has_other_names) = (0, false);
        let wrong = |why: &str| {
            let (first, last) =
                (rows.first().map(|row| escape(&row.key)), rows.last().map(|row| escape(&row.key)));
            let (first, last) = (first.unwrap_or_default(), last.unwrap_or_default());
            Error::new(
                Code::DataLoss,
                format!("Rows {first} to {last} have cells that this design does not write: {why}"),
            )
        };
        for cell in rows.iter().flat_map(|row| &row.cells) {
            let json = self.encoding.event_json(&cell.value, &self.fields);
            let json = json.ok_or_else(|| wrong("their values are in another encoding."))?;
            has_other_names |= !self.has_names_of(&json);
            lines.extend_from_slice(&json);
            lines.push(b'\n');
            count += 1;
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut events = Events::default();
        let read = Reader::new(&own).feed(&lines, true, &mut events);
        read.map_err(|error| wrong(&error.message))?;
        if has_other_names || events.len() != count || events.fields().len() != self.fields.len() {
            return Err(wrong("their records have other fields."));
        }
        let mut values = Vec::new();
        let texts = |index| {
            events.record(index, &mut values);
            values.iter().map(|value| value.map(str::to_owned)).collect()
        };
        Ok((0..count).map(texts).collect())
    }

    /// Returns whether all names of a JSON object are those of fields, or the beginnings of nested
    /// ones. (A reader of files takes other names for fields that the user has renamed.)
    fn has_names_of(&self, json: &[u8]) -> bool {
        let is_known = |name: &String| {
            let is_it = |field: &Field| {
                field.name.strip_prefix(&**name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            self.fields.iter().any(is_it)
        };
        serde_json::from_slice::<BTreeMap<String, serde::de::IgnoredAny>>(json)
            .is_ok_and(|object| object.keys().all(is_known))
    }

    /// Returns an event as a text that is the same in every table that stores it, with the fields
    /// for which `of` is true: times are in milliseconds, and facets are sorted.
    pub fn canonical(&self, event: &[Option<String>], of: &[bool]) -> Vec<String> {
        let chosen = self.fields.iter().zip(event).zip(of).filter(|(_, of)| **of);
        chosen
            .map(|((field, text), _)| text.as_deref().map_or_else(String::new, |text| canonical(field, text)))
            .collect()
    }
}

/// Borrows an event as a record.
pub fn with_record<T>(fields: &[Field], event: &[Option<String>], act: impl FnOnce(&Record) -> T) -> T {
    let values: Vec<Option<&str>> = event.iter().map(Option::as_deref).collect();
    act(&Record { fields, values: &values })
}

fn canonical(field: &Field, text: &str) -> String {
    match field.kind {
        // An event before 1970 has cells of 1970.
        FieldKind::Time => field
            .micros(text)
            .map_or_else(|| text.into(), |micros| micros.div_euclid(1_000).max(0).to_string()),
        FieldKind::Facets => {
            let mut all = Vec::new();
            facets::parse(text, |facet| all.push(format!("{:?}", (facet.name, facet.operator, facet.value))));
            all.sort_unstable();
            all.join("|")
        }
        _ => text.into(),
    }
}

/// Returns a whole number without a plus and leading zeros, as a padded one is read back.
fn plain_number(text: &str) -> Option<String> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(match digits.trim_start_matches('0') {
        "" => "0".into(),
        digits => format!("{sign}{digits}"),
    })
}

/// Returns whether a part with this transform contains the value, so that `Template::decode` can
/// read it.
fn is_read_back(transform: &Transform) -> bool {
    match transform {
        Transform::Time(format) => format.is_instant() && *format != TimeFormat::Seconds,
        Transform::Or(_) | Transform::Pad(_) | Transform::Reverse => true,
        Transform::Bucket(_)
        | Transform::Hash(_)
        | Transform::ReverseDomain
        | Transform::Upper
        | Transform::Lower => false,
    }
}

/// Reads type, name and facets of a value such as `[["brand",":","Apple",2]]`, if it is JSON.
fn narrow(cell: &Cell, encoding: Encoding) -> Option<[String; 3]> {
    let counts = encoding.counts(&cell.value, FacetNames::InValue)?;
    let values = repeated(&counts, None)?;
    Some([family_text(&cell.family)?, String::from_utf8(cell.qualifier.to_vec()).ok()?, list(&values)])
}

/// The maximum number of bytes of the facets of a cell, each as often as it was counted. No event
/// has this many; a damaged count must not exhaust the memory.
const FACET_BYTES_MAX: u64 = 64 << 20;

/// Returns facets, each as often as it was counted, or `None` for more than an event can have.
/// `facet` is the name of all of them, if the column has it.
fn repeated(counts: &[FacetCount<'_>], facet: Option<&str>) -> Option<Vec<String>> {
    let (mut values, mut bytes) = (Vec::new(), 0);
    for FacetCount { name, operator, value, count } in counts {
        let text = format!("{}{operator}{value}", facet.unwrap_or(name));
        bytes += u64::from(*count) * (text.len() + size_of::<String>()) as u64;
        if bytes > FACET_BYTES_MAX {
            return None;
        }
        values.extend(core::iter::repeat_n(text, *count as usize));
    }
    Some(values)
}

/// Reads type, name, and the values of one facet of a value such as `[[":","Apple",2]]`, if it is
/// JSON.
fn wide(cell: &Cell, encoding: Encoding) -> Option<(String, String, Vec<String>)> {
    let qualifier = str::from_utf8(&cell.qualifier).ok()?;
    let (of, rest) = csv_value(qualifier)?;
    let (name, rest) = csv_value(rest.strip_prefix(',')?)?;
    let (facet, rest) = csv_value(rest.strip_prefix(',')?)?;
    let counts = encoding.counts(&cell.value, FacetNames::InColumn)?;
    let values = repeated(&counts, Some(facet.as_str()))?;
    rest.is_empty().then_some((of, name, values))
}

/// Returns facets as the JSON array that events may have.
fn list(values: &[String]) -> String {
    Value::from(values.to_vec()).to_string()
}

/// Reads a value of a CSV line. Returns it with the text after it.
pub(crate) fn csv_value(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        return Some((text[..end].into(), &text[end..]));
    };
    let mut value = String::new();
    loop {
        let (before, after) = rest.split_once('"')?;
        value.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None => return Some((value, after)),
        }
    }
}

/// Returns the text from which `family_name` makes this name, or `None` for the hash of a long one.
fn family_text(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name;
    while let Some(at) = rest.find('.') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let digits = rest.get(at + 1..at + 3).unwrap_or_default();
        if !digits.is_empty() {
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        }
        rest = rest.get(at + 3..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    let text = String::from_utf8(bytes).ok()?;
    (family_name(&text) == name).then_some(text)
}

#[cfg(test)]
mod tests;
