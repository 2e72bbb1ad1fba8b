//! Turns the arrivals of a traffic's streams into requests to the tables of a design.

use std::ops::Bound;

use tabletop_cluster::Operation;
use tabletop_keys::{FieldKind, Query, Record, RowChoice, part_fields, time};
use tabletop_model::{
    Code, Error, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Result, RowKey,
    RowMutation, RowRange, RowSet, SERVER_TIME,
};
use tabletop_protocol::LogKeys;
use tabletop_workload::{Arrival, Events};
use tabletop_workspace::{NamedQuery, ReplayOperation, StreamKind, Traffic};

use super::log::LogOnDesign;
use crate::design_table::DesignTable;
use crate::read::{OpenRead, PlannedRead};

/// The qualifier of the column that a read-modify-write increments. Events do not have it.
const COUNTER: &[u8] = b"read_modify_write";

/// The qualifier of the column that a write of a trace sets, and the number of bytes of its value.
const REPLAYED: &[u8] = b"trace";
const REPLAYED_BYTES: usize = 100;
/// The initial capacity for a row key, which grows for a longer key.
pub(super) const KEY_BYTES: usize = 64;
/// The number of rows in a scan of a trace.
const REPLAYED_ROWS: u64 = 100;

/// A request to one of the tables.
pub struct Request {
    /// The index of the table.
    pub table: usize,
    /// The request.
    pub operation: Operation,
}

/// How the requests of a stream are made.
enum Asked {
    /// Writes the event to all tables.
    Write,
    /// Reads an access pattern, with the event's values in the fields that the pattern compares.
    Pattern {
        table: usize,
        query: Box<Query>,
    },
    /// Scans rows, beginning with the row of the event.
    Scan {
        rows: u64,
    },
    /// Reads the row of the event.
    Point,
    ReadModifyWrite,
    Delete,
    /// Replays a request of a trace on its own row.
    Replay {
        operation: ReplayOperation,
        /// A request without a key is left out.
        keys: Vec<Option<RowKey>>,
    },
}

/// Makes the requests of each stream of a traffic, both for a simulation and for a real Bigtable.
pub struct Operations {
    /// How the requests of each stream are made, by the stream's index.
    asked: Vec<Asked>,
    times: Option<Times>,
    /// Whether an event that the traffic writes has a new row: the key contains its time, which is
    /// later than in the loaded events.
    moves_rows: bool,
    log: Option<LogKeys>,
}

/// How times advance when the traffic writes events again.
struct Times {
    /// The index of the field.
    field: usize,
    /// Microseconds by which times advance in each repetition.
    span: i64,
    write: fn(i64) -> String,
}

impl Operations {
    /// Prepares the requests of a traffic to these tables: the design's own table first, then its
    /// index tables.
    ///
    /// # Errors
    /// `NotFound` for an access pattern that does not exist. (If the design cannot answer an access
    /// pattern, its requests are refused one by one.) `InvalidArgument` and `FailedPrecondition` for
    /// a log whose keys cannot become keys of the design.
    pub fn new(
        tables: &[DesignTable],
        events: &Events,
        traffic: &Traffic,
        queries: &[NamedQuery],
    ) -> Result<Operations> {
        let mut log = LogOnDesign::new();
        let mut asked = Vec::new();
        for stream in &traffic.streams {
            asked.push(Asked::new(&stream.what, tables, queries, events, &mut log)?);
        }
        let times = Times::new(events);
        let moves_rows = times.as_ref().is_some_and(|times| {
            let name = &events.fields()[times.field].name;
            let template = tables.first().and_then(|table| Some(table.mapping().ok()?.writer.template()));
            template.is_some_and(|of| {
                of.cut_over().is_some() || of.parts().iter().any(|part| part_fields(part).contains(&name))
            })
        });
        Ok(Operations { asked, times, moves_rows, log: log.counts()? })
    }

