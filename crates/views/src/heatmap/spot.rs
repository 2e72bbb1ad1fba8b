//! Places in a heatmap: what a pointer or the cursor of the keys is on.

use super::keys::Cell;
use super::matrix::{HeatMatrix, Shown};
use super::zoom::{Area, Span};
use crate::ceil;

/// A position in a heatmap. It stays valid when columns are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// A second of its column.
    pub second: u32,
    /// The bucket of keys.
    pub bucket: usize,
}

impl Spot {
    /// The position of a cell.
    pub fn of(matrix: &HeatMatrix, cell: Cell) -> Option<Spot> {
        Some(Spot { second: matrix.columns().get(cell.column)?.seconds().start, bucket: cell.bucket })
    }

    /// The cell at this position, if there is one.
    pub fn cell(self, matrix: &HeatMatrix) -> Option<Cell> {
        let column = matrix.column_at(self.second).filter(|_| self.bucket < matrix.buckets())?;
        Some(Cell { column, bucket: self.bucket })
    }

    /// The area of its cell.
    pub fn area(self, matrix: &HeatMatrix) -> Option<Area> {
        let Cell { column, bucket } = self.cell(matrix)?;
        let seconds = matrix.columns()[column].seconds();
        Some(Area {
            seconds: Span { from: seconds.start.into(), until: seconds.end.into() },
            buckets: Span { from: bucket as f64, until: bucket as f64 + 1.0 },
        })
    }

    /// The area of the rectangle with two cells at its corners.
    pub fn area_to(self, other: Spot, matrix: &HeatMatrix) -> Option<Area> {
        let (one, other) = (self.area(matrix)?, other.area(matrix)?);
        let around = |one: Span, other: Span| Span {
            from: one.from.min(other.from),
            until: one.until.max(other.until),
        };
        Some(Area {
            seconds: around(one.seconds, other.seconds),
            buckets: around(one.buckets, other.buckets),
        })
    }

    /// The cell under a point, in shares of the sides of an area; `None` after `until`. `pixel` is
    /// the share of the sides that a pixel covers: of several cells in it, the result is the one
    /// whose colour is visible.
    pub fn under(
        matrix: &HeatMatrix,
        shown: Shown,
        area: Area,
        until: f64,
        at: (f64, f64),
        pixel: (f64, f64),
    ) -> Option<Spot> {
        let (second, bucket) = (area.seconds.at(at.0), area.buckets.at(at.1));
        if second >= until || second < 0.0 || bucket < 0.0 || matrix.is_empty() {
            return None;
        }
        // The whole units that a pixel covers from a position; one if a unit is larger than a
        // pixel.
        let covered = |place: f64, pixel: f64, count: usize| {
            let first = (place as usize).min(count - 1);
            first..ceil(place + pixel).clamp(first + 1, count)
        };
        let buckets = match pixel.1 * area.buckets.length() {
            pixel if pixel > 1.0 => covered(bucket, pixel, matrix.buckets()),
            _ => covered(f64::from(bucket as u32), 1.0, matrix.buckets()),
        };
        let first = matrix.column_at(second as u32)?;
        let pixel_end = ceil((second + pixel.0 * area.seconds.length()).min(until)) as u32;
        let last = matrix.column_at(pixel_end.saturating_sub(1))?.max(first);
        let cells =
            (first..=last).flat_map(|column| buckets.clone().map(move |bucket| Cell { column, bucket }));
        let value = |cell: &Cell| matrix.columns()[cell.column].value(cell.bucket, shown);
        // The first of equal ones.
        let seen = cells.reduce(|seen, cell| if value(&cell) > value(&seen) { cell } else { seen })?;
        Spot::of(matrix, seen)
    }
}

/// A rectangle that is being drawn: its corners in shares of the sides of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Where the drag started.
    pub from: (f64, f64),
    /// Where the pointer is.
    pub to: (f64, f64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heatmap::matrix::tests::matrix;

    #[test]
    fn the_cell_that_is_seen_is_the_one_that_is_pointed_at() {
        let matrix =
            matrix(&["", "b", "c", "d"], &[(0, 1, &[1.0, 9.0, 2.0, 3.0]), (1, 3, &[8.0, 0.0, 0.0, 0.0])]);
        let area = Area::whole(8, 4);
        let under = |at, pixel| Spot::under(&matrix, Shown::Mean, area, 4.0, at, pixel);
        assert_eq!(under((0.0, 0.6), (0.001, 0.001)), Some(Spot { second: 0, bucket: 2 }));
        assert_eq!(under((0.3, 0.1), (0.001, 0.001)), Some(Spot { second: 1, bucket: 0 }));
        assert_eq!(under((0.6, 0.1), (0.001, 0.001)), None, "after the present second");
        assert_eq!(
            under((0.0, 0.0), (0.1, 0.5)),
            Some(Spot { second: 0, bucket: 1 }),
            "the largest of a pixel"
        );
        assert_eq!(
            under((0.0, 1.0), (0.1, 0.1)),
            Some(Spot { second: 0, bucket: 3 }),
            "the edge belongs to the last cell"
        );
        assert_eq!(Spot::under(&HeatMatrix::default(), Shown::Mean, area, 4.0, (0.0, 0.0), (0.1, 0.1)), None);
    }

    #[test]
    fn a_rectangle_contains_both_its_cells() {
        let matrix = matrix(&["", "b", "c"], &[(0, 2, &[0.0; 3]), (2, 1, &[0.0; 3])]);
        let (one, other) = (Spot { second: 2, bucket: 0 }, Spot { second: 1, bucket: 2 });
        assert_eq!(one.area_to(other, &matrix), Some(Area::whole(3, 3)));
        assert_eq!(one.area_to(Spot { second: 0, bucket: 3 }, &matrix), None, "there is no such cell");
    }
}
