//! The heatmap: the requests of each part of the keys in each second. Every request counts, even
//! one that is not executed.
//!
//! Columns of one second are added at the end. When there are too many, the older half of the
//! columns of one length is merged into half as many of twice the length. Recent columns thus stay
//! at one second, and the memory is bounded: [`COLUMNS_MAX`] columns of [`BUCKETS_MAX`] cells of 52
//! bytes, 16 MB, plus the keys of [`BUSY_ROWS`] rows of each, if they are given. When columns are
//! merged, sums are added and the larger of two maxima is kept.

mod second;
#[cfg(test)]
mod tests;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use tabletop_model::RowKey;
use tabletop_protocol::{HeatColumn, HeatColumns, HeatMetric};

use crate::bounds::{Division, Sample};
pub use second::RowLoad;
use second::Second;

/// The maximum number of parts of the keys, which have about the same number of rows each.
pub const BUCKETS_MAX: usize = 512;
/// The maximum number of columns.
pub const COLUMNS_MAX: usize = 600;
/// Larger rows cannot be read whole (<https://cloud.google.com/bigtable/quotas>).
const ROW_BYTES_MAX: f32 = (256 << 20) as f32;

/// Identifies a row: its number, or a hash of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub u64);

/// A request in one part of the keys. A request that reads several rows counts where it begins.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The part.
    pub bucket: u16,
    /// Whether it changes the row.
    pub is_write: bool,
    /// The row, or the first of several; `None` for a row without an identifier.
    pub row: Option<RowId>,
    /// Bytes that were read and written.
    pub bytes: u64,
    /// The CPU time that it took, in nanoseconds.
    pub nanos: u64,
    /// The number of rows.
    pub rows: u64,
}

/// What a part of the keys received in the seconds of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// Reads.
    pub reads: u32,
    /// Writes.
    pub writes: u32,
    /// Bytes that were read and written.
    pub bytes: f32,
    /// CPU seconds.
    pub core_seconds: f32,
    /// 99 of 100 requests were answered within this many microseconds, in the slowest second.
    pub latency_micros_p99: u32,
    /// The size of the largest row that a request has read.
    pub row_bytes: u32,
    /// The peak of a single row in any one second.
    pub row: RowPeak,
}

/// The peak of a single row in any one second. Each number may belong to a different row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowPeak {
    /// Requests.
    pub requests: u32,
    /// Reads.
    pub reads: u32,
    /// Writes.
    pub writes: u32,
    /// Bytes that were read and written.
    pub bytes: f32,
    /// CPU load of all requests, in cores.
    pub cores: f32,
    /// CPU load of reads, in cores.
    pub read_cores: f32,
    /// CPU load of writes, in cores.
    pub write_cores: f32,
}

/// One of the busiest rows of a column, with its peak in any one second.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyRow {
    /// The key of the row.
    pub key: RowKey,
    /// The peak of the row.
    pub peak: RowPeak,
}

/// The row with the most requests in a second.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// The row; `None` if it has no identifier.
    pub row: Option<RowId>,
    /// The part of the keys with the row.
    pub bucket: u16,
    /// The requests to the row in that second.
    pub requests: u32,
    /// The number of these requests that are writes.
    pub writes: u32,
    /// The CPU load that it caused, in cores.
    pub cores: f32,
}

/// The number of rows of a column whose keys are kept: those with the most requests, and the same
/// number each with the most bytes and with the most work.
const BUSY_ROWS: usize = 5;
/// The number of seconds whose busiest rows are kept.
const PEAKS: usize = 60;

/// Some seconds of the heatmap.
#[derive(Clone, Debug)]
pub struct Column {
    /// The first second.
    pub second: u32,
    /// The number of seconds.
    pub seconds: u32,
    /// The number of seconds that were complete when the column was last changed.
    made: u32,
    /// Cells by bucket.
    pub cells: Vec<Cell>,
    /// Some of the busiest rows, in no particular order; empty if their keys were not given.
    pub busy: Vec<BusyRow>,
}

