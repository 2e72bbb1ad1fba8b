//! Requests and their responses.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    BackupView, Bytes, ColumnFamily, CountExpired, Error, ExpiredCells, GcRule, Inspect, Inspected, Mutation,
    Qualifier, ReadRows, Row, RowFilter, RowKey, RowKeySample, RowMutation, RowsChunk, TableSettings,
    TableSpec, TableView, TabletId,
};

/// A request to an instance from another process or thread. Callers on the same thread call its
/// methods instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Lists the IDs of all tables, in order. Answer: `Tables`.
    ListTables,
    /// Lists all backups. Answer: `Backups`.
    ListBackups,
    /// Removes a backup. Answer: `Done`.
    DeleteBackup {
        /// An existing backup.
        backup: String,
    },
    /// A request about one table.
    Table {
        /// The ID: `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`, at most 50 characters.
        table: String,
        /// The request.
        request: TableRequest,
    },
}

/// A request about a table. The table must exist, except for [`TableRequest::Create`],
/// [`TableRequest::Restore`] and [`TableRequest::Import`], which create it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableRequest {
    /// Creates an empty table. Answer: `Done`.
    Create(TableSpec),
    /// Creates the table as it was when a backup was made, without copying data. Answer: `Done`.
    Restore {
        /// An existing backup.
        backup: String,
    },
    /// Imports a piece of a file that `Export` returned; pieces may be cut anywhere. The first
    /// piece creates the table; the last one, which may be empty, completes it. Until then, and
    /// after an error, the table does not exist. Answer: `Done`.
    Import {
        /// The bytes that follow those of the previous piece.
        piece: Bytes,
        /// Whether this is the last piece.
        is_last: bool,
    },
    /// Removes the table. Answer: `Done`.
    Delete,
    /// Returns the current families, settings and splits. Answer: `Spec`.
    Describe,
    /// Changes the settings; results of reads stay the same. Answer: `Done`.
    UpdateSettings(TableSettings),
    /// Creates, changes and drops families: all modifications in order, or none. Later ones see the
    /// effects of earlier ones. Answer: `Done`.
    ModifyFamilies(Vec<FamilyModification>),
    /// Changes rows. Each entry succeeds or fails on its own. At most 100,000 mutations in total.
    /// Answer: `Mutated`.
    MutateRows(Vec<RowMutation>),
    /// Changes one row depending on whether a filter matches any of its cells. Answer:
    /// `PredicateMatched`.
    CheckAndMutateRow(CheckAndMutateRow),
    /// Changes cells of one row depending on their values. Answer: `Row`, with the new cells.
    ReadModifyWriteRow(ReadModifyWriteRow),
    /// Removes all rows of a range. Answer: `Done`.
    DropRowRange(DropRowRange),
    /// Reads a slice of rows. Answer: `Rows`.
    ReadRows(ReadRows),
    /// Returns keys that divide the table into parts of about equal size. Answer: `RowKeySamples`.
    SampleRowKeys,
    /// Requests that the SSTables of each tablet are merged into one if they overlap, so that each
    /// row is in one place. This happens later, for the rows that exist now. (HBase's
    /// `major_compact` is the same; Bigtable compacts without being asked.) Answer: `Done`.
    Compact,
    /// Makes a backup of the table as it is now, without copying data. Answer: `Done`.
    BackUp {
        /// A name that no backup has yet; it has the same characters as a table's ID.
        backup: String,
    },
    /// Returns a piece of the table as one file: the pieces in order make up the file. Answer:
    /// `Exported`.
    Export {
        /// The end of the previous piece.
        resume: Option<ExportResume>,
    },
    /// Returns the table's tablets. Answer: `Table`.
    View,
    /// Writes the memtable of a tablet as SSTables. (HBase's `flush` is the same; Bigtable
    /// flushes without being asked.) Answer: `Done`.
    Flush(TabletId),
    /// Requests for one tablet what `Compact` requests for all. Answer: `Done`.
    CompactTablet(TabletId),
    /// Returns internals of a tablet or an SSTable. Answer: `Inspected`.
    Inspect(Inspect),
    /// Counts, in a slice of rows, the cells that GC rules would collect now. Answer: `Expired`.
    CountExpired(CountExpired),
}

impl TableRequest {
    /// Returns whether the request creates, changes or removes a table, its rows or its backups.
    pub fn changes(&self) -> bool {
        !matches!(
            self,
            TableRequest::Describe
                | TableRequest::ReadRows(_)
                | TableRequest::SampleRowKeys
                | TableRequest::Export { .. }
                | TableRequest::View
                | TableRequest::Inspect(_)
                | TableRequest::CountExpired(_)
        )
    }

