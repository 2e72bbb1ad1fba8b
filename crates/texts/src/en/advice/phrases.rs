//! Lists, counts and shares in a sentence.

use alloc::format;
use alloc::string::String;

use super::super::numbers::thousands;

/// Names as a list in a sentence.
pub fn list(names: &[String]) -> String {
    names.join(" and ")
}

/// Points as a list in a sentence: `a, b and c`.
pub fn join(points: &[String]) -> String {
    match points {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Formats a count as `3 of 2,000 events`.
pub fn of_events(count: u32, all: u32) -> String {
    format!("{} of {} events", thousands(count.into()), thousands(all.into()))
}

/// Formats a share of 1 as `42%`.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
