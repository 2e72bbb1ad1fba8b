//! Writes that concentrate in one place, in a few ranges or in a few rows.

use alloc::format;
use alloc::string::String;

use super::{of_events, percent};
use crate::numbers::thousands;

/// Messages, and after each its evidence.
pub(crate) struct Patterns {
    pub leading_time: fn(time: &str, remedy: TimeRemedy) -> String,
    /// Events arrive in the order of a field that is no time.
    pub ordered: fn(field: &str) -> String,
    /// The same, and no other field can begin the key.
    pub only_ordered: fn(field: &str) -> String,
    pub too_few_events: fn(events: usize) -> String,
    pub unsorted_here: fn(time: &str) -> String,
    pub one_side: fn(count: usize, all: usize, side: Side) -> String,
    pub narrow_stretch: fn(last_events: usize, percent: usize) -> String,
    pub few_ranges: fn(ranges: u32, field: &str, after: &str) -> String,
    pub ranges: fn(ranges: u32, field: &str) -> String,
    pub touched_ranges: fn(ranges: u32, field: &str, percent: u32) -> String,
    pub few_rows: fn(rows: u32) -> String,
    pub rows: fn(events: usize, rows: u32) -> String,
    /// One tablet takes far more than the others, and no pattern explains it.
    pub skewed_row: fn(share: f64) -> String,
    pub skewed_value: fn(value: &str, field: &str, share: f64, time: &str) -> String,
    pub skewed_range: &'static str,
}

/// What helps against a leading time.
#[derive(Clone, Copy)]
pub(crate) enum TimeRemedy {
    /// Only a salt.
    Salt,
    /// The key has the exact time after it, so it can be left out.
    LeaveOut,
    /// Another field before it.
    StartWithAnother,
}

/// On which side of all earlier keys a new one is.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Greater,
    Smaller,
}

pub(super) const ENGLISH: Patterns = Patterns {
    leading_time: |time, remedy| {
        let remedy = match remedy {
            TimeRemedy::Salt => "Salt the key.".into(),
            TimeRemedy::LeaveOut => format!("Leave it out, because the key has the exact {time} after it, or salt the key."),
            TimeRemedy::StartWithAnother => format!("Start with what you query by and put {time} after it, or salt the key."),
        };
        format!(
            "The key starts with {time}, so one tablet or a few take most of the current writes, no matter how many nodes you add. \
             {remedy}"
        )
    },
    ordered: |field| ordered(field, "Start with a field that varies more between events, or salt the key."),
    only_ordered: |field| ordered(field, "Salt the key, or reverse or hash a number that counts up."),
    too_few_events: |events| {
        format!("{} events do not show it yet; many that arrive one after the other will.", thousands(events as u64))
    },
    unsorted_here: |time| format!("These events are not in the order of {time}, but live ones will be."),
    one_side: |count, all, side| {
        let side = match side {
            Side::Greater => "greater",
            Side::Smaller => "smaller",
        };
        format!("The row key of {} is {side} than all before it.", of_events(count, all))
    },
    narrow_stretch: |last_events, percent| {
        format!("Eight of ten of the last {} events lie within {percent} % of the keys.", thousands(last_events as u64))
    },
    few_ranges: |ranges, field, after| {
        format!(
            "Only {ranges} values of {field} come before {after}, so at most {ranges} tablets take writes at a time. Put a field \
             with many values between them, or salt the key."
        )
    },
    ranges: |ranges, field| format!("{ranges} different values of {field}."),
    touched_ranges: |ranges, field, percent| {
        format!("{ranges} different values of {field}; events that arrive together touch {percent} % of the keys.")
    },
    few_rows: |rows| {
        let tablets = match rows {
            1 => "one tablet takes every write".into(),
            rows => format!("at most {rows} tablets can share the load"),
        };
        format!("Only {}. A row cannot be split, so {tablets}. Add a field with many values to the key.", distinct_keys(rows))
    },
    rows: |events, rows| format!("{} events have {}.", thousands(events as u64), distinct_keys(rows)),
    skewed_row: |share| {
        format!(
            "One row takes {} of the writes, and a row cannot be split. Add a field to the key that distinguishes its events.",
            percent(share)
        )
    },
    skewed_value: |value, field, share, time| {
        format!(
            "{} of the events have the {field} \"{value}\". Their keys follow each other in {time}, so one tablet takes them all, \
             however many there are. Put a field with many values before {time}, or salt the key.",
            percent(share)
        )
    },
    skewed_range: "Many events have keys in the same range. Start the key with a field that varies more between events, or salt it.",
};

fn ordered(field: &str, remedy: &str) -> String {
    format!(
        "Events arrive in the order of {field}, so one tablet or a few take most of the current writes. {remedy} A file that is \
         sorted by {field} is hot only while it is loaded."
    )
}

fn distinct_keys(rows: u32) -> String {
    if rows == 1 { "1 distinct key".into() } else { format!("{rows} distinct keys") }
}
