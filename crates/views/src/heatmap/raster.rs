//! The cells of an area as pixels: one per cell, or, where cells are smaller than a pixel of the
//! screen, one per screen pixel with the largest of its cells, so that a hot row never disappears.

use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::matrix::{Column, HeatMatrix, Shown};
use super::scale::{LevelTable, Scale};
use super::zoom::{Area, Span};
use crate::ceil;

/// The levels of all cells. Columns that stay keep them.
#[derive(Default)]
pub struct Levels {
    shown: Shown,
    scale: Option<Scale>,
    table: Option<LevelTable>,
    buckets: usize,
    columns: Vec<Rc<Column>>,
    /// Column after column, a level for each bucket.
    cells: Vec<u8>,
}

impl Levels {
    /// Computes the levels that have changed. Returns whether there are any.
    pub fn update(&mut self, matrix: &HeatMatrix, shown: Shown) -> bool {
        let scale = Scale::new(matrix.metric(), matrix.largest(shown));
        let is_other = self.scale != Some(scale) || self.shown != shown || self.buckets != matrix.buckets();
        if is_other {
            self.columns.clear();
        }
        let table = match self.table.take().filter(|_| self.scale == Some(scale)) {
            Some(table) => table,
            None => LevelTable::new(scale),
        };
        (self.scale, self.shown, self.buckets) = (Some(scale), shown, matrix.buckets());
        let stay = self
            .columns
            .iter()
            .zip(matrix.columns())
            .take_while(|(one, other)| Rc::ptr_eq(one, other))
            .count();
        let is_changed = is_other || stay != self.columns.len() || stay != matrix.columns().len();
        self.columns.truncate(stay);
        self.cells.truncate(stay * self.buckets);
        for column in &matrix.columns()[stay..] {
            self.columns.push(column.clone());
            let values = column.values(shown).iter().take(self.buckets);
            self.cells.extend(values.map(|value| table.level(*value)));
            // A column with too few values has none in the missing buckets.
            self.cells.resize(self.columns.len() * self.buckets, 0);
        }
        self.table = Some(table);
        is_changed
    }

    /// The scale of the levels.
    pub fn scale(&self) -> Scale {
        self.scale.unwrap_or(Scale::Absolute)
    }

    /// Returns the levels of an area in a picture of this width and height, px. Columns that begin
    /// at `until` or later are left out.
    pub fn raster(&self, area: Area, until: f64, (width, height): (usize, usize)) -> Raster {
        let begun = self
            .columns
            .partition_point(|column| f64::from(column.seconds().start) < until.min(area.seconds.until));
        let first = self
            .columns
            .partition_point(|column| f64::from(column.seconds().end) <= area.seconds.from)
            .min(begun);
        let second = |at: usize| match self.columns.get(at).filter(|_| at < begun) {
            Some(column) => column.seconds().start,
            None => self.columns[at - 1].seconds().end,
        };
        let across = Lines::new(first..begun, width, |at| area.seconds.share(second(at).into()));
        let down = Lines::new(area.buckets.units(self.buckets), height, |at| area.buckets.share(at as f64));
        let mut levels = vec![0; across.lines.len() * down.lines.len()];
        for (x, columns) in across.lines.iter().enumerate() {
            for column in columns.clone() {
                let cells = &self.cells[column * self.buckets..][..self.buckets];
                let mut at = x;
                for buckets in &down.lines {
                    let level = cells[buckets.clone()].iter().copied().max().unwrap_or(0);
                    levels[at] = levels[at].max(level);
                    at += across.lines.len();
                }
            }
        }
        Raster { levels, across, down }
    }
}

/// A picture of levels, line after line from the top.
#[derive(Debug, PartialEq)]
pub struct Raster {
    /// Levels of all lines.
    pub levels: Vec<u8>,
    /// The pixels from left to right.
    pub across: Lines,
    /// The pixels from top to bottom.
    pub down: Lines,
}

/// The pixels of a raster along one side.
#[derive(Debug, Default, PartialEq)]
pub struct Lines {
    /// The cells of each pixel.
    pub lines: Vec<Range<usize>>,
    /// Where the pixels are drawn: runs of pixels of the same length.
    pub runs: Vec<Run>,
}

/// Pixels of a raster that are equally long on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The pixels of the raster.
    pub lines: Range<usize>,
    /// The position on the screen, px.
    pub place: Span,
}

impl Lines {
    /// Divides a side of this many pixels among cells. `edge` is the share of the side at which a
    /// cell begins; that of the end of the range is where the last cell ends.
    fn new(cells: Range<usize>, pixels: usize, edge: impl Fn(usize) -> f64) -> Lines {
        if cells.is_empty() || pixels == 0 {
            return Lines::default();
        }
        let at = |cell: usize| edge(cell) * pixels as f64;
        if cells.len() <= pixels { Lines::of_cells(cells, at) } else { Lines::of_pixels(cells, pixels, at) }
    }

    /// Returns the place and the length of each pixel of the raster on the screen, px.
    pub fn edges(&self) -> Vec<(f64, f64)> {
        let of_run = |run: &Run| {
            let (from, length) = (run.place.from, run.place.length() / run.lines.len().max(1) as f64);
            (0..run.lines.len()).map(move |at| (from + at as f64 * length, length))
        };
        self.runs.iter().flat_map(of_run).collect()
    }

