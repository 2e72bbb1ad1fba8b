//! What advice is made of: a warning and the changes that end it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::DesignPatch;

/// Something unwise about a template, shown by the events that are loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Which rule.
    pub kind: WarningKind,
    /// Index of the part it is about, if it is about one.
    pub part: Option<u32>,
    /// What, and what to do.
    pub message: String,
    /// What the loaded events show.
    pub evidence: String,
    /// Changes that end it, the best first; none where only the person can choose.
    pub fixes: Vec<Fix>,
}

/// A change of a design that ends a warning. The sample was written with it: it brings no hot spot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// What a button says.
    pub label: String,
    /// The change.
    pub patch: DesignPatch,
}

/// The rules of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// New keys lie next to each other: every write goes to one tablet.
    MonotonicFirstField,
    /// Few different keys, or few ranges that take the writes of a moment: few tablets can share the load.
    LowCardinalityPrefix,
    /// Some salts are never used, or one takes far more than its share.
    UnevenSalt,
    /// A time whose characters are reversed, which sorts by neither end of it.
    ReversedTime,
    /// `10` sorts before `9`.
    UnpaddedNumber,
    /// A value contains the literal that follows it: keys become ambiguous and ranges too wide.
    SeparatorInsideValue,
    /// Over 4 KiB is refused; over some hundred bytes is expensive.
    KeyTooLong,
    /// Two events have one key: the later one overwrites or joins the earlier one.
    SharedKey,
    /// A row per entity in which each row holds one event.
    LayoutWithoutEffect,
    /// The values that name families are many, or hold characters that a family cannot have.
    FamilyNames,
    /// Values of a field do not read as its kind: they count as text.
    OtherKind,
}

impl WarningKind {
    /// Whether it keeps a design from being good for any number of events. The others cost bytes, or make a scan harder.
    pub fn limits_load(self) -> bool {
        matches!(self, Self::MonotonicFirstField | Self::LowCardinalityPrefix | Self::UnevenSalt)
    }
}
