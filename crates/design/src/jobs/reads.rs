//! Runs that read the tables of designs.

use tabletop_advice::{Measurements, ReadCost};
use tabletop_engine::TraceDetail;
use tabletop_keys::{Query, Template};
use tabletop_model::{
    Code, CountExpired, Error, ExpiredCells, ReadRows, Response, RowFilter, RowKey, TableRequest,
};
use tabletop_protocol::{
    Begin, Clock, ExpiredRequest, Gather, GatheredTable, JobError, KeysRequest, MeasurePatterns, Progress,
    QueryOnDesign, ReadOnAllDesigns, ReadOnDesign, ReadQuery, Run, SampleKeys, TouchChunk, TouchQuery,
    TraceQuery, TraceRequest,
};

use super::{DesignHost, find, table_at};
use crate::design_table::DesignTable;
use crate::read::{OpenRead, SLICE_CELLS, TableOf};
use crate::trace::OpenTrace;

/// A read that records what it touches ends after this many blocks.
const TOUCHED_MAX: usize = 20_000;
/// Cells per slice of a read of keys, which has one cell per row.
const KEYS_SLICE_CELLS: u64 = 5_000;
/// The maximum number of expired cells that are listed for a row.
const LISTED_MAX: u32 = 10_000;
/// The approximate maximum number of keys of each table in a report.
const GATHERED_KEYS_MAX: u64 = 5_000;

impl<H: DesignHost + ?Sized> Begin<H> for OpenRead {
    fn begin(host: &mut H, request: QueryOnDesign, _: Clock) -> Result<OpenRead, JobError> {
        let (supply, _, tables) = host.parts();
        let table = table_at(tables, request.index)?;
        Ok(OpenRead::begin(table, &request.query)?.metered_at_rest(table, supply))
    }
}

impl<H: DesignHost + ?Sized> Run<H> for OpenRead {
    type Job = ReadQuery;

    fn next(&mut self, host: &mut H, (): (), clock: Clock) -> Result<Progress<ReadQuery>, JobError> {
        let begun = clock();
        let mut chunk = OpenRead::next(self, find(self.of, host.parts().2)?)?;
        self.elapsed_micros += u64::try_from(clock() - begun).unwrap_or(0);
        chunk.elapsed_micros = self.elapsed_micros;
        let is_last = chunk.complete;
        Ok(Progress::of(chunk, is_last))
    }

    fn is_current(&self, host: &H) -> bool {
        self.of.find(host.tables()).is_some()
    }
}

impl<H: DesignHost + ?Sized> Begin<H> for OpenTrace {
    fn begin(host: &mut H, request: TraceRequest, _: Clock) -> Result<OpenTrace, JobError> {
        let detail = if request.cells { TraceDetail::Cells } else { TraceDetail::Counts };
        Ok(OpenTrace::begin(table_at(host.parts().2, request.index)?, &request.query, detail)?)
    }
}

impl<H: DesignHost + ?Sized> Run<H> for OpenTrace {
    type Job = TraceQuery;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<TraceQuery>, JobError> {
        let chunk = OpenTrace::next(self, find(self.of, host.parts().2)?)?;
        let is_last = chunk.complete;
        Ok(Progress::of(chunk, is_last))
    }

    fn is_current(&self, host: &H) -> bool {
        self.of.find(host.tables()).is_some()
    }
}

/// A query that records the blocks that it touches.
pub struct QueryTouch(OpenRead);

impl<H: DesignHost + ?Sized> Begin<H> for QueryTouch {
    fn begin(host: &mut H, request: QueryOnDesign, _: Clock) -> Result<QueryTouch, JobError> {
        let table = table_at(host.parts().2, request.index)?;
        Ok(QueryTouch(OpenRead::begin(table, &request.query)?.noting()))
    }
}

impl<H: DesignHost + ?Sized> Run<H> for QueryTouch {
    type Job = TouchQuery;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<TouchQuery>, JobError> {
        let complete = self.0.next(find(self.0.of, host.parts().2)?)?.complete;
        let touched = self.0.touched().cloned().unwrap_or_default();
        let complete = complete || touched.blocks() > TOUCHED_MAX;
        Ok(Progress::of(TouchChunk { touched, complete }, complete))
    }

    fn is_current(&self, host: &H) -> bool {
        self.0.of.find(host.tables()).is_some()
    }
}

