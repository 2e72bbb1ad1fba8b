//! A filter: the twenty kinds, the actions on a block, and examples.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

/// Texts of the filter.
pub struct Filter {
    pub title: &'static str,
    pub as_text: &'static str,
    pub examples: &'static str,
    pub clear: &'static str,
    pub none: &'static str,
    pub add: &'static str,
    pub add_step: &'static str,
    pub add_branch: &'static str,
    /// Branches of a condition.
    pub if_branch: &'static str,
    pub then_branch: &'static str,
    pub add_then: &'static str,
    pub else_branch: &'static str,
    pub add_else: &'static str,
    pub missing_branch: &'static str,
    /// Names of a block and of its parts, for screen readers. The role is empty outside a
    /// condition.
    pub block: fn(address: &str, role: &str, kind: &str) -> String,
    pub block_does: fn(address: &str) -> String,
    pub block_part: fn(address: &str, part: &str) -> String,
    pub block_actions: fn(address: &str) -> String,
    /// The cells that came to a block and that it let through; also for the filter before its last
    /// edit.
    pub count: fn(cells_in: u64, cells_out: u64) -> String,
    /// Above the blocks, while the text has an error.
    pub blocks_before: &'static str,
    /// An unfinished text that another change has replaced.
    pub replaced: &'static str,
    pub bring_back: &'static str,
    pub drop_text: &'static str,
    /// The list of counts below the text.
    pub counts_in_text: &'static str,
    pub count_old: fn(cells_in: u64, cells_out: u64) -> String,
    pub turn_on: &'static str,
    pub family_example: &'static str,
    /// The actions on a block.
    pub move_up: &'static str,
    pub move_down: &'static str,
    pub duplicate: &'static str,
    pub wrap_in_chain: &'static str,
    pub wrap_in_interleave: &'static str,
    pub wrap_in_condition: &'static str,
    pub unwrap: &'static str,
    pub remove: &'static str,
    pub parts: Parts,
    pub groups: Groups,
    pub kinds: Kinds,
    pub example: Examples,
}

/// Fields of blocks.
pub struct Parts {
    pub pattern: &'static str,
    pub family: &'static str,
    pub from: &'static str,
    pub until: &'static str,
    pub cells: &'static str,
    pub share: &'static str,
    pub label: &'static str,
    pub mask: &'static str,
}

/// Headings of the menu of kinds.
pub struct Groups {
    pub combine: &'static str,
    pub pick: &'static str,
    pub value: &'static str,
    pub count: &'static str,
    pub change: &'static str,
    pub flow: &'static str,
}

/// A kind: its title, and one sentence on its result.
#[derive(Clone, Copy)]
pub struct KindText {
    pub title: &'static str,
    pub about: &'static str,
}

/// The twenty kinds.
pub struct Kinds {
    pub chain: KindText,
    pub interleave: KindText,
    pub condition: KindText,
    pub sink: KindText,
    pub pass_all: KindText,
    pub block_all: KindText,
    pub row_key_regex: KindText,
    pub family_name_regex: KindText,
    pub column_qualifier_regex: KindText,
    pub value_regex: KindText,
    pub column_range: KindText,
    pub timestamp_range: KindText,
    pub value_range: KindText,
    pub cells_per_row_offset: KindText,
    pub cells_per_row_limit: KindText,
    pub cells_per_column_limit: KindText,
    pub row_sample: KindText,
    pub strip_value: KindText,
    pub apply_label: KindText,
    pub value_bitmask: KindText,
}

/// Names of examples: of facets if qualifiers have them, else of columns.
pub struct Examples {
    pub only_family: fn(family: &str) -> String,
    pub newest_cell: &'static str,
    pub keys_only: &'static str,
    pub two_facets: fn(first: &str, second: &str) -> String,
    pub two_columns: fn(first: &str, second: &str) -> String,
    pub label_facet: fn(name: &str) -> String,
    pub label_column: fn(name: &str) -> String,
    pub rows_with_facet: fn(name: &str) -> String,
    pub rows_with_column: fn(name: &str) -> String,
    pub values_with_one: &'static str,
    pub sample: &'static str,
}

fn cells(number: u64) -> String {
    count(number, "cell", "cells")
}

