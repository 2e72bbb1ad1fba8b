//! Turns the arrivals of a traffic's streams into requests to the tables of a design.

use std::ops::Bound;

use tabletop_advice::LiveClock;
use tabletop_cluster::Operation;
use tabletop_keys::{FieldRole, Query, Record, RowChoice, part_fields};
use tabletop_model::{
    Code, Error, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Result, RowKey,
    RowMutation, RowRange, RowSet, SERVER_TIME,
};
use tabletop_protocol::LogKeys;
use tabletop_workload::{Arrival, Events};
use tabletop_workspace::{GivenRole, NamedQuery, ReplayOperation, StreamKind, Traffic};

use super::log::LogOnDesign;
use crate::design_table::DesignTable;
use crate::pictures::Sampled;
use crate::read::{OpenRead, PlannedRead};

/// The number of events that show which fields follow the clock.
const CLOCK_SAMPLE: u32 = 2_000;

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
    /// The values of new events that follow the clock; `None` if events have no time.
    clock: Option<LiveClock>,
    /// Whether an event that the traffic writes has a new row: the key contains a field that follows
    /// the clock.
    moves_rows: bool,
    log: Option<LogKeys>,
}

/// An event that a request is for.
#[derive(Clone, Copy)]
pub struct EventOfRequest {
    /// Its number: see [`Arrival::event`].
    pub number: u64,
    /// When it is written: see [`Arrival::event_nanos`].
    pub nanos: u64,
    /// The loaded event that provides the values that do not follow the clock.
    pub like: u32,
}

impl EventOfRequest {
    /// Returns the loaded event with this index.
    pub fn loaded(index: usize) -> EventOfRequest {
        EventOfRequest { number: index as u64, nanos: 0, like: index as u32 }
    }

    fn of(arrival: &Arrival) -> EventOfRequest {
        EventOfRequest { number: arrival.event, nanos: arrival.event_nanos, like: arrival.like }
    }
}

impl Operations {
    /// Prepares the requests of a traffic to these tables: the design's own table first, then its
    /// index tables. `roles` has the role of each field of the events.
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
        roles: &[GivenRole],
    ) -> Result<Operations> {
        let mut log = LogOnDesign::new();
        let mut asked = Vec::new();
        for stream in &traffic.streams {
            asked.push(Asked::new(&stream.what, tables, queries, events, &mut log)?);
        }
        let sampled = Sampled::of(events, CLOCK_SAMPLE, &[]);
        let records: Vec<Record> = sampled.records().collect();
        let roles: Vec<FieldRole> = roles.iter().map(|given| given.role).collect();
        let clock = LiveClock::of(&records, &roles);
        let moves_rows = clock.as_ref().is_some_and(|clock| {
            let template = tables.first().and_then(|table| Some(table.mapping().ok()?.writer.template()));
            let follows = |name: &str| {
                let at = events.fields().iter().position(|field| field.name == name);
                at.is_some_and(|at| clock.follows(at))
            };
            template.is_some_and(|of| {
                of.cut_over().is_some()
                    || of.parts().iter().any(|part| part_fields(part).iter().any(|name| follows(name)))
            })
        });
        Ok(Operations { asked, clock, moves_rows, log: log.counts()? })
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
                    let row = self.row(design_table, events, EventOfRequest::of(arrival))?;
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

    /// Returns the row of an event.
    ///
    /// # Errors
    /// The error of the design if it cannot write the event.
    pub fn row(
        &self,
        design_table: &mut DesignTable,
        events: &Events,
        event: EventOfRequest,
    ) -> Result<RowMutation> {
        let mut values = Vec::new();
        events.record(event.like as usize, &mut values);
        let followed = self.followed(events, event);
        for (field, text) in &followed {
            values[*field] = text.as_deref();
        }
        design_table.row(&Record { fields: events.fields(), values: &values }, event.number)
    }

    /// Returns the row key of the event of an arrival.
    ///
    /// # Errors
    /// The error of the template if the event does not have the values that the key needs.
    fn key(&self, design_table: &DesignTable, events: &Events, arrival: &Arrival) -> Result<RowKey> {
        let mapping = design_table.mapping()?;
        let mut key = Vec::with_capacity(KEY_BYTES);
        let followed = self.followed(events, EventOfRequest::of(arrival));
        let mut values = |field| match followed.iter().find(|(followed, _)| *followed == field) {
            Some((_, text)) => text.as_deref(),
            None => events.value(arrival.like as usize, field),
        };
        mapping.writer.template().write_key_of(&mut values, &mut key)?;
        Ok(RowKey::from(key))
    }

    /// Returns the values of an event that follow the clock, with the indices of their fields; none for
    /// a loaded event.
    fn followed(&self, events: &Events, event: EventOfRequest) -> Vec<(usize, Option<String>)> {
        let Some(number) = event.number.checked_sub(events.len() as u64) else { return Vec::new() };
        let Some(clock) = &self.clock else { return Vec::new() };
        let value = |field| events.value(event.like as usize, field);
        let text = |field| clock.text(field, number, (event.nanos / 1_000) as i64, &value);
        let fields = (0..events.fields().len()).filter(|field| clock.follows(*field));
        fields.map(|field| (field, text(field))).collect()
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
