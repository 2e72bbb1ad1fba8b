//! A query on one design, answered slice by slice. With a salted key it consists of N reads (N + 1
//! with a cut-over), which are merged in logical order.

use tabletop_engine::TouchedChunk;
use tabletop_keys::{Merge, Newest, Plan, PlanKind, Query, RowOrder};
use tabletop_model::{ReadRows, ReadStats, Result, Row, RowsChunk, Touched};
use tabletop_protocol::QueryChunk;

use crate::design_table::DesignTable;
use crate::event_mapping::EventMapping;
use crate::size_count::row_bytes;
use crate::supply::Supply;

/// Approximate number of cells that are read per answer: some milliseconds of work.
pub const SLICE_CELLS: u64 = 3_000;
/// Minimum number of cells per slice of one of several reads: with fewer, resuming costs more than
/// reading.
const PART_CELLS_MIN: u64 = 250;
/// Number of bytes of rows at which an answer is full.
const ANSWER_BYTES: u64 = 512 << 10;

/// Identifies a table between two rebuilds. A read in slices only resumes in the table in which it
/// was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableOf {
    /// Id of the design table.
    id: u32,
    /// The revision at which its table was begun.
    begun: u64,
}

impl TableOf {
    /// Returns the identity of a design's current table.
    pub(crate) fn now(design_table: &DesignTable) -> TableOf {
        TableOf { id: design_table.id, begun: design_table.table().begun() }
    }

    /// Returns the index of the table; `None` if it was rebuilt or its design was deleted.
    pub(crate) fn find(self, tables: &[DesignTable]) -> Option<usize> {
        tables.iter().position(|table| TableOf::now(table) == self)
    }
}

/// The state of a read between two slices.
pub struct OpenRead {
    /// The table that it reads.
    pub(crate) of: TableOf,
    /// Microseconds spent so far, which the host adds up.
    pub elapsed_micros: u64,
    /// How the rows are found.
    pub(crate) kind: PlanKind,
    parts: Vec<PartRead>,
    merge: Merge,
    /// Rows, cells and bytes of the merged answer so far.
    returned: ReadStats,
    ranges: u32,
    scans_more: bool,
    /// How it finds the newest rows, if the query asks for them.
    pub(crate) newest: Option<Newest>,
    /// What the read touches, if it records that.
    touched: Option<Box<Touched>>,
}

/// How a query is read on the table of a design.
pub(crate) struct PlannedRead<'t> {
    pub mapping: &'t EventMapping,
    pub plan: Plan,
    pub order: RowOrder,
}

/// One of the N reads.
struct PartRead {
    read: ReadRows,
    stats: ReadStats,
    /// Cache hits of slices that resume inside a block they have read before. They are subtracted,
    /// so that blocks are counted as in a single long slice.
    begun_again: u64,
}

impl OpenRead {
    /// Begins a read, without reading anything yet.
    ///
    /// # Errors
    /// `FailedPrecondition` if the design has no table; `InvalidArgument` for a query that does not
    /// fit the template, or for a filter that Bigtable would refuse.
    pub fn begin(design_table: &DesignTable, query: &Query) -> Result<OpenRead> {
        let PlannedRead { mapping, plan, order } = OpenRead::plan(design_table, query)?;
        let part = |read| PartRead { read, stats: ReadStats::default(), begun_again: 0 };
        Ok(OpenRead {
            of: TableOf::now(design_table),
            elapsed_micros: 0,
            kind: plan.kind(),
            parts: OpenRead::reads(&plan, query, order).map(part).collect(),
            merge: Merge::new(mapping.writer.template(), plan.parts.len(), order.reversed, order.rows_limit),
            returned: ReadStats::default(),
            ranges: plan.ranges(),
            scans_more: plan.scans_more,
            newest: order.newest,
            touched: None,
        })
    }

    /// Returns the reads that answer a query: one for each part of the row key's plan.
    ///
    /// # Errors
    /// The errors of [`OpenRead::begin`] about the table and the rows.
    pub fn parts_of(design_table: &DesignTable, query: &Query) -> Result<Vec<ReadRows>> {
        let PlannedRead { plan, order, .. } = OpenRead::plan(design_table, query)?;
        Ok(OpenRead::reads(&plan, query, order).collect())
    }

    /// Returns the same read, but it records what it touches. It does not count as load of the
    /// tablets, and does not change the block cache.
    pub fn noting(self) -> OpenRead {
        OpenRead { touched: Some(Box::default()), ..self }
    }

    /// Returns what the read has touched so far; `None` if it does not record that.
    pub fn touched(&self) -> Option<&Touched> {
        self.touched.as_deref()
    }

