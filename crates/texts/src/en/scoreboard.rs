//! Access patterns on designs.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{QueryCost, Total};

use super::numbers::{bytes, count, duration, rate, thousands};

/// Texts of the grid of access patterns and designs.
pub struct Scoreboard {
    pub title: &'static str,
    /// Below the sentence on the best design.
    pub formula: &'static str,
    pub growing: &'static str,
    pub measured: fn(done: usize, all: usize) -> String,
    pub hot: fn(name: &str) -> String,
    /// The grid.
    pub table: &'static str,
    /// The tables of a design with index tables.
    pub own_table: &'static str,
    pub table_of: fn(pattern: &str, design: &str) -> String,
    pub pattern: &'static str,
    pub weight: &'static str,
    pub weight_of: fn(pattern: &str) -> String,
    pub per_second: &'static str,
    /// The tools of an access pattern.
    pub rename: fn(pattern: &str) -> String,
    pub rename_short: &'static str,
    pub edit: fn(pattern: &str) -> String,
    pub edit_short: &'static str,
    pub limits: fn(limits: &str, pattern: &str) -> String,
    pub limits_short: fn(limits: usize) -> String,
    pub limits_of: fn(pattern: &str) -> String,
    pub delete: fn(pattern: &str) -> String,
    pub name: &'static str,
    pub save: &'static str,
    pub no_name: &'static str,
    pub long_name: fn(chars_max: usize) -> String,
    pub name_taken: fn(name: &str) -> String,
    /// A cell.
    pub cell: fn(pattern: &str, design: &str) -> String,
    pub shows: &'static str,
    pub waiting: &'static str,
    pub table_grows: &'static str,
    pub template_invalid: &'static str,
    pub no_answer: &'static str,
    pub rows: fn(seen: u64, returned: u64) -> String,
    pub nothing_found: &'static str,
    pub older_rows: fn(latest: u64) -> String,
    pub every_row: &'static str,
    pub blocks: fn(blocks: u64) -> String,
    pub work: fn(&QueryCost) -> String,
    pub time: fn(&QueryCost) -> String,
    pub kept: fn(limits: usize) -> String,
    pub missed: fn(limits: usize) -> String,
    /// The totals.
    pub total: &'static str,
    pub total_unit: &'static str,
    pub total_of: fn(total: f64) -> String,
    pub total_more: fn(&Total) -> String,
    pub total_unknown: &'static str,
    pub fewest: &'static str,
    pub times: fn(times: f64) -> String,
    /// Adding access patterns.
    pub none: &'static str,
    pub suggested: &'static str,
    pub suggest_all: fn(patterns: usize) -> String,
    pub guesses: &'static str,
    pub add: fn(pattern: &str) -> String,
    pub add_query: &'static str,
    pub too_many: fn(patterns_max: usize) -> String,
    /// A query in words.
    pub all_rows: &'static str,
    pub keys: fn(keys: usize) -> String,
    pub prefix: fn(prefix: &str) -> String,
    pub range: &'static str,
    pub between: fn(field: &str, from: f64, to: f64) -> String,
    pub depth: fn(depth: u8) -> String,
    pub equal: fn(field: &str, value: &str) -> String,
    pub from: fn(time: &str) -> String,
    pub until: fn(time: &str) -> String,
    pub filtered: &'static str,
    pub limited: fn(rows: u64) -> String,
    pub reversed: &'static str,
    /// Announcements.
    pub added: fn(pattern: &str) -> String,
    pub added_all: fn(patterns: usize) -> String,
    pub deleted: fn(pattern: &str) -> String,
    pub renamed: fn(pattern: &str) -> String,
}