    fn of_cells(cells: Range<usize>, at: impl Fn(usize) -> f64) -> Lines {
        let mut runs: Vec<Run> = Vec::new();
        let mut length = 0.0;
        for (line, cell) in cells.clone().enumerate() {
            let (from, until) = (at(cell), at(cell + 1));
            match runs.last_mut() {
                Some(run) if (until - from - length).abs() < 1e-6 => {
                    run.lines.end = line + 1;
                    run.place.until = until;
                }
                _ => {
                    length = until - from;
                    runs.push(Run { lines: line..line + 1, place: Span { from, until } });
                }
            }
        }
        Lines { lines: cells.map(|cell| cell..cell + 1).collect(), runs }
    }

    fn of_pixels(cells: Range<usize>, pixels: usize, at: impl Fn(usize) -> f64) -> Lines {
        let first = at(cells.start).max(0.0) as usize;
        let last = ceil(at(cells.end)).clamp(first + 1, pixels.max(first + 1));
        let mut lines = Vec::with_capacity(last - first);
        let mut from = cells.start;
        for pixel in first..last {
            while from + 1 < cells.end && at(from + 1) <= pixel as f64 {
                from += 1;
            }
            let mut until = from + 1;
            while until < cells.end && at(until) < (pixel + 1) as f64 {
                until += 1;
            }
            lines.push(from..until);
        }
        let place = Span { from: first as f64, until: last as f64 };
        Lines { runs: vec![Run { lines: 0..lines.len(), place }], lines }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use super::*;
    use crate::heatmap::matrix::tests::matrix;

    fn levels(matrix: &HeatMatrix) -> Levels {
        let mut levels = Levels::default();
        assert!(levels.update(matrix, Shown::Mean));
        assert!(!levels.update(matrix, Shown::Mean), "nothing has changed");
        levels
    }

    #[test]
    fn a_cell_is_a_pixel_where_there_is_room() {
        let matrix = matrix(
            &["", "m"],
            &[(0, 4, &[0.0, 100.0]), (4, 4, &[100.0, 0.0]), (8, 1, &[0.0, 0.1]), (9, 1, &[0.0, 0.0])],
        );
        let raster = levels(&matrix).raster(Area::whole(20, 2), 9.0, (200, 100));
        assert_eq!(raster.levels, [0, 255, 0, 255, 0, 1], "columns after the present second are left out");
        let run = |lines, from, until| Run { lines, place: Span { from, until } };
        assert_eq!(
            raster.across.runs,
            [run(0..2, 0.0, 80.0), run(2..3, 80.0, 90.0)],
            "merged columns are as wide as their time"
        );
        assert_eq!(raster.down.runs, [run(0..2, 0.0, 100.0)]);
    }

    #[test]
    fn a_hot_cell_is_seen_where_there_is_none() {
        let keys: Vec<String> =
            (0..500).map(|at| if at == 0 { String::new() } else { format!("{at:03}") }).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        for hot in [0, 1, 249, 498, 499] {
            let values: Vec<f32> = (0..500).map(|at| if at == hot { 1_000.0 } else { 1.0 }).collect();
            let columns: Vec<(u32, u32, &[f32])> = (0..300)
                .map(|second| (second, 1, if second == 123 { &values[..] } else { &[0.0; 500][..] }))
                .collect();
            let raster = levels(&matrix(&keys, &columns)).raster(Area::whole(300, 500), 300.0, (70, 60));
            assert_eq!((raster.across.lines.len(), raster.down.lines.len()), (70, 60));
            assert_eq!(raster.levels.iter().max(), Some(&255), "bucket {hot}");
            assert!(raster.down.lines.iter().any(|cells| cells.contains(&hot)));
        }
    }

    #[test]
    fn a_zoomed_picture_begins_within_a_cell() {
        let matrix = matrix(&["", "b", "c", "d"], &[(0, 1, &[1.0; 4]), (1, 1, &[1.0; 4]), (2, 1, &[1.0; 4])]);
        let area = Area { seconds: Span { from: 0.5, until: 2.5 }, buckets: Span { from: 1.5, until: 2.5 } };
        let raster = levels(&matrix).raster(area, 3.0, (100, 100));
        assert_eq!(raster.across.runs[0].place, Span { from: -25.0, until: 125.0 });
        assert_eq!(raster.down.lines, [1..2, 2..3]);
        let small = levels(&matrix).raster(area, 3.0, (2, 1));
        assert_eq!((small.across.lines.len(), small.down.lines.len()), (2, 1));
        assert_eq!(
            levels(&matrix).raster(area, 0.0, (100, 100)).levels,
            [0u8; 0],
            "nothing has happened yet"
        );
    }

    #[test]
    fn levels_follow_the_largest_value_and_the_choice() {
        let before = matrix(&["", "m"], &[(0, 1, &[1.0, 10.0])]);
        let mut levels = levels(&before);
        let area = Area::whole(2, 2);
        assert_eq!(levels.raster(area, 2.0, (4, 4)).levels, [170, 255]);
        let later = matrix(&["", "m"], &[(0, 1, &[1.0, 10.0]), (1, 1, &[100.0, 0.0])]);
        assert!(levels.update(&later, Shown::Mean));
        assert_eq!(levels.raster(area, 2.0, (4, 4)).levels, [85, 255, 170, 0]);
        assert!(levels.update(&later, Shown::BusiestRow));
        assert_eq!(levels.scale(), Scale::Relative { largest: 200.0 });
    }
}
