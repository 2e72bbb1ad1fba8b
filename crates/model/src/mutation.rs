//! Changes of one row.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Qualifier, RowKey, Timestamp, TimestampRange};

/// Mutations of one row: all of them are applied in order, or none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowMutation {
    /// The row to change.
    pub key: RowKey,
    /// At least one mutation.
    pub mutations: Vec<Mutation>,
}

/// One change, as in `google.bigtable.v2.Mutation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// Writes one cell and replaces any cell with the same column and timestamp.
    SetCell {
        /// An existing family.
        family: String,
        /// The column's qualifier.
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
        /// The column's qualifier.
        qualifier: Qualifier,
        /// Microseconds, a multiple of the granularity.
        timestamp: Timestamp,
        /// The input.
        input: AggregateInput,
    },
    /// Merges a value that was aggregated elsewhere into a cell of an aggregate family.
    MergeToCell {
        /// An existing aggregate family.
        family: String,
        /// The column's qualifier.
        qualifier: Qualifier,
        /// Microseconds, a multiple of the granularity.
        timestamp: Timestamp,
        /// A value of such a cell; an empty value changes nothing.
        input: Bytes,
    },
    /// Deletes the versions of one column within a range of time.
    DeleteFromColumn {
        /// An existing family.
        family: String,
        /// The column's qualifier.
        qualifier: Qualifier,
        /// `[start, end)`; an end of 0 means no end.
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

impl Mutation {
    /// Returns the family that the mutation changes, or `None` for a change of the whole row.
    pub fn family(&self) -> Option<&str> {
        match self {
            Mutation::SetCell { family, .. }
            | Mutation::AddToCell { family, .. }
            | Mutation::MergeToCell { family, .. }
            | Mutation::DeleteFromColumn { family, .. }
            | Mutation::DeleteFromFamily { family } => Some(family),
            Mutation::DeleteFromRow => None,
        }
    }
}

/// An input to a cell of an aggregate family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AggregateInput {
    /// A number, to be summed or compared; or to be counted, as its eight bytes, highest first.
    Int(i64),
    /// Any bytes, to be counted.
    Bytes(Bytes),
}
