//! Arguments and results of the JavaScript API beyond the types of `protocol` and the crates below it: bytes are
//! `Uint8Array`s together with their text.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tabletop_keys::{Field, Layout, Query, RowChoice};
use tabletop_model::{Bytes, Cell, Error, ReadStats, Row, RowFilter};
use tabletop_protocol::DataView;
use tabletop_workspace::{Format, OnBadLine, OwnData, Reading};

/// Options of `sample`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SampleOptions {
    /// The template of the first design. Defaults to the template of the sample.
    pub template: Option<String>,
    /// The layout of the first design. By default it is not changed.
    pub layout: Option<Layout>,
}

/// Options of `load`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LoadOptions {
    /// The name that the page shows. Defaults to "pasted".
    pub name: Option<String>,
    /// The format of the records. By default it is detected.
    pub format: Option<Format>,
    /// Names and kinds of the fields. By default they are detected.
    pub fields: Option<Vec<Field>>,
    /// What to do with a line that does not parse. By default it is skipped, reported and counted.
    pub on_bad_line: Option<OnBadLine>,
    /// The encoding, and whether the first line is a header. By default they are detected.
    pub reading: Option<Reading>,
    /// The template of the first design. By default the current template stays if it fits the
    /// fields, and is otherwise replaced by a plain one.
    pub template: Option<String>,
    /// The layout of the first design. By default it is not changed.
    pub layout: Option<Layout>,
}

/// A query on the table of one design.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ReadRequest {
    /// The rows to read. Defaults to all rows.
    pub rows: Option<RowChoice>,
    /// A filter for these rows, as text or as an object. There is none by default.
    pub filter: Option<FilterChoice>,
    /// Maximum number of rows to return; 0 for all.
    pub rows_limit: u32,
    /// Whether keys are in descending order.
    pub reversed: bool,
}

/// A filter, as text or as an object. (The deserialization is written manually: the code that serde
/// derives is many times larger, and adds to the size of the page.)
#[derive(Clone, Debug, PartialEq)]
pub enum FilterChoice {
    /// In the page's notation for filters.
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
        f.write_str("a filter as text or as an object with one property")
    }

    fn visit_str<E>(self, text: &str) -> Result<FilterChoice, E> {
        Ok(FilterChoice::Text(text.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FilterChoice, A::Error> {
        RowFilter::deserialize(MapAccessDeserializer::new(OneProperty(map))).map(FilterChoice::Tree)
    }
}

/// An object that must have exactly one property.
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
            Some(_) => Err(A::Error::custom(
                "a filter is an object with one property: combine several with chain or interleave",
            )),
        }
    }
}

/// All rows of a query, and their cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadResult {
    /// The rows in logical order, which ignores the salt.
    pub rows: Vec<ReadRow>,
    /// Statistics of what the engine has read and returned.
    pub stats: ReadStats,
    /// Number of row ranges and keys of the query: N for a salted template, N + 1 across its
    /// cut-over.
    pub ranges: u32,
    /// Whether more rows were scanned than requested, because the template cannot serve the query
    /// by ranges alone.
    pub scans_more: bool,
    /// Microseconds that the worker has spent on the query.
    pub elapsed_micros: u64,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadRow {
    /// The key as text: UTF-8 unchanged, other bytes as `\xHH`, and backslashes doubled.
    pub key: Bytes,
    /// The key itself.
    pub key_bytes: Raw,
    /// The cells, with families in the order of their creation, qualifiers in byte order, and the
    /// newest version first.
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
    /// The timestamp in microseconds since 1970-01-01 UTC.
    pub timestamp: i64,
    /// The value as text, escaped like a key.
    pub value: Bytes,
    /// The value itself.
    pub value_bytes: Raw,
    /// The label that `apply_label` has set.
    pub label: Option<String>,
}

/// The progress of a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Number of events read so far.
    pub events: u32,
    /// Number of bytes of a file or a sample that were read so far.
    pub bytes: u64,
    /// Number of events in the table that has the fewest.
    pub events_built: u32,
}

/// Bytes that become a `Uint8Array` in JavaScript.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw(pub Vec<u8>);

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl LoadOptions {
    /// Returns the description of the text to load.
    pub(crate) fn own(&self) -> OwnData {
        OwnData {
            name: self.name.clone().unwrap_or_else(|| "pasted".into()),
            format: self.format.unwrap_or(Format::Detect),
            fields: self.fields.clone().unwrap_or_default(),
            on_bad_line: self.on_bad_line.unwrap_or(OnBadLine::Skip),
            reading: self.reading.unwrap_or_default(),
            content: None,
        }
    }
}

impl ReadRequest {
    /// Returns the query in the worker's format.
    ///
    /// # Errors
    /// `InvalidArgument` if the text of the filter has an error.
    pub(crate) fn query(self) -> Result<Query, Error> {
        let filter = match self.filter {
            None => None,
            Some(FilterChoice::Tree(filter)) => Some(filter),
            Some(FilterChoice::Text(text)) => {
                let (filter, problems) = RowFilter::parse(&text);
                if let Some(problem) = problems.first() {
                    return Err(Error::invalid(format!(
                        "filter, byte {}: {}",
                        problem.span.start, problem.message
                    )));
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
    /// Creates the progress of loading `data`, with `events_built` events in every table.
    pub(crate) fn new(data: &DataView, events_built: u32) -> Self {
        Progress { events: data.events, bytes: data.bytes, events_built }
    }
}
