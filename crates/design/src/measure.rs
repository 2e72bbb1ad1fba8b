//! Measures access patterns on one design, slice by slice. Each query is read once with an empty
//! block cache and without load on the tablets, and then again for more timings. The rows are
//! dropped.
//!
//! Counts come from the first read, and are the same on every machine. For times, the host charges
//! each slice with the time that it took. A browser's clock is coarse, so a timing of a cheap query
//! is the mean of several reads. An expensive query has only one timing.

use tabletop_advice::{QueryCost, QueryOutcome};
use tabletop_keys::Query;
use tabletop_model::{Result, order::sorted};
use tabletop_workspace::NamedQuery;

use crate::design_table::DesignTable;
use crate::event_table::EventTable;
use crate::read::{OpenRead, SLICE_CELLS};

/// Timings of a cheap query.
const TIMINGS_MAX: u32 = 5;
/// The maximum number of reads in one timing.
const READS_MAX: u32 = 16;
/// Number of cells above which a query gets no further timings.
const CELLS_MAX: u64 = 200_000;
/// The fixed cost of a read, approximately, as a number of cells.
const READ_CELLS: u64 = 100;

/// What a query needs next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeasureStage {
    /// The first read, for the counts.
    Counts,
    /// Further reads for its time.
    Times,
}

/// The measurement of all access patterns.
pub(crate) struct Measuring {
    /// The content of the table. Measurements of other content are dropped.
    content: (u64, u32, u64),
    /// In the order of the access patterns.
    queries: Vec<MeasuredQuery>,
    /// Index of the query of the last slice, until it is charged.
    uncharged: Option<usize>,
    /// The table that is read, until everything is measured. It is a copy, because other reads
    /// between two slices would change its block cache.
    copy: Option<EventTable>,
}

/// Counts the entities of rows in the order of their logical keys.
#[derive(Default)]
struct Entities {
    count: u64,
    last: Vec<u8>,
    /// Whether the entity of a row is not known.
    has_unknown: bool,
}

impl Entities {
    fn add(&mut self, entity: Option<&[u8]>) {
        let Some(entity) = entity else {
            self.has_unknown = true;
            return;
        };
        if self.count == 0 || self.last != entity {
            self.count += 1;
            self.last = entity.to_vec();
        }
    }

    fn count(&self) -> Option<u64> {
        (!self.has_unknown && self.count > 0).then_some(self.count)
    }
}

struct MeasuredQuery {
    query: Query,
    outcome: QueryOutcome,
    /// A read that takes several slices.
    open: Option<OpenRead>,
    /// The microseconds of the slices of the current timing, and the number of its complete reads.
    micros: u64,
    reads: u32,
    /// Cells of all reads so far.
    cells: u64,
    /// The entities of the rows of the first read, if the query asks for the latest of each.
    entities: Option<Entities>,
    /// Complete timings, charged or not.
    rounds: u32,
    /// Microseconds of one read in each charged timing.
    timings: Vec<u64>,
}

impl Measuring {
    /// Begins to measure a table with this content.
    pub(crate) fn new(content: (u64, u32, u64)) -> Measuring {
        Measuring { content, queries: Vec::new(), uncharged: None, copy: None }
    }

    /// Returns whether this measures a table with this content.
    pub(crate) fn is_of(&self, content: (u64, u32, u64)) -> bool {
        self.content == content
    }

    /// Returns what the next slice does; `None` if everything is measured.
    pub(crate) fn stage(&self) -> Option<MeasureStage> {
        self.queries.iter().filter_map(MeasuredQuery::stage).min()
    }

    /// Removes and returns the copy that is read; `None` before the first slice.
    pub(crate) fn take_copy(&mut self) -> Option<EventTable> {
        self.copy.take()
    }

    /// Stores the copy for the next slice, unless everything is measured.
    pub(crate) fn keep_copy(&mut self, copy: Option<EventTable>) {
        self.copy = copy.filter(|_| self.stage().is_some());
    }

    /// Reads the next slice.
    pub(crate) fn slice(&mut self, design_table: &mut DesignTable) {
        let stage = self.stage();
        self.uncharged =
            self.queries.iter().position(|measured| stage.is_some() && measured.stage() == stage);
        if let Some(at) = self.uncharged {
            self.queries[at].slice(design_table);
        }
    }

