//! Changes of one row.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Qualifier, RowKey, Timestamp, TimestampRange};

/// Mutations of one row: applied in order, all or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowMutation {
    /// The row they change.
    pub key: RowKey,
    /// At least one.
    pub mutations: Vec<Mutation>,
}

/// One change, as `google.bigtable.v2.Mutation` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// Writes one cell; one with the same column and timestamp is replaced.
    SetCell {
        /// An existing family.
        family: String,
        /// The rest of the column's name.
        qualifier: Qualifier,
        /// Microseconds, a multiple of the granularity; or [`crate::SERVER_TIME`].
        timestamp: Timestamp,
        /// Any bytes.
        value: Bytes,
    },
    /// Adds an input to a cell of an aggregate family.
    AddToCell {
        /// An existing aggregate family.
        family: String,
        /// The rest of the column's name.
        qualifier: Qualifier,
        /// Microseconds, a multiple of the granularity.
        timestamp: Timestamp,
        /// What is added.
        input: AggregateInput,
    },
    /// Merges what was aggregated elsewhere into a cell of an aggregate family.
    MergeToCell {
        /// An existing aggregate family.
        family: String,
        /// The rest of the column's name.
        qualifier: Qualifier,
        /// Microseconds, a multiple of the granularity.
        timestamp: Timestamp,
        /// The value of such a cell; an empty one changes nothing.
        input: Bytes,
    },
    /// Deletes the versions of one column within a range of time.
    DeleteFromColumn {
        /// An existing family.
        family: String,
        /// The rest of the column's name.
        qualifier: Qualifier,
        /// `[start, end)`; an end of 0 is no end.
        range: TimestampRange,
    },
    /// Deletes every cell of one family.
    DeleteFromFamily {
        /// An existing family.
        family: String,
    },
    /// Deletes every cell of the row.
    DeleteFromRow,
}

/// What is added to a cell of an aggregate family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AggregateInput {
    /// A number: to sum, to compare; or to be counted, as its eight bytes, the highest first.
    Int(i64),
    /// Any bytes, to be counted.
    Bytes(Bytes),
}
