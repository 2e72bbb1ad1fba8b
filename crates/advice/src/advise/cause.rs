//! Why a design is warned of: each cause with the numbers and names that the sample shows. The
//! crate `texts` writes the sentences.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_keys::FieldKind;

use super::{WarningKind, WriteCounts};

/// The cause of a warning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Writes concentrate in one place, in a few ranges or in a few rows.
    Pattern(PatternCause),
    /// A salt is too small, uneven or harmful.
    Salt(SaltCause),
    /// Keys are too long, or several events have the same key.
    Key(KeyCause),
    /// A layout has no effect, or makes too many families or a row that takes much.
    Layout(LayoutCause),
    /// Values do not suit their place in the key.
    Value(ValueCause),
}

/// Writes concentrate in one place, in a few ranges or in a few rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternCause {
    /// The key starts with a time, or with a part of one.
    LeadingTime {
        /// The field.
        time: String,
        /// What helps.
        remedy: TimeRemedy,
        /// What the sample shows of it.
        shown: RisingEvidence,
    },
    /// The key starts with fields that are not a time, in whose order the events arrive.
    LeadingOrder {
        /// The fields of the first part.
        fields: Vec<String>,
        /// Whether no other field can begin the key: only a salt helps.
        is_alone: bool,
        /// What the sample shows of it.
        shown: RisingEvidence,
    },
    /// Few values come before a time.
    FewRanges {
        /// The number of these values.
        ranges: u32,
        /// The fields of these values.
        fields: Vec<String>,
        /// The time after them.
        time: String,
        /// The share of the events of one moment that go to one of them, in percent.
        hottest_percent: u32,
    },
    /// Few different keys.
    FewRows {
        /// Different keys.
        rows: u32,
        /// Events of the sample.
        events: u32,
    },
}

/// What helps against a leading time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeRemedy {
    /// Only a salt.
    Salt,
    /// The key has the exact time after it, so it can be left out.
    LeaveOut,
    /// Another field before it.
    StartWithAnother,
}

/// What the sample shows of an increasing key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RisingEvidence {
    /// Too few events to show an order.
    TooFewEvents(u32),
    /// New events were made of the loaded ones, at one moment.
    OneMoment {
        /// The share of these events that go to one place, in percent.
        percent: u32,
    },
}

/// A salt is too small, uneven or harmful.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaltCause {
    /// Too few salts before a key that grows.
    FewForRising {
        /// The salts.
        salts: u32,
    },
    /// Too few salts before a key that grows in a few ranges.
    FewForRanges {
        /// The salts.
        salts: u32,
        /// The ranges.
        ranges: u32,
        /// The fields whose values begin them.
        fields: Vec<String>,
    },
    /// The fields that the salt is made of make it uneven.
    UnevenFields {
        /// The fields of these values.
        fields: Vec<String>,
        /// How the salts are used.
        spread: SaltSpread,
    },
    /// A row with many events makes the salt uneven.
    UnevenRows {
        /// The share of events of that row.
        row_share: f64,
        /// How the salts are used.
        spread: SaltSpread,
    },
    /// The keys spread without the salt, which only multiplies the ranges of reads.
    WithoutEffect {
        /// The salts.
        salts: u32,
        /// The share of the writes of the hottest tablet without the salt.
        without: f64,
        /// That share with the salt.
        with: f64,
    },
    /// The salt scatters the areas of a Z-order, whose keys spread without it.
    ScatteredArea {
        /// The salts.
        salts: u32,
    },
    /// No event is before the cut-over.
    AllAfterCutOver {
        /// The salts.
        salts: u32,
        /// The cut-over, as the template writes it.
        from: String,
        /// Events of the sample.
        events: u32,
    },
    /// All events are before the cut-over.
    NoneAfterCutOver {
        /// The salts.
        salts: u32,
        /// The cut-over, as the template writes it.
        from: String,
        /// Events of the sample.
        events: u32,
    },
}

/// How an uneven salt is used.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaltSpread {
    /// Salts that are used.
    pub used: u32,
    /// The number of all salts.
    pub salts: u32,
    /// The share of events of the salt that is used most.
    pub largest_share: f64,
}

