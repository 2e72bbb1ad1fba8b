//! The heatmap: what each part of the keys gets in each second. Every request counts, also one that is not executed.
//!
//! Columns of one second are added at the end. When there are too many, the older half of those of one length become half as many of twice
//! the length, so that the recent ones stay at a second and the memory is bounded: [`COLUMNS_MAX`] columns of [`BUCKETS_MAX`] cells of 52
//! bytes, 16 MB. Sums are added when columns become one, and of maxima the larger one stays.

mod second;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use tabletop_model::RowKey;
use tabletop_schema::{HeatColumn, HeatColumns, HeatMetric};

use super::rows::{RowNumber, Rows};
pub(super) use second::RowLoad;
use second::Second;

/// The most parts of the keys, of about equally many rows.
pub(super) const BUCKETS_MAX: usize = 512;
/// The most columns.
pub(super) const COLUMNS_MAX: usize = 600;
/// Larger rows cannot be read whole (<https://cloud.google.com/bigtable/quotas>).
const ROW_BYTES_MAX: f32 = (256 << 20) as f32;

/// A request in one part of the keys. One that reads several rows counts where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The part.
    pub bucket: u16,
    /// Whether it changes the row.
    pub is_write: bool,
    /// The row, or the first of several; `None` for one that no loaded event has.
    pub row: Option<RowNumber>,
    /// Bytes that were read and written.
    pub bytes: u64,
    /// The time of a core that it took, in nanoseconds.
    pub nanos: u64,
    /// The number of rows.
    pub rows: u64,
}

/// What a part of the keys got in the seconds of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    pub reads: u32,
    pub writes: u32,
    pub bytes: f32,
    /// Seconds of a core.
    pub core_seconds: f32,
    pub latency_micros_p99: u32,
    /// Of the largest row that a request has read.
    pub row_bytes: u32,
    /// The most that a single row got in any one second.
    pub row: RowPeak,
}

/// The most that a single row got in any one second. Each number may be of another row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RowPeak {
    pub requests: u32,
    pub reads: u32,
    pub writes: u32,
    pub bytes: f32,
    /// Time of cores for all requests, in cores.
    pub cores: f32,
    pub read_cores: f32,
    pub write_cores: f32,
}

/// The row with the most requests of a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    /// The row; `None` if no loaded event has it.
    pub row: Option<RowNumber>,
    pub bucket: u16,
    pub requests: u32,
    pub writes: u32,
    /// The time of cores that it asked for, in cores.
    pub cores: f32,
}

/// The seconds whose busiest rows are kept.
const PEAKS: usize = 60;

/// Some seconds of the heatmap.
pub(super) struct Column {
    pub second: u32,
    pub seconds: u32,
    /// How many seconds were over when it became what it is.
    made: u32,
    /// By bucket.
    pub cells: Vec<Cell>,
}

/// The heatmap of a simulation.
pub(super) struct Heat {
    starts: Vec<RowKey>,
    columns: Vec<Column>,
    second: Second,
    /// The busiest row of each of the last seconds.
    peaks: VecDeque<Peak>,
    /// Whole seconds that are over.
    seconds: u32,
    /// Cores of a node: a row lives on one.
    cores: f32,
}

impl Heat {
    /// An empty heatmap with parts that begin at these keys, for nodes with so many cores.
    pub fn new(starts: &[RowKey], cores: u32) -> Heat {
        let second = Second::new(starts.len());
        Heat { starts: starts.to_vec(), columns: Vec::new(), second, peaks: VecDeque::new(), seconds: 0, cores: cores as f32 }
    }

    /// Counts a request.
    #[inline]
    pub fn count(&mut self, rows: &mut Rows, touch: &Touch) {
        self.second.count(&rows.add(self.seconds, touch), touch);
    }

    /// Counts an answer to a request in this part of the keys.
    pub fn answer(&mut self, bucket: u16, latency_micros: u64) {
        self.second.answer(bucket, latency_micros);
    }

    /// Notes the size of a row that was read.
    pub fn note_row_bytes(&mut self, bucket: u16, bytes: u64) {
        self.second.note_row_bytes(bucket, bytes);
    }

