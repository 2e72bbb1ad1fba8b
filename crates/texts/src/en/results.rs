//! The results of a read: its figures, its rows, the details of one cell.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count, duration, thousands};

/// The part of a row that a manual delete removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// All versions of a column.
    Column,
    /// All cells of a family.
    Family,
    /// All cells.
    Row,
}

/// A count of the cells that GC rules collect now.
pub struct Counted {
    /// The cells that they collect, of all cells that were examined.
    pub cells: u64,
    pub cells_seen: u64,
    /// Rows that lose some cells.
    pub rows: u64,
    pub bytes: u64,
    /// The time that the rules use as now.
    pub now: String,
}

fn rows(number: u64) -> String {
    count(number, "row", "rows")
}

texts!(Results {
    /// The list of figures.
    cost: "What the read cost",
    all_figures: "All figures",
    /// Names of the figures.
    figures: Figures {
        rows_seen: "Rows seen",
        rows_returned: "Rows returned",
        cells_seen: "Cells seen",
        cells_returned: "Cells returned",
        bytes_returned: "Bytes returned",
        ranges: "Ranges",
        tablets: "Tablets touched",
        bytes_read: "Bytes read",
        blocks_read: "Blocks read",
        cache_hits: "Cache hits",
        bloom_skips: "Bloom skips",
        read_amplification: "Read amplification",
        time: "Time",
    },
    /// One sentence on the state of the read.
    nothing_read: "Nothing read yet.",
    reading: |number: u64| format!("Reading: {} so far.", rows(number)),
    done: |number: u64, micros: u64| format!("{} in {}.", rows(number), duration(micros)),
    cancelled: |number: u64| format!("Cancelled after {}.", rows(number)),
    failed: |number: u64| format!("The read failed after {}.", rows(number)),
    progress: "Reading rows",
    /// Why there are no rows: a title and a sentence.
    no_query: ("No query yet", "Run a query; rows appear here in key order."),
    none_yet: ("Reading…", |seen: u64| format!("{} seen so far, none returned yet.", rows(seen))),
    none_until_cancelled: ("Cancelled", |seen: u64| format!("{} seen, none returned.", rows(seen))),
    no_keys: ("No keys given", "Enter one or more row keys under Query."),
    none_of_keys: (
        "No rows match",
        "The table has none of these keys. Compare them with its first and last keys.",
    ),
    none_in_range: ("No rows match", "Compare your range with the first and last keys of the table."),
    no_rows: ("The table has no rows", "Rows appear here once events are in the table."),
    all_filtered: ("No rows match", |seen: u64, cells: u64| {
        format!(
            "{} and {} seen, 0 returned. A row whose cells are all filtered out is not returned.",
            rows(seen),
            count(cells, "cell", "cells")
        )
    }),
    /// Around an example of a pattern.
    pattern_hint: ("A pattern must match the whole text. Use", "to find brand anywhere in it."),
    scanned_more: "The row key cannot answer this by ranges alone: more rows were scanned than you asked for.",
    /// The ways to show rows.
    view: "Show",
    views: ["Cells", "Pivot", "Objects", "Dropped cells"],
    /// A table with columns that can be changed.
    sheet: Sheet {
        column_actions: |column: &str| format!("Actions for column {column}"),
        column_width: |column: &str| format!("Width of column {column}"),
    },
    /// One row per line, columns across.
    pivot: Pivot {
        sheet: |number: u64, columns: u64| {
            format!("{} in {}", rows(number), count(columns, "column", "columns"))
        },
        /// Columns shown among all; whether there are more.
        columns: |shown: u64, all: u64, more: bool| {
            format!("Columns: {shown} of {}{}", thousands(all), if more { "+" } else { "" })
        },
        columns_shown: "Columns shown",
        in_rows: |number: u64| format!("in {}", rows(number)),
        rare: |columns: u64| format!("and {}", count(columns, "rarer column", "rarer columns")),
        pin: "Pin next to the key",
        unpin: "Unpin",
        hide: "Hide column",
        older: |versions: u64| format!("{} in this column", count(versions, "more version", "more versions")),
    },
    /// All cells that were read, including those that the filter dropped.
    traced: Traced {
        sheet: |cells: &str| format!("{cells} cells read, including those that the filter dropped"),
        fate: "Outcome",
        kept: "returned",
        not_chosen: "dropped: not in the rows of the query",
        dropped_by: |nodes: &str| format!("dropped by {nodes}"),
        /// The cell of the cursor.
        of_cell: |key: &str, column: &str, fate: &str| format!("{key} {column}: {fate}"),
        so_far: |dropped: u64, cells: u64| {
            format!(
                "{} of the first {} dropped; scroll for more.",
                thousands(dropped),
                count(cells, "cell", "cells")
            )
        },
        all: |dropped: u64, cells: u64| {
            format!("{} of {} dropped.", thousands(dropped), count(cells, "cell", "cells"))
        },
        cut: |cells: u64| {
            format!("Showing the first {}. Choose fewer rows to see others.", count(cells, "cell", "cells"))
        },
    },
    /// The decoding of values, and their kinds.
    values_as: "Values as",
    /// The button that shows the tools of values and columns.
    tools: "Values and columns",
    /// In the menu of a column.
    values_as_one: |decoding: &str| format!("Values as {decoding}"),
    values_as_others: "Same as other columns",
    /// Why a choice for a column is not saved.
    too_many_columns: "Not saved: 500 columns already have a choice.",
    long_column: "Not saved: the column's name is too long.",
    /// Copies and downloads of all rows.
    export: Export {
        copy_or_download: "Copy or download",
        copy: |form: &str| format!("Copy as {form}"),
        download: |form: &str| format!("Download {form}"),
        /// Names of the forms.
        rows: "CSV, newest values",
        cells: "CSV, all versions",
        csv: "CSV",
        json: "JSON",
        cbt: "cbt commands",
        copied: "Copied.",
        downloaded: "The file is in your downloads.",
    },
    /// The choices of decoding.
    decodings: Decodings {
        auto: "Auto",
        json: "JSON",
        text: "Text",
        int64: "Int64",
        hex: "Hex",
        protobuf: "Protobuf",
    },
    /// The kinds of values, within a sentence.
    kinds: ValueKinds {
        empty: "empty",
        text: "text",
        json: "JSON",
        int64: "int64",
        hex: "hex",
        protobuf: "protobuf",
    },
    /// The grid.
    grid: |number: u64| format!("Cells of {}", rows(number)),
    columns: ["Row key", "Family", "Qualifier", "Time", "Value"],
    key_and_cells: "Row key, with its cells below",
    duplicate: "duplicate",
    duplicate_why: "Duplicate: this cell passed two branches of an interleave",
    /// The details of one cell.
    details: Details {
        title: "Selected cell",
        content: "Key, column, time and value",
        close: "Close details",
        copy_key: "Copy key",
        copy_value: "Copy value",
        key_copied: "Key copied",
        value_copied: "Value copied",
        key_not_copied: "Key not copied: the browser does not allow it",
        value_not_copied: "Value not copied: the browser does not allow it",
        look_up: "Look up in shell",
        key: "Key",
        column: "Column",
        time: "Time",
        label: "Label",
        value: "Value",
        show_hex: "Hex",
        hide_hex: "Hide hex",
        key_size: |bytes: u64, cells: u64| {
            format!("{} · {} in this row", count(bytes, "byte", "bytes"), count(cells, "cell", "cells"))
        },
        value_size: |bytes: u64, kind: &str| format!("{}, read as {kind}", count(bytes, "byte", "bytes")),
        /// The decoding of the values of a column.
        values_of: |column: &str| format!("Values of {column} as"),
        as_others: |decoding: &str| format!("Like others ({decoding})"),
        value_cut: |bytes: u64| format!("; the first {} are shown", thousands(bytes)),
        micros: |micros: i64| {
            format!("{}{} µs", if micros < 0 { "-" } else { "" }, thousands(micros.unsigned_abs()))
        },
        /// The versions of the column.
        versions: |versions: u64, most: u64| {
            let all = format!("{} of this column in the result", count(versions, "version", "versions"));
            if versions > most { format!("{all}; the newest {most} are listed") } else { all }
        },
        /// The cell that is edited, if another one is chosen.
        edits: |time: &str, column: &str, key: &str| {
            format!("This edits the version of {time} in {column} of row {key}.")
        },
        /// The rows shown are of another design.
        other_design: "Not written: these rows belong to another design. Run the query again.",
        collected_next: "would be collected now",
        collected_from: |time: &str| format!("expires {time}"),
        stays: "stays",
        delete_version: |time: &str| format!("Delete the version of {time}"),
        edit_value: "Edit value",
        new_value: "New value",
        save_value: "Save value",
        cancel: "Cancel",
        not_text: "Binary values can only be edited in the shell.",
        written: "Written.",
        /// How long manual writes last.
        by_hand: "Undo reverts manual writes. If you change the row key or layout, they are shelved until \
                  you change it back. This browser stores them; files and links do not contain them.",
    },
    /// Manual writes to the row of the chosen cell.
    by_hand: ByHand {
        title: "Edit this row",
        deletes: |deleted: Deleted| -> &'static str {
            match deleted {
                Deleted::Column => "Delete column",
                Deleted::Family => "Delete family",
                Deleted::Row => "Delete row",
            }
        },
        /// The question before a delete; `name` is that of the column, of the family, or the row's key.
        question: |deleted: Deleted, name: &str| match deleted {
            Deleted::Column => format!("Delete all versions of {name} in this row?"),
            Deleted::Family => format!("Delete all cells of family {name} in this row?"),
            Deleted::Row => format!("Delete all cells of row {name}?"),
        },
        delete: "Delete",
        keep: "Keep",
        add_cell: "Add cell",
        new_cell: "A new cell in this row",
        /// Family, qualifier, value.
        fields: ["Family", "Qualifier", "Value"],
        save_cell: "Save cell",
    },
    /// What GC rules would collect now.
    expired: Expired {
        count: "Count what would be collected now",
        counting: "Counting…",
        /// The count is of an earlier state.
        changed: "The table has changed since the count.",
        of_row: |counted: &Counted| match counted.cells {
            0 => format!(
                "GC rules would collect none of the {} of this row now.",
                count(counted.cells_seen, "cell", "cells")
            ),
            cells => format!(
                "GC rules would collect {} of the {} of this row now ({}).",
                thousands(cells),
                count(counted.cells_seen, "cell", "cells"),
                bytes(counted.bytes)
            ),
        },
        of_table: |counted: &Counted| match counted.cells {
            0 => format!(
                "A major compaction would collect none of the {} now.",
                count(counted.cells_seen, "cell", "cells")
            ),
            cells => format!(
                "A major compaction would collect {} of {} now, {} in {}. “Now” is the newest event's time: \
                 {}.",
                thousands(cells),
                count(counted.cells_seen, "cell", "cells"),
                bytes(counted.bytes),
                count(counted.rows, "row", "rows"),
                counted.now
            ),
        },
    },
});