    /// Returns the loaded event whose row the first request of an arrival needs, in the design's
    /// own table. `None` for an access pattern, and for a row that only the traffic writes.
    pub fn event_of_row(&self, arrival: &Arrival, events: u64) -> Option<u32> {
        match self.asked[usize::from(arrival.stream)] {
            Asked::Pattern { .. } | Asked::Replay { .. } => None,
            _ if arrival.event < events => Some(arrival.event as u32),
            _ => (!self.moves_rows).then_some(arrival.like),
        }
    }

    /// Returns the row key of a request of a trace; `None` for other requests.
    pub fn replayed_key(&self, arrival: &Arrival) -> Option<&RowKey> {
        match &self.asked[usize::from(arrival.stream)] {
            Asked::Replay { keys, .. } => keys.get(arrival.event as usize)?.as_ref(),
            _ => None,
        }
    }

    /// Returns whether a request of a trace is left out, because its key does not have the form of
    /// the others.
    pub fn is_left_out(&self, arrival: &Arrival) -> bool {
        match &self.asked[usize::from(arrival.stream)] {
            Asked::Replay { keys, .. } => keys.get(arrival.event as usize).is_some_and(Option::is_none),
            _ => false,
        }
    }

    /// Returns what the keys of a log are on this design.
    pub fn log(&self) -> Option<LogKeys> {
        self.log
    }

    /// Returns the row key of a write of a trace; `None` for other requests.
    pub fn replayed_write(&self, arrival: &Arrival) -> Option<&RowKey> {
        match &self.asked[usize::from(arrival.stream)] {
            Asked::Replay { operation: ReplayOperation::Write | ReplayOperation::ReadModifyWrite, keys } => {
                keys.get(arrival.event as usize)?.as_ref()
            }
            _ => None,
        }
    }

    /// Returns the row keys of all requests of traces.
    pub fn replayed_keys(&self) -> impl Iterator<Item = &RowKey> {
        let keys = self.asked.iter().flat_map(|asked| match asked {
            Asked::Replay { keys, .. } => keys.as_slice(),
            _ => &[],
        });
        keys.flatten()
    }

    /// Makes the requests of an arrival.
    ///
    /// # Errors
    /// The error of the design if it cannot write the event.
    pub fn requests(
        &self,
        tables: &mut [DesignTable],
        events: &Events,
        arrival: &Arrival,
    ) -> Result<Vec<Request>> {
        let own = |operation| vec![Request { table: 0, operation }];
        Ok(match &self.asked[usize::from(arrival.stream)] {
            Asked::Write => {
                let mut requests = Vec::with_capacity(tables.len());
                for (table, design_table) in tables.iter_mut().enumerate() {
                    let row = self.row(design_table, events, arrival.event, arrival.like)?;
                    requests.push(Request { table, operation: Operation::Write(row) });
                }
                requests
            }
            Asked::Pattern { table, query } => {
                let query = of_event(query, events, arrival.like);
                let PlannedRead { plan, order, .. } = OpenRead::plan(&tables[*table], &query)?;
                let reads = OpenRead::reads(&plan, &query, order);
                reads.map(|read| Request { table: *table, operation: Operation::Read(read) }).collect()
            }
            Asked::Scan { rows } => own(scan(self.key(&tables[0], events, arrival)?, *rows)),
            Asked::Point => own(point(self.key(&tables[0], events, arrival)?)),
            Asked::ReadModifyWrite => {
                let key = self.key(&tables[0], events, arrival)?;
                own(increment(&mut tables[0], key)?)
            }
            Asked::Replay { operation, .. } => {
                let missing = || Error::not_found("the trace has no such request");
                let key = self.replayed_key(arrival).ok_or_else(missing)?.clone();
                own(replayed(*operation, key, &mut tables[0])?)
            }
            Asked::Delete => {
                let key = self.key(&tables[0], events, arrival)?;
                own(Operation::Write(RowMutation { key, mutations: vec![Mutation::DeleteFromRow] }))
            }
        })
    }

