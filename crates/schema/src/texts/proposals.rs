//! Designs that are proposed for access patterns.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::LayoutKind;

/// The name of a proposed design, the access patterns that its key serves, and its trade-offs.
pub(crate) struct Proposals {
    pub name: fn(fields: &str, kind: LayoutKind) -> String,
    /// The number of patterns by fields that read one range, of how many.
    pub one_range: fn(count: usize, all: usize) -> String,
    pub several: fn(most_ranges: u32, patterns: &[&str]) -> String,
    pub salted: fn(salts: u32) -> String,
    pub scans_more: fn(patterns: &[&str]) -> String,
    pub impossible: fn(patterns: &[&str]) -> String,
    /// The name of a proposed index table.
    pub index: fn(name: &str) -> String,
    pub with_indexes: fn(name: &str, count: usize) -> String,
    pub reads_index: fn(table: &str, patterns: &[&str]) -> String,
    pub gives_up_writes: fn(tables: usize) -> String,
}

pub(super) const ENGLISH: Proposals = Proposals {
    name: |fields, kind| match kind {
        LayoutKind::Narrow => format!("By {fields}"),
        LayoutKind::Wide => format!("By {fields}, wide"),
        LayoutKind::RowPerEntity => format!("Row per {fields}"),
        LayoutKind::Columns => format!("By {fields}, columns"),
    },
    one_range: |count, all| match (count, all) {
        (0, _) => "No pattern by fields reads one range.".into(),
        (1, 1) => "The pattern by fields reads one range.".into(),
        (count, all) if count == all => format!("All {all} patterns by fields read one range."),
        (1, all) => format!("1 of {all} patterns by fields reads one range."),
        (count, all) => format!("{count} of {all} patterns by fields read one range."),
    },
    several: |most, patterns| format!("It reads up to {most} ranges for {}.", quoted(patterns)),
    salted: |salts| format!("The salt spreads the writes over {salts} ranges."),
    scans_more: |patterns| {
        format!("It gives up {}: such a read also reads rows that do not match.", quoted(patterns))
    },
    index: |name| format!("Index {}", name.replacen("By ", "by ", 1).replacen("Row ", "row ", 1)),
    with_indexes: |name, count| {
        if count == 1 { format!("{name}, indexed") } else { format!("{name}, indexed twice") }
    },
    reads_index: |table, patterns| format!("{} \u{201c}{table}\u{201d}.", reads(patterns)),
    gives_up_writes: |tables| {
        format!(
            "It gives up writes: each event is written to {tables} tables, which multiplies the bytes written and stored, in \
             {tables} writes without a transaction. A crash between them leaves an index without the event until the application \
             retries the write."
        )
    },
    impossible: |patterns| {
        format!(
            "It cannot answer {}: neither the key nor the cells contain what is needed.",
            quoted(patterns)
        )
    },
};

fn reads(patterns: &[&str]) -> String {
    let verb = if patterns.len() == 1 { "reads" } else { "read" };
    format!("{} {verb} the index table", quoted(patterns))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\u{201c}{name}\u{201d}")).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
