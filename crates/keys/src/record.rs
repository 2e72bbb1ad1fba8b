//! One event, as typed texts.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::time::{self, DateFormat};

/// The most fields that are joined: year, month, day, hour, minute and second.
const JOINED_MAX: usize = 6;
/// The most spaces in the name of a joined field.
const JOINED_SPACES_MAX: usize = 24;

/// A named, typed field of every event of a set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Unique within the set.
    pub name: String,
    /// The kind of its texts.
    pub kind: FieldKind,
    /// The format of its times, if it differs from the formats of [`FieldKind::Time`].
    #[serde(default)]
    pub format: Option<DateFormat>,
}

impl Field {
    /// Creates a field without a format. If it has times, they are written as for
    /// [`FieldKind::Time`].
    pub fn new(name: impl Into<String>, kind: FieldKind) -> Field {
        Field { name: name.into(), kind, format: None }
    }

    /// Returns the name of a field that has the texts of several fields as one time, from theirs.
    pub fn joined_name(parts: &[&str]) -> String {
        parts.join(" ")
    }

    /// Returns the indices of the fields whose texts this field has, as its name says: the parts of
    /// one time, as a day and a time of day are. Empty if it has none.
    pub fn joined(&self, fields: &[Field]) -> Vec<usize> {
        let mut parts = Vec::new();
        let is_joined =
            self.name.matches(' ').count() <= JOINED_SPACES_MAX && find_parts(&self.name, fields, &mut parts);
        if is_joined { parts } else { Vec::new() }
    }

    /// Returns whether a text of this field is a time of day without a time zone.
    pub fn lacks_zone(&self, text: &str) -> bool {
        match &self.format {
            Some(format) => format.lacks_zone() && format.parse(text).is_some(),
            // A text to which a zone can be added has a time of day and no zone.
            None => time::parse(&[text.trim(), "Z"].concat()).is_some(),
        }
    }

    /// Returns the instant that a text of this field means, in microseconds since 1970; `None` if
    /// it is not a time.
    pub fn micros(&self, text: &str) -> Option<i64> {
        match &self.format {
            Some(format) => format.parse(text),
            None => time::parse(text),
        }
    }
}

/// Adds the fields whose names, with spaces in between, are this `name`. Returns whether there are such
/// fields.
fn find_parts(name: &str, fields: &[Field], parts: &mut Vec<usize>) -> bool {
    if parts.len() == JOINED_MAX {
        return false;
    }
    let ends = name.match_indices(' ').map(|(space, _)| space).chain([name.len()]);
    for end in ends {
        let Some(at) = fields.iter().position(|field| field.name == name[..end]) else { continue };
        parts.push(at);
        if (end == name.len() && parts.len() > 1)
            || (end < name.len() && find_parts(&name[end + 1..], fields, parts))
        {
            return true;
        }
        parts.pop();
    }
    false
}

/// How the text of a field is parsed. A value that does not parse as its kind is treated as text
/// and reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Any text.
    Text,
    /// A decimal integer of 64 bits.
    Int,
    /// A decimal number.
    Float,
    /// `true` or `false`.
    Bool,
    /// An instant: ISO 8601 (a date, or a date and time, with or without a zone; without one it is
    /// in UTC), or a count since 1970 in seconds (up to 10 digits), milliseconds (up to 13),
    /// microseconds (up to 16) or nanoseconds; eight digits `YYYYMMDD` are a date.
    Time,
    /// The facets of an event's object: a JSON array of strings `name:value` (operators `:` `=`
    /// `!=` `<` `<=` `>` `>=`), or the same strings separated by `|`.
    Facets,
    /// Any JSON.
    Json,
}

/// Returns whether a text is one that programs write for "no value". Such texts do not determine a
/// field's kind.
pub fn is_placeholder(text: &str) -> bool {
    matches!(text, "" | "-" | "NA" | "N/A" | "n/a" | "NaN" | "nan" | "NULL" | "null" | "None")
}

/// One event: the texts of its fields, borrowed from their owner.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The names and kinds of the fields.
    pub fields: &'a [Field],
    /// One value per field; `None` if the event does not have a value for it.
    pub values: &'a [Option<&'a str>],
}

impl<'a> Record<'a> {
    /// Returns the text of the field called `name`, if the set has such a field and the event has a
    /// value for it.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let at = self.fields.iter().position(|field| field.name == name)?;
        self.values[at]
    }

    /// Returns the text of the field at `index`, if the set has such a field and the event has a
    /// value for it.
    pub fn value(&self, index: usize) -> Option<&'a str> {
        self.values.get(index).copied().flatten()
    }

    /// Appends the event as a JSON object, with values written by their kinds.
    pub fn push_json(&self, out: &mut Vec<u8>) {
        crate::layout::json::push_record(out, self);
    }
}
