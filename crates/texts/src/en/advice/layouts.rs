//! Layouts without effect, family names, and rows that take a large share of the writes.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{LayoutCause, NoEffect, RowRemedy, TimeForm};

use super::super::numbers::thousands;
use super::phrases::{list, of_events, percent};

#[inline(never)]
pub fn message(cause: &LayoutCause) -> String {
    match cause {
        LayoutCause::ManyFamilies { families_max, .. } => format!(
            "A table should have at most about {families_max} families, because each takes memory: name them after a field with \
             few values."
        ),
        LayoutCause::ChangedFamily { .. } => {
            "A family name has at most 64 letters, digits, - and _. Other bytes become a period and two hexadecimal digits."
                .into()
        }
        LayoutCause::WithoutEffect { reason, .. } => without_effect(reason),
        LayoutCause::LargeRow { share, entity, remedy, .. } => {
            let or_narrow = match remedy {
                RowRemedy::AddField => "",
                RowRemedy::AddFieldOrNarrow => ", or choose Narrow",
            };
            format!(
                "One row takes {} of the writes: a row holds all events of one {}. A row cannot be split, and a salt cannot \
                 divide it. If one tablet cannot handle that, add a field to the key that distinguishes its events{or_narrow}.",
                percent(*share),
                list(entity)
            )
        }
    }
}

#[inline(never)]
pub fn evidence(cause: &LayoutCause) -> String {
    match cause {
        LayoutCause::ManyFamilies { families, events, .. } => {
            format!("{} events have {} families.", thousands((*events).into()), thousands((*families).into()))
        }
        LayoutCause::ChangedFamily { family } => format!("One family is called \"{family}\"."),
        LayoutCause::WithoutEffect { events, .. } => {
            format!("{0} events have {0} different row keys.", thousands((*events).into()))
        }
        LayoutCause::LargeRow { row, events, all, .. } => {
            format!("Row \"{row}\" has {}.", of_events(*events, *all))
        }
    }
}

fn without_effect(reason: &NoEffect) -> String {
    match reason {
        NoEffect::OnlyWithoutTime(time) => {
            format!("Each row has one event: this layout only removes {time} from the key.")
        }
        NoEffect::OnlyTime(time) => {
            format!(
                "Row per entity has no effect: the key contains only {time}, so each event has its own row."
            )
        }
        NoEffect::TimeInForm { time, form } => {
            let form = match form {
                TimeForm::Hash => "a hash",
                TimeForm::Reversed => "reversed text",
                TimeForm::Bucket => "a bucket",
                TimeForm::Span => "a span of time",
            };
            format!(
                "Row per entity has no effect: the key has {time} as {form}, which cannot become the cell timestamp, so each \
                 event has its own row. Write it as iso, millis or reverse_time."
            )
        }
        NoEffect::DifferentKeys => "Row per entity has no effect: no two events share a row key.".into(),
    }
}
