//! What a fix does, with its numbers and names.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// What a fix does to a design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// Puts a field before a part.
    PutBefore {
        /// The field.
        field: String,
        /// The name of the part.
        next: String,
    },
    /// Puts this field before the time.
    PutBeforeTime(String),
    /// Adds these fields to the end.
    AddToEnd(Vec<String>),
    /// Moves the part with this name to the end.
    MoveToEnd(String),
    /// Removes this part, written as in the template.
    Remove(String),
    /// Salts the key with this number of salts.
    Salt(u32),
    /// Makes the salt of the whole key.
    SaltOverKey,
    /// Removes the salt.
    RemoveSalt,
    /// Removes the cut-over of the salt, so that all events are salted.
    RemoveCutOver,
    /// Writes this time as `iso`.
    WriteAsIso(String),
    /// Changes the layout to narrow.
    UseNarrow,
    /// Writes the time as `reverse_time`.
    ReverseTime,
    /// Writes the time as `reverse_time` and moves it to the end.
    ReverseTimeAtEnd,
    /// Puts this field first and writes the time as `reverse_time`.
    StartWithAndReverseTime(String),
    /// Writes the time as `reverse_time` and salts the key with this number of salts.
    ReverseTimeAndSalt(u32),
    /// Pads a number to this many digits.
    Pad(u8),
    /// Combines two numbers in a Z-order.
    ZOrder {
        /// The field of the first number.
        x: String,
        /// The field of the second number.
        y: String,
    },
    /// Changes the separator to this one.
    SeparateWith(String),
    /// Writes the hash of this field.
    Hash(String),
    /// Writes the characters of this field in reverse order.
    Reverse(String),
    /// Writes this text where a value is absent.
    Or {
        /// The field.
        field: String,
        /// The text.
        text: String,
    },
    /// Writes another field instead of a field that some events lack.
    Replace {
        /// The field.
        field: String,
        /// The other field.
        with: String,
    },
    /// Does all of these.
    Several(Vec<FixKind>),
}

/// What a fix changes, measured before it is offered. Heat is that of the events of one moment:
/// see [`crate::LiveLoad::heat`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FixEffect {
    /// The share of the writes that one tablet takes, before and after; `None` if the events are too
    /// few, or have no time.
    pub heat: Option<[f64; 2]>,
    /// The number of events without a place of their own, before and after: of the sample, until all
    /// events are counted.
    pub lost: [u32; 2],
    /// The access patterns that it changes.
    pub patterns: Vec<PatternEffect>,
}

/// What a fix changes for an access pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternEffect {
    /// The name of the pattern.
    pub name: String,
    /// How its rows are found before.
    pub before: RowsFound,
    /// How they are found after.
    pub after: RowsFound,
}

impl PatternEffect {
    /// Whether ranges that had only the rows of the pattern have others, too, afterwards.
    pub(super) fn adds_other_rows(&self) -> bool {
        matches!((self.before, self.after), (RowsFound::Ranges(_), RowsFound::RangesWithOthers(_)))
    }
}

/// How the rows of an access pattern are found, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowsFound {
    /// In this many ranges or rows, without others.
    Ranges(u32),
    /// In this many ranges that have other rows, too.
    RangesWithOthers(u32),
    /// By a scan of the whole table.
    Scan,
    /// Not at all: the design does not keep what the pattern needs.
    Impossible,
}

impl RowsFound {
    /// Whether the whole table is read, or nothing can be found.
    pub fn is_scan(self) -> bool {
        matches!(self, RowsFound::Scan | RowsFound::Impossible)
    }
}
