//! Layouts: the conversion of events into cells.
//!
//! | | events with facets (the schemas of Algolia's article) | any other record |
//! |---|---|---|
//! | narrow | family = event type, qualifier = event name, value = all facets with their counts: `[["brand",":","Apple",1]]` | qualifier `record`, value = the record as JSON |
//! | wide | family `e`; for each facet name the qualifier CSV(event type, event name, facet name), value = `[[":","Apple",1]]` | a cell per field: qualifier = field, value = its text |
//! | row per entity | family = event type, qualifier = event name, value = the record as JSON | qualifier = event name if there is one, else `record`, value = the record as JSON |
//!
//! The values with counts or a record are in the layout's encoding: JSON, or another of
//! [`crate::Encoding`].
//!
//! A fourth layout, columns, writes what the user describes: the family, qualifier and value of
//! each column ([`crate::Column`]).
//!
//! The family of other records is the value of the layout's family field, else `d`. Few characters
//! are allowed in family names: see [`family_name`].
//!
//! The timestamp of every cell of an event is the event's time, truncated to the millisecond. For
//! an event without a time, it is the event's index in milliseconds; for an event before 1970, it
//! is 0. If two events share row, column and millisecond, the later one replaces the earlier one,
//! as in Bigtable. The advice counts these events.

mod cell_writer;
mod columns;
mod counts;
mod encoded;
mod facet_cache;
mod families;
pub(crate) mod json;
mod narrow;
mod row_per_entity;
mod shape;
#[cfg(test)]
mod tests;
mod wide;
mod writer;

pub(crate) use columns::BoundColumn;
pub use columns::{BUCKET_SECONDS_MAX, COLUMNS_MAX, ColumnProblem, ColumnText};
pub use families::family_name;
pub use json::is_number;
pub(crate) use shape::Shape;
pub use wide::push_csv;
pub use writer::LayoutWriter;

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Aggregate, GcRule};

use crate::outlined;

/// The conversion of an event into cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// The shape.
    pub kind: LayoutKind,
    /// The field whose value names the family, for records that are not events with facets. `None`
    /// writes them all into one family.
    #[serde(default)]
    pub family_field: Option<String>,
    /// What each event writes, for [`LayoutKind::Columns`]. Other kinds ignore it, so that the user
    /// can switch to them and back.
    #[serde(default)]
    pub columns: Vec<Column>,
    /// The form of values that hold counts of facets or a whole event. Workspaces of earlier builds
    /// do not have it: their values are JSON. Values of [`LayoutKind::Columns`], and the values of
    /// fields, are always texts.
    #[serde(default)]
    pub encoding: Encoding,
}

impl Layout {
    /// A layout of this shape, with one family for records that are not events with facets, and
    /// JSON in its values.
    pub fn new(kind: LayoutKind) -> Layout {
        Layout { kind, family_field: None, columns: Vec::new(), encoding: Encoding::Json }
    }
}

/// A column that each event writes. The texts are written like a row key: literals, and fields with
/// their transforms in braces. An event without a value for one of the fields does not write the
/// column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Column {
    /// The name of the family: `e`, `{event_type}`. A value with characters that a name must not
    /// have is converted, see [`crate::family_name`].
    pub family: String,
    /// The qualifier: `price`, `{event_name}`, `{timestamp:hour}`. It may be empty.
    pub qualifier: String,
    /// The value of the cell: `{price}`, a literal, or [`Column::RECORD`] for the whole event as
    /// JSON. It may be empty.
    pub value: String,
    /// The timestamp of the cell.
    #[serde(default)]
    pub time: CellTime,
}

impl Column {
    /// The text of a value that is the whole event as JSON.
    pub const RECORD: &str = "{*}";
}

/// The timestamp of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellTime {
    /// The time of the event.
    #[default]
    Event,
    /// The time of the event, rounded down to a multiple of this many seconds since 1970: one cell
    /// for all events within such a span.
    Bucket(u32),
    /// The time 0, which is 1970: one cell for all events of a column.
    Zero,
}

/// The form of a value with the counts of an event's facets, or with a whole event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// JSON, which everybody can read, and filters can look into.
    #[default]
    Json,
    /// Protobuf: numbers instead of names, which a `.proto` file explains.
    Protobuf,
    /// Lists of texts in a fixed order: the fewest bytes, and only this order explains them.
    CompactList,
    /// MessagePack: the values of JSON, in fewer bytes.
    MessagePack,
}

/// The shape of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutKind {
    /// One cell per event, whose value is the whole record.
    Narrow,
    /// One cell per facet or field, so that a filter can select single ones.
    Wide,
    /// All events of one entity in one row, with different timestamps.
    RowPerEntity,
    /// The cells that [`Layout::columns`] describe.
    Columns,
}

impl LayoutKind {
    /// Returns whether events share rows on purpose, each in its own cells.
    pub fn shares_rows(self) -> bool {
        matches!(self, LayoutKind::RowPerEntity | LayoutKind::Columns)
    }
}

/// The garbage collection and the aggregation of one family. Ages are relative to the newest event
/// that has arrived. Bigtable collects a cell some time after it has expired, and returns it until
/// then (<https://cloud.google.com/bigtable/docs/garbage-collection>).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct FamilyRule {
    /// The name of the family.
    pub family: String,
    /// The cells that compactions collect.
    pub gc_rule: GcRule,
    /// Set for a family that aggregates what events write into one cell: numbers, or for a count of
    /// distinct values, any texts.
    #[serde(default)]
    pub aggregate: Option<Aggregate>,
}

impl FamilyRule {
    /// Creates the rule of a family that does not aggregate.
    pub fn new(family: impl Into<String>, gc_rule: GcRule) -> FamilyRule {
        FamilyRule { family: family.into(), gc_rule, aggregate: None }
    }

    /// Returns whether compactions collect cells of the family.
    pub fn collects(&self) -> bool {
        self.gc_rule != GcRule::default()
    }
}

outlined!(Column, FamilyRule);