pub const ENGLISH: Filter = Filter {
    title: "Filter",
    as_text: "Filter as text",
    examples: "Example filters",
    clear: "Clear filter",
    none: "No filter: every cell is returned.",
    add: "Add a filter",
    add_step: "Add a step",
    add_branch: "Add a branch",
    if_branch: "If",
    then_branch: "Then",
    add_then: "Add a then branch",
    else_branch: "Else",
    add_else: "Add an else branch",
    missing_branch: "nothing",
    block: |address, role, kind| {
        if role.is_empty() {
            format!("Block {address}, {kind}")
        } else {
            format!("Block {address}, {role}, {kind}")
        }
    },
    block_does: |address| format!("Block {address} does"),
    block_part: |address, part| format!("Block {address} {part}"),
    block_actions: |address| format!("Block {address} actions"),
    count: |cells_in, cells_out| format!("{} in, {} out", cells(cells_in), thousands(cells_out)),
    count_old: |cells_in, cells_out| {
        format!("Before the edit: {} in, {} out", cells(cells_in), thousands(cells_out))
    },
    blocks_before: "Blocks, counts and rows show the last valid text. Editing a block replaces what you \
                    typed.",
    replaced: "Another change replaced this unfinished text:",
    bring_back: "Restore it",
    drop_text: "Discard it",
    counts_in_text: "Cells in and out of each filter of the text",
    turn_on: "Turn on",
    family_example: "family",
    move_up: "Move up",
    move_down: "Move down",
    duplicate: "Duplicate",
    wrap_in_chain: "Wrap in a chain",
    wrap_in_interleave: "Wrap in an interleave",
    wrap_in_condition: "Wrap in a condition",
    unwrap: "Unwrap",
    remove: "Remove",
    parts: Parts {
        pattern: "Pattern",
        family: "family",
        from: "From",
        until: "Until",
        cells: "Cells",
        share: "Share of rows",
        label: "Label",
        mask: "Mask",
    },
    groups: Groups {
        combine: "Combine",
        pick: "Rows, columns, times",
        value: "Values",
        count: "Count",
        change: "Change cells",
        flow: "All, none, skip the rest",
    },
    kinds: Kinds {
        chain: KindText {
            title: "Chain",
            about: "Filters in sequence: each gets what the previous one lets through.",
        },
        interleave: KindText {
            title: "Interleave",
            about: "Each branch gets every cell. Outputs are merged; duplicates stay.",
        },
        condition: KindText {
            title: "Condition",
            about: "Rows where the If filter outputs a cell go through Then, all others through Else.",
        },
        sink: KindText {
            title: "Sink",
            about: "Cells go straight to the result and skip the rest of the chain.",
        },
        pass_all: KindText { title: "Pass all", about: "All cells." },
        block_all: KindText { title: "Block all", about: "No cells." },
        row_key_regex: KindText {
            title: "Row key matches",
            about: "Rows whose whole key matches the pattern.",
        },
        family_name_regex: KindText {
            title: "Family matches",
            about: "Cells of families whose whole name matches the pattern.",
        },
        column_qualifier_regex: KindText {
            title: "Qualifier matches",
            about: "Cells of columns whose whole qualifier matches the pattern.",
        },
        value_regex: KindText {
            title: "Value matches",
            about: "Cells whose whole value matches the pattern.",
        },
        column_range: KindText {
            title: "Column range",
            about: "Columns of one family between two qualifiers, in byte order.",
        },
        timestamp_range: KindText {
            title: "Time range",
            about: "Cells within a time range: the start is included, the end is not.",
        },
        value_range: KindText {
            title: "Value range",
            about: "Cells whose value lies between two values, in byte order.",
        },
        cells_per_row_offset: KindText {
            title: "Skip cells of a row",
            about: "All but the first cells of each row.",
        },
        cells_per_row_limit: KindText {
            title: "First cells of a row",
            about: "The first cells of each row.",
        },
        cells_per_column_limit: KindText {
            title: "Newest cells of a column",
            about: "The newest cells of each column of each row.",
        },
        row_sample: KindText {
            title: "Row sample",
            about: "A random sample of the rows; the same rows every time.",
        },
        strip_value: KindText { title: "Strip values", about: "Cells stay, their values become empty." },
        apply_label: KindText { title: "Apply label", about: "Adds a label to each cell." },
        value_bitmask: KindText {
            title: "Value bit mask",
            about: "Cells whose value is as long as the mask and has all its bits set.",
        },
    },
    example: Examples {
        only_family: |family| format!("Only family {family}"),
        newest_cell: "Newest cell per column",
        keys_only: "Keys only",
        two_facets: |first, second| format!("Facets {first} and {second} (interleave)"),
        two_columns: |first, second| format!("Columns {first} and {second} (interleave)"),
        label_facet: |name| format!("Label the cells of facet {name}"),
        label_column: |name| format!("Label the cells of column {name}"),
        rows_with_facet: |name| format!("Rows that have facet {name} (condition)"),
        rows_with_column: |name| format!("Rows that have column {name} (condition)"),
        values_with_one: "Values that contain “1”",
        sample: "Row sample 10%",
    },
};