/// A heatmap.
pub struct Heat {
    starts: Vec<RowKey>,
    columns: Vec<Column>,
    second: Second,
    /// The busiest row of each of the last seconds.
    peaks: VecDeque<Peak>,
    /// The number of complete seconds.
    seconds: u32,
    /// The number of cores of a node; a row lives on one node.
    cores: f32,
}

impl Heat {
    /// Creates an empty heatmap with parts that begin at these keys, for nodes with this many
    /// cores.
    pub fn new(starts: &[RowKey], cores: u32) -> Heat {
        let second = Second::new(starts.len());
        Heat {
            starts: starts.to_vec(),
            columns: Vec::new(),
            second,
            peaks: VecDeque::new(),
            seconds: 0,
            cores: cores as f32,
        }
    }

    /// Returns the number of complete seconds.
    pub fn seconds(&self) -> u32 {
        self.seconds
    }

    /// Counts a request. `load` is the load of its row in this second, including this request.
    #[inline]
    pub fn count(&mut self, load: &RowLoad, touch: &Touch) {
        self.second.count(load, touch);
    }

    /// Counts work, in nanoseconds of CPU time, that does not belong to a row.
    pub fn add_work(&mut self, bucket: u16, nanos: u64) {
        self.second.add_work(bucket, nanos);
    }

    /// Counts an answer to a request in this part of the keys.
    pub fn answer(&mut self, bucket: u16, latency_micros: u64) {
        self.second.answer(bucket, latency_micros);
    }

    /// Records the size of a row that was read.
    pub fn note_row_bytes(&mut self, bucket: u16, bytes: u64) {
        self.second.note_row_bytes(bucket, bytes);
    }

    /// Ends a second. `busy` are its [`busiest`] rows, which are kept separate from their
    /// neighbours when the parts of the keys change. It is empty for a heatmap whose parts never
    /// change.
    pub fn end_second(&mut self, busy: Vec<BusyRow>) {
        if self.columns.len() >= COLUMNS_MAX {
            merge(&mut self.columns, self.seconds + 1);
        }
        if self.peaks.len() == PEAKS {
            self.peaks.pop_front();
        }
        self.peaks.extend(self.second.peak());
        let cells = self.second.take();
        let mut column = Column::of_second(self.seconds, cells);
        column.busy = busy;
        self.columns.push(column);
        self.seconds += 1;
    }

    /// Returns the approximate bytes of memory in use.
    pub fn memory_bytes(&self) -> usize {
        let busy = |column: &Column| {
            column.busy.iter().map(|row| row.key.len() + size_of::<BusyRow>()).sum::<usize>()
        };
        let of_column = |column: &Column| column.cells.len() * size_of::<Cell>() + busy(column);
        let starts = self.starts.iter().map(|start| start.len() + size_of::<RowKey>()).sum::<usize>();
        self.columns.iter().map(of_column).sum::<usize>() + starts + self.second.memory_bytes()
    }

    /// Returns the part of a key.
    pub fn bucket_of(&self, key: &[u8]) -> u16 {
        self.starts.partition_point(|start| start.as_slice() <= key).saturating_sub(1) as u16
    }

