//! What the JavaScript API takes and gives beyond the types of `schema` and `model`: bytes as `Uint8Array` beside their text.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tabletop_model::{Bytes, Cell, Error, ReadStats, Row, RowFilter};
use tabletop_schema::{DataView, Field, Format, Layout, OnBadLine, OwnData, Query, RowChoice};

/// What `sample` does beside fetching the events.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SampleOptions {
    /// The template of the first design; the sample's own if none.
    pub template: Option<String>,
    /// The layout of the first design; as it was if none.
    pub layout: Option<Layout>,
}

/// How `load` reads a text.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// What the page calls it; "pasted" if none.
    pub name: Option<String>,
    /// How records are written; detected if none.
    pub format: Option<Format>,
    /// Names and kinds; detected if none.
    pub fields: Option<Vec<Field>>,
    /// What to do with a line that does not parse; skipped, reported and counted if none.
    pub on_bad_line: Option<OnBadLine>,
    /// The template of the first design. If none, it stays when it fits the fields, and a plain one takes its place when not.
    pub template: Option<String>,
    /// The layout of the first design; as it was if none.
    pub layout: Option<Layout>,
}

/// A question about the events of one design.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReadRequest {
    /// Which rows; all if none.
    pub rows: Option<RowChoice>,
    /// What of them, as text or as an object; everything if none.
    pub filter: Option<FilterChoice>,
    /// Rows at most; 0 for all.
    pub rows_limit: u32,
    /// Descending keys.
    pub reversed: bool,
}

/// A filter, written either way. (Read by hand: what serde derives for it is many times as large, and the page is fetched.)
#[derive(Clone, Debug, PartialEq)]
pub enum FilterChoice {
    /// As the page writes it.
    Text(String),
    /// As an object.
    Tree(RowFilter),
}

impl<'de> Deserialize<'de> for FilterChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FilterVisitor)
    }
}

struct FilterVisitor;

impl<'de> Visitor<'de> for FilterVisitor {
    type Value = FilterChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a filter as text or as an object of one property")
    }

    fn visit_str<E>(self, text: &str) -> Result<FilterChoice, E> {
        Ok(FilterChoice::Text(text.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FilterChoice, A::Error> {
        RowFilter::deserialize(MapAccessDeserializer::new(OneProperty(map))).map(FilterChoice::Tree)
    }
}

/// What is read from an object, which must have nothing beside it.
struct OneProperty<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OneProperty<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let value = self.0.next_value_seed(seed)?;
        match self.0.next_key::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(A::Error::custom("a filter is an object of one property: put several into chain or interleave")),
        }
    }
}

/// All rows of a question, and what they cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadResult {
    /// In logical order: the salt does not count.
    pub rows: Vec<ReadRow>,
    /// What the engine looked at and gave.
    pub stats: ReadStats,
    /// Row ranges and keys that the question became: N for a salted template.
    pub ranges: u32,
    /// Whether more rows were scanned than asked for, because the template cannot serve the question by ranges alone.
    pub scans_more: bool,
    /// Microseconds that the worker spent on it.
    pub elapsed_micros: u64,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadRow {
    /// The key as text: UTF-8 as it is, other bytes as `\xHH`, a backslash doubled.
    pub key: Bytes,
    /// The key itself.
    pub key_bytes: Raw,
    /// Families in the order of their creation, qualifiers by bytes, newest first.
    pub cells: Vec<ReadCell>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadCell {
    /// The column family's name.
    pub family: String,
    /// The rest of the column's name as text.
    pub qualifier: Bytes,
    /// The rest of the column's name.
    pub qualifier_bytes: Raw,
    /// Microseconds since 1970-01-01 UTC.
    pub timestamp: i64,
    /// The value as text, written like a key.
    pub value: Bytes,
    /// The value itself.
    pub value_bytes: Raw,
    /// What `apply_label` wrote on it.
    pub label: Option<String>,
}

/// How far a load has come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Events read so far.
    pub events: u32,
    /// Bytes read so far, of a file or a sample.
    pub bytes: u64,
    /// Events in the table that has the fewest.
    pub events_built: u32,
}

/// Bytes that become a `Uint8Array`.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw(pub Vec<u8>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl LoadOptions {
    /// How to read the text.
    pub(crate) fn own(&self) -> OwnData {
        OwnData {
            name: self.name.clone().unwrap_or_else(|| "pasted".into()),
            format: self.format.unwrap_or(Format::Detect),
            fields: self.fields.clone().unwrap_or_default(),
            on_bad_line: self.on_bad_line.unwrap_or(OnBadLine::Skip),
        }
    }
}

impl ReadRequest {
    /// The question as the worker takes it.
    ///
    /// # Errors
    /// `InvalidArgument` when the text of the filter has a problem.
    pub(crate) fn query(self) -> Result<Query, Error> {
        let filter = match self.filter {
            None => None,
            Some(FilterChoice::Tree(filter)) => Some(filter),
            Some(FilterChoice::Text(text)) => {
                let (filter, problems) = RowFilter::parse(&text);
                if let Some(problem) = problems.first() {
                    return Err(Error::invalid(format!("filter, byte {}: {}", problem.span.start, problem.message)));
                }
                filter
            }
        };
        Ok(Query {
            rows: self.rows.unwrap_or(RowChoice::All),
            filter,
            rows_limit: self.rows_limit.into(),
            reversed: self.reversed,
        })
    }
}

impl From<Row> for ReadRow {
    fn from(row: Row) -> Self {
        let cells = row.cells.into_iter().map(ReadCell::from).collect();
        ReadRow { key_bytes: Raw(row.key.0.clone()), key: row.key, cells }
    }
}

impl From<Cell> for ReadCell {
    fn from(cell: Cell) -> Self {
        ReadCell {
            family: cell.family,
            qualifier_bytes: Raw(cell.qualifier.0.clone()),
            qualifier: cell.qualifier,
            timestamp: cell.timestamp,
            value_bytes: Raw(cell.value.0.clone()),
            value: cell.value,
            label: cell.label,
        }
    }
}

impl Progress {
    /// Of these events, of which so many are in every table.
    pub(crate) fn new(data: &DataView, events_built: u32) -> Self {
        Progress { events: data.events, bytes: data.bytes, events_built }
    }
}
