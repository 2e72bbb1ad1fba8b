//! Traffic on a design: the engine executes requests on copies of its tables, and a cluster serves them on virtual time.
//!
//! Where traffic is too heavy to execute each request, one of every so many is executed. The others go to the tablets of their own keys
//! where that is cheap to say, and take the time of a request of their stream that was executed recently.

mod operations;
mod report;
#[cfg(test)]
mod tests;

use tabletop_cluster::{Cluster, Event, Nanos, Outcome, Part, SECOND, Settings, Slot, execute};
use tabletop_engine::Budget;
use tabletop_model::{Code, Error, Result, TableSettings, TableWork, Timestamp};
use tabletop_schema::{ClusterSettings, NamedQuery, Traffic};
use tabletop_workload::{Arrival, Events, random::Random};

use crate::design_table::DesignTable;
use operations::{Operations, Request};
use report::Measured;
pub use report::{SimulationReport, StreamReport};

/// Requests are sent and served in slices of so long.
pub const SLICE: Nanos = SECOND / 10;
/// Executed requests of a stream that others can be like.
const SAMPLES_MAX: usize = 512;
/// Compaction in each slice: as much as there is.
const COMPACTION: Budget = Budget { bytes: 16 << 20 };
/// Requests that are executed in a second of virtual time, at most.
const EXECUTED_PER_SECOND: f64 = 1_000.0;
/// Requests that are executed in all, at most: what they write stays in memory.
const EXECUTED_MAX: f64 = 1e6;

/// Returns one of how many requests of a traffic is executed in so many seconds: all of a light one.
fn executed_every(traffic: &Traffic, seconds: u64) -> u32 {
    let peak: f64 = traffic.streams.iter().map(|stream| stream.per_second * stream.when.peak()).sum();
    (peak / EXECUTED_PER_SECOND.min(EXECUTED_MAX / seconds.max(1) as f64)).ceil().max(1.0) as u32
}

/// What a simulation is about, beside the design.
#[derive(Clone)]
pub struct Setting<'a> {
    /// The loaded events: the rows that exist when it begins.
    pub events: &'a Events,
    /// The traffic.
    pub traffic: &'a Traffic,
    /// The access patterns that it names.
    pub queries: &'a [NamedQuery],
    /// The thresholds of tablets.
    pub tablets: &'a ClusterSettings,
    /// The settings of the cluster.
    pub cluster: Settings,
    /// The number of nodes in the beginning.
    pub nodes: u32,
    /// The seconds that will be simulated: more of them execute a smaller share of the requests.
    pub seconds: u64,
}

/// The tables of a design under traffic, and the nodes that serve them.
pub struct Simulation {
    tables: Vec<TableState>,
    designs: Vec<DesignTable>,
    operations: Operations,
    cluster: Cluster,
    streams: Vec<StreamState>,
    /// One of so many requests of a stream is executed.
    every: u32,
    random: Random,
    /// The tablet of each loaded event in the design's own table, once it was looked for.
    places: Vec<Option<Slot>>,
    measured: Measured,
    events: Vec<Event>,
}

/// What a simulation knows of a table.
struct TableState {
    /// The time of the engine when the simulation began, in microseconds.
    begun: Timestamp,
    block_bytes: u64,
    /// Splits and merges of tablets that the cluster knows.
    borders: [u64; 2],
    /// The work of writes that requests were charged with.
    charged: TableWork,
}

#[derive(Default)]
struct StreamState {
    arrived: u64,
    /// The parts of recently executed requests, in a ring; `None` for one that was refused.
    samples: Vec<Option<Vec<Part>>>,
    next: usize,
}

impl Simulation {
    /// Begins traffic on copies of the tables of a design, which have all their events: its own first, then its index tables.
    ///
    /// # Errors
    /// `FailedPrecondition` for a table that does not exist yet or is being compacted; those of [`Traffic`]'s access patterns.
    pub fn new(tables: &[&DesignTable], setting: &Setting) -> Result<Simulation> {
        let copies: Option<Vec<DesignTable>> = tables.iter().map(|table| table.fork(setting.tablets)).collect();
        let Some(mut designs) = copies.filter(|copies| copies.iter().all(|copy| copy.mapping.is_some())) else {
            let message = "the design has no complete table: correct its template, and wait until all its events are written";
            return Err(Error::new(Code::FailedPrecondition, message));
        };
        let Setting { events, traffic, queries, cluster, nodes, .. } = setting;
        let operations = Operations::new(&designs, events, traffic, queries)?;
        let every = executed_every(traffic, setting.seconds);
        let mut states = Vec::new();
        for design in &mut designs {
            let begun = design.table.clock();
            let mut table = design.table.handle();
            let settings = table.describe().settings;
            let block_bytes = settings.block_bytes.into();
            // The engine counts the load of executed requests only.
            let tablet_load_max = settings.tablet_load_max / f64::from(every);
            table.update_settings(TableSettings { tablet_load_max, ..settings })?;
            states.push(TableState { begun, block_bytes, borders: [0; 2], charged: table.work() });
        }
        let mut simulation = Simulation {
            tables: states,
            designs,
            operations,
            cluster: Cluster::new(cluster.clone(), *nodes),
            streams: traffic.streams.iter().map(|_| StreamState::default()).collect(),
            every,
            random: Random::new(traffic.seed),
            places: vec![None; events.len()],
            measured: Measured::new(traffic.streams.iter().map(|stream| stream.name.clone())),
            events: Vec::new(),
        };
        (0..simulation.designs.len()).for_each(|table| simulation.place(table));
        Ok(simulation)
    }

