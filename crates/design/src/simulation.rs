//! Simulates traffic on a design: the engine executes requests on copies of its tables, and a
//! cluster serves them in virtual time.
//!
//! If the traffic is too heavy to execute every request, only one in `every` is executed. The
//! others go to the tablets of their own keys where these are cheap to find, and are charged with
//! the work of a recently executed request of the same stream.

mod history;
mod log;
mod operations;
mod report;
mod rows;
mod run;
#[cfg(test)]
mod tests;

use tabletop_cluster::{
    AutoscaleSettings, BalanceSettings, Cluster, Medium, Nanos, Outcome, Part, SECOND, Settings, Slot,
    execute,
};
use tabletop_engine::{Budget, TableHandle};
use tabletop_heat::{Growth, Heat, Touch};
use tabletop_model::{Code, Error, Result, RowKey, TableSettings, TableWork, Timestamp};
use tabletop_workload::{Arrival, Events, random::Random};
use tabletop_workspace::{
    ClusterSettings, NamedQuery, StorageMedium, Stream, StreamKind, Traffic, TrafficRun,
};

use crate::design_table::DesignTable;
use history::History;
pub use log::form_of_log;
pub use operations::{EventOfRequest, Operations, Request};
use report::Measured;
pub use report::{SimulationReport, StreamReport};
use rows::{RowNumber, Rows};
pub use run::SimulationRun;

/// The length of a slice in which requests are sent and served.
const SLICE: Nanos = SECOND / 10;
/// Number of executed requests that a stream keeps as samples for the others.
const SAMPLES_MAX: usize = 512;
/// Budget of the compaction in each slice: large enough for all due work.
const COMPACTION: Budget = Budget { bytes: 16 << 20 };
/// Number of requests whose rows are looked up together.
const LOOKED_UP: usize = 32;
/// Number of requests that are sent before the nodes serve. Their state must fit into the
/// processor's cache.
const SERVED_TOGETHER: usize = 1_024;
/// Maximum number of requests that are executed per second of virtual time.
const EXECUTED_PER_SECOND: f64 = 1_000.0;
/// Maximum number of requests that are executed in total, because their writes stay in memory.
const EXECUTED_MAX: f64 = 1e6;

/// Returns `n` if one in `n` requests of a traffic is executed: 1 for a light traffic.
fn executed_every(traffic: &Traffic) -> u32 {
    let seconds = traffic.run.seconds;
    let peak: f64 = traffic.streams.iter().map(Stream::peak_per_second).sum();
    (peak / EXECUTED_PER_SECOND.min(EXECUTED_MAX / f64::from(seconds.max(1)))).ceil().max(1.0) as u32
}

/// Returns the threshold at which a table splits into about this many tablets; no limit for 0.
fn tablet_bytes_max(table: &mut TableHandle, now: Timestamp, tablets: u32) -> u64 {
    let bytes: u64 = table.view(now).tablets.iter().map(|tablet| tablet.bytes + tablet.memtable_bytes).sum();
    // The halves of a tablet just above the threshold are smaller than this, so there may be more
    // tablets.
    bytes.checked_div(tablets.into()).map_or(u64::MAX, |bytes| bytes.max(1))
}

/// Lets tablets split until there are this many, or until there is nothing left to split.
fn split_in_advance(design: &mut DesignTable, now: Timestamp, tablets: u32) {
    // Each pass halves the tablets that are too large, and does not check the halves again. So it
    // may report that nothing remains, and the next pass still finds work. Example: with a
    // threshold of 10, one pass halves 40 into 20 and 20, and the next one halves these.
    let (mut before, mut has_more) = (0, true);
    loop {
        let count = design.table_mut().handle().view(now).tablets.len() as u64;
        if count >= tablets.into() || (count == before && !has_more) {
            return;
        }
        before = count;
        has_more = design.table_mut().advance(now, COMPACTION);
    }
}

/// About the events that a traffic writes.
struct Written {
    /// For each second, the number of events until its end.
    until: Vec<f64>,
}

impl Written {
    fn by(traffic: &Traffic) -> Written {
        let writes = || traffic.streams.iter().filter(|stream| stream.what == StreamKind::WriteEvents);
        let in_second = |second: u32| {
            writes().map(|stream| stream.per_second * stream.when.factor(second.into())).sum::<f64>()
        };
        let sum = |sum: &mut f64, second| {
            *sum += in_second(second);
            Some(*sum)
        };
        Written { until: (0..traffic.run.seconds).scan(0.0, sum).collect() }
    }

    /// Returns their number.
    fn events(&self) -> u64 {
        self.until.last().copied().unwrap_or(0.0) as u64
    }