    /// Divides the keys again, by a sample of them, between two seconds. The values of a part go to
    /// the parts of the keys that existed at the time (see `bounds.rs`), and the next request of a
    /// page gets all columns. `key_of` returns the key of the busiest row of each of the last
    /// seconds.
    pub fn divide_again(&mut self, sample: &Sample, key_of: impl Fn(RowId) -> Option<RowKey>) {
        let starts = sample.starts();
        let division = Division::new(sample, &self.starts, &starts);
        for column in &mut self.columns {
            division.apply(column);
            column.made = self.seconds;
        }
        let old = core::mem::replace(&mut self.starts, starts);
        self.second = Second::new(self.starts.len());
        let of_peak = |peak: &Peak| match peak.row.and_then(&key_of) {
            Some(key) => self.bucket_of(&key),
            None => self.bucket_of(&old[usize::from(peak.bucket)]),
        };
        let buckets: Vec<u16> = self.peaks.iter().map(of_peak).collect();
        self.peaks.iter_mut().zip(buckets).for_each(|(peak, bucket)| peak.bucket = bucket);
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the first key of each part.
    pub fn starts(&self) -> &[RowKey] {
        &self.starts
    }

    /// Returns the number of cores of a node; a row lives on one node.
    pub fn cores(&self) -> f32 {
        self.cores
    }

    /// Returns the busiest row of each of the last seconds that had requests.
    pub fn peaks(&self) -> impl Iterator<Item = Peak> {
        self.peaks.iter().copied()
    }

    /// Returns the columns of a metric that the page is missing. The page has the columns of
    /// `revision`, which is the number of seconds that were complete then.
    pub fn columns_since(&self, revision: u32, metric: HeatMetric) -> HeatColumns {
        // A column that is older than the page's copy is known to the page, and so are all columns
        // before it.
        let keep = self.columns.iter().take_while(|column| column.made <= revision).count();
        let starts = if keep == 0 { self.starts.clone() } else { Vec::new() };
        let columns = self.columns[keep..].iter().map(|column| column.of(metric, self.cores)).collect();
        HeatColumns { revision: self.seconds, keep: keep as u32, starts, metric, columns }
    }
}

impl Column {
    /// Creates a column of one second.
    pub fn of_second(second: u32, cells: Vec<Cell>) -> Column {
        Column { second, seconds: 1, made: second + 1, cells, busy: Vec::new() }
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
    /// Adds the cell of a later column.
    pub(crate) fn add(&mut self, other: &Cell) {
        self.reads = self.reads.saturating_add(other.reads);
        self.writes = self.writes.saturating_add(other.writes);
        self.bytes += other.bytes;
        self.core_seconds += other.core_seconds;
        self.latency_micros_p99 = self.latency_micros_p99.max(other.latency_micros_p99);
        self.row_bytes = self.row_bytes.max(other.row_bytes);
        self.row.raise(&other.row);
    }
}

impl RowPeak {
    /// Raises each number to that of another row, or of this row in another second.
    pub(crate) fn raise(&mut self, other: &RowPeak) {
        self.requests = self.requests.max(other.requests);
        self.reads = self.reads.max(other.reads);
        self.writes = self.writes.max(other.writes);
        self.bytes = self.bytes.max(other.bytes);
        self.cores = self.cores.max(other.cores);
        self.read_cores = self.read_cores.max(other.read_cores);
        self.write_cores = self.write_cores.max(other.write_cores);
    }
}

/// Returns the indices of the busiest rows, in no particular order: those with the most requests,
/// with the most bytes and with the most work.
pub fn busiest(peaks: &[RowPeak]) -> Vec<usize> {
    if peaks.len() <= BUSY_ROWS {
        return (0..peaks.len()).collect();
    }
    let mut found = Vec::new();
    let mut order: Vec<usize> = (0..peaks.len()).collect();
    let values: [fn(&RowPeak) -> f32; 3] =
        [|peak| peak.requests as f32, |peak| peak.bytes, |peak| peak.cores];
    for value in values {
        order.select_nth_unstable_by(BUSY_ROWS - 1, |one, other| {
            value(&peaks[*other]).total_cmp(&value(&peaks[*one]))
        });
        found.extend_from_slice(&order[..BUSY_ROWS]);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns the busiest rows of two columns together.
fn together(one: Vec<BusyRow>, other: &[BusyRow]) -> Vec<BusyRow> {
    let mut rows = one;
    for row in other {
        match rows.iter_mut().find(|known| known.key == row.key) {
            Some(known) => known.peak.raise(&row.peak),
            None => rows.push(row.clone()),
        }
    }
    let peaks: Vec<RowPeak> = rows.iter().map(|row| row.peak).collect();
    busiest(&peaks).into_iter().map(|row| rows[row].clone()).collect()
}

/// Merges pairs of columns: the older half of the columns with the most frequent length, the
/// longest if there are several such lengths. A run of a day thus has about the same number of
/// columns of each length, and most merges leave the page's older columns unchanged.
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
        one.busy = together(one.busy, &other.busy);
        (one.seconds, one.made) = (one.seconds + other.seconds, made);
        columns.push(one);
    }
    columns.extend(rest);
}
