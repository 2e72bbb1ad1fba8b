//! A heatmap as files: the area shown as SVG, its cells as CSV.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt::Write;

use tabletop_model::escape;

use super::matrix::{HeatMatrix, Shown};
use super::raster::Levels;
use super::zoom::Area;
use crate::scene::{Fit, Paint, Scene, Shape};

/// The cells of a picture. More cells are combined: a file with a shape for each of 300,000 cells
/// opens nowhere.
const CELLS: (usize, usize) = (300, 256);
/// Levels that have the same colour, so that neighbours are one shape.
const STEP: u8 = 4;
/// The side of a cell, px.
const SCALE: usize = 3;

/// Draws an area in these colours.
pub fn scene(levels: &Levels, area: Area, until: f64, colors: &[[u8; 4]; 256], title: &str) -> Scene {
    let raster = levels.raster(area, until, CELLS);
    let size = ((CELLS.0 * SCALE) as f64, (CELLS.1 * SCALE) as f64);
    let color = |level: u8| {
        let [red, green, blue, _] = colors[usize::from(level)];
        Paint::Rgb([red, green, blue])
    };
    let (across, down) = (raster.across.edges(), raster.down.edges());
    let scale = SCALE as f64;
    let mut shapes = vec![Shape::bar((0.0, 0.0), size, color(0))];
    for (line, (y, height)) in raster.levels.chunks(across.len().max(1)).zip(&down) {
        let mut at = 0;
        for run in line.chunk_by(|one, other| one / STEP == other / STEP) {
            let ((x, _), (last, length)) = (across[at], across[at + run.len() - 1]);
            at += run.len();
            let level = run.iter().copied().max().unwrap_or(0);
            if level > 0 {
                let size = ((last + length - x) * scale, height * scale);
                shapes.push(Shape::bar((x * scale, y * scale), size, color(level)));
            }
        }
    }
    Scene { title: title.to_string(), size, fit: Fit::Sharp, shapes }
}

/// Writes the cells of an area as CSV, a line for each below the names of the columns; cells
/// without a value are left out.
pub fn csv(matrix: &HeatMatrix, area: Area, until: f64, head: [&str; 5]) -> String {
    let mut out = head.join(",") + "\n";
    let end = until.min(area.seconds.until);
    let buckets = area.buckets.units(matrix.buckets());
    let keys: Vec<String> =
        matrix.starts()[buckets.clone()].iter().map(|key| csv_field(&escape(key))).collect();
    for column in matrix.columns() {
        let seconds = column.seconds();
        if f64::from(seconds.start) >= end || f64::from(seconds.end) <= area.seconds.from {
            continue;
        }
        for (key, bucket) in keys.iter().zip(buckets.clone()) {
            let (value, most) = (column.value(bucket, Shown::Mean), column.value(bucket, Shown::BusiestRow));
            if value != 0.0 || most != 0.0 {
                writeln!(out, "{key},{},{},{value},{most}", seconds.start, seconds.len())
                    .expect("a string takes all");
            }
        }
    }
    out
}

/// A key as a field of CSV: between quotes, so that commas and leading zeros stay.
fn csv_field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heatmap::matrix::tests::matrix;
    use crate::heatmap::scale::Colors;
    use crate::heatmap::zoom::Span;
    use crate::scene::LIGHT;

    #[test]
    fn a_picture_has_a_shape_for_each_run_of_cells() {
        let matrix = matrix(&["", "m"], &[(0, 1, &[0.0, 5.0]), (1, 1, &[0.0, 5.0]), (2, 1, &[5.0, 5.0])]);
        let mut levels = Levels::default();
        levels.update(&matrix, Shown::Mean);
        let colors = Colors::default().table(levels.scale());
        let svg = scene(&levels, Area::whole(3, 2), 3.0, &colors, "<a> & b").file(&LIGHT);
        assert!(svg.contains("<title>&lt;a&gt; &amp; b</title>"), "{svg}");
        let shapes: Vec<&str> = svg.lines().filter(|line| line.starts_with("<rect x")).skip(2).collect();
        assert_eq!(shapes.len(), 2, "{svg}");
        assert!(shapes[0].starts_with("<rect x=\"600\" y=\"0\" width=\"300\" height=\"384\""), "{svg}");
        assert!(shapes[1].starts_with("<rect x=\"0\" y=\"384\" width=\"900\" height=\"384\""), "{svg}");
    }

    #[test]
    fn a_table_has_a_line_for_each_cell_with_a_value() {
        let matrix =
            matrix(&["", "a,\"b\""], &[(0, 2, &[0.0, 1.5]), (2, 1, &[3.0, 0.0]), (3, 1, &[1.0, 1.0])]);
        let lines = |area, until| {
            csv(&matrix, area, until, ["key", "second", "seconds", "value", "row"])
                .lines()
                .skip(1)
                .map(String::from)
                .collect::<Vec<_>>()
        };
        assert_eq!(lines(Area::whole(4, 2), 3.0), ["\"a,\"\"b\"\"\",0,2,1.5,3", "\"\",2,1,3,6"]);
        let area = Area { seconds: Span { from: 2.5, until: 3.5 }, buckets: Span { from: 0.0, until: 1.0 } };
        assert_eq!(lines(area, 4.0), ["\"\",2,1,3,6", "\"\",3,1,1,2"], "what is shown");
    }
}
