//! One request, one answer.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{ColumnFamily, Error, GcRule, ReadRows, RowKeySample, RowMutation, RowsChunk, TableSettings, TableSpec, TableView};

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

/// The answer to a [`Request`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    /// It is done.
    Done,
    /// For each entry, in order: the reason why it failed, or nothing.
    Mutated(Vec<Option<Error>>),
    /// A slice of a read.
    Rows(RowsChunk),
    /// The last one is the end of the table (an empty key).
    RowKeySamples(Vec<RowKeySample>),
    /// A picture of a table.
    Table(TableView),
    /// It was refused: nothing has changed.
    Refused(Error),
}
