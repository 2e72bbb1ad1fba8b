//! Encodings of composite values: the counts of an event's facets, and whole events.
//!
//! | | counts of facets | an event |
//! |---|---|---|
//! | JSON | a list of lists: `[["brand",":","Apple",1]]`, and `[[":","Apple",1]]` where the column has the name | an object; each value has the type of its field's kind |
//! | protobuf | `FacetCounts` | `Event` |
//! | compact list | the lists of JSON | a list for each field: its text, its facets, or nothing |
//! | MessagePack | the lists of JSON | a map of the fields that the event has; facets are a list |
//!
//! ```proto
//! message FacetCounts { repeated FacetCount counts = 1; }
//! message FacetCount { string name = 1; string operator = 2; string value = 3; uint32 count = 4; }
//! // Field n is the nth field of the events, and facets are repeated.
//! message Event { optional string app_id = 1; optional string user_token = 2; repeated string
//! facets = 3; }
//! ```
//!
//! A compact list has no names, no types and no brackets: the length of each list and text comes
//! before it, and numbers have as many bytes as they need (postcard's format). In all encodings
//! except JSON, the values of an event are its texts, so numbers do not lose digits.
//!
//! Only the code for JSON is fetched before the page's first view.

mod compact_list;
mod facet_count;
mod json;
mod message_pack;
mod protobuf;
#[cfg(test)]
mod tests;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::layout::{Shape, json as layout_json};
use crate::roles::Roles;
use crate::{Encoding, Field, FieldKind, Layout, Record, facets};
pub use facet_count::{FacetCount, FacetNames};

impl Encoding {
    /// All encodings, in the order of a menu.
    pub const ALL: [Encoding; 4] =
        [Encoding::Json, Encoding::Protobuf, Encoding::CompactList, Encoding::MessagePack];

    /// Returns the displayed name.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Json => "JSON",
            Encoding::Protobuf => "protobuf",
            Encoding::CompactList => "compact list",
            Encoding::MessagePack => "MessagePack",
        }
    }

    /// Appends a value that counts facets.
    pub fn push_counts(self, counts: &[FacetCount<'_>], names: FacetNames, out: &mut Vec<u8>) {
        match self {
            Encoding::Json => json::push_counts(counts, names, out),
            Encoding::Protobuf => protobuf::push_counts(counts, names, out),
            Encoding::CompactList => compact_list::push_counts(counts, names, out),
            Encoding::MessagePack => message_pack::push_counts(counts, names, out),
        }
    }

    /// Reads a value that counts facets; `None` for another value.
    pub fn counts(self, value: &[u8], names: FacetNames) -> Option<Vec<FacetCount<'_>>> {
        match self {
            Encoding::Json => json::counts(value, names),
            Encoding::Protobuf => protobuf::counts(value),
            Encoding::CompactList => compact_list::counts(value, names),
            Encoding::MessagePack => message_pack::counts(value, names),
        }
    }

    /// Appends an event.
    pub fn push_event(self, event: &Record<'_>, out: &mut Vec<u8>) {
        if self == Encoding::Json {
            layout_json::push_record(out, event);
        } else {
            self.push_texts(event, out);
        }
    }

    #[inline(never)]
    fn push_texts(self, event: &Record<'_>, out: &mut Vec<u8>) {
        match self {
            Encoding::Json => {}
            Encoding::Protobuf => protobuf::push_event(event, out),
            Encoding::CompactList => compact_list::push_event(event, out),
            Encoding::MessagePack => message_pack::push_event(event, out),
        }
    }

    /// Returns the facets of an event, as texts like `brand:Apple`; `None` for a value that is not
    /// an event. `facets` is the index of the field with the facets.
    pub fn event_facets<'v>(
        self,
        value: &'v [u8],
        fields: &[Field],
        facets: usize,
    ) -> Option<Vec<Cow<'v, str>>> {
        if self == Encoding::Json {
            return json::list(value, &fields[facets].name);
        }
        let mut found = Vec::new();
        self.read_texts(value, fields, &mut |at, text| {
            if at == facets {
                found.push(Cow::Borrowed(text));
            }
        })?;
        Some(found)
    }

    /// Returns an event as JSON, as a design with JSON would have stored it. `None` for a value
    /// that is not an event. A value that is JSON already is returned without a check.
    pub fn event_json<'v>(self, value: &'v [u8], fields: &[Field]) -> Option<Cow<'v, [u8]>> {
        if self == Encoding::Json {
            return Some(Cow::Borrowed(value));
        }
        let mut texts: Vec<Vec<&str>> = alloc::vec![Vec::new(); fields.len()];
        self.read_texts(value, fields, &mut |at, text| texts[at].push(text))?;
        let of_field = |(field, texts): (&Field, &Vec<&'v str>)| -> Option<Cow<'v, str>> {
            let last = *texts.last()?;
            Some(match field.kind {
                FieldKind::Facets => serde_json::to_string(texts).expect("texts are always JSON").into(),
                _ => last.into(),
            })
        };
        let texts: Vec<Option<Cow<'_, str>>> = fields.iter().zip(&texts).map(of_field).collect();
        let values: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let mut out = Vec::with_capacity(192);
        layout_json::push_record(&mut out, &Record { fields, values: &values });
        Some(out.into())
    }

    /// Calls `each` with the index and the text of each field of an event, and once per facet for a
    /// field of facets.
    fn read_texts<'v>(
        self,
        value: &'v [u8],
        fields: &[Field],
        each: &mut dyn FnMut(usize, &'v str),
    ) -> Option<()> {
        match self {
            Encoding::Json => None,
            Encoding::Protobuf => protobuf::read_event(value, fields, each),
            Encoding::CompactList => compact_list::read_event(value, fields, each),
            Encoding::MessagePack => message_pack::read_event(value, fields, each),
        }
    }
}