    /// Returns the row of event number `event`. It has the values of the loaded event `like`,
    /// except that its time has advanced.
    ///
    /// # Errors
    /// The error of the design if it cannot write the event.
    pub fn row(
        &self,
        design_table: &mut DesignTable,
        events: &Events,
        event: u64,
        like: u32,
    ) -> Result<RowMutation> {
        self.with_record(events, event, like, |record| design_table.row(record, event))
    }

    /// Returns the row key of the event of an arrival.
    ///
    /// # Errors
    /// The error of the template if the event does not have the values that the key needs.
    fn key(&self, design_table: &DesignTable, events: &Events, arrival: &Arrival) -> Result<RowKey> {
        let mapping = design_table.mapping()?;
        let (mut key, moved) =
            (Vec::with_capacity(KEY_BYTES), self.moved_time(events, arrival.event, arrival.like));
        let mut values = |field| match &moved {
            Some((time, text)) if *time == field => Some(text.as_str()),
            _ => events.value(arrival.like as usize, field),
        };
        mapping.writer.template().write_key_of(&mut values, &mut key)?;
        Ok(RowKey::from(key))
    }

    /// Returns the index of the time field and the time of an event as text; `None` if it is the
    /// time of the loaded event `like`.
    fn moved_time(&self, events: &Events, event: u64, like: u32) -> Option<(usize, String)> {
        let times =
            self.times.as_ref().filter(|_| event >= events.len() as u64 || event != u64::from(like))?;
        Some((times.field, times.of_event(events, event)?))
    }

    /// Calls `of` with the record of an event: the values of the loaded event `like`, at the time
    /// of `event`.
    fn with_record<T>(
        &self,
        events: &Events,
        event: u64,
        like: u32,
        of: impl FnOnce(&Record) -> Result<T>,
    ) -> Result<T> {
        let mut values = Vec::new();
        events.record(like as usize, &mut values);
        let moved = self.moved_time(events, event, like);
        if let Some((field, text)) = &moved {
            values[*field] = Some(text.as_str());
        }
        of(&Record { fields: events.fields(), values: &values })
    }
}

/// Reads the row with this key.
fn point(key: RowKey) -> Operation {
    Operation::Read(ReadRows { rows: RowSet { keys: vec![key], ranges: Vec::new() }, ..ReadRows::default() })
}

/// Reads up to `rows_limit` rows, beginning at a key.
fn scan(start: RowKey, rows_limit: u64) -> Operation {
    let rows_from = RowRange { start: Bound::Included(start), end: Bound::Unbounded };
    Operation::Read(ReadRows { rows: RowSet::range(rows_from), rows_limit, ..ReadRows::default() })
}

/// Increments a column that events do not have.
fn increment(table: &mut DesignTable, key: RowKey) -> Result<Operation> {
    let rules = vec![ReadModifyWriteRule {
        family: own_family(table)?,
        qualifier: COUNTER.into(),
        modify: ReadModify::Increment(1),
    }];
    Ok(Operation::ReadModifyWrite(ReadModifyWriteRow { key, rules }))
}

fn own_family(table: &mut DesignTable) -> Result<String> {
    table.plain_family().ok_or_else(|| {
        let message = "all families of the table aggregate, so a request has no column to change";
        Error::new(Code::FailedPrecondition, message)
    })
}

/// Makes a request of a trace.
fn replayed(operation: ReplayOperation, key: RowKey, table: &mut DesignTable) -> Result<Operation> {
    Ok(match operation {
        ReplayOperation::Read => point(key),
        ReplayOperation::Scan => scan(key, REPLAYED_ROWS),
        ReplayOperation::ReadModifyWrite => increment(table, key)?,
        ReplayOperation::Delete => {
            Operation::Write(RowMutation { key, mutations: vec![Mutation::DeleteFromRow] })
        }
        ReplayOperation::Write => {
            let family = own_family(table)?;
            let cell = Mutation::SetCell {
                family,
                qualifier: REPLAYED.into(),
                timestamp: SERVER_TIME,
                value: vec![b'x'; REPLAYED_BYTES].into(),
            };
            Operation::Write(RowMutation { key, mutations: vec![cell] })
        }
    })
}

