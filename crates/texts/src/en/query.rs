//! A query: its rows, limit and order, its name, and the limits of its cost.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

/// The number of reads of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merged {
    /// One read.
    No,
    /// Several reads, merged in the order of their keys.
    InKeyOrder,
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

texts!(Query {
    /// The choices of rows: all, keys, prefix, range, fields, box.
    rows: "Which rows",
    row_choices: ["All", "Keys", "Prefix", "Range", "Fields", "Box"],
    /// Texts of a box.
    boxes: Boxes {
        from: |field: &str| format!("{field} from"),
        to: |field: &str| format!("{field} to"),
        depth: "Depth",
        /// The depth is not given.
        by_itself: "up to 64 ranges",
        not_a_depth: |most: u8| format!("a depth is a whole number from 0 to {most}, or empty"),
        swapped: "An axis ends before it starts. Enter the smaller number first.",
    },
    keys: "One key per line",
    prefix: "Row key prefix",
    from_time: |field: &str| format!("From {field}"),
    until_time: |field: &str| format!("Until {field}"),
    any: "any",
    another_field: "Another field",
    /// An end of a range, and its choices: closed, open, none.
    start: "Start",
    start_is: "Start is",
    start_choices: ["from", "after", "from the first"],
    first_key: "first key",
    end: "End",
    end_is: "End is",
    end_choices: ["through", "before", "to the last"],
    end_of_table: "end of the table",
    /// The limit and the order.
    limit: "Limit",
    no_limit: "0 = no limit",
    reversed: "Reverse order",
    newest_first: "Newest first",
    run: "Run",
    run_keys: "Ctrl+Enter",
    cancel: "Cancel",
    /// Notes on invalid fields, whose last valid values are used.
    rows_invalid: "Row selection is invalid; using the last valid one.",
    limit_invalid: "The limit is invalid; using the last valid one.",
    block_invalid: "A block of the filter has an error; Run uses its last valid version.",
    filter_invalid: "The filter has an error; Run uses the last valid one.",
    filter_refused: "The filter has an error; Run uses the previous one, which is refused as well.",
    /// How a choice of rows is read.
    no_keys: "Enter at least one key.",
    swapped: "The time range starts after it ends. Swap the two.",
    nothing_read: "No row can have this key. Nothing is read.",
    all_scanned: "The row key cannot serve this by ranges: every row is scanned and filtered.",
    full_scan: "Becomes a scan of the whole table.",
    becomes: |keys: u64, ranges: u64, merged: Merged| becomes(keys, ranges, merged),
    becomes_more: |keys: u64, ranges: u64, merged: Merged| {
        let contain = if keys + ranges == 1 { "It contains" } else { "They contain" };
        format!(
            "{} {contain} more than you asked for: the rest is scanned and filtered out.",
            becomes(keys, ranges, merged)
        )
    },
    without_salt: |becomes: &str, logical: &str, salted: &str| {
        format!("{becomes} Enter keys without the salt: {logical}, not {salted}.")
    },
    template_invalid: "The row key template has an error.",
    /// Problems of texts.
    not_whole: "not a whole number: enter digits, such as 3",
    not_a_limit: "not a number of rows: enter digits, or 0 for no limit",
    not_a_number: "not a number: enter a decimal, such as 0.1",
    not_a_cell_time: "not a time: enter 2019-05-28, 2019-05-28T00:04:34.000Z or microseconds since 1970",
    not_an_event_time: "not a time: enter 2019-05-28, 2019-05-28T00:04:34Z, or seconds or milliseconds \
                        since 1970",
    bad_escape: |shown: &str| {
        format!(
            "{shown} is not an escape: use \\\\ for a backslash, \\n, \\r, \\t, or \\x and two hex digits"
        )
    },
    character: |character: usize| format!("character {character}"),
    line_and_character: |line: usize, character: usize| format!("line {line}, character {character}"),
    at: |place: &str, message: &str| format!("{place}: {message}"),
    /// The query as code.
    code: AsCode {
        title: "This query as code",
        language: "Language",
        content: "Code of the query",
        /// The name of a query that is not saved.
        unnamed: "Query",
    },
    /// Access patterns.
    saved: Saved {
        list: "Access pattern",
        none: "Not saved",
        rename: "Rename",
        delete: "Delete the access pattern",
        deleted: "Deleted. Undo restores it.",
        save_as: "Save as",
        name: "Name",
        default_name: |number: u32| format!("Query {number}"),
        save: "Save",
        discard: "Discard",
        saved: "Saved",
        name_taken: "Another access pattern has this name.",
        invalid: "Only the last valid version is saved.",
        changed: "The query differs from the access pattern.",
        save_changes: "Save changes",
    },
    /// The limits of an access pattern.
    limits: Limits {
        title: "Limits",
        about: "Maximums unless noted; leave a field empty for no limit.",
        rows_returned: "Rows returned",
        rows_seen_per_row: "Rows seen per row returned",
        cells_seen: "Cells seen",
        bytes_read: "Bytes read",
        blocks: "Blocks read or cached",
        tablets: "Tablets",
        ranges: "Ranges",
        /// The label of a limit that is a minimum.
        at_least: |figure: &str| format!("{figure}, at least"),
        not_run: "Run the query to check its limits.",
        met: |limits: u64| {
            if limits == 1 { "Within the limit.".into() } else { format!("Within all {limits} limits.") }
        },
        missed: |limits: u64| format!("{} violated:", count(limits, "limit", "limits")),
        too_few: |name: &str, measured: f64, minimum: f64| {
            format!("{name}: {}, at least {}", figure(measured), figure(minimum))
        },
        too_many: |name: &str, measured: f64, maximum: f64| {
            format!("{name}: {}, at most {}", figure(measured), figure(maximum))
        },
    },
});
