//! The requests of the streams of a traffic to the tables of a design.

use std::ops::Bound;

use tabletop_cluster::Operation;
use tabletop_model::{
    Code, Error, Mutation, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Result, RowKey, RowMutation, RowRange,
    RowSet, SERVER_TIME,
};
use tabletop_schema::{FieldKind, NamedQuery, Query, Record, ReplayOperation, RowChoice, StreamKind, Traffic, part_fields, time};
use tabletop_workload::{Arrival, Events};

use crate::design_table::DesignTable;
use crate::read::OpenRead;

/// The column that a read-modify-write increments: no event has it.
const COUNTER: &[u8] = b"read_modify_write";

/// The column that a write of a trace sets, and the bytes of its value.
const REPLAYED: &[u8] = b"trace";
const REPLAYED_BYTES: usize = 100;
/// The room for a row key; a longer one takes more.
pub(super) const KEY_BYTES: usize = 64;
/// The rows of a scan of a trace.
const REPLAYED_ROWS: u64 = 100;

/// A request to one of the tables.
pub struct Request {
    /// The index of the table.
    pub table: usize,
    /// The request.
    pub operation: Operation,
}

/// What the requests of a stream are made of.
enum Asked {
    /// The event is written to all tables.
    Write,
    /// The reads of an access pattern, for the values of the event in the fields that it compares.
    Pattern {
        table: usize,
        query: Box<Query>,
    },
    /// The rows from that of the event on.
    Scan {
        rows: u64,
    },
    /// The row of the event.
    Point,
    ReadModifyWrite,
    Delete,
    /// A request of a trace, for its own row.
    Replay {
        operation: ReplayOperation,
        keys: Vec<RowKey>,
    },
}

/// Makes the requests of each stream of a traffic, for a simulation and for a real Bigtable.
pub struct Operations {
    /// By stream.
    asked: Vec<Asked>,
    times: Option<Times>,
    /// Whether an event that the traffic writes has a row of its own: its time, which has moved on, is in the key.
    moves_rows: bool,
}

/// How the time of an event moves on when it is written again.
struct Times {
    /// The index of the field.
    field: usize,
    /// Microseconds by which it moves each time.
    span: i64,
    write: fn(i64) -> String,
}

impl Operations {
    /// Prepares the requests of a traffic to tables that are in the order of the design list: the design's own first.
    ///
    /// # Errors
    /// `NotFound` for an access pattern that does not exist. (One that the design cannot answer is refused request by request.)
    pub fn new(tables: &[DesignTable], events: &Events, traffic: &Traffic, queries: &[NamedQuery]) -> Result<Operations> {
        let asked = traffic.streams.iter().map(|stream| Asked::new(&stream.what, tables, queries)).collect::<Result<_>>()?;
        let times = Times::new(events);
        let moves_rows = times.as_ref().is_some_and(|times| {
            let name = &events.fields()[times.field].name;
            let template = tables.first().and_then(|table| Some(table.mapping().ok()?.writer.template()));
            template.is_some_and(|of| of.cut_over().is_some() || of.parts().iter().any(|part| part_fields(part).contains(&name)))
        });
        Ok(Operations { asked, times, moves_rows })
    }

