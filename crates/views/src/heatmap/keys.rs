//! The keys of the picture. The keyboard can do everything that the pointer does.

use super::zoom::Area;

/// A cell: a column and a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Index of the column.
    pub column: usize,
    /// Index of the bucket.
    pub bucket: usize,
}

/// The effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Moves the cursor to a cell.
    To(Cell),
    /// Moves the cursor to a cell, and the corner of a rectangle with it.
    Extend(Cell),
    /// Zooms to the rectangle, or pins the figures of the cell, or unpins them.
    Enter,
    /// Drops the rectangle, or the figures of a cell.
    Escape,
    /// Shows a part around the cursor.
    ZoomIn,
    /// Shows more around the cursor.
    ZoomOut,
    /// Shows the previous area.
    Back,
    /// Shows the whole heatmap.
    Reset,
}

/// A key with the modifiers held.
#[derive(Clone, Copy, Debug)]
pub struct Press<'k> {
    /// The key's name, as in the browser.
    pub key: &'k str,
    /// Whether Shift is held.
    pub shift: bool,
    /// Whether Ctrl, or the command key of a Mac, is held.
    pub ctrl: bool,
}

/// Returns the effect of a key; `None` for keys that the browser handles. `columns` are the columns
/// drawn; `area` is the part of them that is shown.
pub fn step(press: Press, at: Option<Cell>, (columns, buckets): (usize, usize), area: Area) -> Option<Step> {
    match (press.key, press.ctrl) {
        ("Enter" | " ", false) => return at.map(|_| Step::Enter),
        ("Escape", false) => return Some(Step::Escape),
        ("+" | "=", false) => return Some(Step::ZoomIn),
        ("-" | "_", false) => return Some(Step::ZoomOut),
        ("Backspace" | "Delete", false) => return Some(Step::Back),
        ("r" | "R", false) => return Some(Step::Reset),
        _ => {}
    }
    let (last_column, last_bucket) = (columns.checked_sub(1)?, buckets.checked_sub(1)?);
    let page = ((area.buckets.length() / 10.0) as usize).max(1);
    let cell = at.unwrap_or_else(|| Cell {
        column: last_column,
        bucket: (area.buckets.at(0.5) as usize).min(last_bucket),
    });
    let cell = Cell { column: cell.column.min(last_column), bucket: cell.bucket.min(last_bucket) };
    let to = match (press.key, press.ctrl) {
        // The first key shows where the cursor is.
        ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown", false) if at.is_none() => cell,
        ("ArrowLeft", false) => Cell { column: cell.column.saturating_sub(1), ..cell },
        ("ArrowRight", false) => Cell { column: (cell.column + 1).min(last_column), ..cell },
        ("ArrowUp", false) => Cell { bucket: cell.bucket.saturating_sub(1), ..cell },
        ("ArrowDown", false) => Cell { bucket: (cell.bucket + 1).min(last_bucket), ..cell },
        ("PageUp", false) => Cell { bucket: cell.bucket.saturating_sub(page), ..cell },
        ("PageDown", false) => Cell { bucket: (cell.bucket + page).min(last_bucket), ..cell },
        ("Home", false) => Cell { column: 0, ..cell },
        ("End", false) => Cell { column: last_column, ..cell },
        ("Home", true) => Cell { bucket: 0, ..cell },
        ("End", true) => Cell { bucket: last_bucket, ..cell },
        _ => return None,
    };
    Some(if press.shift { Step::Extend(to) } else { Step::To(to) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_by_cells_and_stay_in_the_heatmap() {
        let area = Area::whole(60, 512);
        let cell = |column, bucket| Cell { column, bucket };
        let step = |key, at| step(Press { key, shift: false, ctrl: false }, at, (60, 512), area);
        for (key, at, expected) in [
            ("ArrowRight", None, Some(Step::To(cell(59, 256)))),
            ("ArrowRight", Some(cell(3, 4)), Some(Step::To(cell(4, 4)))),
            ("ArrowRight", Some(cell(59, 4)), Some(Step::To(cell(59, 4)))),
            ("ArrowLeft", Some(cell(0, 4)), Some(Step::To(cell(0, 4)))),
            ("ArrowDown", Some(cell(99, 999)), Some(Step::To(cell(59, 511)))),
            ("PageUp", Some(cell(5, 60)), Some(Step::To(cell(5, 9)))),
            ("PageDown", Some(cell(5, 500)), Some(Step::To(cell(5, 511)))),
            ("Home", Some(cell(5, 7)), Some(Step::To(cell(0, 7)))),
            ("Enter", None, None),
            ("Enter", Some(cell(1, 1)), Some(Step::Enter)),
            ("Backspace", None, Some(Step::Back)),
            ("+", None, Some(Step::ZoomIn)),
            ("Tab", Some(cell(1, 1)), None),
        ] {
            assert_eq!(step(key, at), expected, "{key} at {at:?}");
        }
    }

    #[test]
    fn shift_draws_a_rectangle_and_ctrl_goes_to_the_ends_of_the_keys() {
        let area = Area::whole(60, 512);
        let at = Some(Cell { column: 5, bucket: 7 });
        let step = |key, shift, ctrl| step(Press { key, shift, ctrl }, at, (60, 512), area);
        assert_eq!(step("ArrowDown", true, false), Some(Step::Extend(Cell { column: 5, bucket: 8 })));
        assert_eq!(step("End", false, true), Some(Step::To(Cell { column: 5, bucket: 511 })));
        assert_eq!(step("r", false, true), None, "loading the page again is the browser's");
        assert_eq!(step("+", false, true), None);
    }

    #[test]
    fn there_is_no_cell_without_columns() {
        let press = Press { key: "ArrowDown", shift: false, ctrl: false };
        assert_eq!(step(press, None, (0, 512), Area::whole(60, 512)), None);
    }
}
