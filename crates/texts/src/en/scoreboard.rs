//! Access patterns on designs.

use alloc::format;

use tabletop_advice::{QueryCost, Total};

use super::numbers::{bytes, count, duration, rate, thousands};

texts!(Scoreboard {
    title: "Access patterns",
    /// Below the sentence on the best design.
    formula: "A total is reads per second times the blocks of one read, summed over all patterns. A block \
              is what a read loads from an SSTable and searches; a range with rows needs at least one. Each \
              read starts with an empty cache, so a total is the same on every machine. Times are medians \
              on this machine and do not affect the ranking.",
    growing: "Patterns are measured once all events are in the tables.",
    measured: |done: usize, all: usize| format!("{done} of {all} measured"),
    /// The grid.
    table: "Access patterns on designs",
    /// The tables of a design with index tables.
    own_table: "Own table",
    table_of: |pattern: &str, design: &str| format!("Table of {design} that {pattern} reads"),
    pattern: "Access pattern",
    weight: "Reads/s",
    weight_of: |pattern: &str| format!("Reads per second of {pattern}"),
    per_second: |reads: f64| -> &'static str { if reads > 0.0 { "per second" } else { "batch: not ranked" } },
    /// The tools of an access pattern.
    rename: |pattern: &str| format!("Rename {pattern}"),
    rename_short: "Rename",
    edit: |pattern: &str| format!("Edit the query {pattern}"),
    edit_short: "Edit",
    limits: |limits: &str, pattern: &str| format!("{limits} of {pattern}"),
    limits_short: |limits: usize| {
        if limits == 0 { "Limits".into() } else { count(limits as u64, "limit", "limits") }
    },
    limits_of: |pattern: &str| format!("Limits of {pattern}, on every design"),
    delete: |pattern: &str| format!("Delete {pattern}"),
    name: "Name of the access pattern",
    save: "Save name",
    no_name: "An access pattern needs a name.",
    long_name: |chars_max: usize| format!("A name has at most {chars_max} characters."),
    name_taken: |name: &str| format!("Another access pattern is named {name}."),
    /// A cell.
    cell: |pattern: &str, design: &str| format!("{pattern} on {design}:"),
    shows: "Show the plan and the rows",
    waiting: "not measured yet",
    table_grows: "events are missing",
    template_invalid: "template has an error",
    no_answer: "no answer",
    rows: |seen: u64, returned: u64| {
        format!("{} seen for {}", thousands(seen), count(returned, "row", "rows"))
    },
    nothing_found: "finds no rows",
    older_rows: |latest: u64| format!("includes older rows: the application keeps {}", thousands(latest)),
    every_row: |entities: Option<u64>| match entities {
        None => "every row, including older ones: the application keeps the latest".into(),
        Some(entities) =>
            format!("every row, including older ones: {} reads of one row would do", thousands(entities)),
    },
    blocks: |blocks: u64| count(blocks, "block", "blocks"),
    work: |cost: &QueryCost| {
        let stats = &cost.stats;
        format!(
            "{} · {} · {} · {}",
            count(cost.blocks(), "block", "blocks"),
            bytes(stats.bytes_read),
            count(stats.cells_seen, "cell", "cells"),
            count(stats.tablets_touched, "tablet", "tablets")
        )
    },
    time: |cost: &QueryCost| duration(cost.elapsed_micros),
    kept: |limits: usize| if limits == 1 { "limit met".into() } else { format!("{limits} limits met") },
    missed: |limits: usize| format!("{} violated", count(limits as u64, "limit", "limits")),
    /// The totals.
    total: "Total",
    total_unit: "blocks per second",
    total_of: |total: f64| format!("{} blocks/s", rate(total)),
    total_more: |total: &Total| {
        format!(
            "{} rows/s · {} cells/s · {} per s",
            rate(libm::round(total.rows)),
            rate(libm::round(total.cells)),
            duration(total.micros as u64)
        )
    },
    total_unknown: "…",
    fewest: "fewest",
    times: |times: f64| {
        if times < 1.995 { format!("+{:.0}%", (times - 1.0) * 100.0) } else { format!("{times:.1}×") }
    },
    /// Adding access patterns.
    none: "An access pattern is a query that your application sends repeatedly. Add what it reads, and each \
           design is measured by it.",
    suggested: "Suggested from the events",
    suggest_all: |patterns: usize| format!("Add all {patterns}"),
    guesses: "Their reads per second are guesses: enter your own.",
    add: |pattern: &str| format!("Add {pattern}"),
    add_query: "Add the query in the Query pane",
    too_many: |patterns_max: usize| format!("There are {patterns_max} access patterns (the maximum)."),
    /// A query in words.
    all_rows: "all rows",
    keys: |keys: usize| count(keys as u64, "key", "keys"),
    prefix: |prefix: &str| format!("prefix {prefix}"),
    range: "a key range",
    between: |field: &str, from: f64, to: f64| format!("{field} {from} to {to}"),
    depth: |depth: u8| format!("depth {depth}"),
    equal: |field: &str, value: &str| format!("{field} = {value}"),
    from: |time: &str| format!("from {time}"),
    until: |time: &str| format!("until {time}"),
    filtered: "filtered",
    limited: |rows: u64| format!("at most {}", count(rows, "row", "rows")),
    reversed: "reversed",
    newest_first: "newest first",
    /// Announcements.
    added: |pattern: &str| format!("Added {pattern}"),
    added_all: |patterns: usize| {
        format!("Added {}", count(patterns as u64, "access pattern", "access patterns"))
    },
    deleted: |pattern: &str| format!("Deleted {pattern}. Undo restores it"),
    renamed: |pattern: &str| format!("Renamed to {pattern}"),
});
