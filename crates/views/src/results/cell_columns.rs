//! What is chosen for the five columns of a list of cells.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_workspace::ResultColumns;

/// The number of columns.
pub const CELL_COLUMNS: usize = ResultColumns::OF_CELLS.len();
/// The minimum widths of columns without a chosen one, in the page's type size: `--track-0` and so
/// on in results.css.
const LEAST_REM: [f64; CELL_COLUMNS] = [8.0, 5.5, 5.0, 10.5, 7.0];

/// What is chosen for the columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellColumns {
    /// The key always is.
    pub shown: [bool; CELL_COLUMNS],
    /// Whether each column stays in sight while the list scrolls.
    pub pinned: [bool; CELL_COLUMNS],
    widths: [Option<f64>; CELL_COLUMNS],
    /// Whether a width was chosen: the browser does not divide the width by default.
    pub sized: bool,
}

/// The columns of a user who has chosen nothing.
pub const USUAL_CELL_COLUMNS: CellColumns = CellColumns {
    shown: [true; CELL_COLUMNS],
    pinned: [false; CELL_COLUMNS],
    widths: [None; CELL_COLUMNS],
    sized: false,
};

impl CellColumns {
    /// Reads what is chosen.
    #[inline(never)]
    pub fn of(chosen: &ResultColumns) -> CellColumns {
        let mut columns = USUAL_CELL_COLUMNS;
        for (at, name) in ResultColumns::OF_CELLS.into_iter().enumerate() {
            if let Some(column) = chosen.get(name) {
                columns.shown[at] = at == 0 || column.shown != Some(false);
                columns.pinned[at] = column.pinned;
                columns.widths[at] = column.width;
            }
        }
        columns.sized = columns != USUAL_CELL_COLUMNS;
        columns.pinned[0] = columns.sized;
        columns
    }

    /// Returns the style that pins the cells of a column.
    pub fn pin(&self, at: usize) -> &'static str {
        if self.pinned[at] {
            [" pinned pin-0", " pinned pin-1", " pinned pin-2", " pinned pin-3", " pinned pin-4"][at]
        } else {
            ""
        }
    }

    /// Returns the column to which a cursor moves: `to`, or the next one that is shown.
    pub fn nearest(&self, from: usize, to: usize) -> usize {
        let is_shown = |at: &usize| self.shown[*at];
        if to > from {
            (to..CELL_COLUMNS).find(is_shown).or_else(|| (0..to).rev().find(is_shown)).unwrap_or(from)
        } else {
            (0..=to).rev().find(is_shown).unwrap_or(from)
        }
    }

    /// Returns the tracks of the columns for CSS.
    pub fn tracks(&self) -> String {
        let track = |at: usize| {
            self.widths[at].map_or_else(|| format!("var(--track-{at})"), |width| format!("{width}px"))
        };
        (0..CELL_COLUMNS).filter(|&at| self.shown[at]).map(track).collect::<Vec<_>>().join(" ")
    }

    /// Returns the least width of a line, px.
    pub fn least_px(&self, rem_px: f64) -> f64 {
        (0..CELL_COLUMNS)
            .filter(|&at| self.shown[at])
            .map(|at| self.widths[at].unwrap_or(LEAST_REM[at] * rem_px))
            .sum()
    }

    /// Returns the positions of the pinned columns, given the current widths: px from the left.
    pub fn lefts(&self, widths: &[f64; CELL_COLUMNS]) -> [f64; CELL_COLUMNS] {
        let mut left = 0.0;
        core::array::from_fn(|at| {
            let here = left;
            left += if self.pinned[at] && self.shown[at] { widths[at] } else { 0.0 };
            here
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_workspace::ResultColumn;

    use super::*;

    fn columns(columns: Vec<ResultColumn>) -> CellColumns {
        CellColumns::of(&ResultColumns { columns, ..ResultColumns::default() })
    }

    fn column(name: &str) -> ResultColumn {
        ResultColumn { name: name.into(), ..ResultColumn::default() }
    }

    #[test]
    fn what_is_chosen_gives_the_tracks() {
        assert_eq!(columns(vec![]), USUAL_CELL_COLUMNS);
        assert_eq!(
            columns(vec![ResultColumn { width: Some(90.0), ..column("f:q") }]),
            USUAL_CELL_COLUMNS,
            "a column of a pivot"
        );
        let chosen = columns(vec![
            ResultColumn { shown: Some(false), ..column("family") },
            ResultColumn { shown: Some(false), ..column("key") },
            ResultColumn { width: Some(200.0), pinned: true, ..column("time") },
        ]);
        assert_eq!(chosen.tracks(), "var(--track-0) var(--track-2) 200px var(--track-4)");
        assert_eq!(chosen.least_px(10.0), 80.0 + 50.0 + 200.0 + 70.0);
        assert_eq!(chosen.lefts(&[100.0, 0.0, 50.0, 200.0, 300.0]), [0.0, 100.0, 100.0, 100.0, 300.0]);
        assert_eq!((chosen.pin(0), chosen.pin(2), chosen.pin(3)), (" pinned pin-0", "", " pinned pin-3"));
    }

    #[test]
    fn a_cursor_steps_over_what_is_hidden() {
        let hides = |names: &[&str]| {
            columns(names.iter().map(|name| ResultColumn { shown: Some(false), ..column(name) }).collect())
        };
        assert_eq!((USUAL_CELL_COLUMNS.nearest(0, 1), USUAL_CELL_COLUMNS.nearest(4, 4)), (1, 4));
        let two = hides(&["family", "value"]);
        assert_eq!(
            (two.nearest(0, 1), two.nearest(2, 1), two.nearest(3, 4), two.nearest(0, 4)),
            (2, 0, 3, 3)
        );
    }
}
