//! Salts that are too few, uneven, or harmful.

use alloc::format;
use alloc::string::String;

use super::{of_events, percent};
use crate::numbers::thousands;

/// Messages, and after each its evidence.
pub(crate) struct Salts {
    /// Too few, before a key that grows.
    pub few_for_rising: fn(salts: u32) -> String,
    pub rising_without: &'static str,
    /// Too few, before a key that grows in a few ranges.
    pub few_for_ranges: fn(salts: u32, field: &str) -> String,
    /// Uneven because of the fields that it is made of.
    pub uneven_fields: fn(fields: &str) -> String,
    /// Uneven because of one row with this share of the events.
    pub uneven_rows: fn(share: f64) -> String,
    pub salts_in_use: fn(used: u32, salts: u32, share: f64) -> String,
    /// The salt scatters an area of a Z-order.
    pub scattered_area: fn(salts: u32) -> String,
    pub spread_without: fn(salts: u32) -> String,
    /// All events are at the cut-over `from` or after it.
    pub all_after_cut_over: fn(salts: u32, from: &str) -> String,
    /// All events are before it.
    pub none_after_cut_over: fn(salts: u32, from: &str) -> String,
    pub before_cut_over: fn(before: usize, events: usize) -> String,
}

pub(super) const ENGLISH: Salts = Salts {
    few_for_rising: |salts| {
        format!(
            "With {salts} salts, at most {salts} tablets take writes at a time. Take more salts if you expect more writes than \
             {salts} tablets can take."
        )
    },
    rising_without: "Without the salt, new rows lie next to each other.",
    few_for_ranges: |salts, field| {
        format!(
            "With {salts} salts, at most {salts} tablets take the writes of one {field} at a time. Take more salts if you expect \
             more writes of the most frequent one than {salts} tablets can take."
        )
    },
    uneven_fields: |fields| {
        format!(
            "The salt is made of {fields}, which has too few values, or some that are far more frequent than others. Take the salt \
             over the whole key."
        )
    },
    uneven_rows: |share| {
        format!(
            "Some row keys are far more frequent than others: one has {} of the events. A salt cannot divide a row. Add a field to \
             the key that distinguishes its events.",
            percent(share)
        )
    },
    salts_in_use: |used, salts, share| {
        let (used, salts) = (thousands(used.into()), thousands(salts.into()));
        format!("{used} of {salts} salts are used; one has {} of the events.", percent(share))
    },
    scattered_area: |salts| {
        format!(
            "A Z-order keeps neighbours together, and the salt scatters them again: a query of an area reads {salts} times as many \
             ranges. The key spreads its writes without a salt."
        )
    },
    spread_without: |salts| {
        format!("The events that arrive together are all over the table, with and without the {salts} salts.")
    },
    all_after_cut_over: |salts, from| {
        format!(
            "All events are salted: none is before {from}. A scan reads {} ranges, and the one of unsalted keys is empty. Remove the \
             cut-over, or load the older events, too.",
            salts + 1
        )
    },
    none_after_cut_over: |salts, from| {
        format!(
            "No event is salted: all are before {from}. A scan reads {} ranges, and those of the {salts} salts are empty. Take an \
             earlier time, or salt all events.",
            salts + 1
        )
    },
    before_cut_over: |before, events| format!("{} are before the cut-over.", of_events(before, events)),
};