/// Keys are too long, or several events have the same key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyCause {
    /// Keys are longer than a table accepts.
    TooLong {
        /// The part that takes most of the longest key.
        part: LongPart,
        /// Events of the sample that are refused.
        refused: u32,
        /// Events of the sample.
        events: u32,
        /// Bytes of the longest key.
        longest_bytes: u32,
    },
    /// Keys are long, which costs bytes in every row and read.
    Expensive {
        /// The part that takes most of the longest key.
        part: LongPart,
        /// Bytes of the longest key.
        longest_bytes: u32,
        /// Mean bytes of a key.
        mean_bytes: u32,
    },
    /// Events of the sample with the same row, column and time replace each other, in a layout that
    /// shares rows.
    Replacing {
        /// Events that are replaced.
        replaced: u32,
        /// Events of the sample.
        events: u32,
        /// One of the keys.
        example: String,
    },
    /// Events of the sample share rows, in a layout with a row for each event.
    Sharing {
        /// Events in shared rows.
        shared: u32,
        /// Events of the sample.
        events: u32,
        /// One of the keys.
        example: String,
    },
    /// Events of the sample share rows and replace cells of each other, in a layout with a row for
    /// each event.
    SharingAndReplacing {
        /// Events in shared rows.
        shared: u32,
        /// Events of the sample.
        events: u32,
        /// One of the keys.
        example: String,
        /// Events that are replaced, in whole or in part.
        replaced: u32,
    },
    /// The key begins with an identifier of single events, so no range of events can be read.
    OnlyIdentifier {
        /// The field.
        field: String,
    },
    /// Events without a value that the key needs are refused.
    Absent {
        /// The fields.
        fields: Vec<String>,
        /// Events that are refused: of all, or of the sample until these are counted.
        refused: u32,
        /// Events that were examined: all, or a sample until all are counted.
        events: u32,
    },
    /// Events of the whole table share rows or replace each other.
    Counted {
        /// The counts of the table.
        counts: WriteCounts,
        /// What is lost.
        loss: KeyLoss,
        /// What helps.
        remedy: KeyRemedy,
    },
}

/// The part that takes most of the longest key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LongPart {
    /// A literal text.
    Literal,
    /// A part with these fields.
    Fields(Vec<String>),
}

/// What is lost where events of the whole table have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyLoss {
    /// In a layout that shares rows: cells with the same row, column and time.
    SharedCells,
    /// Nothing, but rows hold several events.
    Nothing,
    /// Whole events.
    Events,
    /// Some cells.
    Cells,
}

/// What helps against shared keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyRemedy {
    /// A field at the end of the key that distinguishes the events.
    AddField,
    /// An identifier that the application adds: no field of the events helps, except for measures.
    AddIdentifier,
    /// None: the events are equal, and only their number is lost.
    Duplicates,
}

/// A layout has no effect, or makes too many families or a row that takes much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutCause {
    /// Values that name families are many.
    ManyFamilies {
        /// Families.
        families: u32,
        /// Events of the sample.
        events: u32,
        /// About the maximum number of families that a table should have.
        families_max: u32,
    },
    /// A value that names a family has characters that a name cannot have.
    ChangedFamily {
        /// The name of the family.
        family: String,
    },
    /// No two events share a row, in a layout with a row per entity.
    WithoutEffect {
        /// Why.
        reason: NoEffect,
        /// Events of the sample.
        events: u32,
    },
    /// One row takes a large part of the writes.
    LargeRow {
        /// The share of the events.
        share: f64,
        /// The fields that name its entity.
        entity: Vec<String>,
        /// What helps.
        remedy: RowRemedy,
        /// The key of the row.
        row: String,
        /// Events of the row.
        events: u32,
        /// Events of the sample.
        all: u32,
    },
}

/// Why no two events share a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoEffect {
    /// The layout takes this time out of the key, and the rest of the key is different for each
    /// event.
    OnlyWithoutTime(String),
    /// The key has nothing but this time.
    OnlyTime(String),
    /// The key has the time in a form that cannot become a timestamp.
    TimeInForm {
        /// The field.
        time: String,
        /// The form.
        form: TimeForm,
    },
    /// Another reason.
    DifferentKeys,
}

/// The form of a time that cannot become a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeForm {
    /// A hash.
    Hash,
    /// Text with reversed characters.
    Reversed,
    /// A bucket.
    Bucket,
    /// A span, such as a day.
    Span,
}

/// What helps against a row that takes a large share of the writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowRemedy {
    /// A field that distinguishes its events.
    AddField,
    /// Such a field, or the layout narrow.
    AddFieldOrNarrow,
}

