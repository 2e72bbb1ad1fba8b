//! One request, one answer.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{
    BackupView, Bytes, ColumnFamily, Error, GcRule, Mutation, Qualifier, ReadRows, Row, RowFilter, RowKey, RowKeySample,
    RowMutation, RowsChunk, TableSettings, TableSpec, TableView,
};

/// What an instance can be asked. Tables are named by their id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Makes an empty table. Answer: `Done`.
    CreateTable {
        /// `[_a-zA-Z0-9][-_.a-zA-Z0-9]*`, at most 50 characters.
        table: String,
        /// Families, splits, thresholds.
        spec: TableSpec,
    },
    /// Forgets a table. Answer: `Done`.
    DeleteTable {
        /// An existing table.
        table: String,
    },
    /// The ids of all tables, in order. Answer: `Tables`.
    ListTables,
    /// Families, thresholds and splits of a table, as they are now. Answer: `Spec`.
    GetTable {
        /// An existing table.
        table: String,
    },
    /// Changes a table's thresholds; answers stay the same. Answer: `Done`.
    UpdateSettings {
        /// An existing table.
        table: String,
        /// The new thresholds.
        settings: TableSettings,
    },
    /// Creates, changes and drops families, in order; all or none. Answer: `Done`.
    ModifyFamilies {
        /// An existing table.
        table: String,
        /// Later ones see what earlier ones did.
        modifications: Vec<FamilyModification>,
    },
    /// Changes rows; each entry succeeds or fails alone. Answer: `Mutated`.
    MutateRows {
        /// An existing table.
        table: String,
        /// At most 100,000 mutations together.
        entries: Vec<RowMutation>,
    },
    /// Changes one row by what a filter finds in it. Answer: `PredicateMatched`.
    CheckAndMutateRow {
        /// An existing table.
        table: String,
        /// What to look for, and what to do.
        check: CheckAndMutateRow,
    },
    /// Changes cells of one row by what they are. Answer: `Row`, of the new cells.
    ReadModifyWriteRow {
        /// An existing table.
        table: String,
        /// What to do.
        row: ReadModifyWriteRow,
    },
    /// Removes many rows at once. Answer: `Done`.
    DropRowRange {
        /// An existing table.
        table: String,
        /// Which rows.
        range: DropRowRange,
    },
    /// Reads a slice of rows. Answer: `Rows`.
    ReadRows {
        /// An existing table.
        table: String,
        /// What to read.
        read: ReadRows,
    },
    /// Keys that cut the table into parts of about equal size. Answer: `RowKeySamples`.
    SampleRowKeys {
        /// An existing table.
        table: String,
    },
    /// Asks for the SSTables of each tablet to be merged into one if they overlap, so that each row lies in one place. Later
    /// time does it, until the next write. (HBase's `major_compact` does as much; Bigtable does so by itself now and then.)
    /// Answer: `Done`.
    CompactTable {
        /// An existing table.
        table: String,
    },
    /// Keeps a table as it is now; nothing is copied. Answer: `Done`.
    BackUpTable {
        /// An existing table.
        table: String,
        /// A name that no backup has yet, of the same characters as a table's.
        backup: String,
    },
    /// Makes a table as it was when the backup was made; nothing is copied. Answer: `Done`.
    RestoreTable {
        /// An existing backup.
        backup: String,
        /// A name that no table has yet.
        table: String,
    },
    /// Forgets a backup. Answer: `Done`.
    DeleteBackup {
        /// An existing backup.
        backup: String,
    },
    /// All backups. Answer: `Backups`.
    ListBackups,
    /// A piece of a table as one file: pieces one behind the other are the file. Answer: `Exported`.
    ExportTable {
        /// An existing table.
        table: String,
        /// Where the piece before ended.
        resume: Option<ExportResume>,
    },
    /// A piece of a file that `ExportTable` gave, cut anywhere: the first one makes the table, the last one, which may be
    /// empty, completes it. Until then, and after a refusal, nothing of it is there. Answer: `Done`.
    ImportTable {
        /// A name that no table has yet.
        table: String,
        /// The bytes behind those of the piece before.
        piece: Bytes,
        /// Nothing comes behind it.
        is_last: bool,
    },
    /// The table's tablets. Answer: `Table`.
    ViewTable {
        /// An existing table.
        table: String,
    },
}

/// One step of [`Request::ModifyFamilies`].
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