/// Measures the access patterns of the workspace. The measurements are stored with the tables, so
/// after an edit only designs that have changed are measured again.
pub struct MeasureRun {
    workspace_version: u64,
}

impl<H: DesignHost + ?Sized> Begin<H> for MeasureRun {
    fn begin(host: &mut H, (): (), _: Clock) -> Result<MeasureRun, JobError> {
        Ok(MeasureRun { workspace_version: host.workspace_version() })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for MeasureRun {
    type Job = MeasurePatterns;

    /// Reads each pattern once on each design for its counts, then again for its times. While a
    /// table is being built nothing is measured, so that the view of the table is not delayed.
    fn next(&mut self, host: &mut H, (): (), clock: Clock) -> Result<Progress<MeasurePatterns>, JobError> {
        let (supply, queries, tables) = host.parts();
        let is_free = !tables.iter().any(|table| table.is_behind(supply));
        let stages = tables.iter_mut().enumerate().filter(|_| is_free);
        let stages = stages.filter_map(|(at, table)| Some((table.measure_stage(supply, queries)?, at)));
        let next = stages.min().map(|(_, at)| at);
        if let Some(at) = next {
            let begun = clock();
            tables[at].measure(supply, queries);
            tables[at].charge_measurement(u64::try_from(clock() - begun).unwrap_or(0));
        }
        let designs = tables.iter_mut().map(|table| table.costs(supply, queries)).collect();
        let more = next.is_some();
        Ok(Progress::of(Measurements { designs, more }, !more))
    }

    fn is_current(&self, host: &H) -> bool {
        self.workspace_version == host.workspace_version()
    }
}

/// Runs a query on every design, one design after another.
pub struct ReadOnDesigns {
    query: Query,
    workspace_version: u64,
    /// Index of the design whose table is read.
    at: u32,
    open: Option<OpenRead>,
}

impl<H: DesignHost + ?Sized> Begin<H> for ReadOnDesigns {
    fn begin(host: &mut H, query: Query, _: Clock) -> Result<ReadOnDesigns, JobError> {
        Ok(ReadOnDesigns { query, workspace_version: host.workspace_version(), at: 0, open: None })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for ReadOnDesigns {
    type Job = ReadOnAllDesigns;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<ReadOnAllDesigns>, JobError> {
        let (supply, _, tables) = host.parts();
        let (index, count) = (self.at, tables.len());
        let table = table_at(tables, index)?;
        let open = self.open.take().filter(|open| open.of == TableOf::now(table));
        let read = match open {
            Some(open) => Ok(open),
            None => OpenRead::begin(table, &self.query).map(|read| read.metered_at_rest(table, supply)),
        };
        let (cost, is_read) = match read.and_then(|mut read| Ok((read.next(table)?, read))) {
            Err(error) => (Err(error), true),
            Ok((chunk, read)) => {
                self.open = (!chunk.complete).then_some(read);
                (Ok(ReadCost { ranges: chunk.ranges, stats: chunk.stats }), chunk.complete)
            }
        };
        self.at += u32::from(is_read);
        Ok(Progress::of(ReadOnDesign { index, cost, complete: is_read }, self.at as usize == count))
    }

    fn is_current(&self, host: &H) -> bool {
        self.workspace_version == host.workspace_version()
    }
}

/// Counts the cells that GC rules would collect now.
pub struct ExpiredCount {
    of: TableOf,
    ask: CountExpired,
    sum: ExpiredCells,
}

impl<H: DesignHost + ?Sized> Begin<H> for ExpiredCount {
    fn begin(host: &mut H, request: ExpiredRequest, _: Clock) -> Result<ExpiredCount, JobError> {
        let of = TableOf::now(table_at(host.parts().2, request.index)?);
        let listed_max = if request.row.is_some() { LISTED_MAX } else { 0 };
        let ask = CountExpired {
            row: request.row,
            listed_max,
            slice_cells_max: SLICE_CELLS,
            ..CountExpired::default()
        };
        Ok(ExpiredCount { of, ask, sum: ExpiredCells::default() })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for ExpiredCount {
    type Job = tabletop_protocol::ExpiredCount;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<Self::Job>, JobError> {
        let table = find(self.of, host.parts().2)?;
        // The request does not change the table, so there is no number of a newest write to update.
        match table.ask_for_user(TableRequest::CountExpired(self.ask.clone()), &mut 0) {
            Response::Expired(slice) => self.sum.add(slice),
            Response::Refused(error) => return Err(error.into()),
            _ => {
                return Err(Error::new(
                    Code::Internal,
                    "unexpected answer to a count of expired cells: reload the page",
                )
                .into());
            }
        }
        self.ask.resume = self.sum.resume.take();
        Ok(Progress::of(self.sum.clone(), self.ask.resume.is_none()))
    }

    fn is_current(&self, host: &H) -> bool {
        self.of.find(host.tables()).is_some()
    }
}

/// Reads row keys, either all or a random sample. The read does not count as load of the tablets,
/// because the user has not requested it.
pub struct KeySample {
    of: TableOf,
    read: ReadRows,
}

impl KeySample {
    fn new(table: &DesignTable, share: f64) -> KeySample {
        let mut filters = vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)];
        if share < 1.0 {
            filters.insert(0, RowFilter::RowSample(share));
        }
        let filter = Some(RowFilter::Chain(filters));
        let read =
            ReadRows { filter, slice_cells_max: KEYS_SLICE_CELLS, unmetered: true, ..ReadRows::default() };
        KeySample { of: TableOf::now(table), read }
    }

    /// Reads the next keys. Returns whether more remain.
    fn slice(&mut self, table: &mut DesignTable, keys: &mut Vec<RowKey>) -> Result<bool, Error> {
        let chunk = table.read(&self.read)?;
        keys.extend(chunk.rows.into_iter().map(|row| row.key));
        self.read.resume = chunk.resume;
        Ok(self.read.resume.is_some())
    }
}

impl<H: DesignHost + ?Sized> Begin<H> for KeySample {
    fn begin(host: &mut H, request: KeysRequest, _: Clock) -> Result<KeySample, JobError> {
        Ok(KeySample::new(table_at(host.parts().2, request.index)?, request.share))
    }
}

impl<H: DesignHost + ?Sized> Run<H> for KeySample {
    type Job = SampleKeys;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<SampleKeys>, JobError> {
        let mut keys = Vec::new();
        let more = self.slice(find(self.of, host.parts().2)?, &mut keys)?;
        Ok(Progress::of(keys, !more))
    }

    fn is_current(&self, host: &H) -> bool {
        self.of.find(host.tables()).is_some()
    }
}

/// Gathers what a report shows of all tables, one table after another.
pub struct GatherRun {
    workspace_version: u64,
    at: usize,
    /// The table whose keys are read.
    open: Option<(KeySample, GatheredTable)>,
}

impl<H: DesignHost + ?Sized> Begin<H> for GatherRun {
    fn begin(host: &mut H, (): (), _: Clock) -> Result<GatherRun, JobError> {
        Ok(GatherRun { workspace_version: host.workspace_version(), at: 0, open: None })
    }
}

impl<H: DesignHost + ?Sized> Run<H> for GatherRun {
    type Job = Gather;

    fn next(&mut self, host: &mut H, (): (), _: Clock) -> Result<Progress<Gather>, JobError> {
        let templates: Vec<bool> =
            host.workspace().designs.iter().map(|design| has_map(&design.template)).collect();
        let (supply, _, tables) = host.parts();
        let count = tables.len();
        let table = table_at(tables, self.at as u32)?;
        let (mut sample, mut gathered) =
            match self.open.take().filter(|(sample, _)| sample.of == TableOf::now(table)) {
                Some(open) => open,
                None => {
                    let view = table.view(supply);
                    let rows: u64 = view.table.tablets.iter().map(|tablet| tablet.rows).sum();
                    let share = (GATHERED_KEYS_MAX as f64 / rows.max(1) as f64).min(1.0);
                    (KeySample::new(table, share), GatheredTable { view, keys: Vec::new() })
                }
            };
        let has_keys = templates[self.at] && gathered.view.table.tablets.iter().any(|tablet| tablet.rows > 0);
        if has_keys && sample.slice(table, &mut gathered.keys)? {
            self.open = Some((sample, gathered));
            return Ok(Progress::More(None));
        }
        self.at += 1;
        Ok(Progress::of(Some(gathered), self.at == count))
    }

    fn is_current(&self, host: &H) -> bool {
        self.workspace_version == host.workspace_version()
    }
}

/// Whether the points of a table can be drawn on a map.
fn has_map(template: &str) -> bool {
    Template::of_text(template).0.zorder().is_some()
}