/// Values do not suit their place in the key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueCause {
    /// Values of a field are not of its kind.
    OtherKind {
        /// The field.
        field: String,
        /// The kind of the field.
        kind: FieldKind,
        /// The number of these values.
        count: u32,
        /// Events of the sample.
        events: u32,
        /// One of these values.
        example: String,
    },
    /// Nothing separates two parts, and the values of the first differ in length.
    Unseparated {
        /// The fields of the first part.
        fields: Vec<String>,
        /// The fields of the part after it.
        next: Vec<String>,
        /// Two values with different lengths.
        lengths: [String; 2],
    },
    /// Values contain the separator after them.
    SeparatorInside {
        /// The fields of the part.
        fields: Vec<String>,
        /// The separator.
        separator: String,
        /// The number of these values.
        count: u32,
        /// Events of the sample.
        events: u32,
        /// One of these values.
        example: String,
    },
    /// Values sort as bytes in another order than by what they mean.
    OutOfOrder {
        /// The values.
        of: Unsorted,
        /// The value that sorts first.
        first: String,
        /// The value after it, which is less.
        second: String,
    },
    /// A time has reversed characters.
    ReversedTime {
        /// The field.
        time: String,
        /// A value.
        example: String,
        /// What the key has of it.
        reversed: String,
    },
}

/// Values that sort as bytes in another order than by what they mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsorted {
    /// Whole numbers of this field.
    Integers(String),
    /// Times of this field.
    Times(String),
    /// Numbers with a fraction of this field.
    Numbers(String),
    /// The two numbers of a position.
    Coordinates {
        /// The field of the first number.
        x: String,
        /// The field of the second number.
        y: String,
    },
}

/// Why one tablet takes far more than the others, although no pattern explains it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkewCause {
    /// One row takes this share of the writes.
    Row(f64),
    /// Events with one value have adjacent keys.
    Value {
        /// The value.
        value: String,
        /// The fields of the value.
        fields: Vec<String>,
        /// The share of events that have it.
        share: f64,
        /// The time after it.
        time: String,
    },
    /// Many keys are in the same range, and the sample does not show why.
    #[default]
    Range,
}

/// What explains the finding of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// A warning of the design has this cause.
    Warning(Cause),
    /// The load of the tablets has this cause.
    Skew(SkewCause),
}

impl Cause {
    /// Returns the rule that a cause breaks.
    pub fn kind(&self) -> WarningKind {
        match self {
            Cause::Pattern(PatternCause::LeadingTime { .. } | PatternCause::LeadingOrder { .. }) => {
                WarningKind::MonotonicFirstField
            }
            Cause::Pattern(PatternCause::FewRanges { .. } | PatternCause::FewRows { .. }) => {
                WarningKind::LowCardinalityPrefix
            }
            Cause::Salt(SaltCause::FewForRising { .. } | SaltCause::FewForRanges { .. }) => {
                WarningKind::FewSalts
            }
            Cause::Salt(SaltCause::UnevenFields { .. } | SaltCause::UnevenRows { .. }) => {
                WarningKind::UnevenSalt
            }
            Cause::Salt(SaltCause::ScatteredArea { .. }) => WarningKind::ScatteredArea,
            Cause::Salt(SaltCause::WithoutEffect { .. }) => WarningKind::SaltWithoutEffect,
            Cause::Salt(SaltCause::AllAfterCutOver { .. } | SaltCause::NoneAfterCutOver { .. }) => {
                WarningKind::CutOverWithoutEffect
            }
            Cause::Key(KeyCause::TooLong { .. } | KeyCause::Expensive { .. }) => WarningKind::KeyTooLong,
            Cause::Key(KeyCause::OnlyIdentifier { .. }) => WarningKind::OnlyPointReads,
            Cause::Key(KeyCause::Absent { .. }) => WarningKind::AbsentValue,
            Cause::Key(_) => WarningKind::SharedKey,
            Cause::Layout(LayoutCause::ManyFamilies { .. } | LayoutCause::ChangedFamily { .. }) => {
                WarningKind::FamilyNames
            }
            Cause::Layout(LayoutCause::WithoutEffect { .. }) => WarningKind::LayoutWithoutEffect,
            Cause::Layout(LayoutCause::LargeRow { .. }) => WarningKind::LargeRow,
            Cause::Value(ValueCause::OtherKind { .. }) => WarningKind::OtherKind,
            Cause::Value(ValueCause::Unseparated { .. } | ValueCause::SeparatorInside { .. }) => {
                WarningKind::SeparatorInsideValue
            }
            Cause::Value(ValueCause::OutOfOrder { .. }) => WarningKind::UnpaddedNumber,
            Cause::Value(ValueCause::ReversedTime { .. }) => WarningKind::ReversedTime,
        }
    }
}