pub const ENGLISH: Scoreboard = Scoreboard {
    title: "Access patterns",
    formula: "A total is reads per second times the blocks of one read, summed over all patterns. A block \
              is what a read loads from an SSTable and searches; a range with rows needs at least one. Each \
              read starts with an empty cache, so a total is the same on every machine. Times are medians \
              on this machine and do not affect the ranking.",
    growing: "Patterns are measured once all events are in the tables.",
    measured: |done, all| format!("{done} of {all} measured"),
    hot: |name| format!("Writes to {name} go to few tablets, so more nodes do not help."),
    table: "Access patterns on designs",
    own_table: "Own table",
    table_of: |pattern, design| format!("Table of {design} that {pattern} reads"),
    pattern: "Access pattern",
    weight: "Reads/s",
    weight_of: |pattern| format!("Reads per second of {pattern}"),
    per_second: "per second",
    rename: |pattern| format!("Rename {pattern}"),
    rename_short: "Rename",
    edit: |pattern| format!("Edit the query {pattern}"),
    edit_short: "Edit",
    limits: |limits, pattern| format!("{limits} of {pattern}"),
    limits_short: |limits| {
        if limits == 0 { "Limits".into() } else { count(limits as u64, "limit", "limits") }
    },
    limits_of: |pattern| format!("Limits of {pattern}, on every design"),
    delete: |pattern| format!("Delete {pattern}"),
    name: "Name of the access pattern",
    save: "Save name",
    no_name: "An access pattern needs a name.",
    long_name: |chars_max| format!("A name has at most {chars_max} characters."),
    name_taken: |name| format!("Another access pattern is named {name}."),
    cell: |pattern, design| format!("{pattern} on {design}:"),
    shows: "Show the plan and the rows",
    waiting: "not measured yet",
    table_grows: "events are missing",
    template_invalid: "template has an error",
    no_answer: "no answer",
    rows: |seen, returned| format!("{} seen for {}", thousands(seen), count(returned, "row", "rows")),
    nothing_found: "finds no rows",
    older_rows: |latest| format!("includes older rows: the application keeps {}", thousands(latest)),
    every_row: "every row, including older ones: the application keeps the latest",
    blocks: |blocks| count(blocks, "block", "blocks"),
    work: |cost| {
        let stats = &cost.stats;
        format!(
            "{} · {} · {} · {}",
            count(cost.blocks(), "block", "blocks"),
            bytes(stats.bytes_read),
            count(stats.cells_seen, "cell", "cells"),
            count(stats.tablets_touched, "tablet", "tablets")
        )
    },
    time: |cost| duration(cost.elapsed_micros),
    kept: |limits| if limits == 1 { "limit met".into() } else { format!("{limits} limits met") },
    missed: |limits| format!("{} missed", count(limits as u64, "limit", "limits")),
    total: "Total",
    total_unit: "blocks per second",
    total_of: |total| format!("{} blocks/s", rate(total)),
    total_more: |total| {
        format!(
            "{} rows/s · {} cells/s · {} per s",
            rate(libm::round(total.rows)),
            rate(libm::round(total.cells)),
            duration(total.micros as u64)
        )
    },
    total_unknown: "…",
    fewest: "fewest",
    times: |times| {
        if times < 1.995 { format!("+{:.0}%", (times - 1.0) * 100.0) } else { format!("{times:.1}×") }
    },
    none: "An access pattern is a query that your application sends repeatedly. Add what it reads, and each \
           design is measured by it.",
    suggested: "Suggested from the events",
    suggest_all: |patterns| format!("Add all {patterns}"),
    guesses: "Their reads per second are guesses: enter your own.",
    add: |pattern| format!("Add {pattern}"),
    add_query: "Add the query in the Query pane",
    too_many: |patterns_max| format!("There are {patterns_max} access patterns (the maximum)."),
    all_rows: "all rows",
    keys: |keys| count(keys as u64, "key", "keys"),
    prefix: |prefix| format!("prefix {prefix}"),
    range: "a key range",
    between: |field, from, to| format!("{field} {from} to {to}"),
    depth: |depth| format!("depth {depth}"),
    equal: |field, value| format!("{field} = {value}"),
    from: |time| format!("from {time}"),
    until: |time| format!("until {time}"),
    filtered: "filtered",
    limited: |rows| format!("at most {}", count(rows, "row", "rows")),
    reversed: "reversed",
    added: |pattern| format!("Added {pattern}"),
    added_all: |patterns| format!("Added {}", count(patterns as u64, "access pattern", "access patterns")),
    deleted: |pattern| format!("Deleted {pattern}. Undo restores it"),
    renamed: |pattern| format!("Renamed to {pattern}"),
};