    /// Returns when an event is written, in nanoseconds since the start.
    fn nanos_of(&self, number: u64) -> u64 {
        let second = self.until.partition_point(|until| *until <= number as f64);
        let before = second.checked_sub(1).map_or(0.0, |before| self.until[before]);
        let in_second = self.until.get(second).map_or(1.0, |until| until - before).max(1.0);
        second as u64 * SECOND + ((number as f64 - before) / in_second * SECOND as f64) as u64
    }
}

/// What a simulation needs in addition to the design.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The loaded events: the rows that exist when it begins.
    pub events: &'a Events,
    /// The traffic, including the cluster that serves it.
    pub traffic: &'a Traffic,
    /// The access patterns that the traffic refers to.
    pub queries: &'a [NamedQuery],
    /// The split thresholds of tablets.
    pub tablets: &'a ClusterSettings,
}

/// The tables of a design under traffic, and the nodes that serve them.
struct Simulation {
    tables: Vec<TableState>,
    designs: Vec<DesignTable>,
    operations: Operations,
    cluster: Cluster,
    streams: Vec<StreamState>,
    /// One in this many requests of a stream is executed.
    every: u32,
    random: Random,
    rows: Rows,
    measured: Measured,
    heat: Heat,
    /// The order of the written keys of the design's own table.
    growth: Growth,
    history: History,
    /// The parts of the request that is being sent. Kept to reuse its memory.
    parts: Vec<Part>,
}

/// The tablet of a row, and its bucket in the heatmap.
type Place = (Slot, u16);

/// What a simulation knows about a table.
struct TableState {
    /// The time of the engine when the simulation began, in microseconds.
    begun: Timestamp,
    block_bytes: u64,
    /// The numbers of splits and merges of which the cluster has been told.
    borders: [u64; 2],
    /// The work of writes with which requests have been charged.
    charged: TableWork,
}

#[derive(Default)]
struct StreamState {
    /// Number of requests to skip before the next one is executed.
    until_executed: u32,
    /// Recently executed requests, in a ring buffer; `None` for a request that was refused.
    samples: Vec<Option<Sample>>,
    next: usize,
    /// The number of requests of its trace whose keys were noted.
    next_replayed: u64,
}

/// An executed request, as a sample for others. Most requests have one part and touch one row, and
/// then do not allocate memory.
#[derive(Default)]
struct Sample {
    /// The first part; `None` if the request has nothing to read.
    part: Option<Part>,
    /// The other parts.
    parts: Vec<Part>,
    /// What the request touched in the design's own table.
    touch: Option<Touch>,
    /// What its other parts touched there.
    touches: Vec<Touch>,
}

impl Sample {
    fn add_part(&mut self, part: Part) {
        match self.part {
            None => self.part = Some(part),
            Some(_) => self.parts.push(part),
        }
    }

    fn add_touch(&mut self, touch: Touch) {
        match self.touch {
            None => self.touch = Some(touch),
            Some(_) => self.touches.push(touch),
        }
    }
}

/// The tag of requests that do not touch a bucket of the heatmap.
const NO_BUCKET: u16 = u16::MAX;

/// Packs what a simulation must know about a request when the request has ended.
fn tag(stream: u16, bucket: u16) -> u32 {
    u32::from(bucket) << 16 | u32::from(stream)
}

/// Returns the settings of the cluster of a run.
fn settings(run: &TrafficRun) -> Settings {
    let medium = match run.storage {
        StorageMedium::Ssd => Medium::Ssd,
        StorageMedium::Hdd => Medium::Hdd,
    };
    let autoscale = run.autoscale.map(|range| AutoscaleSettings {
        nodes_min: range.nodes_min,
        nodes_max: range.nodes_max,
        cpu_target: run.thresholds.cpu_target,
        ..AutoscaleSettings::default()
    });
    let balance = BalanceSettings {
        difference_max: run.thresholds.difference_max,
        share_per_minute: run.thresholds.moved_per_minute,
        ..BalanceSettings::default()
    };
    let mut settings = Settings { autoscale, balance, ..Settings::on(medium) };
    settings.node.cache_hit_ratio = run.cache_hit_ratio;
    settings
}