    /// Returns how a query is read on a design's table.
    #[inline(always)]
    pub(crate) fn plan<'t>(design_table: &'t DesignTable, query: &Query) -> Result<PlannedRead<'t>> {
        let mapping = design_table.mapping()?;
        let plan = mapping.written.plan(&query.rows, &mapping.readable)?;
        let order = mapping.written.row_order(query, &mapping.readable);
        Ok(PlannedRead { mapping, plan, order })
    }

    /// Returns the reads of a plan.
    #[inline(always)]
    pub(crate) fn reads<'p>(
        plan: &'p Plan,
        query: &'p Query,
        order: RowOrder,
    ) -> impl Iterator<Item = ReadRows> + 'p {
        let filter = plan.filter(query.filter.as_ref());
        plan.parts.iter().map(move |rows| ReadRows {
            rows: rows.clone(),
            filter: filter.clone(),
            rows_limit: order.rows_limit,
            reversed: order.reversed,
            ..ReadRows::default()
        })
    }

    /// Returns the same read. While the table is being built, it does not count as load: the
    /// tablets must depend on the events, not on when the user reads.
    pub fn metered_at_rest(self, design_table: &DesignTable, supply: Supply) -> OpenRead {
        let is_built = !design_table.is_behind(supply) && !design_table.is_settling(supply);
        if is_built { self } else { self.unmetered() }
    }

    /// Returns the same read, but it does not count as load of the tablets.
    pub(crate) fn unmetered(mut self) -> OpenRead {
        self.parts.iter_mut().for_each(|part| part.read.unmetered = true);
        self
    }

    /// Reads one slice of the table that the read was begun on.
    ///
    /// # Errors
    /// The engine's errors.
    pub fn next(&mut self, design_table: &mut DesignTable) -> Result<QueryChunk> {
        let mut rows = Vec::new();
        let mut cells_left = SLICE_CELLS;
        let bytes_before = self.returned.bytes_returned;
        loop {
            for row in self.merge.pull() {
                count(&row, &mut self.returned);
                rows.push(row);
            }
            let full = cells_left == 0 || self.returned.bytes_returned - bytes_before >= ANSWER_BYTES;
            if full || self.merge.is_complete() {
                break;
            }
            let waiting: Vec<usize> = self.merge.waiting().collect();
            let slice = (SLICE_CELLS / waiting.len().max(1) as u64).max(PART_CELLS_MIN);
            for part in waiting {
                cells_left = cells_left.saturating_sub(self.read_part(part, slice, design_table)?.max(1));
            }
        }
        Ok(QueryChunk {
            rows,
            stats: self.stats(design_table),
            ranges: self.ranges,
            scans_more: self.scans_more,
            elapsed_micros: self.elapsed_micros,
            complete: self.merge.is_complete(),
        })
    }

    /// Reads a slice of one part. Returns the number of cells read.
    fn read_part(&mut self, at: usize, slice_cells_max: u64, design_table: &mut DesignTable) -> Result<u64> {
        let part = &mut self.parts[at];
        part.read.slice_cells_max = slice_cells_max;
        let chunk = match &mut self.touched {
            None => design_table.read(&part.read)?,
            Some(touched) => touch(&part.read, touched, design_table)?,
        };
        let hits = chunk.stats.cache_hits - part.stats.cache_hits;
        part.begun_again += hits.min(part.read.resume.is_some().into());
        let cells = chunk.stats.cells_seen - part.stats.cells_seen;
        part.stats = chunk.stats;
        self.merge.push(at, chunk.rows, chunk.resume.is_none());
        part.read.resume = chunk.resume;
        Ok(cells)
    }

    /// Returns the work of all parts, and the size of the merged answer.
    fn stats(&self, design_table: &mut DesignTable) -> ReadStats {
        if let ([part], true) = (self.parts.as_slice(), self.merge.is_complete()) {
            debug_assert_eq!(
                self.returned.bytes_returned, part.stats.bytes_returned,
                "counted as the engine counts"
            );
        }
        let mut stats = self.parts.iter().fold(self.returned, |sum, part| ReadStats {
            rows_seen: sum.rows_seen + part.stats.rows_seen,
            cells_seen: sum.cells_seen + part.stats.cells_seen,
            tablets_touched: sum.tablets_touched + part.stats.tablets_touched,
            blocks_read: sum.blocks_read + part.stats.blocks_read,
            bytes_read: sum.bytes_read + part.stats.bytes_read,
            cache_hits: sum.cache_hits + part.stats.cache_hits - part.begun_again,
            bloom_skips: sum.bloom_skips + part.stats.bloom_skips,
            ..sum
        });
        if self.parts.len() > 1 {
            // Several parts may touch one tablet.
            stats.tablets_touched = stats.tablets_touched.min(design_table.tablets().tablets.len() as u64);
        }
        stats
    }
}

/// Reads a slice of a part, and adds what it touches.
#[cold]
#[inline(never)]
fn touch(read: &ReadRows, touched: &mut Touched, design_table: &mut DesignTable) -> Result<RowsChunk> {
    let TouchedChunk { chunk, touched: more } = design_table.table_mut().handle().touch(read)?;
    touched.add(more);
    Ok(chunk)
}

/// Counts a returned row in the same way as the engine.
fn count(row: &Row, stats: &mut ReadStats) {
    stats.rows_returned += 1;
    stats.cells_returned += row.cells.len() as u64;
    stats.bytes_returned += row_bytes(row);
}
