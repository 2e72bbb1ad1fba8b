//! A call of a client: the rows that it reads and writes, and how long it takes.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use tabletop_cluster::{CostModel, Medium};
use tabletop_engine::{CellRef, RowVisitor, Scan};
use tabletop_model::{Mutation, ReadStats, Row, RowKey, RowMutation};

use super::Live;
use super::counts::{RowTouch, TableCounts};
use crate::host::{InstanceName, Served};
use crate::lock::lock;

/// The bytes of a time.
const TIME_BYTES: u64 = 8;

static COSTS: LazyLock<Costs> = LazyLock::new(|| {
    let model = CostModel::on(Medium::Ssd);
    let request = model.request_nanos as u64;
    let row_read = (model.row_seen_nanos + model.cell_seen_nanos) as u64;
    Costs { request, row_read, row_written: request + model.row_written_nanos as u64 }
});

/// The time, in nanoseconds, that work takes of a node's core: as in ListHotTablets, which counts
/// rows and slices of reads, but no bytes.
struct Costs {
    request: u64,
    row_read: u64,
    row_written: u64,
}

/// A call in progress. If it is dropped before it ends, its client has cancelled it, and only its
/// rows count.
pub(crate) struct LiveCall {
    counts: Arc<Mutex<TableCounts>>,
    served: Arc<Served>,
    begun: Instant,
    /// The time that the server has spent, without the time spent waiting for the client.
    busy: Duration,
    /// The row that the call is attributed to.
    first: Option<RowKey>,
    /// What the previous slices have examined and returned.
    seen: ReadStats,
    has_ended: bool,
}

/// A row that is about to be written.
pub(crate) struct Written {
    key: RowKey,
    bytes: u64,
    has_changes: bool,
}

impl Written {
    /// Returns what the mutations of a row write.
    pub fn of(row: &RowMutation) -> Written {
        Written::at(&row.key, &row.mutations)
    }

    /// Returns what mutations of the row `key` write.
    pub fn at(key: &RowKey, mutations: &[Mutation]) -> Written {
        let of = |mutation: &Mutation| match mutation {
            Mutation::SetCell { qualifier, value, .. } => {
                qualifier.len() as u64 + TIME_BYTES + value.len() as u64
            }
            _ => 0,
        };
        let bytes = key.len() as u64 + mutations.iter().map(of).sum::<u64>();
        Written { key: key.clone(), bytes, has_changes: !mutations.is_empty() }
    }
}

impl Live {
    /// Begins a call. Returns `None` if the table does not exist, so that the call will fail.
    pub(crate) fn begin(
        &self,
        served: &Arc<Served>,
        instance: &InstanceName,
        table: &str,
    ) -> Option<LiveCall> {
        let begun = Instant::now();
        let counts = self.counts(served, instance, table).ok()?;
        let (served, busy, seen) = (served.clone(), Duration::ZERO, ReadStats::default());
        Some(LiveCall { counts, served, begun, busy, first: None, seen, has_ended: false })
    }
}

impl LiveCall {
    /// Records that a slice begins.
    pub fn resume(&mut self) {
        self.begun = Instant::now();
    }

    /// Counts a slice of a read, and what it returned of each row. `first` returns the first key
    /// that the read asks for.
    pub fn read(&mut self, scan: &Scan, rows: &[ReadRow], first: impl FnOnce() -> RowKey) {
        self.busy += self.begun.elapsed();
        let begin = match rows.first() {
            Some(row) => row.key.clone(),
            None => scan.resume.as_ref().map_or_else(first, |resume| resume.after.clone()),
        };
        let mut counts = lock(&self.counts);
        counts.advance(self.served.now());
        let seen = (scan.stats.rows_seen - self.seen.rows_seen.min(scan.stats.rows_seen))
            .saturating_sub(rows.len() as u64);
        counts.add_work(&begin, seen.saturating_mul(COSTS.row_read));
        for (index, row) in rows.iter().enumerate() {
            let request = if index == 0 { COSTS.request } else { 0 };
            let nanos = COSTS.row_read + request;
            counts.count(&RowTouch { key: &row.key, is_write: false, bytes: row.bytes, nanos });
        }
        if rows.is_empty() {
            if scan.resume.is_none() && scan.stats.rows_returned == 0 {
                // A read that finds nothing counts for the row that it asked for.
                counts.count(&RowTouch { key: &begin, is_write: false, bytes: 0, nanos: COSTS.request });
            } else {
                counts.add_work(&begin, COSTS.request);
            }
        }
        drop(counts);
        self.first.get_or_insert(begin);
        self.seen = scan.stats;
    }

    /// Counts rows that were written. Rows without changes were only examined.
    pub fn wrote(&mut self, rows: &[Written]) {
        let Some(first) = rows.first() else { return };
        self.first = Some(first.key.clone());
        let mut counts = lock(&self.counts);
        counts.advance(self.served.now());
        for row in rows {
            let nanos = if row.has_changes { COSTS.row_written } else { COSTS.request + COSTS.row_read };
            counts.count(&RowTouch { key: &row.key, is_write: row.has_changes, bytes: row.bytes, nanos });
        }
    }

    /// Counts a row that was read and then written, with its new cells.
    pub fn modified(&mut self, row: &Row) {
        let of = |cell: &tabletop_model::Cell| {
            cell.family.len() + cell.qualifier.len() + TIME_BYTES as usize + cell.value.len()
        };
        let bytes = row.key.len() + row.cells.iter().map(of).sum::<usize>();
        self.first = Some(row.key.clone());
        let mut counts = lock(&self.counts);
        counts.advance(self.served.now());
        let nanos = COSTS.row_written + COSTS.row_read;
        counts.count(&RowTouch { key: &row.key, is_write: true, bytes: bytes as u64, nanos });
    }

    /// Ends a call that writes.
    pub fn end_write(&mut self, is_refused: bool) {
        self.busy = self.begun.elapsed();
        self.end(is_refused);
    }

    /// Ends the call.
    pub fn end(&mut self, is_refused: bool) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let micros = u64::try_from(self.busy.as_micros()).unwrap_or(u64::MAX);
        let mut counts = lock(&self.counts);
        counts.advance(self.served.now());
        counts.end_call(self.first.as_ref().map_or(&[], |key| key.as_slice()), micros, is_refused);
    }
}

/// A row that a read returned.
pub(crate) struct ReadRow {
    key: RowKey,
    bytes: u64,
}

/// Passes rows on, and notes their keys and bytes.
pub(crate) struct Watched<'a, V> {
    visitor: &'a mut V,
    /// The rows of the slice.
    pub rows: Vec<ReadRow>,
}

impl<'a, V> Watched<'a, V> {
    pub fn new(visitor: &'a mut V) -> Self {
        Watched { visitor, rows: Vec::new() }
    }
}

impl<V: RowVisitor> RowVisitor for Watched<'_, V> {
    fn row(&mut self, key: &[u8]) {
        self.rows.push(ReadRow { key: RowKey::from(key.to_vec()), bytes: key.len() as u64 });
        self.visitor.row(key);
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        if let Some(row) = self.rows.last_mut() {
            row.bytes += (cell.family.len() + cell.qualifier.len() + cell.value.len()) as u64 + TIME_BYTES;
        }
        self.visitor.cell(cell);
    }

    fn is_full(&self) -> bool {
        self.visitor.is_full()
    }

    fn has_enough(&self) -> bool {
        self.visitor.has_enough()
    }

    fn takes_long_rows(&self) -> bool {
        self.visitor.takes_long_rows()
    }
}