impl Simulation {
    /// Begins a traffic on copies of the tables of a design: its own table first, then its index
    /// tables. All their events must be written.
    ///
    /// # Errors
    /// `FailedPrecondition` for a table that does not exist yet or is not settled
    /// ([`DesignTable::has_rest`]); `NotFound` for an access pattern that does not exist.
    fn new(tables: &[&DesignTable], setting: &Setting) -> Result<Simulation> {
        let copies: Option<Vec<DesignTable>> =
            tables.iter().map(|table| table.fork(setting.events, setting.tablets)).collect();
        let message = "the design has no complete table: correct its template, and wait until all its events are written";
        let missing = || Error::new(Code::FailedPrecondition, message);
        let mut designs =
            copies.filter(|copies| copies.iter().all(DesignTable::has_template)).ok_or_else(missing)?;
        let Setting { events, traffic, queries, .. } = *setting;
        let roles = tables.first().ok_or_else(missing)?.roles(events);
        let operations = Operations::new(&designs, events, traffic, queries, &roles)?;
        let own = designs.first().and_then(|own| own.mapping().ok()).ok_or_else(missing)?;
        let mut rows = Rows::new(own, events, operations.replayed_keys());
        let (loaded, written) = (events.len() as u64, Written::by(traffic));
        let sample = rows.sample_of(written.events());
        let later_keys = (0..sample).filter_map(|at| {
            let number = at * written.events() / sample;
            let event = EventOfRequest {
                number: loaded + number,
                nanos: written.nanos_of(number),
                like: (number % loaded.max(1)) as u32,
            };
            operations.row(designs.first_mut()?, events, event).ok().map(|row| row.key)
        });
        let mut later_keys: Vec<RowKey> = later_keys.collect();
        later_keys.extend(rows.sample_of_others().cloned());
        rows.divide(
            designs.first().and_then(|own| own.mapping().ok()).ok_or_else(missing)?,
            events,
            later_keys,
        );
        let every = executed_every(traffic);
        let mut states = Vec::new();
        for design in &mut designs {
            let begun = design.table().clock();
            let mut table = design.table_mut().handle();
            let settings = table.describe().settings;
            let block_bytes = settings.block_bytes.into();
            // The engine only counts the load of executed requests, so its threshold is scaled down
            // accordingly.
            let tablet_load_max =
                traffic.run.thresholds.tablet_load_max.unwrap_or(settings.tablet_load_max) / f64::from(every);
            let tablet_bytes_max =
                tablet_bytes_max(&mut table, begun, traffic.run.tablets_min).min(settings.tablet_bytes_max);
            table.update_settings(TableSettings { tablet_load_max, tablet_bytes_max, ..settings })?;
            split_in_advance(design, begun, traffic.run.tablets_min);
            let table = design.table_mut().handle();
            states.push(TableState { begun, block_bytes, borders: [0; 2], charged: table.work() });
        }
        let settings = settings(&traffic.run);
        let heat = Heat::new(rows.starts(), settings.node.cost.cores);
        let mut cluster = Cluster::new(settings, traffic.run.nodes);
        for (table, (design, state)) in designs.iter_mut().zip(&mut states).enumerate() {
            place(&mut cluster, table, design, state);
        }
        Ok(Simulation {
            tables: states,
            designs,
            operations,
            history: History::new(&cluster),
            cluster,
            streams: traffic.streams.iter().map(|_| StreamState::default()).collect(),
            every,
            random: Random::new(traffic.seed),
            rows,
            measured: Measured::new(traffic.streams.iter().map(|stream| stream.name.clone())),
            growth: Growth::new(heat.starts().len()),
            heat,
            parts: Vec::new(),
        })
    }

    /// Sends the requests of a slice, in the order of their times, and serves until the end of the
    /// slice, a multiple of [`SLICE`].
    fn step(&mut self, events: &Events, arrivals: &[Arrival], until: Nanos) {
        let mut sent = 0;
        for arrivals in arrivals.chunks(LOOKED_UP) {
            // Look up the rows first: the processor then fetches many of them from memory at the
            // same time.
            let mut rows = [None; LOOKED_UP];
            for (row, arrival) in rows.iter_mut().zip(arrivals) {
                let event = self.operations.event_of_row(arrival, events.len() as u64);
                *row =
                    event.and_then(|event| self.rows.of_event(event)).map(|row| (row, self.rows.place(row)));
            }
            for (arrival, row) in arrivals.iter().zip(rows) {
                if !self.operations.is_left_out(arrival) {
                    self.send(events, arrival, row);
                }
            }
            sent += arrivals.len();
            if sent >= SERVED_TOGETHER
                && let Some(last) = arrivals.last()
            {
                self.serve(last.at_nanos);
                sent = 0;
            }
        }
        for table in 0..self.designs.len() {
            let now = self.engine_time(table, until);
            self.designs[table].table_mut().advance(now, COMPACTION);
            if self.has_new_borders(table) || until.is_multiple_of(10 * SECOND) {
                self.place(table);
            }
        }
        // Compactions may have split or merged tablets, so the cluster is told above before it
        // serves the rest of the slice.
        self.serve(until);
        let happened = self.cluster.take_events();
        self.measured.note_events(&happened);
        self.history.note_events(happened);
        if until.is_multiple_of(SECOND) {
            let second = self.measured.end_second(&self.cluster, self.designs.len() as u32);
            self.history.end_second(&self.cluster, second);
            self.heat.end_second(Vec::new());
            self.growth.end_second();
        }
    }

