//! The current second, which is not complete yet.

use alloc::vec;
use alloc::vec::Vec;

use super::{Cell, Peak, RowId, RowPeak, Touch};
use crate::latencies::{STEPS, quantile, step};

/// The unit of a row's CPU time is 64 nanoseconds, so that 32 bits are enough for the minutes that
/// an overloaded row asks for in a second.
const TICK_BITS: u32 = 6;

/// What a row received in a second.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowLoad {
    second: u32,
    reads: u32,
    writes: u32,
    bytes: u32,
    read_ticks: u32,
    write_ticks: u32,
}

impl RowLoad {
    /// Adds a request in a second; values of an earlier second are discarded.
    #[inline]
    pub fn add(&mut self, second: u32, touch: &Touch) {
        if self.second != second {
            *self = RowLoad { second, ..RowLoad::default() };
        }
        // Of several rows, this one counts with its share.
        let (bytes, nanos) = match touch.rows {
            0 | 1 => (touch.bytes, touch.nanos),
            rows => (touch.bytes / rows, touch.nanos / rows),
        };
        let ticks = u32::try_from(nanos >> TICK_BITS).unwrap_or(u32::MAX);
        self.bytes = self.bytes.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
        if touch.is_write {
            self.writes += 1;
            self.write_ticks = self.write_ticks.saturating_add(ticks);
        } else {
            self.reads += 1;
            self.read_ticks = self.read_ticks.saturating_add(ticks);
        }
    }

    /// Returns the number of requests.
    pub fn requests(&self) -> u32 {
        self.reads.saturating_add(self.writes)
    }

    /// Returns the row's load as a peak.
    pub fn peak(&self) -> RowPeak {
        RowPeak {
            requests: self.requests(),
            reads: self.reads,
            writes: self.writes,
            bytes: self.bytes as f32,
            cores: cores(self.read_ticks.saturating_add(self.write_ticks)),
            read_cores: cores(self.read_ticks),
            write_cores: cores(self.write_ticks),
        }
    }
}

/// Returns a CPU time in seconds.
fn cores(ticks: u32) -> f32 {
    ((u64::from(ticks) << TICK_BITS) as f64 / 1e9) as f32
}

/// The cells of the current second, which is not complete yet.
pub(super) struct Second {
    tallies: Vec<Tally>,
    /// Latencies by bucket, [`STEPS`] numbers each.
    latencies: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    reads: u32,
    writes: u32,
    bytes: u64,
    nanos: u64,
    answers: u32,
    row_bytes: u32,
    /// The largest number of requests of a row.
    requests: u32,
    /// The row with the most requests.
    busiest: Option<RowId>,
    row: RowLoad,
    ticks: u32,
}

impl Second {
    pub fn new(buckets: usize) -> Second {
        Second { tallies: vec![Tally::default(); buckets], latencies: vec![0; buckets * STEPS] }
    }

    pub fn memory_bytes(&self) -> usize {
        self.tallies.len() * (size_of::<Tally>() + STEPS * size_of::<u32>())
    }

    /// Counts a request, with the load of its row.
    #[inline]
    pub fn count(&mut self, load: &RowLoad, touch: &Touch) {
        let tally = &mut self.tallies[usize::from(touch.bucket)];
        if touch.is_write {
            tally.writes += 1;
        } else {
            tally.reads += 1;
        }
        tally.bytes += touch.bytes;
        tally.nanos += touch.nanos;
        if load.reads + load.writes > tally.requests {
            (tally.requests, tally.busiest) = (load.reads + load.writes, touch.row);
        }
        tally.ticks = tally.ticks.max(load.read_ticks.saturating_add(load.write_ticks));
        let row = &mut tally.row;
        row.reads = row.reads.max(load.reads);
        row.writes = row.writes.max(load.writes);
        row.bytes = row.bytes.max(load.bytes);
        row.read_ticks = row.read_ticks.max(load.read_ticks);
        row.write_ticks = row.write_ticks.max(load.write_ticks);
    }

    pub fn answer(&mut self, bucket: u16, latency_micros: u64) {
        let bucket = usize::from(bucket);
        self.tallies[bucket].answers += 1;
        self.latencies[bucket * STEPS + step(latency_micros)] += 1;
    }

    pub fn add_work(&mut self, bucket: u16, nanos: u64) {
        self.tallies[usize::from(bucket)].nanos += nanos;
    }

    pub fn note_row_bytes(&mut self, bucket: u16, bytes: u64) {
        let most = &mut self.tallies[usize::from(bucket)].row_bytes;
        *most = (*most).max(u32::try_from(bytes).unwrap_or(u32::MAX));
    }

    /// Returns the row with the most requests of all, or `None` without requests.
    pub fn peak(&self) -> Option<Peak> {
        let (bucket, tally) = self.tallies.iter().enumerate().max_by_key(|(_, tally)| tally.requests)?;
        let cell = tally.cell(0).row;
        let bucket = bucket as u16;
        (tally.requests > 0).then_some(Peak {
            row: tally.busiest,
            bucket,
            requests: cell.requests,
            writes: cell.writes.min(cell.requests),
            cores: cell.cores,
        })
    }

    /// Returns the cells, and begins the next second.
    pub fn take(&mut self) -> Vec<Cell> {
        let of_buckets = self.tallies.iter_mut().zip(self.latencies.chunks_exact_mut(STEPS));
        of_buckets
            .map(|(tally, latencies)| {
                let tally = core::mem::take(tally);
                let p99 = quantile(latencies, tally.answers, 99);
                if tally.answers > 0 {
                    latencies.fill(0);
                }
                tally.cell(p99)
            })
            .collect()
    }
}

impl Tally {
    fn cell(&self, latency_micros_p99: u32) -> Cell {
        let row = RowPeak {
            requests: self.requests,
            reads: self.row.reads,
            writes: self.row.writes,
            bytes: self.row.bytes as f32,
            cores: cores(self.ticks),
            read_cores: cores(self.row.read_ticks),
            write_cores: cores(self.row.write_ticks),
        };
        Cell {
            reads: self.reads,
            writes: self.writes,
            bytes: self.bytes as f32,
            core_seconds: (self.nanos as f64 / 1e9) as f32,
            latency_micros_p99,
            row_bytes: self.row_bytes,
            row,
        }
    }
}
