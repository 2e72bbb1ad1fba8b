//! A vector as a small chart: one line over its numbers, in their order.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::scene::{Fit, Paint, Pen, Point, Scene, Shape, path};

/// The maximum number of columns of a chart. A column of several numbers spans their minimum to
/// their maximum.
const COLUMNS_MAX: usize = 128;
/// The height of a chart, in its own units; a column has the width 1.
const HEIGHT: f64 = 24.0;

/// A line over numbers, and their bounds.
pub struct Vector {
    /// The least number.
    pub least: f64,
    /// The greatest number.
    pub most: f64,
    columns: Vec<(f64, f64)>,
}

impl Vector {
    /// The line over these numbers; `None` if none of them is finite.
    pub fn of(numbers: &[f64]) -> Option<Vector> {
        let finite: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
        let (least, most) = bounds(&finite)?;
        Some(Vector { least, most, columns: columns(&finite) })
    }

    /// Draws the line, with a title that says what the numbers are.
    pub fn scene(&self, title: String) -> Scene {
        let line =
            Shape::Line { path: line(&self.columns, self.least, self.most), pen: Pen::of(Paint::Accent) };
        let size = ((self.columns.len().max(2) - 1) as f64, HEIGHT);
        Scene { title, size, fit: Fit::Stretch, shapes: vec![line] }
    }
}

fn bounds(numbers: &[f64]) -> Option<(f64, f64)> {
    let least = numbers.iter().copied().reduce(f64::min)?;
    Some((least, numbers.iter().copied().fold(least, f64::max)))
}

/// Returns the least and the greatest number of each column.
fn columns(numbers: &[f64]) -> Vec<(f64, f64)> {
    let count = numbers.len().min(COLUMNS_MAX);
    let column = |at: usize| bounds(&numbers[at * numbers.len() / count..(at + 1) * numbers.len() / count]);
    (0..count).filter_map(column).collect()
}

fn line(columns: &[(f64, f64)], least: f64, most: f64) -> String {
    // Equal numbers are a line in the middle.
    let y = |number: f64| if most > least { HEIGHT * (most - number) / (most - least) } else { HEIGHT / 2.0 };
    let column = |(x, (low, high)): (usize, &(f64, f64))| {
        let ends: [Point; 2] = [(x as f64, y(*high)), (x as f64, y(*low))];
        ends.into_iter().take(if low < high { 2 } else { 1 })
    };
    path(columns.iter().enumerate().flat_map(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_a_line() {
        assert_eq!(line(&columns(&[0.0, 1.0, 0.5]), 0.0, 1.0), "M0 24L1 0L2 12");
        assert_eq!(line(&columns(&[2.0, 2.0]), 2.0, 2.0), "M0 12L1 12");
        assert_eq!(bounds(&[]), None);
    }

    #[test]
    fn many_numbers_share_columns() {
        let numbers: Vec<f64> = (0..1_000).map(f64::from).collect();
        let columns = columns(&numbers);
        assert_eq!(columns.len(), COLUMNS_MAX);
        assert_eq!((columns[0], columns[COLUMNS_MAX - 1]), ((0.0, 6.0), (992.0, 999.0)));
        assert!(line(&columns, 0.0, 999.0).starts_with("M0 23.86L0 24"));
    }
}