    /// Serves until `until`, and counts the requests that have ended.
    fn serve(&mut self, until: Nanos) {
        self.cluster.advance(until);
        for finished in self.cluster.take_finished() {
            let (stream, bucket) = (finished.tag as u16, (finished.tag >> 16) as u16);
            match finished.outcome {
                Outcome::Answered => {
                    self.measured.answer(stream, finished.latency_micros());
                    if bucket != NO_BUCKET {
                        self.heat.answer(bucket, finished.latency_micros());
                    }
                }
                Outcome::Expired => self.measured.expire(stream),
            }
        }
    }

    /// Returns what has been measured so far.
    fn report(&self) -> SimulationReport {
        self.measured.report(&self.cluster, self.designs.len() as u32, self.every)
    }

    fn engine_time(&self, table: usize, at: Nanos) -> Timestamp {
        self.tables[table].begun + (at / 1_000) as Timestamp
    }

    fn has_new_borders(&mut self, table: usize) -> bool {
        let [splits, merges, _] = self.designs[table].table_mut().work_done();
        self.tables[table].borders != [splits, merges]
    }

    /// Tells the cluster which tablets a table has.
    fn place(&mut self, table: usize) {
        place(&mut self.cluster, table, &mut self.designs[table], &mut self.tables[table]);
        if table == 0 {
            self.rows.set_tablets(|start, end| self.cluster.tablet_of_range(0, start, end));
        }
    }

    fn send(&mut self, events: &Events, arrival: &Arrival, row: Option<(RowNumber, Option<Place>)>) {
        let stream = usize::from(arrival.stream);
        self.measured.arrive(arrival.stream);
        self.note_replayed(arrival);
        let StreamState { samples, until_executed, .. } = &mut self.streams[stream];
        let is_due = *until_executed == 0;
        *until_executed = if is_due { self.every - 1 } else { *until_executed - 1 };
        if is_due || samples.is_empty() {
            let known = row.map(|(row, _)| row);
            let done = self
                .execute(events, arrival, known)
                .inspect_err(|error| self.measured.note_refusal(error))
                .ok();
            let at = self.streams[stream].keep(done);
            return self.deliver(arrival, at, None);
        }
        let row = row.or_else(|| {
            let row = self.rows.find(self.operations.replayed_key(arrival)?)?;
            Some((row, self.rows.place(row)))
        });
        let place = row.and_then(|(row, place)| Some((row, self.place_of(events, row, place)?)));
        let at = self.random.below(self.streams[stream].samples.len() as u64) as usize;
        self.deliver(arrival, at, place);
    }

    /// Notes the key of a write of a trace, once for all requests for which it stands: their order
    /// is that of the trace, whichever of them are executed.
    fn note_replayed(&mut self, arrival: &Arrival) {
        let next = &mut self.streams[usize::from(arrival.stream)].next_replayed;
        if arrival.event >= *next
            && let Some(key) = self.operations.replayed_write(arrival)
        {
            *next = arrival.event + 1;
            self.growth.note(self.rows.bucket_of(key), key);
        }
    }

    /// Sends a request that is not executed, with the work of a sample of its stream. If the sample
    /// was refused, or had nothing to read and so needs no server, the request is only counted. The
    /// first part goes to `place`, the row of this request, if it is known.
    fn deliver(&mut self, arrival: &Arrival, like: usize, place: Option<(RowNumber, Place)>) {
        let Simulation { streams, measured, heat, rows, cluster, parts, .. } = self;
        let Some(like) = &streams[usize::from(arrival.stream)].samples[like] else {
            return measured.refuse(arrival.stream);
        };
        let Some(mut part) = like.part else { return measured.answer(arrival.stream, 0) };
        let mut touch = like.touch;
        if let Some((row, (tablet, bucket))) = place {
            part.tablet = tablet;
            touch = touch.map(|touch| Touch { row: Some(row.id()), bucket, ..touch });
        }
        let bucket = match (place, &touch) {
            (Some((_, (_, bucket))), _) => bucket,
            (None, Some(touch)) => touch.bucket,
            (None, None) => NO_BUCKET,
        };
        touch.iter().chain(&like.touches).for_each(|touch| count(heat, rows, touch));
        let tag = tag(arrival.stream, bucket);
        if like.parts.is_empty() {
            return cluster.send(arrival.at_nanos, tag, &[part]);
        }
        parts.clear();
        parts.push(part);
        parts.extend_from_slice(&like.parts);
        cluster.send(arrival.at_nanos, tag, parts);
    }

