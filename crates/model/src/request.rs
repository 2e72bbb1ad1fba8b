//! One request, one answer.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    BackupView, Bytes, ColumnFamily, Error, GcRule, Mutation, Qualifier, ReadRows, Row, RowFilter, RowKey, RowKeySample,
    RowMutation, RowsChunk, TableSettings, TableSpec, TableView,
};

/// What an instance can be asked by someone who is not in its process or thread. A caller who is calls its methods instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// The ids of all tables, in order. Answer: `Tables`.
    ListTables,
    /// All backups. Answer: `Backups`.
    ListBackups,
    /// Removes a backup. Answer: `Done`.
    DeleteBackup {
        /// An existing backup.
        backup: String,
    },
    /// Something about one table.
    Table {
        /// Its id: `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`, at most 50 characters.
        table: String,
        /// What is asked.
        request: TableRequest,
    },
}

/// What can be asked about a table. It exists, but for [`TableRequest::Create`], [`TableRequest::Restore`] and
/// [`TableRequest::Import`], which make it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TableRequest {
    /// Makes an empty table. Answer: `Done`.
    Create(TableSpec),
    /// Makes the table as it was when a backup was made; nothing is copied. Answer: `Done`.
    Restore {
        /// An existing backup.
        backup: String,
    },
    /// A piece of a file that `Export` gave, cut anywhere: the first one makes the table, the last one, which may be empty,
    /// completes it. Until then, and after a refusal, nothing of it exists. Answer: `Done`.
    Import {
        /// The bytes that follow those of the piece before.
        piece: Bytes,
        /// No piece follows it.
        is_last: bool,
    },
    /// Removes the table. Answer: `Done`.
    Delete,
    /// Families, thresholds and splits, as they are now. Answer: `Spec`.
    Describe,
    /// Changes the thresholds; answers stay the same. Answer: `Done`.
    UpdateSettings(TableSettings),
    /// Creates, changes and drops families, in order; all or none. Later ones see what earlier ones did. Answer: `Done`.
    ModifyFamilies(Vec<FamilyModification>),
    /// Changes rows; each entry succeeds or fails alone. At most 100,000 mutations together. Answer: `Mutated`.
    MutateRows(Vec<RowMutation>),
    /// Changes one row by what a filter finds in it. Answer: `PredicateMatched`.
    CheckAndMutateRow(CheckAndMutateRow),
    /// Changes cells of one row by what they are. Answer: `Row`, with the new cells.
    ReadModifyWriteRow(ReadModifyWriteRow),
    /// Removes many rows at once. Answer: `Done`.
    DropRowRange(DropRowRange),
    /// Reads a slice of rows. Answer: `Rows`.
    ReadRows(ReadRows),
    /// Keys that cut the table into parts of about equal size. Answer: `RowKeySamples`.
    SampleRowKeys,
    /// Asks for the SSTables of each tablet to be merged into one if they overlap, so that each row lies in one place. Later
    /// time does it, until the next write. (HBase's `major_compact` does as much; Bigtable does so by itself now and then.)
    /// Answer: `Done`.
    Compact,
    /// Keeps the table as it is now; nothing is copied. Answer: `Done`.
    BackUp {
        /// A name that no backup has yet, of the same characters as a table's id.
        backup: String,
    },
    /// A piece of the table as one file: all pieces in order are the file. Answer: `Exported`.
    Export {
        /// Where the piece before ended.
        resume: Option<ExportResume>,
    },
    /// The table's tablets. Answer: `Table`.
    View,
}

impl TableRequest {
    /// Whether it makes, changes or removes a table, its rows or its backups.
    pub fn changes(&self) -> bool {
        !matches!(
            self,
            TableRequest::Describe
                | TableRequest::ReadRows(_)
                | TableRequest::SampleRowKeys
                | TableRequest::Export { .. }
                | TableRequest::View
        )
    }

    /// Whether it changes the rows of the table, or its families.
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

    /// The request about the table of this id.
    pub fn of(self, table: impl Into<String>) -> Request {
        Request::Table { table: table.into(), request: self }
    }
}

/// One step of [`TableRequest::ModifyFamilies`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FamilyModification {
    /// Adds a family behind those that are there.
    Create(ColumnFamily),
    /// Sets what a family keeps, also of what is there already.
    Update {
        /// An existing family.
        family: String,
        /// Its new rule.
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
    /// Matches if any cell comes out; without one, any cell of the row matches.
    pub predicate: Option<RowFilter>,
    /// Done in order if it matches.
    pub on_match: Vec<Mutation>,
    /// Done in order if it does not. One of the two has at least one mutation.
    pub otherwise: Vec<Mutation>,
}

/// `google.bigtable.v2.ReadModifyWriteRowRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadModifyWriteRow {
    /// The row to read and to change.
    pub key: RowKey,
    /// In order: later ones see what earlier ones wrote. At least one.
    pub rules: Vec<ReadModifyWriteRule>,
}

/// What becomes of the newest cell of a column. The new one has the server's time, or that of the newest one if it is later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadModifyWriteRule {
    /// An existing family that does not aggregate.
    pub family: String,
    /// The rest of the column's name.
    pub qualifier: Qualifier,
    /// What is done.
    pub modify: ReadModify,
}

/// How a value changes; a cell that is not there has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadModify {
    /// Bytes are put behind it.
    Append(Bytes),
    /// It must be a number of eight bytes, the highest first, or not be there. Sums wrap around.
    Increment(i64),
}

/// Which rows go, as `google.bigtable.admin.v2.DropRowRangeRequest` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropRowRange {
    /// Those whose key begins so; not empty.
    Prefix(RowKey),
    /// All of them.
    All,
}

/// Where an export goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportResume {
    /// The rows that follow are at or behind this one; empty for the beginning of the table.
    pub from: RowKey,
    /// The table's families when the file was begun: rows tell them by their places.
    pub families: Vec<String>,
    /// Bytes of the file so far.
    pub bytes: u64,
    /// Rows in the file so far.
    pub rows: u64,
    /// Row ranges `[start, end)` that could not be read, so that they are not in the file, or of which the last writes are lost;
    /// an empty end is the table's end.
    pub missing: Vec<(RowKey, RowKey)>,
}

/// A piece of a table as a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPiece {
    /// What comes behind the piece before.
    pub bytes: Bytes,
    /// `None` when the file is complete.
    pub resume: Option<ExportResume>,
    /// Rows in the file so far.
    pub rows: u64,
    /// What is damaged and therefore not in the file, or not as it was last.
    pub missing: Vec<(RowKey, RowKey)>,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// It is done.
    Done,
    /// For each entry, in order: the reason why it failed, or nothing.
    Mutated(Vec<Option<Error>>),
    /// Whether the filter found anything; the one or the other mutations are done.
    PredicateMatched(bool),
    /// The new cells of a row.
    Row(Row),
    /// Ids of tables.
    Tables(Vec<String>),
    /// What a table would be created from to be as it is, but for its rows.
    Spec(TableSpec),
    /// A slice of a read.
    Rows(RowsChunk),
    /// The last one is the end of the table (an empty key).
    RowKeySamples(Vec<RowKeySample>),
    /// A picture of a table.
    Table(TableView),
    /// In the order of their names.
    Backups(Vec<BackupView>),
    /// A piece of a file.
    Exported(ExportPiece),
    /// It was refused: nothing has changed.
    Refused(Error),
}
