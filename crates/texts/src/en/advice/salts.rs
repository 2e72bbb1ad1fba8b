//! Salts that are too few, uneven, or harmful.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{SaltCause, SaltSpread};

use super::super::numbers::thousands;
use super::patterns::values_of;
use super::phrases::{list, of_events, percent};

#[inline(never)]
pub fn message(cause: &SaltCause) -> String {
    match cause {
        SaltCause::FewForRising { salts } => format!(
            "With {salts} salts, at most {salts} tablets take writes at a time. Use more salts if you expect more writes than \
             {salts} tablets can handle."
        ),
        SaltCause::FewForRanges { salts, fields, .. } => format!(
            "With {salts} salts, at most {salts} tablets take the writes of one {} at a time. Use more salts if you expect more \
             writes of the most frequent one than {salts} tablets can handle.",
            list(fields)
        ),
        SaltCause::UnevenFields { fields, .. } => format!(
            "The salt is computed from {}, which has too few values, or some that are far more frequent than others. Salt over \
             the whole key.",
            list(fields)
        ),
        SaltCause::UnevenRows { row_share, .. } => format!(
            "Some row keys are far more frequent than others: one has {} of the events. A salt cannot divide a row. Add a field to \
             the key that distinguishes its events.",
            percent(*row_share)
        ),
        SaltCause::ScatteredArea { salts } => format!(
            "A Z-order keeps neighbours together, and the salt scatters them again: an area query reads {salts} times as many \
             ranges. The key spreads its writes without a salt."
        ),
        SaltCause::WithoutEffect { salts, .. } => format!(
            "The salt helps nothing: the key spreads its writes without it, and a read needs {salts} ranges instead of one. Remove \
             the salt."
        ),
        SaltCause::AllAfterCutOver { salts, from, .. } => format!(
            "All events are salted: none is before {from}. A scan reads {} ranges, and the range of unsalted keys is empty. \
             Remove the cut-over, or load the older events too.",
            salts + 1
        ),
        SaltCause::NoneAfterCutOver { salts, from, .. } => format!(
            "No event is salted: all are before {from}. A scan reads {} ranges, and the ranges of the {salts} salts are empty. \
             Choose an earlier time, or salt all events.",
            salts + 1
        ),
    }
}

#[inline(never)]
pub fn evidence(cause: &SaltCause) -> String {
    match cause {
        SaltCause::FewForRising { .. } => "Without the salt, new rows would have adjacent keys.".into(),
        SaltCause::FewForRanges { ranges, fields, .. } => values_of(*ranges, fields),
        SaltCause::UnevenFields { spread, .. } | SaltCause::UnevenRows { spread, .. } => {
            let SaltSpread { used, salts, largest_share } = *spread;
            let (used, salts) = (thousands(used.into()), thousands(salts.into()));
            format!("{used} of {salts} salts are used; one has {} of the events.", percent(largest_share))
        }
        SaltCause::ScatteredArea { salts } => {
            format!(
                "Events that arrive together are spread over the whole table, with or without the {salts} salts."
            )
        }
        SaltCause::WithoutEffect { without, with, .. } => format!(
            "The hottest tablet takes {} of the writes without the salt, and {} with it.",
            percent(*without),
            percent(*with)
        ),
        SaltCause::AllAfterCutOver { events, .. } => before_cut_over(0, *events),
        SaltCause::NoneAfterCutOver { events, .. } => before_cut_over(*events, *events),
    }
}

fn before_cut_over(before: u32, events: u32) -> String {
    format!("{} are before the cut-over.", of_events(before, events))
}
