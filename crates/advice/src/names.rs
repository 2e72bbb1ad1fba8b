//! The names that advice gives to what it adds to a workspace: proposed designs, suggested access
//! patterns, and the streams of preset traffic.
//!
//! They are in English, and not in the tables of the crate `texts`: a name is saved in the
//! workspace, other parts refer to it, and the user can change it.

use alloc::format;
use alloc::string::String;

use tabletop_keys::LayoutKind;

/// The stream of point reads of a preset.
pub const READS: &str = "Reads";
/// The stream of updates of a preset.
pub const UPDATES: &str = "Updates";
/// The stream of new events of a preset.
pub const WRITES: &str = "New events";
/// The stream of scans of a preset.
pub const SCANS: &str = "Scans";
/// The stream of read-modify-writes of a preset.
pub const READ_MODIFY_WRITES: &str = "Read-modify-writes";

/// The name of the stream of a load test.
pub const LOAD_TEST: &str = "Load test";

/// A stream of an access pattern whose name another stream already has.
pub fn pattern(name: &str) -> String {
    format!("{name} (access pattern)")
}

/// A proposed design whose key has these fields.
pub fn design(fields: &str, kind: LayoutKind) -> String {
    match kind {
        LayoutKind::Narrow => format!("By {fields}"),
        LayoutKind::Wide => format!("By {fields}, wide"),
        LayoutKind::RowPerEntity => format!("Row per {fields}"),
        LayoutKind::Columns => format!("By {fields}, columns"),
    }
}

/// A proposed index table that has the key of the proposed design with this name.
pub fn index(name: &str) -> String {
    format!("Index {}", name.replacen("By ", "by ", 1).replacen("Row ", "row ", 1))
}

/// A proposed design with one or two index tables.
pub fn with_indexes(name: &str, count: usize) -> String {
    if count == 1 { format!("{name}, indexed") } else { format!("{name}, indexed twice") }
}

/// Reads of one value of a field.
pub fn one(field: &str) -> String {
    format!("One {field}")
}

/// Reads of one value of a field in a span of time.
pub fn one_in(field: &str, seconds: i64) -> String {
    format!("One {field}, {}", span(seconds))
}

/// Reads of the last rows of one value of a field.
pub fn last(rows: u64, field: &str) -> String {
    format!("Last {rows} of one {field}")
}

/// Reads of all events with one value of a field.
pub fn all(field: &str) -> String {
    format!("All of one {field}")
}

/// Reads of all events in a span of time.
pub fn all_in(seconds: i64) -> String {
    format!("Everything in {}", span(seconds))
}

fn span(seconds: i64) -> String {
    let units = [(31_536_000, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute")];
    let (unit, name) = units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or((1, "second"));
    let count = seconds / unit;
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}