    /// Returns the loaded event whose row the first request of an arrival is for, in the design's own table; `None` for an access pattern,
    /// and for a row that the traffic has written or will write.
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
            Asked::Replay { keys, .. } => keys.get(arrival.event as usize),
            _ => None,
        }
    }

    /// Returns the row keys of all requests of traces.
    pub fn replayed_keys(&self) -> impl Iterator<Item = &RowKey> {
        self.asked.iter().flat_map(|asked| match asked {
            Asked::Replay { keys, .. } => keys.as_slice(),
            _ => &[],
        })
    }

    /// Makes the requests of an arrival.
    ///
    /// # Errors
    /// Those of the design about the event.
    pub fn requests(&self, tables: &mut [DesignTable], events: &Events, arrival: &Arrival) -> Result<Vec<Request>> {
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
                let (_, plan) = OpenRead::plan(&tables[*table], &query)?;
                let reads = OpenRead::reads(&plan, &query);
                reads.map(|read| Request { table: *table, operation: Operation::Read(read) }).collect()
            }
            Asked::Scan { rows } => own(scan(self.key(&tables[0], events, arrival)?, *rows)),
            Asked::Point => own(point(self.key(&tables[0], events, arrival)?)),
            Asked::ReadModifyWrite => {
                let key = self.key(&tables[0], events, arrival)?;
                own(increment(&mut tables[0], key)?)
            }
            Asked::Replay { operation, keys } => {
                let missing = || Error::not_found("the trace has no such request");
                own(replayed(*operation, keys.get(arrival.event as usize).ok_or_else(missing)?.clone(), &mut tables[0])?)
            }
            Asked::Delete => {
                let key = self.key(&tables[0], events, arrival)?;
                own(Operation::Write(RowMutation { key, mutations: vec![Mutation::DeleteFromRow] }))
            }
        })
    }

    /// Returns the row of an event, which has the values of the loaded event `like`, at the time of its own.
    ///
    /// # Errors
    /// Those of the design about the event.
    pub fn row(&self, design_table: &mut DesignTable, events: &Events, event: u64, like: u32) -> Result<RowMutation> {
        self.with_record(events, event, like, |record| design_table.row(record, event))
    }

    /// Returns the row key of the event of an arrival.
    ///
    /// # Errors
    /// Those of the template about the event.
    fn key(&self, design_table: &DesignTable, events: &Events, arrival: &Arrival) -> Result<RowKey> {
        let mapping = design_table.mapping()?;
        let (mut key, moved) = (Vec::with_capacity(KEY_BYTES), self.moved_time(events, arrival.event, arrival.like));
        let mut values = |field| match &moved {
            Some((time, text)) if *time == field => Some(text.as_str()),
            _ => events.value(arrival.like as usize, field),
        };
        mapping.writer.template().write_key_of(&mut values, &mut key)?;
        Ok(RowKey::from(key))
    }

    /// Returns the field of the time of an event, and its text, if it is another one than that of the loaded event `like`.
    fn moved_time(&self, events: &Events, event: u64, like: u32) -> Option<(usize, String)> {
        let times = self.times.as_ref().filter(|_| event >= events.len() as u64 || event != u64::from(like))?;
        Some((times.field, times.of_event(events, event)?))
    }

    /// Passes on the values of the loaded event `like`, at the time of an event.
    fn with_record<T>(&self, events: &Events, event: u64, like: u32, of: impl FnOnce(&Record) -> Result<T>) -> Result<T> {
        let mut values = Vec::new();
        events.record(like as usize, &mut values);
        let moved = self.moved_time(events, event, like);
        if let Some((field, text)) = &moved {
            values[*field] = Some(text.as_str());
        }
        of(&Record { fields: events.fields(), values: &values })
    }
}

/// Reads the row with a key.
fn point(key: RowKey) -> Operation {
    Operation::Read(ReadRows { rows: RowSet { keys: vec![key], ranges: Vec::new() }, ..ReadRows::default() })
}

/// Reads this number of rows, from a key on.
fn scan(start: RowKey, rows_limit: u64) -> Operation {
    let rows_from = RowRange { start: Bound::Included(start), end: Bound::Unbounded };
    Operation::Read(ReadRows { rows: RowSet::range(rows_from), rows_limit, ..ReadRows::default() })
}

/// Increments a column that no event has.
fn increment(table: &mut DesignTable, key: RowKey) -> Result<Operation> {
    let rules =
        vec![ReadModifyWriteRule { family: own_family(table)?, qualifier: COUNTER.into(), modify: ReadModify::Increment(1) }];
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
        ReplayOperation::Delete => Operation::Write(RowMutation { key, mutations: vec![Mutation::DeleteFromRow] }),
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
    fn new(what: &StreamKind, tables: &[DesignTable], queries: &[NamedQuery]) -> Result<Asked> {
        Ok(match what {
            StreamKind::WriteEvents | StreamKind::Updates => Asked::Write,
            StreamKind::PointReads => Asked::Point,
            StreamKind::Scans { rows } => Asked::Scan { rows: (*rows).into() },
            StreamKind::ReadModifyWrite => Asked::ReadModifyWrite,
            StreamKind::Deletes => Asked::Delete,
            StreamKind::Replay(replay) => {
                let keys = replay.requests.iter().map(|(_, key)| RowKey::from(key.as_str())).collect();
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

/// Returns a query whose values of fields are those of an event, if it has them.
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
    /// Finds the field that moves on; `None` if the events have none, or its format is one that cannot be written.
    fn new(events: &Events) -> Option<Times> {
        let field = events.fields().iter().position(|field| field.kind == FieldKind::Time)?;
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for index in 0..events.len() {
            if let Some(micros) = events.value(index, field).and_then(|text| events.fields()[field].micros(text)) {
                (least, most) = (least.min(micros), most.max(micros));
            }
        }
        let gap = most.checked_sub(least)? / (events.len() as i64 - 1).max(1);
        let span = (most - least + gap.max(1_000)).max(1);
        let writes: [fn(i64) -> String; 3] =
            [time::format, |micros| micros.div_euclid(1_000).to_string(), |micros| micros.div_euclid(1_000_000).to_string()];
        let millis = least.div_euclid(1_000_000) * 1_000_000;
        let write = writes.into_iter().find(|write| events.fields()[field].micros(&write(millis)) == Some(millis))?;
        Some(Times { field, span, write })
    }

    /// Returns the time of an event as text; `None` if the loaded event whose time it continues has none.
    fn of_event(&self, events: &Events, event: u64) -> Option<String> {
        let (round, index) = (event / events.len() as u64, event % events.len() as u64);
        let micros = events.fields()[self.field].micros(events.value(index as usize, self.field)?)?;
        Some((self.write)(micros.saturating_add(self.span.saturating_mul(round as i64))))
    }
}
