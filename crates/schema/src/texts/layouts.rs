//! Layouts without effect, names of families, and rows that take much.

use alloc::format;
use alloc::string::String;

use super::{of_events, percent};
use crate::layout::ColumnText;
use crate::numbers::thousands;

/// Messages, and after each its evidence.
pub(crate) struct Layouts {
    /// Problems of a person's own columns.
    pub no_columns: &'static str,
    pub bad_family: &'static str,
    pub no_cell: &'static str,
    pub column_problem: fn(column: usize, text: ColumnText, message: &str) -> String,
    pub many_families: fn(families_max: usize) -> String,
    pub families: fn(events: usize, families: usize) -> String,
    pub changed_family: &'static str,
    pub family: fn(name: &str) -> String,
    /// A row per entity in which each row has one event: the layout takes the time out of the key; the key has only a time; the time
    /// is in a form that cannot be a timestamp; another reason.
    pub only_without_time: fn(time: &str) -> String,
    pub only_time: fn(time: &str) -> String,
    pub time_in_form: fn(time: &str, form: TimeForm) -> String,
    pub no_effect: &'static str,
    pub different_keys: fn(events: usize) -> String,
    pub large_row: fn(share: f64, entity: &str, remedy: RowRemedy) -> String,
    pub row: fn(row: &str, events: usize, all: usize) -> String,
}

/// The form of a time that cannot become a timestamp.
#[derive(Clone, Copy)]
pub(crate) enum TimeForm {
    Hash,
    Reversed,
    Bucket,
    Span,
}

/// What helps against a row that takes much.
#[derive(Clone, Copy)]
pub(crate) enum RowRemedy {
    AddField,
    AddFieldOrNarrow,
}

pub(super) const ENGLISH: Layouts = Layouts {
    no_columns: "A layout of columns needs a column: add one.",
    bad_family: "A family's name has 1 to 64 letters, digits and characters of \"-_.\".",
    column_problem: |column, text, message| {
        let text = match text {
            ColumnText::Family => "family",
            ColumnText::Qualifier => "qualifier",
            ColumnText::Value => "value",
        };
        format!("Column {column}, {text}: {message}")
    },
    no_cell: "This event has no value for any column of the layout: add a column that all events have, or a literal.",
    many_families: |families_max| {
        format!(
            "A table should have at most about {families_max} families, because each takes memory: name them after a field with \
             few values."
        )
    },
    families: |events, families| format!("{} events have {} families.", thousands(events as u64), thousands(families as u64)),
    changed_family: "A family name has at most 64 letters, digits, - and _. Other bytes become a full stop and two hexadecimal \
                     digits.",
    family: |name| format!("One family is called \"{name}\"."),
    only_without_time: |time| format!("Each row has one event: this layout only removes {time} from the key."),
    only_time: |time| format!("Row per entity has no effect: the key has nothing but {time}, so each event has its own row."),
    time_in_form: |time, form| {
        let form = match form {
            TimeForm::Hash => "a hash",
            TimeForm::Reversed => "reversed text",
            TimeForm::Bucket => "a bucket",
            TimeForm::Span => "a span of time",
        };
        format!(
            "Row per entity has no effect: the key has {time} as {form}, which cannot become the cells' timestamp, so each event has \
             its own row. Write it as iso, millis or reverse_time."
        )
    },
    no_effect: "Row per entity has no effect: no two events share a row key.",
    different_keys: |events| format!("{0} events have {0} different row keys.", thousands(events as u64)),
    large_row: |share, entity, remedy| {
        let or_narrow = match remedy {
            RowRemedy::AddField => "",
            RowRemedy::AddFieldOrNarrow => ", or choose Narrow",
        };
        format!(
            "One row takes {} of the writes: a row has all events of one {entity}. A row cannot be split, and a salt cannot divide \
             it. If one tablet cannot take that, add a field to the key that distinguishes its events{or_narrow}.",
            percent(share)
        )
    },
    row: |row, events, all| format!("The row \"{row}\" has {}.", of_events(events, all)),
};
