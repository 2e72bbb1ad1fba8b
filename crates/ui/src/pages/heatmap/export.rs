//! A heatmap as files: the area shown as SVG, its cells as CSV.

use std::fmt::Write;

use tabletop_model::escape;

use super::matrix::{HeatMatrix, Shown};
use super::raster::{Levels, Run};
use super::zoom::Area;
use crate::messages::messages;

/// The size of the SVG's picture in pixels. More cells are combined: a file with a shape for each
/// of 300,000 cells cannot be opened.
const SVG_SIZE: (usize, usize) = (300, 256);
/// Levels of the SVG that have the same colour, so that neighbours are one shape.
const SVG_STEP: u8 = 4;
/// The length of a pixel of the SVG.
const SVG_SCALE: usize = 3;

/// Draws an area as SVG, in these colours.
pub fn svg(levels: &Levels, area: Area, until: f64, colors: &[[u8; 4]; 256], title: &str) -> String {
    let raster = levels.raster(area, until, SVG_SIZE);
    let (width, height) = (SVG_SIZE.0 * SVG_SCALE, SVG_SIZE.1 * SVG_SCALE);
    let color = |level: u8| {
        let [red, green, blue, _] = colors[usize::from(level)];
        format!("#{red:02x}{green:02x}{blue:02x}")
    };
    let title = xml(title);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         shape-rendering=\"crispEdges\" role=\"img\"><title>{title}</title>\n<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
        SVG_SIZE.0,
        SVG_SIZE.1,
        SVG_SIZE.0,
        SVG_SIZE.1,
        color(0)
    );
    let places = |runs: &[Run]| {
        let mut edges = Vec::new();
        for run in runs {
            let length = run.place.length() / run.lines.len().max(1) as f64;
            edges.extend((0..run.lines.len()).map(|at| (run.place.from + at as f64 * length, length)));
        }
        edges
    };
    let (across, down) = (places(&raster.across.runs), places(&raster.down.runs));
    for (line, (y, height)) in raster.levels.chunks(across.len().max(1)).zip(&down) {
        let mut at = 0;
        for run in line.chunk_by(|one, other| one / SVG_STEP == other / SVG_STEP) {
            let ((x, _), (last, length)) = (across[at], across[at + run.len() - 1]);
            at += run.len();
            let level = run.iter().copied().max().unwrap_or(0);
            if level > 0 {
                let (width, fill) = (last + length - x, color(level));
                writeln!(out, "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>")
                    .expect("a string takes all");
            }
        }
    }
    out + "</svg>\n"
}

/// Writes the cells of an area as CSV, a line for each; cells without a value are left out.
pub fn csv(matrix: &HeatMatrix, area: Area, until: f64) -> String {
    let mut out = messages().heatmap.csv_head.join(",") + "\n";
    let end = until.min(area.seconds.until);
    let buckets = area.buckets.units(matrix.buckets());
    let keys: Vec<String> = matrix.starts()[buckets.clone()].iter().map(|key| csv_field(&escape(key))).collect();
    for column in matrix.columns() {
        let seconds = column.seconds();
        if f64::from(seconds.start) >= end || f64::from(seconds.end) <= area.seconds.from {
            continue;
        }
        for (key, bucket) in keys.iter().zip(buckets.clone()) {
            let (value, most) = (column.value(bucket, Shown::Mean), column.value(bucket, Shown::BusiestRow));
            if value != 0.0 || most != 0.0 {
                writeln!(out, "{key},{},{},{value},{most}", seconds.start, seconds.len()).expect("a string takes all");
            }
        }
    }
    out
}

/// A key as a field of CSV: between quotes, so that commas and leading zeros stay.
fn csv_field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A text as content in XML.
fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::heatmap::matrix::tests::matrix;
    use crate::pages::heatmap::scale::Colors;
    use crate::pages::heatmap::zoom::Span;

    #[test]
    fn a_picture_has_a_shape_for_each_run_of_cells() {
        let matrix = matrix(&["", "m"], &[(0, 1, &[0.0, 5.0]), (1, 1, &[0.0, 5.0]), (2, 1, &[5.0, 5.0])]);
        let mut levels = Levels::default();
        levels.update(&matrix, Shown::Mean);
        let colors = Colors::default().table(levels.scale());
        let svg = svg(&levels, Area::whole(3, 2), 3.0, &colors, "<a> & b");
        assert!(svg.contains("<title>&lt;a&gt; &amp; b</title>"), "{svg}");
        let shapes: Vec<&str> = svg.lines().filter(|line| line.starts_with("<rect x")).collect();
        assert_eq!(shapes.len(), 2, "{svg}");
        assert!(shapes[0].starts_with("<rect x=\"200.00\" y=\"0.00\" width=\"100.00\" height=\"128.00\""), "{svg}");
        assert!(shapes[1].starts_with("<rect x=\"0.00\" y=\"128.00\" width=\"300.00\" height=\"128.00\""), "{svg}");
    }

    #[test]
    fn a_table_has_a_line_for_each_cell_with_a_value() {
        let matrix = matrix(&["", "a,\"b\""], &[(0, 2, &[0.0, 1.5]), (2, 1, &[3.0, 0.0]), (3, 1, &[1.0, 1.0])]);
        let lines = |area, until| csv(&matrix, area, until).lines().skip(1).map(String::from).collect::<Vec<_>>();
        assert_eq!(lines(Area::whole(4, 2), 3.0), ["\"a,\"\"b\"\"\",0,2,1.5,3", "\"\",2,1,3,6"]);
        let area = Area { seconds: Span { from: 2.5, until: 3.5 }, buckets: Span { from: 0.0, until: 1.0 } };
        assert_eq!(lines(area, 4.0), ["\"\",2,1,3,6", "\"\",3,1,1,2"], "what is shown");
    }
}
