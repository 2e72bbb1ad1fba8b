//! The cut-over of a salt: the time from which keys are salted.

use alloc::format;
use alloc::string::String;

use crate::time::{self, TimeFormat};

/// The cut-over of a salt.
#[derive(Clone)]
pub(super) struct CutOver {
    /// The first time with a salt, in milliseconds since 1970.
    pub from: i64,
    /// Index of the field with the time of an event; `None` if the set does not have one.
    pub time: Option<usize>,
}

/// The keys on one side of a cut-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Without a salt.
    Before,
    /// With a salt, if the template has one.
    After,
}

/// Returns the text of a cut-over in a template: a date, or a date and time (UTC).
pub fn cut_over_text(millis: i64) -> String {
    let text = time::format(millis * 1000);
    match (text.strip_suffix("T00:00:00.000Z"), text.strip_suffix(".000Z")) {
        (Some(date), _) => date.into(),
        (_, Some(seconds)) => format!("{seconds}Z"),
        _ => text,
    }
}

/// Parses a cut-over, in milliseconds since 1970: a time as in the data, which is rounded up
/// because the times of events are rounded down.
pub fn parse_cut_over(text: &str) -> Option<i64> {
    let (first, last) = TimeFormat::Iso.bounds();
    let millis = -(-time::parse(text)?).div_euclid(1000);
    (first..=last).contains(&millis).then_some(millis)
}