impl FacetCount<'static> {
    /// Counts the facets of an event, in the order in which they first occur.
    pub fn all_of(facets: &str) -> Vec<FacetCount<'static>> {
        let mut counts: Vec<FacetCount<'static>> = Vec::new();
        facets::parse(facets, |facet| {
            let is_same = |known: &&mut FacetCount<'_>| {
                (&*known.name, &*known.operator, &*known.value) == (facet.name, facet.operator, facet.value)
            };
            match counts.iter_mut().find(is_same) {
                Some(known) => known.count += 1,
                None => {
                    let [name, operator, value] =
                        [facet.name, facet.operator, facet.value].map(|text| Cow::Owned(text.into()));
                    counts.push(FacetCount { name, operator, value, count: 1 });
                }
            }
        });
        counts
    }
}

impl Layout {
    /// Returns whether the values are counts of facets or whole events, which have an encoding.
    pub fn has_encoding(&self, fields: &[Field]) -> bool {
        !matches!(Shape::of(self, &Roles::of(fields)), Shape::Fields | Shape::Columns)
    }
}

/// What the values of a layout contain, so that each can be shown as JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedValues {
    encoding: Encoding,
    /// `None` for whole events.
    counts: Option<FacetNames>,
    fields: Vec<Field>,
}

impl EncodedValues {
    /// Returns what the values of a layout contain, and their encoding; `None` if they are plain
    /// texts, which do not have an encoding.
    pub fn of(layout: &Layout, fields: &[Field]) -> Option<EncodedValues> {
        let counts = match Shape::of(layout, &Roles::of(fields)) {
            Shape::NarrowEvent(_) => Some(FacetNames::InValue),
            Shape::WideEvent(_) => Some(FacetNames::InColumn),
            Shape::Record { .. } => None,
            Shape::Fields | Shape::Columns => return None,
        };
        Some(EncodedValues { encoding: layout.encoding, counts, fields: fields.to_vec() })
    }

    /// Returns the encoding of the values.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns where the names of facets are, if values count facets; `None` for whole events.
    pub fn counts(&self) -> Option<FacetNames> {
        self.counts
    }

    /// Returns a value as JSON; `None` if it was not written by the layout.
    pub fn json(&self, value: &[u8]) -> Option<String> {
        let json = match self.counts {
            Some(names) => {
                let mut out = Vec::with_capacity(192);
                Encoding::Json.push_counts(&self.encoding.counts(value, names)?, names, &mut out);
                out
            }
            None => self.encoding.event_json(value, &self.fields)?.into_owned(),
        };
        String::from_utf8(json).ok()
    }
}
