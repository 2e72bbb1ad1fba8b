//! Row keys that are too long, or that several events share.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{KeyCause, KeyLoss, KeyRemedy, LongPart, WriteCounts};
use tabletop_model::limits::ROW_KEY_BYTES_MAX;

use super::super::numbers::thousands;
use super::phrases::{list, of_events};

#[inline(never)]
pub fn message(cause: &KeyCause) -> String {
    match cause {
        KeyCause::TooLong { part, .. } => {
            format!("Row keys over {} bytes are refused. {}", thousands(ROW_KEY_BYTES_MAX as u64), shorten(part))
        }
        KeyCause::Expensive { part, .. } => format!(
            "Long row keys are expensive: they are stored with every row and sent with every read. {}",
            shorten(part)
        ),
        KeyCause::Replacing { .. } => {
            "Events with the same row, column and millisecond replace each other, and only the last one is kept: add a \
             distinguishing field to the end of the key."
                .into()
        }
        KeyCause::Sharing { .. } => {
            "Events share a row key, so their cells end up in one row: add a distinguishing field to the end of the key, or \
             choose Row per entity."
                .into()
        }
        KeyCause::SharingAndReplacing { .. } => {
            "Events share a row key, and later ones replace cells of earlier ones: add a distinguishing field to the end of the \
             key."
                .into()
        }
        KeyCause::OnlyIdentifier { field } => format!(
            "The key begins with {field}, which names one event: each read finds one event, and no range of events can be read. \
             Put what you look up before it."
        ),
        KeyCause::Absent { fields, .. } => format!(
            "Events without a value for {} cannot be written, because the key needs it: write a text for the absent value, or \
             use a field that every event has.",
            list(fields)
        ),
        KeyCause::Counted { counts, loss, remedy } => counted(counts, *loss, *remedy),
    }
}

#[inline(never)]
pub fn evidence(cause: &KeyCause) -> String {
    match cause {
        KeyCause::OnlyIdentifier { field } => format!("{field} is different in each event."),
        KeyCause::Absent { refused, events, .. } => format!("Refused: {}.", of_events(*refused, *events)),
        KeyCause::TooLong { refused, events, longest_bytes, .. } => {
            let longest = thousands((*longest_bytes).into());
            format!("Refused: {}; the longest key is {longest} bytes.", of_events(*refused, *events))
        }
        KeyCause::Expensive { longest_bytes, mean_bytes, .. } => {
            let [longest, mean] = [longest_bytes, mean_bytes].map(|bytes| thousands((*bytes).into()));
            format!("The longest key is {longest} bytes; the mean is {mean}.")
        }
        KeyCause::Replacing { replaced, events, example } => {
            format!("Replaced: {}, including one in row \"{example}\".", of_events(*replaced, *events))
        }
        KeyCause::Sharing { shared, events, example } => in_shared_rows(*shared, *events, example),
        KeyCause::SharingAndReplacing { shared, events, example, replaced } => format!(
            "{} Replaced in whole or in part: {}.",
            in_shared_rows(*shared, *events, example),
            thousands((*replaced).into())
        ),
        KeyCause::Counted { counts, .. } => format!(
            "Written: {} events with {} cells. Stored: {} rows with {} cells.",
            thousands(counts.events),
            thousands(counts.cells),
            thousands(counts.rows_stored),
            thousands(counts.cells_stored)
        ),
    }
}

#[inline(never)]
fn counted(counts: &WriteCounts, loss: KeyLoss, remedy: KeyRemedy) -> String {
    let [shared, replaced, events] = [counts.shared(), counts.replaced(), counts.events].map(thousands);
    let remedy = match remedy {
        KeyRemedy::AddField => "add a distinguishing field to the end of the key",
        KeyRemedy::AddIdentifier => {
            "no field that belongs in a key tells them apart, so add an identifier in your application"
        }
        KeyRemedy::Duplicates => "they are equal in every field, so only the count is lost",
    };
    match loss {
        KeyLoss::SharedCells => {
            format!(
                "Later events with the same row, column and millisecond replace {replaced} of {events} events: {remedy}."
            )
        }
        KeyLoss::Nothing => format!(
            "The row key of {shared} of {events} events is already used by an earlier one, so their cells end up in one row: \
             {remedy}, or choose Row per entity."
        ),
        KeyLoss::Events => {
            format!("Later events with the same row key replace {replaced} of {events} events: {remedy}.")
        }
        KeyLoss::Cells => format!(
            "The row key of {shared} of {events} events is already used by an earlier one (cells replaced: {replaced}): \
             {remedy}."
        ),
    }
}

fn in_shared_rows(shared: u32, events: u32, example: &str) -> String {
    format!("In shared rows: {}, including some in row \"{example}\".", of_events(shared, events))
}

fn shorten(part: &LongPart) -> String {
    match part {
        LongPart::Literal => "Shorten the literal text in the template.".into(),
        LongPart::Fields(names) => {
            let them = if names.len() == 1 { "it" } else { "them" };
            format!("Hash {}, or leave {them} out.", list(names))
        }
    }
}
