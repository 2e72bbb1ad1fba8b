//! Texts of the map of a Z-order.

use alloc::format;

use super::numbers::{count, thousands};

texts!(Map {
    title: |x: &str, y: &str| format!("Map of {x} and {y}"),
    /// For screen readers.
    about: |points: u64, tablets: u64| {
        format!(
            "{} in {}, one colour per tablet",
            count(points, "point", "points"),
            count(tablets, "tablet", "tablets")
        )
    },
    points: |points: u64, rows: u64| {
        if points < rows {
            format!("{} of {} rows", thousands(points), thousands(rows))
        } else {
            count(rows, "row", "rows")
        }
    },
    /// Hints for a mouse, and for touch.
    hints: [
        "Drag a rectangle to read its rows, or choose Box in the query.",
        "Move a finger sideways first to select a rectangle and read its rows; up and down scrolls the \
         page. Or choose Box in the query.",
    ],
    tablet: |number: u64, points: u64| format!("Tablet {number}: {}", count(points, "point", "points")),
    /// The table of depths.
    depths: |returned: u64| format!("The box at each depth: {} inside", count(returned, "row", "rows")),
    depths_of: |share: f64| format!("Counted on {:.0}% of the rows.", share * 100.0),
    depth: "Depth",
    ranges: "Ranges",
    seen: "Rows seen",
    per_row: "Seen per row in the box",
    take: |depth: u8| format!("Read at depth {depth}"),
    loading: "Loading…",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_fingers_names_nothing_that_only_a_mouse_has() {
        assert_eq!(
            Map::ENGLISH.hints.map(|hint| (hint.contains("Drag"), hint.contains("finger"))),
            [(true, false), (false, true)]
        );
    }
}
