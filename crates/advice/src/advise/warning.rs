//! A warning and its fixes: the parts of advice.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_workspace::DesignPatch;

use super::{Cause, FixEffect, FixKind};

/// A problem of a template that the loaded events show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// The problem, its remedy and the evidence in the loaded events.
    pub cause: Cause,
    /// Index of the part that it is about, if any.
    pub part: Option<u32>,
    /// Changes that remove it, the best first; empty if only the user can decide.
    pub fixes: Vec<Fix>,
}

/// A change to a design that removes a warning. It was measured: it does what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fix {
    /// What it does.
    pub kind: FixKind,
    /// The change.
    pub patch: DesignPatch,
    /// What it changes, as measured.
    #[serde(default)]
    pub effect: FixEffect,
}

impl Warning {
    /// Returns the rule that the design breaks.
    pub fn kind(&self) -> WarningKind {
        self.cause.kind()
    }
}

/// The rules of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// New keys are adjacent: every write goes to one tablet.
    MonotonicFirstField,
    /// Few different keys, or few ranges that take the writes of a moment: few tablets can share
    /// the load.
    LowCardinalityPrefix,
    /// Some salts are never used, or one takes far more than its share.
    UnevenSalt,
    /// The salts are few: few tablets can share the load.
    FewSalts,
    /// One row takes a large part of the writes, and a row cannot be split.
    LargeRow,
    /// A salt before a Z-order: neighbours are in different ranges.
    ScatteredArea,
    /// A salt before keys that spread without it: each read needs a range per salt for nothing.
    SaltWithoutEffect,
    /// The key is an identifier of single events: no range of events can be read.
    OnlyPointReads,
    /// All events are on one side of a salt's cut-over.
    CutOverWithoutEffect,
    /// A time with reversed characters, which does not sort in a useful order.
    ReversedTime,
    /// `10` sorts before `9`.
    UnpaddedNumber,
    /// A value contains the literal that follows it: keys become ambiguous and ranges too wide.
    SeparatorInsideValue,
    /// Keys over 4 KiB are refused; keys over a few hundred bytes are expensive.
    KeyTooLong,
    /// Events lack a value that the key needs: they are refused.
    AbsentValue,
    /// Two events share a key: the later one overwrites or joins the earlier one.
    SharedKey,
    /// A row per entity in which each row holds one event.
    LayoutWithoutEffect,
    /// The values that name families are too many, or contain characters that a family name cannot
    /// have.
    FamilyNames,
    /// Values of a field do not parse as its kind and count as text.
    OtherKind,
}

impl WarningKind {
    /// Whether the problem makes a design unfit for many events. Other problems cost bytes, or make
    /// a scan harder.
    pub fn limits_load(self) -> bool {
        matches!(
            self,
            Self::MonotonicFirstField
                | Self::LowCardinalityPrefix
                | Self::UnevenSalt
                | Self::FewSalts
                | Self::LargeRow
        )
    }
}
