//! ReadRows: a read in slices. Each slice is read when the client has taken the previous one. A
//! slow client therefore holds one slice in memory, however large the table is, and other calls can
//! use the instance between two slices.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use futures_util::Stream;
use prost::Message;
use tabletop_engine::divide_rows;
use tabletop_model::{ReadRows, Resume, RowKey, RowSet};
use tonic::Status;

use super::super::convert::key_of;
use super::super::memory::Held;
use super::super::status::status;
use super::super::wire::put_head;
use super::chunks::Chunks;
use super::proto;
use crate::host::Served;
use crate::live::{LiveCall, Watched};

/// The maximum number of cells that a slice reads, including cells that a filter drops.
const SLICE_CELLS_MAX: u64 = 20_000;
/// The maximum number of keys and ranges that a slice looks up.
const SLICE_RANGES_MAX: usize = 1_000;

/// A read in progress.
pub(crate) struct ReadStream {
    served: Arc<Served>,
    table: String,
    read: ReadRows,
    /// The rows that follow when `read` is complete; the next ones are last in the list.
    rows_to_come: Vec<RowSet>,
    chunks: Chunks,
    /// Accounts for the memory of the slice, and of the rows that the request names.
    held: Held,
    rows_bytes: usize,
    /// The extra messages that the client has requested.
    extras: Extras,
    begun: Instant,
    /// Counts the call.
    call: Option<LiveCall>,
    state: ReadState,
}

/// The messages that a client requests in addition to rows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// The stats, after all rows.
    pub stats: bool,
    /// The last row that was scanned, when no row has passed the filter for long.
    pub last_scanned: bool,
}

enum ReadState {
    Reading,
    /// Only this status follows.
    Failed(Status),
    Done,
}

impl ReadStream {
    /// Starts a read with its first slice, so that an invalid read is rejected before anything is
    /// sent.
    pub fn start(
        served: Arc<Served>,
        table: String,
        mut read: ReadRows,
        chunks: Chunks,
        extras: Extras,
        held: Held,
        call: Option<LiveCall>,
    ) -> core::result::Result<Self, Status> {
        read.slice_cells_max = SLICE_CELLS_MAX;
        let rows_bytes = bytes_of(&read.rows);
        let rows_to_come = cut_rows(&mut read);
        let begun = Instant::now();
        let state = ReadState::Reading;
        let mut reading = ReadStream {
            served,
            table,
            read,
            rows_to_come,
            chunks,
            held,
            rows_bytes,
            extras,
            begun,
            call,
            state,
        };
        reading.advance();
        match std::mem::replace(&mut reading.state, ReadState::Done) {
            ReadState::Failed(status) if reading.chunks.is_empty() => Err(status),
            state => Ok(ReadStream { state, ..reading }),
        }
    }

    /// Reads a slice.
    fn advance(&mut self) {
        let guarded = catch_unwind(AssertUnwindSafe(|| self.slice()));
        let done = guarded.unwrap_or_else(|_| {
            Err(Status::internal("this is a bug of Tabletop, please report it: a read panicked"))
        });
        if let Err(status) = done {
            self.chunks.abandon_row();
            self.state = ReadState::Failed(status);
        }
        if let Some(call) = &mut self.call
            && !matches!(self.state, ReadState::Reading)
        {
            call.end(matches!(self.state, ReadState::Failed(_)));
        }
    }

    fn slice(&mut self) -> core::result::Result<(), Status> {
        let (served, table, read, chunks) = (&self.served, &self.table, &self.read, &mut self.chunks);
        let returned_before = read.resume.as_ref().map_or(0, |resume| resume.stats.rows_returned);
        let scan = match &mut self.call {
            None => served.read_into(table, read, chunks),
            Some(call) => {
                call.resume();
                let mut watched = Watched::new(chunks);
                let scan = served.read_into(table, read, &mut watched);
                scan.iter().for_each(|scan| call.read(scan, &watched.rows, || first_key(&read.rows)));
                scan
            }
        };
        let scan = scan.map_err(status)?;
        self.chunks.finish();
        // The previous slice has been sent. A client that does not read holds this one in memory.
        if let Err(status) = self.held.set(self.rows_bytes + self.chunks.ready_bytes()) {
            self.chunks.clear();
            return Err(status);
        }
        let limit_is_reached = self.read.rows_limit > 0 && scan.stats.rows_returned >= self.read.rows_limit;
        match (scan.resume, self.rows_to_come.pop()) {
            (Some(resume), next) => {
                self.rows_to_come.extend(next);
                if self.extras.last_scanned && scan.stats.rows_returned == returned_before {
                    let mut message = Vec::new();
                    put_head(&mut message, 2, resume.after.len());
                    message.extend_from_slice(&resume.after);
                    self.chunks.push(message);
                }
                self.read.resume = Some(resume);
            }
            (None, Some(rows)) if !limit_is_reached => {
                // Continues with the counts so far. All rows of the next portion are beyond this
                // key.
                let RowSet { keys, ranges } = &self.read.rows;
                let starts = keys.iter().chain(ranges.iter().filter_map(|range| key_of(&range.start)));
                let after = if self.read.reversed { starts.min() } else { starts.max() };
                self.read.resume =
                    Some(Resume { after: after.cloned().unwrap_or_default(), stats: scan.stats });
                self.read.rows = rows;
            }
            (None, _) => {
                if self.extras.stats {
                    self.chunks.push(self.stats(&scan.stats));
                }
                self.state = ReadState::Done;
            }
        }
        Ok(())
    }

