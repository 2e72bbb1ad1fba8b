//! A filter: the twenty kinds, the actions on a block, and examples.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

fn cells(number: u64) -> String {
    count(number, "cell", "cells")
}

texts!(Filter {
    title: "Filter",
    as_text: "Filter as text",
    examples: "Example filters",
    clear: "Clear filter",
    none: "No filter: every cell is returned.",
    add: "Add a filter",
    add_step: "Add a step",
    add_branch: "Add a branch",
    /// Branches of a condition.
    if_branch: "If",
    then_branch: "Then",
    add_then: "Add a then branch",
    else_branch: "Else",
    add_else: "Add an else branch",
    missing_branch: "nothing",
    /// Names of a block and of its parts, for screen readers. The role is empty outside a
    /// condition.
    block: |address: &str, role: &str, kind: &str| {
        if role.is_empty() {
            format!("Block {address}, {kind}")
        } else {
            format!("Block {address}, {role}, {kind}")
        }
    },
    block_does: |address: &str| format!("Block {address} does"),
    block_part: |address: &str, part: &str| format!("Block {address} {part}"),
    block_actions: |address: &str| format!("Block {address} actions"),
    /// The cells that came to a block and that it let through; also for the filter before its last
    /// edit.
    count: |cells_in: u64, cells_out: u64| format!("{} in, {} out", cells(cells_in), thousands(cells_out)),
    /// Above the blocks, while the text has an error.
    blocks_before: "Blocks, counts and rows show the last valid text. Editing a block replaces what you \
                    typed.",
    /// An unfinished text that another change has replaced.
    replaced: "Another change replaced this unfinished text:",
    bring_back: "Restore it",
    drop_text: "Discard it",
    /// The list of counts below the text.
    counts_in_text: "Cells in and out of each filter of the text",
    count_old: |cells_in: u64, cells_out: u64| {
        format!("Before the edit: {} in, {} out", cells(cells_in), thousands(cells_out))
    },
    turn_on: "Turn on",
    family_example: "family",
    /// The actions on a block.
    move_up: "Move up",
    move_down: "Move down",
    duplicate: "Duplicate",
    wrap_in_chain: "Wrap in a chain",
    wrap_in_interleave: "Wrap in an interleave",
    wrap_in_condition: "Wrap in a condition",
    unwrap: "Unwrap",
    remove: "Remove",
    /// Fields of blocks.
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
    /// Headings of the menu of kinds.
    groups: Groups {
        combine: "Combine",
        pick: "Rows, columns, times",
        value: "Values",
        count: "Count",
        change: "Change cells",
        flow: "All, none, skip the rest",
    },
    /// The twenty kinds.
    kinds: Kinds {
        chain: ("Chain", "Filters in sequence: each gets what the previous one lets through."),
        interleave: ("Interleave", "Each branch gets every cell. Outputs are merged; duplicates stay."),
        condition: (
            "Condition",
            "Rows where the If filter outputs a cell go through Then, all others through Else."
        ),
        sink: ("Sink", "Cells go straight to the result and skip the rest of the chain."),
        pass_all: ("Pass all", "All cells."),
        block_all: ("Block all", "No cells."),
        row_key_regex: ("Row key matches", "Rows whose whole key matches the pattern."),
        family_name_regex: ("Family matches", "Cells of families whose whole name matches the pattern."),
        column_qualifier_regex: (
            "Qualifier matches",
            "Cells of columns whose whole qualifier matches the pattern."
        ),
        value_regex: ("Value matches", "Cells whose whole value matches the pattern."),
        column_range: ("Column range", "Columns of one family between two qualifiers, in byte order."),
        timestamp_range: ("Time range", "Cells within a time range: the start is included, the end is not."),
        value_range: ("Value range", "Cells whose value lies between two values, in byte order."),
        cells_per_row_offset: ("Skip cells of a row", "All but the first cells of each row."),
        cells_per_row_limit: ("First cells of a row", "The first cells of each row."),
        cells_per_column_limit: ("Newest cells of a column", "The newest cells of each column of each row."),
        row_sample: ("Row sample", "A random sample of the rows; the same rows every time."),
        strip_value: ("Strip values", "Cells stay, their values become empty."),
        apply_label: ("Apply label", "Adds a label to each cell."),
        value_bitmask: (
            "Value bit mask",
            "Cells whose value is as long as the mask and has all its bits set."
        ),
    },
    /// Names of examples: of facets if qualifiers have them, else of columns.
    example: Examples {
        only_family: |family: &str| format!("Only family {family}"),
        newest_cell: "Newest cell per column",
        keys_only: "Keys only",
        two_facets: |first: &str, second: &str| format!("Facets {first} and {second} (interleave)"),
        two_columns: |first: &str, second: &str| format!("Columns {first} and {second} (interleave)"),
        label_facet: |name: &str| format!("Label the cells of facet {name}"),
        label_column: |name: &str| format!("Label the cells of column {name}"),
        rows_with_facet: |name: &str| format!("Rows that have facet {name} (condition)"),
        rows_with_column: |name: &str| format!("Rows that have column {name} (condition)"),
        values_with_one: "Values that contain “1”",
        sample: "Row sample 10%",
    },
});