    /// Ends a second.
    pub fn end_second(&mut self) {
        if self.columns.len() >= COLUMNS_MAX {
            merge(&mut self.columns, self.seconds + 1);
        }
        if self.peaks.len() == PEAKS {
            self.peaks.pop_front();
        }
        self.peaks.extend(self.second.peak());
        let cells = self.second.take();
        self.columns.push(Column::of_second(self.seconds, cells));
        self.seconds += 1;
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the first key of each part.
    pub fn starts(&self) -> &[RowKey] {
        &self.starts
    }

    /// Returns the cores of a node.
    pub fn cores(&self) -> f32 {
        self.cores
    }

    /// Returns the busiest row of each of the last seconds that had requests.
    pub fn peaks(&self) -> impl Iterator<Item = Peak> {
        self.peaks.iter().copied()
    }

    /// Returns the columns of a metric that the page does not have. It has those of `revision`, the number of seconds that were over then.
    pub fn columns_since(&self, revision: u32, metric: HeatMetric) -> HeatColumns {
        // A column that is older than what the page has is there, and so is all before it.
        let keep = self.columns.iter().take_while(|column| column.made <= revision).count();
        let starts = if keep == 0 { self.starts.clone() } else { Vec::new() };
        let columns = self.columns[keep..].iter().map(|column| column.of(metric, self.cores)).collect();
        HeatColumns { revision: self.seconds, keep: keep as u32, starts, metric, columns }
    }
}

impl Column {
    /// A column of one second.
    pub fn of_second(second: u32, cells: Vec<Cell>) -> Column {
        Column { second, seconds: 1, made: second + 1, cells }
    }

    /// Returns the values of a metric.
    fn of(&self, metric: HeatMetric, cores: f32) -> HeatColumn {
        let seconds = self.seconds as f32;
        let each = |value: &dyn Fn(&Cell) -> f32| self.cells.iter().map(value).collect::<Vec<f32>>();
        let mean = |sum: &dyn Fn(&Cell) -> f32| each(&|cell| sum(cell) / seconds);
        let (values, most) = match metric {
            HeatMetric::Requests => {
                (mean(&|cell| cell.reads as f32 + cell.writes as f32), each(&|cell| cell.row.requests as f32))
            }
            HeatMetric::Reads => (mean(&|cell| cell.reads as f32), each(&|cell| cell.row.reads as f32)),
            HeatMetric::Writes => (mean(&|cell| cell.writes as f32), each(&|cell| cell.row.writes as f32)),
            HeatMetric::Bytes => (mean(&|cell| cell.bytes), each(&|cell| cell.row.bytes)),
            HeatMetric::Cpu => (mean(&|cell| cell.core_seconds), each(&|cell| cell.row.cores)),
            HeatMetric::LatencyP99 => same(each(&|cell| cell.latency_micros_p99 as f32)),
            HeatMetric::ReadPressure => same(each(&|cell| cell.row.read_cores / cores)),
            HeatMetric::WritePressure => same(each(&|cell| cell.row.write_cores / cores)),
            HeatMetric::LargeRows => same(each(&|cell| cell.row_bytes as f32 / ROW_BYTES_MAX)),
        };
        HeatColumn { second: self.second, seconds: self.seconds, values, most }
    }
}

fn same(values: Vec<f32>) -> (Vec<f32>, Vec<f32>) {
    (values.clone(), values)
}

impl Cell {
    /// Adds a later column's cell.
    fn add(&mut self, other: &Cell) {
        self.reads = self.reads.saturating_add(other.reads);
        self.writes = self.writes.saturating_add(other.writes);
        self.bytes += other.bytes;
        self.core_seconds += other.core_seconds;
        self.latency_micros_p99 = self.latency_micros_p99.max(other.latency_micros_p99);
        self.row_bytes = self.row_bytes.max(other.row_bytes);
        let (row, other) = (&mut self.row, &other.row);
        row.requests = row.requests.max(other.requests);
        row.reads = row.reads.max(other.reads);
        row.writes = row.writes.max(other.writes);
        row.bytes = row.bytes.max(other.bytes);
        row.cores = row.cores.max(other.cores);
        row.read_cores = row.read_cores.max(other.read_cores);
        row.write_cores = row.write_cores.max(other.write_cores);
    }
}

/// Makes pairs of columns one: the older half of those whose length is the most frequent one, the longest of several. So a run of a day has
/// about as many columns of each length, and most merges leave the page's older columns as they are.
fn merge(columns: &mut Vec<Column>, made: u32) {
    let same = |length: u32| columns.iter().filter(|column| column.seconds == length).count();
    let most = columns.iter().map(|column| (same(column.seconds), column.seconds)).max();
    let Some((count, length)) = most.filter(|(count, _)| *count >= 2) else { return };
    let first = columns.iter().position(|column| column.seconds == length).unwrap_or_default();
    let pairs = (count / 4).max(1);
    let mut rest = columns.split_off(first).into_iter();
    for _ in 0..pairs {
        let (Some(mut one), Some(other)) = (rest.next(), rest.next()) else { break };
        one.cells.iter_mut().zip(&other.cells).for_each(|(cell, other)| cell.add(other));
        (one.seconds, one.made) = (one.seconds + other.seconds, made);
        columns.push(one);
    }
    columns.extend(rest);
}
