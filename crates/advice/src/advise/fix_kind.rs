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
}