    /// Sends the requests of a slice, in the order of their times, and serves until its end, a multiple of [`SLICE`].
    pub fn step(&mut self, events: &Events, arrivals: &[Arrival], until: Nanos) {
        for arrival in arrivals {
            self.send(events, arrival);
        }
        for table in 0..self.designs.len() {
            let now = self.engine_time(table, until);
            self.designs[table].table.advance(now, COMPACTION);
            if self.has_new_borders(table) || until.is_multiple_of(10 * SECOND) {
                self.place(table);
            }
        }
        self.cluster.advance(until);
        for finished in self.cluster.take_finished() {
            match finished.outcome {
                Outcome::Answered => self.measured.answer(finished.stream, finished.latency_micros()),
                Outcome::Expired => self.measured.expire(finished.stream),
            }
        }
        self.events.append(&mut self.cluster.take_events());
        if until.is_multiple_of(SECOND) {
            self.measured.end_second(&self.cluster, self.designs.len() as u32);
        }
    }

    /// Returns the cluster, to change its nodes.
    pub fn cluster(&mut self) -> &mut Cluster {
        &mut self.cluster
    }

    /// Returns what has happened to nodes and tablets so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns what was measured so far.
    pub fn report(&self) -> SimulationReport {
        self.measured.report(&self.cluster, self.designs.len() as u32, self.every, &self.events)
    }

    fn engine_time(&self, table: usize, at: Nanos) -> Timestamp {
        self.tables[table].begun + (at / 1_000) as Timestamp
    }

    fn has_new_borders(&mut self, table: usize) -> bool {
        let [splits, merges, _] = self.designs[table].table.work_done();
        self.tables[table].borders != [splits, merges]
    }

    /// Tells the cluster the tablets of a table.
    fn place(&mut self, table: usize) {
        let [splits, merges, _] = self.designs[table].table.work_done();
        self.tables[table].borders = [splits, merges];
        let now = self.engine_time(table, self.cluster.now());
        let view = self.designs[table].table.handle().view(now);
        self.cluster.place(table as u32, &view.tablets);
    }

    fn send(&mut self, events: &Events, arrival: &Arrival) {
        let stream = usize::from(arrival.stream);
        self.measured.arrive(arrival.stream);
        let number = self.streams[stream].arrived;
        self.streams[stream].arrived += 1;
        if number.is_multiple_of(self.every.into()) || self.streams[stream].samples.is_empty() {
            let done = self.execute(events, arrival).inspect_err(|error| self.measured.note_refusal(error)).ok();
            self.deliver(arrival, done.as_deref());
            return self.streams[stream].keep(done);
        }
        let place = if self.operations.is_of_one_row(stream) { self.place_of(events, arrival) } else { None };
        let at = self.random.below(self.streams[stream].samples.len() as u64) as usize;
        let like = self.streams[stream].samples[at].take();
        match (place, like.as_deref()) {
            (Some(tablet), Some([part, ..])) => self.deliver(arrival, Some(&[Part { tablet, ..*part }])),
            (_, like) => self.deliver(arrival, like),
        }
        self.streams[stream].samples[at] = like;
    }

    /// Sends a request, or counts one that was refused, or that has nothing to read and so needs no server.
    fn deliver(&mut self, arrival: &Arrival, parts: Option<&[Part]>) {
        match parts {
            None => self.measured.refuse(arrival.stream),
            Some([]) => self.measured.answer(arrival.stream, 0),
            Some(parts) => self.cluster.send(arrival.at_nanos, arrival.stream, parts),
        }
    }

    /// Returns the tablet of the row of a loaded event; `None` for one that the traffic has written.
    fn place_of(&mut self, events: &Events, arrival: &Arrival) -> Option<Slot> {
        let known = *self.places.get(arrival.event as usize)?;
        if let Some(slot) = known.filter(|slot| self.cluster.is_live(*slot)) {
            return Some(slot);
        }
        let key = self.operations.key(&mut self.designs[0], events, arrival.event, arrival.like).ok()?;
        let slot = self.cluster.tablet_of(0, &key);
        self.places[arrival.event as usize] = slot;
        slot
    }

    /// Executes the requests of an arrival. Returns their parts by tablet.
    fn execute(&mut self, events: &Events, arrival: &Arrival) -> Result<Vec<Part>> {
        let requests = self.operations.requests(&mut self.designs, events, arrival)?;
        let mut parts = Vec::with_capacity(requests.len());
        for request in requests {
            self.execute_one(&request, arrival.at_nanos, &mut parts)?;
        }
        Ok(parts)
    }

    fn execute_one(&mut self, request: &Request, at: Nanos, parts: &mut Vec<Part>) -> Result<()> {
        let (table, now) = (request.table, self.engine_time(request.table, at));
        if self.has_new_borders(table) {
            self.place(table);
        }
        let state = &mut self.tables[table];
        let mut handle = self.designs[table].table.handle();
        let mut executed = execute(&mut handle, now, &request.operation)?;
        if request.operation.writes() {
            // Compaction since the last write belongs to this one.
            let work = handle.work();
            executed.work.charge(&state.charged, &work);
            state.charged = work;
        }
        let (block_bytes, weight) = (state.block_bytes, f64::from(self.every));
        for (slot, work) in self.cluster.divide(table as u32, &executed) {
            let service = self.cluster.service_nanos(slot, &work, block_bytes, weight);
            parts.push(Part { tablet: slot, service });
        }
        Ok(())
    }
}

impl StreamState {
    fn keep(&mut self, done: Option<Vec<Part>>) {
        if self.samples.len() < SAMPLES_MAX {
            return self.samples.push(done);
        }
        self.samples[self.next] = done;
        self.next = (self.next + 1) % SAMPLES_MAX;
    }
}
