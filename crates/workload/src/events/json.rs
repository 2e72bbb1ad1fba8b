//! Events written as JSON: objects one after another, or one array of objects. Nested objects
//! become fields with dotted names; arrays stay JSON. Names can appear at any time, so a time that
//! has its parts in several fields may be between others.

mod array;
mod lines;
mod parse;

use tabletop_keys::{Field, FieldKind};
use tabletop_model::{Result, SortedMap};

use super::join::Join;
use super::output::{FIELDS_MAX, Output};
pub(super) use array::Array;
pub(super) use lines::Lines;
use parse::{Fault, Leaves, Text};

/// Returns whether `text` is one JSON value.
pub(super) fn is_json(text: &str) -> bool {
    parse::value(text.as_bytes()).is_ok_and(|end| parse::skip_space(text.as_bytes(), end) == text.len())
}

/// Returns the strings of an array of strings, or `None` for anything else.
pub(super) fn strings(text: &str) -> Option<Vec<String>> {
    if !is_json(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut strings = Vec::new();
    let mut at = parse::skip_space(bytes, 1);
    while bytes[at] != b']' {
        let end = at + parse::value(&bytes[at..]).ok()?;
        let inner = text[at..end].strip_prefix('"')?.strip_suffix('"')?;
        let mut string = String::new();
        parse::unescape(inner, &mut string);
        strings.push(string);
        at = parse::skip_space(bytes, end);
        if bytes[at] == b',' {
            at = parse::skip_space(bytes, at + 1);
        }
    }
    Some(strings)
}

/// Converts objects to events: maps names to fields.
#[derive(Clone, Debug)]
struct Objects {
    leaves: Leaves,
    /// For each field, the name that objects use for it; `None` for a given field whose name has
    /// not occurred yet, and for a time that has its parts in other fields.
    names: Vec<Option<String>>,
    given: Vec<Field>,
    /// The fields that have names.
    fields: SortedMap<String, usize>,
    /// Whether a name was omitted because there were too many.
    overflowed: bool,
    /// The values of the current object, and the unescaped texts of values that had escapes.
    values: Vec<Option<Text>>,
    /// The start of each of these values.
    starts: Vec<usize>,
    unescaped: String,
}

impl Objects {
    fn new(given: Vec<Field>, out: &mut Output<'_>) -> Self {
        for field in &given {
            out.add_field(field.clone(), true);
        }
        let joined = given.iter().enumerate().find_map(|(at, field)| Join::given(field, at, &given));
        out.detector.may_join(joined);
        Objects {
            leaves: Leaves::default(),
            names: vec![None; given.len()],
            given,
            fields: SortedMap::new(),
            overflowed: false,
            values: Vec::new(),
            starts: Vec::new(),
            unescaped: String::new(),
        }
    }

    /// Reads the object at the start of `input`. Returns its length.
    fn read(&mut self, input: &[u8]) -> std::result::Result<usize, Fault> {
        parse::object(input, &mut self.leaves)
    }

    /// Adds the last object, `length` bytes of `bytes` from `start`, as an event.
    fn push(&mut self, bytes: &[u8], start: usize, length: usize, out: &mut Output<'_>) -> Result<()> {
        let text = match std::str::from_utf8(&bytes[start..start + length]) {
            Ok(text) => text,
            Err(error) => return out.not_utf8(bytes, start + error.valid_up_to()),
        };
        let leaves = std::mem::take(&mut self.leaves);
        // The last object may have led to a field for the parts of a time.
        self.names.resize(out.events.fields().len(), None);
        self.values.clear();
        self.starts.clear();
        self.values.resize(self.names.len(), None);
        self.starts.resize(self.names.len(), start);
        self.unescaped.clear();
        // Most objects have the same names in the same order.
        let mut expected = 0;
        for (name, value) in leaves.iter() {
            let known = self.names.get(expected).is_some_and(|known| known.as_deref() == Some(name));
            let field = if known { Some(expected) } else { self.field(name, bytes, start, out) };
            let Some(field) = field else { continue };
            expected = field + 1;
            let mut value = value.clone();
            self.starts[field] = start + value.range.start;
            if value.escaped {
                let from = self.unescaped.len();
                parse::unescape(&text[value.range], &mut self.unescaped);
                value.range = from..self.unescaped.len();
            }
            self.values[field] = Some(value);
        }
        self.leaves = leaves;
        let source = |escaped| if escaped { self.unescaped.as_str() } else { text };
        let values = self.values.iter().zip(&self.starts).map(|(value, &at)| {
            value.as_ref().map(|value| (at, &source(value.escaped)[value.range.clone()]))
        });
        out.push(bytes, values)
    }

    /// Returns the field called `name`, creating it if needed, or `None` if there are too many.
    fn field(&mut self, name: &str, bytes: &[u8], start: usize, out: &mut Output<'_>) -> Option<usize> {
        if let Some(&field) = self.fields.get(name) {
            return Some(field);
        }
        let whole = out.detector.join().map(|join| join.at);
        if out.events.is_empty() && whole.is_some_and(|at| self.given[at].name == name) {
            // The file has the whole time in addition to its parts.
            out.detector.may_join(None);
        }
        let field = match self.given_field(name, out.detector.join()) {
            Some(field) => field,
            None if self.names.len() < FIELDS_MAX => {
                // The user may have given this name to another field.
                let name = out.unused_name(name);
                out.add_field(Field::new(name, FieldKind::Text), false);
                self.names.push(None);
                self.values.push(None);
                self.starts.push(start);
                self.names.len() - 1
            }
            None => {
                if !self.overflowed {
                    out.note(
                        bytes,
                        start,
                        format!("There are over {FIELDS_MAX} different names: `{name}` and other new ones are omitted."),
                    );
                    self.overflowed = true;
                }
                return None;
            }
        };
        self.names[field] = Some(name.to_owned());
        self.fields.insert(name.to_owned(), field);
        Some(field)
    }

    /// Returns the given field that `name` means: the one with this name, or else the one at its
    /// index, which the user has renamed. No name means the time that has its parts in other fields.
    fn given_field(&self, name: &str, join: Option<&Join>) -> Option<usize> {
        let free = |field: &usize| self.names[*field].is_none() && join.is_none_or(|join| join.at != *field);
        let called_so = self.given.iter().position(|field| field.name == name).filter(free);
        let place = self.fields.len();
        let place = place + usize::from(join.is_some_and(|join| join.at <= place));
        called_so.or_else(|| Some(place).filter(|&place| place < self.given.len()).filter(free))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