    /// Returns the tablet and the bucket of a row, from the known ones if they are still valid.
    fn place_of(&mut self, events: &Events, row: RowNumber, known: Option<Place>) -> Option<Place> {
        if let Some(place) = known.filter(|(slot, _)| self.cluster.is_live(*slot)) {
            return Some(place);
        }
        // For most buckets, one tablet has all rows. Then the key of the row is not needed, whose
        // computation takes far longer.
        let moved = known.and_then(|(_, bucket)| Some((self.rows.tablet_of_bucket(bucket)?, bucket)));
        let place = match moved {
            Some(place) => place,
            None => {
                let key = self.rows.key(self.designs[0].mapping().ok()?, events, row);
                (self.cluster.tablet_of(0, &key)?, self.rows.bucket_of(&key))
            }
        };
        self.rows.set_place(row, place);
        Some(place)
    }

    /// Executes the requests of an arrival. `row` is its row in the design's own table, if it is
    /// known.
    fn execute(&mut self, events: &Events, arrival: &Arrival, row: Option<RowNumber>) -> Result<Sample> {
        let requests = self.operations.requests(&mut self.designs, events, arrival)?;
        let mut sample = Sample::default();
        let is_replayed = self.operations.replayed_key(arrival).is_some();
        for request in requests {
            if let Some(first_row) = self.execute_one(&request, arrival.at_nanos, row, &mut sample)?
                && !is_replayed
            {
                self.growth.note(self.rows.bucket_of(&first_row), &first_row);
            }
        }
        Ok(sample)
    }

    /// Executes a request, and returns the first row that it has written in the design's own table.
    fn execute_one(
        &mut self,
        request: &Request,
        at: Nanos,
        row: Option<RowNumber>,
        sample: &mut Sample,
    ) -> Result<Option<RowKey>> {
        let (table, now) = (request.table, self.engine_time(request.table, at));
        if self.has_new_borders(table) {
            self.place(table);
        }
        let state = &mut self.tables[table];
        let mut handle = self.designs[table].table_mut().handle();
        let mut executed = execute(&mut handle, now, &request.operation)?;
        if request.operation.writes() {
            // Compaction since the last write is charged to this write.
            let work = handle.work();
            executed.work.charge(&state.charged, &work);
            state.charged = work;
        }
        let (block_bytes, weight) = (state.block_bytes, f64::from(self.every));
        let mut nanos = 0;
        for (slot, work) in self.cluster.divide(table as u32, &executed) {
            let service = self.cluster.service_nanos(slot, &work, block_bytes, weight);
            nanos += service;
            sample.add_part(Part { tablet: slot, service });
        }
        if table == 0 {
            let bucket = self.rows.bucket_of(&executed.first_row);
            self.heat.note_row_bytes(bucket, executed.row_bytes_max);
            let work = &executed.work;
            sample.add_touch(Touch {
                bucket,
                is_write: request.operation.writes(),
                row: row.or_else(|| self.rows.find(&executed.first_row)).map(RowNumber::id),
                bytes: work.bytes_returned + work.bytes_written,
                nanos,
                rows: work.rows_seen,
            });
        }
        Ok((table == 0 && request.operation.writes()).then_some(executed.first_row))
    }
}

/// Counts a request in the heatmap.
#[inline]
fn count(heat: &mut Heat, rows: &mut Rows, touch: &Touch) {
    heat.count(&rows.add(heat.seconds(), touch), touch);
}

/// Tells a cluster which tablets a table has.
fn place(cluster: &mut Cluster, table: usize, design: &mut DesignTable, state: &mut TableState) {
    let [splits, merges, _] = design.table_mut().work_done();
    state.borders = [splits, merges];
    let now = state.begun + (cluster.now() / 1_000) as Timestamp;
    let view = design.table_mut().handle().view(now);
    cluster.place(table as u32, &view.tablets);
}

impl StreamState {
    /// Stores a sample in place of the oldest one, and returns its index.
    fn keep(&mut self, done: Option<Sample>) -> usize {
        if self.samples.len() < SAMPLES_MAX {
            self.samples.push(done);
            return self.samples.len() - 1;
        }
        let at = self.next;
        self.samples[at] = done;
        self.next = (at + 1) % SAMPLES_MAX;
        at
    }
}
