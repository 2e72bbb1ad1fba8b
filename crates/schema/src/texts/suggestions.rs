//! Names of suggested access patterns.

use alloc::format;
use alloc::string::String;

/// Names of suggested access patterns. A span is a text such as `1 hour`.
pub(crate) struct Suggestions {
    pub span: fn(seconds: i64) -> String,
    pub one: fn(field: &str) -> String,
    pub one_in: fn(field: &str, span: &str) -> String,
    pub latest: fn(field: &str) -> String,
    pub all: fn(field: &str) -> String,
    pub all_in: fn(span: &str) -> String,
}

pub(super) const ENGLISH: Suggestions = Suggestions {
    span: |seconds| {
        let units = [(31_536_000, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")];
        let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or((1, "second"));
        let count = seconds / unit;
        format!("{count} {name}{}", if count == 1 { "" } else { "s" })
    },
    one: |field| format!("One {field}"),
    one_in: |field, span| format!("One {field}, {span}"),
    latest: |field| format!("Latest of each {field}"),
    all: |field| format!("All of one {field}"),
    all_in: |span| format!("Everything in {span}"),
};