    /// Charges the last slice with the time that it took.
    pub(crate) fn charge(&mut self, micros: u64) {
        if let Some(at) = self.uncharged.take() {
            self.queries[at].charge(micros);
        }
    }

    /// Adds and removes queries. Queries that stay keep their measurements.
    pub(crate) fn follow(&mut self, queries: &[NamedQuery]) {
        let is_same = |(measured, named): (&MeasuredQuery, &NamedQuery)| measured.query == named.query;
        if self.queries.len() == queries.len() && self.queries.iter().zip(queries).all(is_same) {
            return;
        }
        let mut known = std::mem::take(&mut self.queries);
        self.queries.extend(queries.iter().map(|named| {
            let at = known.iter().position(|measured| measured.query == named.query);
            at.map_or_else(|| MeasuredQuery::new(&named.query), |at| known.swap_remove(at))
        }));
        self.uncharged = None;
    }

    /// Returns what has been measured so far, in the order of the queries.
    pub(crate) fn outcomes(&self) -> Vec<QueryOutcome> {
        self.queries.iter().map(|measured| measured.outcome.clone()).collect()
    }
}

impl MeasuredQuery {
    fn new(query: &Query) -> MeasuredQuery {
        MeasuredQuery {
            query: query.clone(),
            outcome: QueryOutcome::Waiting,
            open: None,
            micros: 0,
            reads: 0,
            cells: 0,
            entities: query.is_latest_of_each().then(Entities::default),
            rounds: 0,
            timings: Vec::new(),
        }
    }

    fn stage(&self) -> Option<MeasureStage> {
        match self.outcome {
            QueryOutcome::Waiting => Some(MeasureStage::Counts),
            QueryOutcome::Refused(_) => None,
            QueryOutcome::Answered(_) => {
                (self.rounds < TIMINGS_MAX && self.cells < CELLS_MAX).then_some(MeasureStage::Times)
            }
        }
    }

    /// Reads one slice: either a part of a long read, or several short reads.
    fn slice(&mut self, design_table: &mut DesignTable) {
        let mut left = SLICE_CELLS;
        let was_open = self.open.is_some();
        loop {
            match self.read_on(design_table) {
                Err(error) => {
                    (self.outcome, self.open) = (QueryOutcome::Refused(error), None);
                    return;
                }
                Ok(None) => return,
                Ok(Some(cells)) => {
                    self.reads += 1;
                    self.cells += cells;
                    left = left.saturating_sub(cells);
                    if was_open || self.reads == READS_MAX || left < cells {
                        self.rounds += 1;
                        return;
                    }
                }
            }
        }
    }

    /// Reads a slice of the current read. Once the read is complete, returns its approximate cost
    /// in cells.
    fn read_on(&mut self, design_table: &mut DesignTable) -> Result<Option<u64>> {
        let mut read = match self.open.take() {
            Some(read) => read,
            None => {
                design_table.forget_blocks();
                OpenRead::begin(design_table, &self.query)?.unmetered()
            }
        };
        let chunk = read.next(design_table)?;
        if let (Some(entities), QueryOutcome::Waiting) = (&mut self.entities, &self.outcome) {
            let template = design_table.mapping()?.writer.template();
            chunk.rows.iter().for_each(|row| entities.add(template.before_time(&row.key)));
        }
        if !chunk.complete {
            self.open = Some(read);
            return Ok(None);
        }
        let cells = chunk.stats.cells_seen + READ_CELLS;
        if self.outcome == QueryOutcome::Waiting {
            self.outcome = QueryOutcome::Answered(QueryCost {
                kind: read.kind,
                stats: chunk.stats,
                ranges: chunk.ranges,
                scans_more: chunk.scans_more,
                newest: read.newest,
                entities: self.entities.as_ref().and_then(Entities::count),
                wrong: None,
                timings: 0,
                elapsed_micros: 0,
            });
        }
        Ok(Some(cells))
    }

    fn charge(&mut self, micros: u64) {
        self.micros += micros;
        let (QueryOutcome::Answered(cost), None) = (&mut self.outcome, &self.open) else { return };
        if let Some(mean) = self.micros.checked_div(self.reads.into()) {
            self.timings.push(mean);
            (self.micros, self.reads) = (0, 0);
            let in_order = sorted(self.timings.clone(), u64::cmp);
            (cost.timings, cost.elapsed_micros) = (in_order.len() as u32, in_order[in_order.len() / 2]);
        }
    }
}