    fn stats(&self, stats: &tabletop_model::ReadStats) -> Vec<u8> {
        let read_iteration_stats = Some(proto::ReadIterationStats {
            rows_seen_count: stats.rows_seen as i64,
            rows_returned_count: stats.rows_returned as i64,
            cells_seen_count: stats.cells_seen as i64,
            cells_returned_count: stats.cells_returned as i64,
        });
        let latency = self.begun.elapsed().try_into().ok();
        let request_latency_stats = Some(proto::RequestLatencyStats { frontend_server_latency: latency });
        let view = proto::FullReadStatsView { read_iteration_stats, request_latency_stats };
        let stats_view = Some(proto::request_stats::StatsView::FullReadStatsView(view));
        let request_stats = Some(proto::RequestStats { stats_view });
        proto::ReadRowsResponse { request_stats, ..Default::default() }.encode_to_vec()
    }
}

impl Stream for ReadStream {
    type Item = core::result::Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(message) = self.chunks.pop() {
            return Poll::Ready(Some(Ok(message)));
        }
        match std::mem::replace(&mut self.state, ReadState::Done) {
            ReadState::Done => return Poll::Ready(None),
            ReadState::Failed(status) => return Poll::Ready(Some(Err(status))),
            ReadState::Reading => self.state = ReadState::Reading,
        }
        self.advance();
        match self.chunks.pop() {
            Some(message) => Poll::Ready(Some(Ok(message))),
            // The slice has no rows. Other calls may run first.
            None => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

/// Keeps the first rows in a read of many keys and ranges, and returns the others in portions, the
/// next one last. Each slice examines all rows that its read names.
fn cut_rows(read: &mut ReadRows) -> Vec<RowSet> {
    if read.rows.keys.len() + read.rows.ranges.len() <= SLICE_RANGES_MAX {
        return Vec::new();
    }
    // An invalid read stays as it is, and so does one without rows: the engine answers them.
    let mut portions = divide_rows(&read.rows, SLICE_RANGES_MAX).unwrap_or_default();
    if !read.reversed {
        portions.reverse();
    }
    if let Some(first) = portions.pop() {
        read.rows = first;
    }
    portions
}

/// Returns the first key of some rows.
fn first_key(rows: &RowSet) -> RowKey {
    let starts = rows.ranges.iter().map(|range| key_of(&range.start).cloned().unwrap_or_default());
    rows.keys.iter().cloned().chain(starts).min().unwrap_or_default()
}

/// Returns the bytes that the keys of some rows take in memory.
fn bytes_of(rows: &RowSet) -> usize {
    let ends = rows.ranges.iter().flat_map(|range| [&range.start, &range.end]);
    let keys: usize = rows.keys.iter().chain(ends.filter_map(key_of)).map(|key| key.len()).sum();
    keys + size_of_val(&rows.keys[..]) + size_of_val(&rows.ranges[..])
}

#[cfg(test)]
mod tests {
    use tabletop_model::RowRange;

    use super::*;

    #[test]
    fn a_slice_looks_for_some_of_many_keys_and_ranges() {
        let key = |number: usize| RowKey::from(format!("{number:06}").as_str());
        let range = |number: usize| RowRange::closed_open(key(number * 10), key(number * 10 + 5));
        for reversed in [false, true] {
            let rows =
                RowSet { keys: (0..5_000).map(key).collect(), ranges: (600..5_600).map(range).collect() };
            let mut read = ReadRows { rows, reversed, ..ReadRows::default() };
            let to_come = cut_rows(&mut read);
            let portions: Vec<&RowSet> = [&read.rows].into_iter().chain(to_come.iter().rev()).collect();
            assert_eq!(portions.len(), 10);
            assert!(portions.iter().all(|rows| rows.keys.len() + rows.ranges.len() == SLICE_RANGES_MAX));
            let is_first = |rows: &RowSet| rows.keys.contains(&key(0));
            assert!(is_first(portions[if reversed { 9 } else { 0 }]));
        }
        let invalid = RowSet { keys: vec![RowKey::from(""); 2_000], ranges: Vec::new() };
        let mut read = ReadRows { rows: invalid.clone(), ..ReadRows::default() };
        assert!(cut_rows(&mut read).is_empty() && read.rows == invalid);
    }
}
