//! Row keys that are too long, or that several events have.

use alloc::format;
use alloc::string::String;

use super::of_events;
use crate::WriteCounts;
use crate::numbers::thousands;

/// Messages, and after each its evidence. Counts are of events, if nothing else is said.
pub(crate) struct Keys {
    pub too_long: fn(bytes_max: usize, part: LongPart) -> String,
    pub refused: fn(refused: usize, all: usize, longest_bytes: usize) -> String,
    pub expensive: fn(part: LongPart) -> String,
    pub lengths: fn(longest_bytes: usize, mean_bytes: usize) -> String,
    /// Shared keys in the sample, in a row per entity.
    pub replacing: &'static str,
    pub replaced: fn(replaced: usize, all: usize, example: &str) -> String,
    /// The same in other layouts.
    pub sharing: &'static str,
    pub shared: fn(shared: usize, all: usize, example: &str) -> String,
    pub sharing_and_replacing: &'static str,
    pub shared_and_replaced: fn(shared: usize, all: usize, example: &str, replaced: usize) -> String,
    /// Shared keys in the whole table, in a row per entity.
    pub counted_entities: fn(counts: &WriteCounts, remedy: SharedRemedy) -> String,
    /// The same in other layouts: no cell is replaced, events are replaced whole, some cells are.
    pub counted_rows: fn(counts: &WriteCounts, remedy: SharedRemedy) -> String,
    pub counted_events: fn(counts: &WriteCounts, remedy: SharedRemedy) -> String,
    pub counted_cells: fn(counts: &WriteCounts, remedy: SharedRemedy) -> String,
    pub counts: fn(counts: &WriteCounts) -> String,
}

/// The part that takes most of the longest key.
#[derive(Clone, Copy)]
pub(crate) enum LongPart<'a> {
    Literal,
    /// With the name of its field.
    Field(&'a str),
}

/// What helps against shared keys.
#[derive(Clone, Copy)]
pub(crate) enum SharedRemedy {
    AddField,
    /// Nothing, and nothing is lost but the number of equal events.
    Duplicates,
}

pub(super) const ENGLISH: Keys = Keys {
    too_long: |bytes_max, part| format!("Row keys over {} bytes are refused. {}", thousands(bytes_max as u64), shorten(part)),
    refused: |refused, all, bytes| {
        format!("Refused: {}; the longest key has {} bytes.", of_events(refused, all), thousands(bytes as u64))
    },
    expensive: |part| {
        format!("Long row keys are expensive: they are stored with every row and sent with every read. {}", shorten(part))
    },
    lengths: |longest, mean| {
        format!("The longest key has {} bytes, the mean is {}.", thousands(longest as u64), thousands(mean as u64))
    },
    replacing: "Events with the same row, column and millisecond replace each other, and only the last one stays: add a field that \
                distinguishes them to the end of the key.",
    replaced: |replaced, all, example| {
        format!("Replaced: {}, among them one in the row \"{example}\".", of_events(replaced, all))
    },
    sharing: "Events share a row key, so their cells end up in one row: add a field that distinguishes them to the end of the key, \
              or choose Row per entity.",
    shared: |shared, all, example| format!("In shared rows: {}, some of them in \"{example}\".", of_events(shared, all)),
    sharing_and_replacing: "Events share a row key, and the later one replaces cells of the earlier one: add a field that \
                            distinguishes them to the end of the key.",
    shared_and_replaced: |shared, all, example, replaced| {
        format!(
            "In shared rows: {}, some of them in \"{example}\". Replaced in whole or in part: {}.",
            of_events(shared, all),
            thousands(replaced as u64)
        )
    },
    counted_entities: |counts, remedy| {
        let (_, replaced, events) = figures(counts);
        format!(
            "Later events with the same row, column and millisecond replace {replaced} of {events} events: {}.",
            distinguish(remedy)
        )
    },
    counted_rows: |counts, remedy| {
        let (shared, _, events) = figures(counts);
        format!(
            "The row key of {shared} of {events} events belongs to an earlier one, so their cells end up in one row: {}, or choose \
             Row per entity.",
            distinguish(remedy)
        )
    },
    counted_events: |counts, remedy| {
        let (_, replaced, events) = figures(counts);
        format!("Later events with the same row key replace {replaced} of {events} events: {}.", distinguish(remedy))
    },
    counted_cells: |counts, remedy| {
        let (shared, replaced, events) = figures(counts);
        format!(
            "The row key of {shared} of {events} events belongs to an earlier one (cells replaced: {replaced}): {}.",
            distinguish(remedy)
        )
    },
    counts: |counts| {
        format!(
            "Written: {} events with {} cells. Stored: {} rows with {} cells.",
            thousands(counts.events),
            thousands(counts.cells),
            thousands(counts.rows_stored),
            thousands(counts.cells_stored)
        )
    },
};

fn shorten(part: LongPart) -> String {
    match part {
        LongPart::Literal => "Shorten the literal text in the template.".into(),
        LongPart::Field(name) => format!("Hash {name}, or leave it out."),
    }
}

fn distinguish(remedy: SharedRemedy) -> &'static str {
    match remedy {
        SharedRemedy::AddField => "add a field that distinguishes them to the end of the key",
        SharedRemedy::Duplicates => "they are equal in every field, so only their number is lost",
    }
}

/// The numbers of events that share a key, of replaced cells, and of all events.
fn figures(counts: &WriteCounts) -> (String, String, String) {
    (thousands(counts.shared()), thousands(counts.replaced()), thousands(counts.events))
}
