//! Writes that concentrate in one place, in a few ranges or in a few rows.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{PatternCause, RisingEvidence, SkewCause, TimeRemedy};

use super::super::numbers::thousands;
use super::phrases::{list, percent};

#[inline(never)]
pub fn message(cause: &PatternCause) -> String {
    match cause {
        PatternCause::LeadingTime { time, remedy, .. } => leading_time(time, *remedy),
        PatternCause::LeadingOrder { fields, is_alone, .. } => ordered(&list(fields), *is_alone),
        PatternCause::FewRanges { ranges, fields, time, .. } => few_ranges(*ranges, &list(fields), time),
        PatternCause::FewRows { rows, .. } => few_rows(*rows),
    }
}

#[inline(never)]
pub fn evidence(cause: &PatternCause) -> String {
    match cause {
        PatternCause::LeadingTime { time, shown, .. } => rising(shown, time),
        PatternCause::LeadingOrder { fields, shown, .. } => rising(shown, &list(fields)),
        PatternCause::FewRanges { ranges, fields, hottest_percent, .. } => {
            let fields = list(fields);
            format!(
                "{ranges} different values of {fields}; of the events of one moment, {hottest_percent}% go to one tablet."
            )
        }
        PatternCause::FewRows { rows, events } => {
            format!("{} events have {}.", thousands((*events).into()), distinct_keys(*rows))
        }
    }
}

pub fn values_of(ranges: u32, fields: &[String]) -> String {
    format!("{ranges} different values of {}.", list(fields))
}

/// Why one tablet takes far more writes than the others, where no pattern explains it.
#[inline(never)]
pub fn skew(cause: &SkewCause) -> String {
    match cause {
        SkewCause::Row(share) => format!(
            "One row takes {} of the writes, and a row cannot be split. Add a field to the key that distinguishes its events.",
            percent(*share)
        ),
        SkewCause::Value { value, fields, share, time } => format!(
            "{} of the events have the {} \"{value}\". Their keys are adjacent, ordered by {time}, so one tablet takes them \
             all, no matter how many there are. Put a field with many values before {time}, or salt the key.",
            percent(*share),
            list(fields)
        ),
        SkewCause::Range => {
            "Many events have keys in the same range. Start the key with a field that varies more between events, or salt it."
                .into()
        }
    }
}

fn leading_time(time: &str, remedy: TimeRemedy) -> String {
    let remedy = match remedy {
        TimeRemedy::Salt => {
            "No other field of these events can begin it: salt the key, or add an identifier in your application.".into()
        }
        TimeRemedy::LeaveOut => {
            format!("Leave it out, because the exact {time} follows in the key, or salt the key.")
        }
        TimeRemedy::StartWithAnother => "Start with what you query by, or salt the key.".into(),
    };
    format!("The key starts with {time}: one tablet or a few take the current writes. {remedy}")
}

#[inline(never)]
fn ordered(field: &str, is_alone: bool) -> String {
    let remedy = if is_alone {
        "Salt the key, or reverse or hash an increasing number."
    } else {
        "Start with a field that varies more between events, or salt the key."
    };
    format!(
        "Events arrive in order of {field}, so one tablet or a few take most of the current writes. {remedy} A file sorted by \
         {field} is hot only while it loads."
    )
}

#[inline(never)]
fn few_ranges(ranges: u32, field: &str, after: &str) -> String {
    format!(
        "Only {ranges} values of {field} come before {after}, so at most {ranges} tablets take writes at a time. Put a field \
         with many values between them, or salt the key."
    )
}

#[inline(never)]
fn few_rows(rows: u32) -> String {
    let tablets = match rows {
        1 => "one tablet takes every write".into(),
        rows => format!("at most {rows} tablets can share the load"),
    };
    format!(
        "Only {}. A row cannot be split, so {tablets}. Add a field with many values to the key.",
        distinct_keys(rows)
    )
}

fn rising(shown: &RisingEvidence, field: &str) -> String {
    match shown {
        RisingEvidence::TooFewEvents(events) => {
            format!(
                "{} events are too few to show it; a long stream of them will.",
                thousands((*events).into())
            )
        }
        RisingEvidence::OneMoment { percent } => {
            format!("Of the events of one moment, which share {field}, {percent}% go to one tablet.")
        }
    }
}

fn distinct_keys(rows: u32) -> String {
    if rows == 1 { "1 distinct key".into() } else { format!("{rows} distinct keys") }
}