    /// Returns whether the request changes the rows of the table, or its families.
    pub fn edits(&self) -> bool {
        matches!(
            self,
            TableRequest::ModifyFamilies(_)
                | TableRequest::MutateRows(_)
                | TableRequest::CheckAndMutateRow(_)
                | TableRequest::ReadModifyWriteRow(_)
                | TableRequest::DropRowRange(_)
        )
    }

    /// Returns the request for the table with this ID.
    pub fn of(self, table: impl Into<String>) -> Request {
        Request::Table { table: table.into(), request: self }
    }
}

/// One step of [`TableRequest::ModifyFamilies`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FamilyModification {
    /// Adds a family after the existing ones.
    Create(ColumnFamily),
    /// Sets a family's GC rule, which also applies to existing cells.
    Update {
        /// An existing family.
        family: String,
        /// The new GC rule.
        gc_rule: GcRule,
    },
    /// Removes a family with all of its cells.
    Drop {
        /// An existing family.
        family: String,
    },
}

/// `google.bigtable.v2.CheckAndMutateRowRequest`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckAndMutateRow {
    /// The row to read and to change.
    pub key: RowKey,
    /// The filter. It matches if it has any output; without a filter, any cell of the row matches.
    pub predicate: Option<RowFilter>,
    /// Applied in order if the filter matches.
    pub on_match: Vec<Mutation>,
    /// Applied in order if the filter does not match. One of the two lists has at least one
    /// mutation.
    pub otherwise: Vec<Mutation>,
}

/// `google.bigtable.v2.ReadModifyWriteRowRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadModifyWriteRow {
    /// The row to read and to change.
    pub key: RowKey,
    /// Applied in order; later rules see what earlier ones wrote. At least one.
    pub rules: Vec<ReadModifyWriteRule>,
}

/// A change of the newest cell of a column. The new cell has the server's time, or the time of the
/// newest cell if that is later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadModifyWriteRule {
    /// An existing family that does not aggregate.
    pub family: String,
    /// The column's qualifier.
    pub qualifier: Qualifier,
    /// The change.
    pub modify: ReadModify,
}

/// A change of a value; a missing cell has an empty value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadModify {
    /// Appends bytes.
    Append(Bytes),
    /// Adds to a number, which must have eight bytes, highest first. A missing cell counts as 0.
    /// Sums wrap around.
    Increment(i64),
}

/// The rows to drop, as in `google.bigtable.admin.v2.DropRowRangeRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropRowRange {
    /// Rows whose key begins with this prefix; not empty.
    Prefix(RowKey),
    /// All rows.
    All,
}

/// The state of an export between two pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportResume {
    /// The key at which the remaining rows begin; empty for the beginning of the table.
    pub from: RowKey,
    /// The table's families when the export began: rows refer to them by position.
    pub families: Vec<String>,
    /// Bytes of the file so far.
    pub bytes: u64,
    /// Rows in the file so far.
    pub rows: u64,
    /// Row ranges `[start, end)` that could not be read and are missing from the file, or that lost
    /// their last writes. An empty end means the end of the table.
    pub missing: Vec<(RowKey, RowKey)>,
}

/// A piece of a table as a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPiece {
    /// The bytes that follow the previous piece.
    pub bytes: Bytes,
    /// Where to resume; `None` when the file is complete.
    pub resume: Option<ExportResume>,
    /// Rows in the file so far.
    pub rows: u64,
    /// Row ranges that are damaged, and missing from the file or outdated in it.
    pub missing: Vec<(RowKey, RowKey)>,
}

/// The response to a [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// The request has succeeded.
    Done,
    /// For each entry, in order: the error if it failed, or `None`.
    Mutated(Vec<Option<Error>>),
    /// Whether the filter matched anything; one of the two lists of mutations was applied.
    PredicateMatched(bool),
    /// The new cells of a row.
    Row(Row),
    /// The IDs of tables.
    Tables(Vec<String>),
    /// The specification that would create the table as it is, without its rows.
    Spec(TableSpec),
    /// A slice of a read.
    Rows(RowsChunk),
    /// Samples. The last one is the end of the table (an empty key).
    RowKeySamples(Vec<RowKeySample>),
    /// A view of a table.
    Table(TableView),
    /// Backups, in the order of their names.
    Backups(Vec<BackupView>),
    /// A piece of a file.
    Exported(ExportPiece),
    /// A view of a part of a table's internals.
    Inspected(Inspected),
    /// The expired cells of a slice.
    Expired(ExpiredCells),
    /// The request was rejected: nothing has changed.
    Refused(Error),
}
