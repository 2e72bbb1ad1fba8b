//! A query: its rows, limit and order, its name, and the limits of its cost.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

/// Texts of the query panel.
pub struct Query {
    /// The choices of rows: all, keys, prefix, range, fields, box.
    pub rows: &'static str,
    pub row_choices: [&'static str; 6],
    pub boxes: Boxes,
    pub keys: &'static str,
    pub prefix: &'static str,
    pub from_time: fn(field: &str) -> String,
    pub until_time: fn(field: &str) -> String,
    pub any: &'static str,
    pub another_field: &'static str,
    /// An end of a range, and its choices: closed, open, none.
    pub start: &'static str,
    pub start_is: &'static str,
    pub start_choices: [&'static str; 3],
    pub first_key: &'static str,
    pub end: &'static str,
    pub end_is: &'static str,
    pub end_choices: [&'static str; 3],
    pub end_of_table: &'static str,
    /// The limit and the order.
    pub limit: &'static str,
    pub no_limit: &'static str,
    pub reversed: &'static str,
    pub run: &'static str,
    pub run_keys: &'static str,
    pub cancel: &'static str,
    /// Notes on invalid fields, whose last valid values are used.
    pub rows_invalid: &'static str,
    pub limit_invalid: &'static str,
    pub block_invalid: &'static str,
    pub filter_invalid: &'static str,
    pub filter_refused: &'static str,
    /// How a choice of rows is read.
    pub no_keys: &'static str,
    pub swapped: &'static str,
    pub nothing_read: &'static str,
    pub all_scanned: &'static str,
    pub full_scan: &'static str,
    pub becomes: fn(keys: u64, ranges: u64, merged: Merged) -> String,
    pub becomes_more: fn(keys: u64, ranges: u64, merged: Merged) -> String,
    pub without_salt: fn(becomes: &str, logical: &str, salted: &str) -> String,
    pub template_invalid: &'static str,
    /// Problems of texts.
    pub not_whole: &'static str,
    pub not_a_limit: &'static str,
    pub not_a_number: &'static str,
    pub not_a_cell_time: &'static str,
    pub not_an_event_time: &'static str,
    pub bad_escape: fn(shown: &str) -> String,
    pub character: fn(character: usize) -> String,
    pub line_and_character: fn(line: usize, character: usize) -> String,
    pub at: fn(place: &str, message: &str) -> String,
    /// The query as code.
    pub code: AsCode,
    /// Saved queries.
    pub saved: Saved,
    /// The limits of a saved query.
    pub limits: Limits,
}

/// Texts of the query as code.
pub struct AsCode {
    pub title: &'static str,
    pub language: &'static str,
    pub content: &'static str,
    /// The name of a query that is not saved.
    pub unnamed: &'static str,
}

/// Texts of a box.
pub struct Boxes {
    pub from: fn(field: &str) -> String,
    pub to: fn(field: &str) -> String,
    pub depth: &'static str,
    /// The depth is not given.
    pub by_itself: &'static str,
    pub not_a_depth: fn(most: u8) -> String,
    pub swapped: &'static str,
}

/// The number of reads of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// One read.
    No,
    /// Several reads, merged in the order of their keys.
    InKeyOrder,
}

/// Texts of the list of saved queries.
pub struct Saved {
    pub list: &'static str,
    pub none: &'static str,
    pub rename: &'static str,
    pub delete: &'static str,
    pub deleted: &'static str,
    pub save_as: &'static str,
    pub name: &'static str,
    pub default_name: fn(number: u32) -> String,
    pub save: &'static str,
    pub discard: &'static str,
    pub saved: &'static str,
    pub name_taken: &'static str,
    pub invalid: &'static str,
    pub changed: &'static str,
    pub save_changes: &'static str,
}

/// Texts of the limits of a saved query.
pub struct Limits {
    pub title: &'static str,
    pub about: &'static str,
    pub rows_returned: &'static str,
    pub rows_seen_per_row: &'static str,
    pub cells_seen: &'static str,
    pub bytes_read: &'static str,
    pub blocks: &'static str,
    pub tablets: &'static str,
    pub ranges: &'static str,
    /// The label of a limit that is a minimum.
    pub at_least: fn(figure: &str) -> String,
    pub not_run: &'static str,
    pub met: fn(limits: u64) -> String,
    pub missed: fn(limits: u64) -> String,
    pub too_few: fn(figure: &str, measured: f64, minimum: f64) -> String,
    pub too_many: fn(figure: &str, measured: f64, maximum: f64) -> String,
}

fn becomes(keys: u64, ranges: u64, merged: Merged) -> String {
    let sets = match (keys, ranges) {
        (0, ranges) => count(ranges, "range", "ranges"),
        (keys, 0) => count(keys, "key", "keys"),
        (keys, ranges) => format!("{} and {}", count(keys, "key", "keys"), count(ranges, "range", "ranges")),
    };
    format!("Becomes {sets}{}.", if merged == Merged::InKeyOrder { ", merged in key order" } else { "" })
}

/// Returns a number, with two digits after the point if it is not whole.
fn figure(number: f64) -> String {
    if libm::trunc(number) == number { thousands(number as u64) } else { format!("{number:.2}") }
}

pub const ENGLISH: Query = Query {
    rows: "Which rows",
    row_choices: ["All", "Keys", "Prefix", "Range", "Fields", "Box"],
    boxes: Boxes {
        from: |field| format!("{field} from"),
        to: |field| format!("{field} to"),
        depth: "Depth",
        by_itself: "up to 64 ranges",
        not_a_depth: |most| format!("a depth is a whole number from 0 to {most}, or empty"),
        swapped: "An axis ends before it starts. Enter the smaller number first.",
    },
    keys: "One key per line",
    prefix: "Row key prefix",
    from_time: |field| format!("From {field}"),
    until_time: |field| format!("Until {field}"),
    any: "any",
    another_field: "Another field",
    start: "Start",
    start_is: "Start is",
    start_choices: ["from", "after", "from the first"],
    first_key: "first key",
    end: "End",
    end_is: "End is",
    end_choices: ["through", "before", "to the last"],
    end_of_table: "end of the table",
    limit: "Limit",
    no_limit: "0 = no limit",
    reversed: "Reverse order",
    run: "Run",
    run_keys: "Ctrl+Enter",
    cancel: "Cancel",
    rows_invalid: "Row selection is invalid; using the last valid one.",
    limit_invalid: "The limit is invalid; using the last valid one.",
    block_invalid: "A block of the filter has an error; Run uses its last valid version.",
    filter_invalid: "The filter has an error; Run uses the last valid one.",
    filter_refused: "The filter has an error; Run uses the previous one, which is refused as well.",
    no_keys: "Enter at least one key.",
    swapped: "The time range starts after it ends. Swap the two.",
    nothing_read: "No row can have this key. Nothing is read.",
    all_scanned: "The row key cannot serve this by ranges: every row is scanned and filtered.",
    full_scan: "Becomes a scan of the whole table.",
    becomes,
    becomes_more: |keys, ranges, merged| {
        let contain = if keys + ranges == 1 { "It contains" } else { "They contain" };
        format!(
            "{} {contain} more than you asked for: the rest is scanned and filtered out.",
            becomes(keys, ranges, merged)
        )
    },
    without_salt: |becomes, logical, salted| {
        format!("{becomes} Enter keys without the salt: {logical}, not {salted}.")
    },
    template_invalid: "The row key template has an error.",
    not_whole: "not a whole number: enter digits, such as 3",
    not_a_limit: "not a number of rows: enter digits, or 0 for no limit",
    not_a_number: "not a number: enter a decimal, such as 0.1",
    not_a_cell_time: "not a time: enter 2019-05-28, 2019-05-28T00:04:34.000Z or microseconds since 1970",
    not_an_event_time: "not a time: enter 2019-05-28, 2019-05-28T00:04:34Z, or seconds or milliseconds \
                        since 1970",
    bad_escape: |shown| {
        format!(
            "{shown} is not an escape: use \\\\ for a backslash, \\n, \\r, \\t, or \\x and two hex digits"
        )
    },
    character: |character| format!("character {character}"),
    line_and_character: |line, character| format!("line {line}, character {character}"),
    at: |place, message| format!("{place}: {message}"),
    code: AsCode {
        title: "This query as code",
        language: "Language",
        content: "Code of the query",
        unnamed: "Query",
    },
    saved: Saved {
        list: "Saved query",
        none: "Not saved",
        rename: "Rename",
        delete: "Delete the saved query",
        deleted: "Deleted. Undo restores it.",
        save_as: "Save as",
        name: "Name",
        default_name: |number| format!("Query {number}"),
        save: "Save",
        discard: "Discard",
        saved: "Saved",
        name_taken: "Another query has this name.",
        invalid: "Only the last valid version is saved.",
        changed: "The query changed since it was saved.",
        save_changes: "Save changes",
    },
    limits: Limits {
        title: "Limits",
        about: "Budget for this query. Maximum unless noted; leave empty for no limit.",
        rows_returned: "Rows returned",
        rows_seen_per_row: "Rows seen per row returned",
        cells_seen: "Cells seen",
        bytes_read: "Bytes read",
        blocks: "Blocks read or cached",
        tablets: "Tablets",
        ranges: "Ranges",
        at_least: |figure| format!("{figure}, at least"),
        not_run: "Run the query to check its limits.",
        met: |limits| {
            if limits == 1 { "Within the limit.".into() } else { format!("Within all {limits} limits.") }
        },
        missed: |limits| format!("{} missed:", count(limits, "limit", "limits")),
        too_few: |name, measured, minimum| {
            format!("{name}: {}, at least {}", figure(measured), figure(minimum))
        },
        too_many: |name, measured, maximum| {
            format!("{name}: {}, at most {}", figure(measured), figure(maximum))
        },
    },
};
