//! Arguments and results of the JavaScript API beyond the types of `schema` and `model`: bytes are `Uint8Array`s together with
//! their text.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tabletop_model::{Bytes, Cell, Error, ReadStats, Row, RowFilter};
use tabletop_schema::{DataView, Field, Format, Layout, OnBadLine, OwnData, Query, RowChoice};

/// Options of `sample`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SampleOptions {
    /// The template of the first design; by default the sample's own.
    pub template: Option<String>,
    /// The layout of the first design; by default it stays as it is.
    pub layout: Option<Layout>,
}

/// Options of `load`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// The name that the page shows; by default "pasted".
    pub name: Option<String>,
    /// The format of the records; by default it is detected.
    pub format: Option<Format>,
    /// Names and kinds of the fields; by default they are detected.
    pub fields: Option<Vec<Field>>,
    /// What to do with a line that does not parse; by default it is skipped, reported and counted.
    pub on_bad_line: Option<OnBadLine>,
    /// The template of the first design. By default it stays if it fits the fields, and is replaced by a plain one otherwise.
    pub template: Option<String>,
    /// The layout of the first design; by default it stays as it is.
    pub layout: Option<Layout>,
}

/// A query on the table of one design.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReadRequest {
    /// The rows to read; by default all.
    pub rows: Option<RowChoice>,
    /// A filter on these rows, as text or as an object; by default none.
    pub filter: Option<FilterChoice>,
    /// Most rows to return; 0 for all.
    pub rows_limit: u32,
    /// Whether keys are in descending order.
    pub reversed: bool,
}

/// A filter, written either way. (Deserialized by hand: the code that serde derives is many times as large, and adds to the
/// page.)
#[derive(Clone, Debug, PartialEq)]
pub enum FilterChoice {
    /// In the notation of the page.
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

/// The only property of an object.
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

/// All rows of a query, and their cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadResult {
    /// In logical order, which ignores the salt.
    pub rows: Vec<ReadRow>,
    /// What the engine read and returned.
    pub stats: ReadStats,
    /// Row ranges and keys that the query became: N for a salted template, N + 1 across its cut-over.
    pub ranges: u32,
    /// Whether more rows were scanned than requested, because the template cannot serve the query by ranges alone.
    pub scans_more: bool,
    /// Microseconds that the worker spent on the query.
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
    /// The column qualifier as text.
    pub qualifier: Bytes,
    /// The column qualifier.
    pub qualifier_bytes: Raw,
    /// Microseconds since 1970-01-01 UTC.
    pub timestamp: i64,
    /// The value as text, escaped like a key.
    pub value: Bytes,
    /// The value itself.
    pub value_bytes: Raw,
    /// The label that `apply_label` has set.
    pub label: Option<String>,
}

/// Progress of a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Events read so far.
    pub events: u32,
    /// Bytes read so far, of a file or a sample.
    pub bytes: u64,
    /// Events in the table that has the fewest of them.
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
    /// The description of the text to load.
    pub(crate) fn own(&self) -> OwnData {
        OwnData {
            name: self.name.clone().unwrap_or_else(|| "pasted".into()),
            format: self.format.unwrap_or(Format::Detect),
            fields: self.fields.clone().unwrap_or_default(),
            on_bad_line: self.on_bad_line.unwrap_or(OnBadLine::Skip),
            content: None,
        }
    }
}

impl ReadRequest {
    /// The query in the worker's terms.
    ///
    /// # Errors
    /// `InvalidArgument` when the text of the filter has an error.
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
    /// The progress of loading `data`, with `events_built` events in every table.
    pub(crate) fn new(data: &DataView, events_built: u32) -> Self {
        Progress { events: data.events, bytes: data.bytes, events_built }
    }
}