impl Asked {
    fn new(
        what: &StreamKind,
        tables: &[DesignTable],
        queries: &[NamedQuery],
        events: &Events,
        log: &mut LogOnDesign,
    ) -> Result<Asked> {
        Ok(match what {
            StreamKind::WriteEvents | StreamKind::Updates => Asked::Write,
            StreamKind::PointReads => Asked::Point,
            StreamKind::Scans { rows } => Asked::Scan { rows: (*rows).into() },
            StreamKind::ReadModifyWrite => Asked::ReadModifyWrite,
            StreamKind::Deletes => Asked::Delete,
            StreamKind::Replay(replay) => {
                let missing =
                    || Error::new(Code::FailedPrecondition, "the design has no table to replay a log on");
                let template = tables.first().ok_or_else(missing)?.mapping()?.writer.template();
                let keys = log.keys(replay, template, events.fields())?;
                Asked::Replay { operation: replay.operation, keys }
            }
            StreamKind::Pattern(name) => {
                let Some(named) = queries.iter().find(|named| named.name == *name) else {
                    return Err(Error::new(Code::NotFound, format!("there is no access pattern \"{name}\"")));
                };
                let designs: Vec<_> = tables.iter().map(|table| table.design().clone()).collect();
                let table = named.table_of(&designs, &(0..designs.len()));
                Asked::Pattern { table, query: Box::new(named.query.clone()) }
            }
        })
    }
}

/// Returns a query that compares its fields with the values of an event, if the event has these
/// values.
fn of_event(query: &Query, events: &Events, like: u32) -> Query {
    let mut query = query.clone();
    if let RowChoice::Fields { equals, .. } = &mut query.rows {
        let mut values = Vec::new();
        events.record(like as usize, &mut values);
        for (name, value) in equals {
            let at = events.fields().iter().position(|field| field.name == *name);
            if let Some(own) = at.and_then(|at| values[at]) {
                own.clone_into(value);
            }
        }
    }
    query
}

impl Times {
    /// Finds the time field, whose values advance. `None` if events do not have one, or its format
    /// can only be read.
    fn new(events: &Events) -> Option<Times> {
        let field = events.fields().iter().position(|field| field.kind == FieldKind::Time)?;
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for index in 0..events.len() {
            if let Some(micros) =
                events.value(index, field).and_then(|text| events.fields()[field].micros(text))
            {
                (least, most) = (least.min(micros), most.max(micros));
            }
        }
        let gap = most.checked_sub(least)? / (events.len() as i64 - 1).max(1);
        let span = (most - least + gap.max(1_000)).max(1);
        let writes: [fn(i64) -> String; 3] = [
            time::format,
            |micros| micros.div_euclid(1_000).to_string(),
            |micros| micros.div_euclid(1_000_000).to_string(),
        ];
        let millis = least.div_euclid(1_000_000) * 1_000_000;
        let write =
            writes.into_iter().find(|write| events.fields()[field].micros(&write(millis)) == Some(millis))?;
        Some(Times { field, span, write })
    }

    /// Returns the time of an event as text; `None` if the corresponding loaded event does not have
    /// a time.
    fn of_event(&self, events: &Events, event: u64) -> Option<String> {
        let (round, index) = (event / events.len() as u64, event % events.len() as u64);
        let micros = events.fields()[self.field].micros(events.value(index as usize, self.field)?)?;
        Some((self.write)(micros.saturating_add(self.span.saturating_mul(round as i64))))
    }
}
