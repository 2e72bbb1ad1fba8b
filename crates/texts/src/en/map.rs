//! Texts of the map of a Z-order.

use alloc::format;
use alloc::string::String;

use super::numbers::{count, thousands};

/// Texts of the map.
pub struct Map {
    pub title: fn(x: &str, y: &str) -> String,
    /// For screen readers.
    pub about: fn(points: u64, tablets: u64) -> String,
    pub points: fn(points: u64, rows: u64) -> String,
    /// Hints for a mouse, and for touch.
    pub hints: [&'static str; 2],
    pub tablet: fn(number: u64, points: u64) -> String,
    /// The table of depths.
    pub depths: fn(returned: u64) -> String,
    pub depths_of: fn(share: f64) -> String,
    pub depth: &'static str,
    pub ranges: &'static str,
    pub seen: &'static str,
    pub per_row: &'static str,
    pub take: fn(depth: u8) -> String,
    pub loading: &'static str,
}

pub const ENGLISH: Map = Map {
    title: |x, y| format!("Map of {x} and {y}"),
    about: |points, tablets| {
        format!(
            "{} in {}, one colour per tablet",
            count(points, "point", "points"),
            count(tablets, "tablet", "tablets")
        )
    },
    points: |points, rows| {
        if points < rows {
            format!("{} of {} rows", thousands(points), thousands(rows))
        } else {
            count(rows, "row", "rows")
        }
    },
    hints: [
        "Drag a rectangle to read its rows, or choose Box in the query.",
        "Move a finger sideways first to select a rectangle and read its rows; up and down scrolls the \
         page. Or choose Box in the query.",
    ],
    tablet: |number, points| format!("Tablet {number}: {}", count(points, "point", "points")),
    depths: |returned| format!("The box at each depth: {} inside", count(returned, "row", "rows")),
    depths_of: |share| format!("Counted on {:.0}% of the rows.", share * 100.0),
    depth: "Depth",
    ranges: "Ranges",
    seen: "Rows seen",
    per_row: "Seen per row in the box",
    take: |depth| format!("Read at depth {depth}"),
    loading: "Loading…",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_fingers_names_nothing_that_only_a_mouse_has() {
        assert_eq!(
            ENGLISH.hints.map(|hint| (hint.contains("Drag"), hint.contains("finger"))),
            [(true, false), (false, true)]
        );
    }
}
