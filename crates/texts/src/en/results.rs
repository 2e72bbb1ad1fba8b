//! The results of a read: its figures, its rows, the details of one cell.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count, duration, thousands};

/// Texts of the results.
pub struct Results {
    /// The list of figures.
    pub cost: &'static str,
    pub all_figures: &'static str,
    pub figures: Figures,
    /// One sentence on the state of the read.
    pub nothing_read: &'static str,
    pub reading: fn(rows: u64) -> String,
    pub done: fn(rows: u64, micros: u64) -> String,
    pub cancelled: fn(rows: u64) -> String,
    pub failed: fn(rows: u64) -> String,
    pub progress: &'static str,
    /// Why there are no rows: a title and a sentence.
    pub no_query: (&'static str, &'static str),
    pub none_yet: (&'static str, fn(rows_seen: u64) -> String),
    pub none_until_cancelled: (&'static str, fn(rows_seen: u64) -> String),
    pub no_keys: (&'static str, &'static str),
    pub none_of_keys: (&'static str, &'static str),
    pub none_in_range: (&'static str, &'static str),
    pub no_rows: (&'static str, &'static str),
    pub all_filtered: (&'static str, fn(rows_seen: u64, cells_seen: u64) -> String),
    /// Around an example of a pattern.
    pub pattern_hint: (&'static str, &'static str),
    pub scanned_more: &'static str,
    /// The ways to show rows.
    pub view: &'static str,
    pub views: [&'static str; 4],
    pub sheet: Sheet,
    pub pivot: Pivot,
    pub traced: Traced,
    /// The decoding of values, and their kinds.
    pub values_as: &'static str,
    /// In the menu of a column.
    pub values_as_one: fn(decoding: &str) -> String,
    pub values_as_others: &'static str,
    /// Why a choice for a column is not saved.
    pub too_many_columns: &'static str,
    pub long_column: &'static str,
    pub export: Export,
    pub decodings: Decodings,
    pub kinds: ValueKinds,
    /// The grid.
    pub grid: fn(rows: u64) -> String,
    pub columns: [&'static str; 5],
    pub key_and_cells: &'static str,
    pub duplicate: &'static str,
    pub duplicate_why: &'static str,
    pub details: Details,
    pub by_hand: ByHand,
    pub expired: Expired,
}

/// A table with columns that can be changed.
pub struct Sheet {
    pub column_actions: fn(column: &str) -> String,
    pub column_width: fn(column: &str) -> String,
}

/// One row per line, columns across.
pub struct Pivot {
    pub sheet: fn(rows: u64, columns: u64) -> String,
    /// Columns shown among all; whether there are more.
    pub columns: fn(shown: u64, all: u64, more: bool) -> String,
    pub columns_shown: &'static str,
    pub in_rows: fn(rows: u64) -> String,
    pub rare: fn(columns: u64) -> String,
    pub pin: &'static str,
    pub unpin: &'static str,
    pub hide: &'static str,
    pub older: fn(versions: u64) -> String,
}

/// Copies and downloads of all rows.
pub struct Export {
    pub copy_or_download: &'static str,
    pub copy: fn(form: &str) -> String,
    pub download: fn(form: &str) -> String,
    /// Names of the forms.
    pub rows: &'static str,
    pub cells: &'static str,
    pub csv: &'static str,
    pub json: &'static str,
    pub cbt: &'static str,
    pub copied: &'static str,
    pub downloaded: &'static str,
}

/// All cells that were read, including those that the filter dropped.
pub struct Traced {
    pub sheet: fn(cells: &str) -> String,
    pub fate: &'static str,
    pub kept: &'static str,
    pub not_chosen: &'static str,
    pub dropped_by: fn(nodes: &str) -> String,
    /// The cell of the cursor.
    pub of_cell: fn(key: &str, column: &str, fate: &str) -> String,
    pub so_far: fn(dropped: u64, cells: u64) -> String,
    pub all: fn(dropped: u64, cells: u64) -> String,
    pub cut: fn(cells: u64) -> String,
}

/// Names of the figures.
pub struct Figures {
    pub rows_seen: &'static str,
    pub rows_returned: &'static str,
    pub cells_seen: &'static str,
    pub cells_returned: &'static str,
    pub bytes_returned: &'static str,
    pub ranges: &'static str,
    pub tablets: &'static str,
    pub bytes_read: &'static str,
    pub blocks_read: &'static str,
    pub cache_hits: &'static str,
    pub bloom_skips: &'static str,
    pub read_amplification: &'static str,
    pub time: &'static str,
}

/// The choices of decoding.
pub struct Decodings {
    pub auto: &'static str,
    pub json: &'static str,
    pub text: &'static str,
    pub int64: &'static str,
    pub hex: &'static str,
    pub protobuf: &'static str,
}

/// The kinds of values, within a sentence.
pub struct ValueKinds {
    pub empty: &'static str,
    pub text: &'static str,
    pub json: &'static str,
    pub int64: &'static str,
    pub hex: &'static str,
    pub protobuf: &'static str,
}

/// The details of one cell.
pub struct Details {
    pub title: &'static str,
    pub content: &'static str,
    pub close: &'static str,
    pub copy_key: &'static str,
    pub copy_value: &'static str,
    pub key_copied: &'static str,
    pub value_copied: &'static str,
    pub key_not_copied: &'static str,
    pub value_not_copied: &'static str,
    pub look_up: &'static str,
    pub key: &'static str,
    pub column: &'static str,
    pub time: &'static str,
    pub label: &'static str,
    pub value: &'static str,
    pub show_hex: &'static str,
    pub hide_hex: &'static str,
    pub key_size: fn(bytes: u64, cells: u64) -> String,
    pub value_size: fn(bytes: u64, kind: &str) -> String,
    /// The decoding of the values of a column.
    pub values_of: fn(column: &str) -> String,
    pub as_others: fn(decoding: &str) -> String,
    pub value_cut: fn(bytes: u64) -> String,
    pub micros: fn(micros: i64) -> String,
    /// The versions of the column.
    pub versions: fn(count: u64, listed_max: u64) -> String,
    /// The cell that is edited, if another one is chosen.
    pub edits: fn(time: &str, column: &str, key: &str) -> String,
    /// The rows shown are of another design.
    pub other_design: &'static str,
    pub collected_next: &'static str,
    pub collected_from: fn(time: &str) -> String,
    pub stays: &'static str,
    pub delete_version: fn(time: &str) -> String,
    pub edit_value: &'static str,
    pub new_value: &'static str,
    pub save_value: &'static str,
    pub cancel: &'static str,
    pub not_text: &'static str,
    pub written: &'static str,
    /// How long manual writes last.
    pub by_hand: &'static str,
}

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

/// What GC rules would collect now.
pub struct Expired {
    pub count: &'static str,
    pub counting: &'static str,
    /// The count is of an earlier state.
    pub changed: &'static str,
    pub of_row: fn(&Counted) -> String,
    pub of_table: fn(&Counted) -> String,
}

/// Manual writes to the row of the chosen cell.
pub struct ByHand {
    pub title: &'static str,
    pub deletes: fn(deleted: Deleted) -> &'static str,
    /// The question before a delete; `name` is that of the column, of the family, or the row's key.
    pub question: fn(deleted: Deleted, name: &str) -> String,
    pub delete: &'static str,
    pub keep: &'static str,
    pub add_cell: &'static str,
    pub new_cell: &'static str,
    /// Family, qualifier, value.
    pub fields: [&'static str; 3],
    pub save_cell: &'static str,
}

fn rows(number: u64) -> String {
    count(number, "row", "rows")
}

pub const ENGLISH: Results = Results {
    cost: "What the read cost",
    all_figures: "All figures",
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
    nothing_read: "Nothing read yet.",
    reading: |number| format!("Reading: {} so far.", rows(number)),
    done: |number, micros| format!("{} in {}.", rows(number), duration(micros)),
    cancelled: |number| format!("Cancelled after {}.", rows(number)),
    failed: |number| format!("The read failed after {}.", rows(number)),
    progress: "Reading rows",
    no_query: ("No query yet", "Run a query; rows appear here in key order."),
    none_yet: ("Reading…", |seen| format!("{} seen so far, none returned yet.", rows(seen))),
    none_until_cancelled: ("Cancelled", |seen| format!("{} seen, none returned.", rows(seen))),
    no_keys: ("No keys given", "Enter one or more row keys under Query."),
    none_of_keys: (
        "No rows match",
        "The table has none of these keys. Compare them with its first and last keys.",
    ),
    none_in_range: ("No rows match", "Compare your range with the first and last keys of the table."),
    no_rows: ("The table has no rows", "Rows appear here once events are in the table."),
    all_filtered: ("No rows match", |seen, cells| {
        format!(
            "{} and {} seen, 0 returned. A row whose cells are all filtered out is not returned.",
            rows(seen),
            count(cells, "cell", "cells")
        )
    }),
    pattern_hint: ("A pattern must match the whole text. Use", "to find brand anywhere in it."),
    scanned_more: "The row key cannot answer this by ranges alone: more rows were scanned than you asked for.",
    view: "Show",
    views: ["Cells", "Pivot", "Objects", "Dropped cells"],
    sheet: Sheet {
        column_actions: |column| format!("Actions of column {column}"),
        column_width: |column| format!("Width of column {column}"),
    },
    pivot: Pivot {
        sheet: |number, columns| format!("{} in {}", rows(number), count(columns, "column", "columns")),
        columns: |shown, all, more| {
            format!("Columns: {shown} of {}{}", thousands(all), if more { "+" } else { "" })
        },
        columns_shown: "Columns shown",
        in_rows: |number| format!("in {}", rows(number)),
        rare: |columns| format!("and {}", count(columns, "rarer column", "rarer columns")),
        pin: "Pin next to the key",
        unpin: "Unpin",
        hide: "Hide column",
        older: |versions| format!("{} in this column", count(versions, "more version", "more versions")),
    },
    traced: Traced {
        sheet: |cells| format!("{cells} cells read, including those that the filter dropped"),
        fate: "Outcome",
        kept: "returned",
        not_chosen: "dropped: not in the rows of the query",
        dropped_by: |nodes| format!("dropped by {nodes}"),
        of_cell: |key, column, fate| format!("{key} {column}: {fate}"),
        so_far: |dropped, cells| {
            format!(
                "{} of the first {} dropped; scroll for more.",
                thousands(dropped),
                count(cells, "cell", "cells")
            )
        },
        all: |dropped, cells| format!("{} of {} dropped.", thousands(dropped), count(cells, "cell", "cells")),
        cut: |cells| {
            format!("Showing the first {}. Choose fewer rows to see others.", count(cells, "cell", "cells"))
        },
    },
    values_as: "Values as",
    values_as_one: |decoding| format!("Values as {decoding}"),
    values_as_others: "Same as other columns",
    too_many_columns: "Not saved: 500 columns already have a choice.",
    long_column: "Not saved: the column's name is too long.",
    export: Export {
        copy_or_download: "Copy or download",
        copy: |form| format!("Copy as {form}"),
        download: |form| format!("Download {form}"),
        rows: "CSV, newest values",
        cells: "CSV, all versions",
        csv: "CSV",
        json: "JSON",
        cbt: "cbt commands",
        copied: "Copied.",
        downloaded: "The file is in your downloads.",
    },
    decodings: Decodings {
        auto: "Auto",
        json: "JSON",
        text: "Text",
        int64: "Int64",
        hex: "Hex",
        protobuf: "Protobuf",
    },
    kinds: ValueKinds {
        empty: "empty",
        text: "text",
        json: "JSON",
        int64: "int64",
        hex: "hex",
        protobuf: "protobuf",
    },
    grid: |number| format!("Cells of {}", rows(number)),
    columns: ["Row key", "Family", "Qualifier", "Time", "Value"],
    key_and_cells: "Row key, with its cells below",
    duplicate: "duplicate",
    duplicate_why: "Duplicate: this cell passed two branches of an interleave",
    expired: Expired {
        count: "Count what would be collected now",
        counting: "Counting…",
        changed: "The table has changed since the count.",
        of_row: |counted| match counted.cells {
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
        of_table: |counted| match counted.cells {
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
    by_hand: ByHand {
        title: "Edit this row",
        deletes: |deleted| match deleted {
            Deleted::Column => "Delete column",
            Deleted::Family => "Delete family",
            Deleted::Row => "Delete row",
        },
        question: |deleted, name| match deleted {
            Deleted::Column => format!("Delete all versions of {name} in this row?"),
            Deleted::Family => format!("Delete all cells of family {name} in this row?"),
            Deleted::Row => format!("Delete all cells of row {name}?"),
        },
        delete: "Delete",
        keep: "Keep",
        add_cell: "Add cell",
        new_cell: "A new cell in this row",
        fields: ["Family", "Qualifier", "Value"],
        save_cell: "Save cell",
    },
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
        key_size: |bytes, cells| {
            format!("{} · {} in this row", count(bytes, "byte", "bytes"), count(cells, "cell", "cells"))
        },
        value_size: |bytes, kind| format!("{}, read as {kind}", count(bytes, "byte", "bytes")),
        values_of: |column| format!("Values of {column} as"),
        as_others: |decoding| format!("Like others ({decoding})"),
        value_cut: |bytes| format!("; the first {} are shown", thousands(bytes)),
        micros: |micros| {
            format!("{}{} µs", if micros < 0 { "-" } else { "" }, thousands(micros.unsigned_abs()))
        },
        versions: |versions, most| {
            let all = format!("{} of this column in the result", count(versions, "version", "versions"));
            if versions > most { format!("{all}; the newest {most} are listed") } else { all }
        },
        edits: |time, column, key| format!("This edits the version of {time} in {column} of row {key}."),
        other_design: "Not written: these rows are of another design. Run the query again.",
        collected_next: "would be collected now",
        collected_from: |time| format!("expires {time}"),
        stays: "stays",
        delete_version: |time| format!("Delete the version of {time}"),
        edit_value: "Edit value",
        new_value: "New value",
        save_value: "Save value",
        cancel: "Cancel",
        not_text: "Binary values can only be edited in the shell.",
        written: "Written.",
        by_hand: "Undo reverts manual writes. If you change the row key or layout, they are shelved until \
                  you change it back. This browser stores them; files and links do not contain them.",
    },
};
