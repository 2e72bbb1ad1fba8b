//! The state of the worker and its two entry points: `handle` for requests and `advance` for background work.

mod experiment;
mod hand_writes;
mod mark;
mod migration;
mod profiles;
mod simulate;
mod workspace;

use tabletop_design::{DesignTable, Growth, OpenRead, OpenTrace, Supply, TraceDetail};
use tabletop_model::{Bytes, Code, Error, ExportResume, Result, SortedMap, Timestamp, wire};
use tabletop_schema::{
    Answer, Ask, ClusterSettings, DataView, DesignView, EventsView, Field, Measurements, NamedQuery, OwnData, Playback, Query,
    ReadId, SUGGEST_EVENTS, Source, TimelineView, TouchAsk, TouchChunk, TraceAsk, Workspace, suggest_queries,
};

use crate::arrival::Arrival;
use crate::event_clock::EventClock;
use crate::load::{EventLoad, Fetch};
use crate::own_data_store::{OwnDataStore, StorageEvent};
use crate::tables::Tables;
use hand_writes::HandWriteStore;
use profiles::OpenProfiles;
use simulate::{BuiltAgain, OpenSimulation};

/// Most events in one answer.
const EVENTS_MAX: u32 = 1_000;
/// Most reads open at a time. One more drops the oldest, which is most likely abandoned.
const READS_MAX: usize = 64;
/// Most traced queries open at a time. One more drops the oldest.
const TRACES_MAX: usize = 4;
/// A read that notes what it touches ends when it has touched more blocks.
const TOUCHED_MAX: usize = 20_000;
/// Milliseconds between two steps while events arrive live.
const PLAY_MILLIS: u32 = 16;

/// A workspace, its loaded events and a table for each design.
pub struct Session {
    workspace: Workspace,
    load: EventLoad,
    own_data: OwnDataStore,
    arrival: Arrival,
    clock: Option<ReadClock>,
    design_tables: Vec<DesignTable>,
    reads: SortedMap<ReadId, OpenRead>,
    /// Those of tables that are gone end with their next slice.
    traces: SortedMap<ReadId, OpenTrace>,
    /// Reads that note what they touch.
    touches: SortedMap<ReadId, OpenRead>,
    /// Simulations of traffic on designs, the oldest first.
    simulations: Vec<OpenSimulation>,
    /// Pipelines of profiles, the oldest first.
    profiles: Vec<OpenProfiles>,
    /// The experiment under way.
    experiment: Option<experiment::OpenExperiment>,
    /// The migration of this visit.
    migration: Option<migration::OpenMigration>,
    /// Tables that are built again for simulations, because the one on the screen is not as its events alone make it.
    built_again: Vec<BuiltAgain>,
    /// Tables that belong to no design.
    tables: Tables,
    hand_writes: HandWriteStore,
    last_design_table: u32,
    last_read: u32,
    last_ticket: u32,
    /// Index of the design whose access patterns were measured last, until the slice is charged.
    measured: Option<usize>,
    /// Earlier fields of these events, which the page may have seen before the reader detected the final ones.
    earlier_fields: Vec<Vec<Field>>,
    changed: bool,
}

/// The clock of the loaded events, and what it was read of.
struct ReadClock {
    events: usize,
    fields: Vec<Field>,
    clock: Option<EventClock>,
}

/// The time at which the session needs to be called again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Immediately, because there is more to do.
    Now,
    /// After some time, when events arrive.
    In {
        /// Time in milliseconds.
        millis: u32,
    },
    /// After the next request or fetched file.
    Asked,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// A session with the default workspace. Its events are loaded by [`Session::advance`].
    pub fn new() -> Session {
        let mut session = Session {
            workspace: Workspace::default(),
            load: EventLoad::empty(),
            own_data: OwnDataStore::new(),
            arrival: Arrival::immediate(),
            clock: None,
            design_tables: Vec::new(),
            reads: SortedMap::new(),
            traces: SortedMap::new(),
            touches: SortedMap::new(),
            simulations: Vec::new(),
            experiment: None,
            migration: None,
            profiles: Vec::new(),
            built_again: Vec::new(),
            tables: Tables::new(),
            hand_writes: HandWriteStore::default(),
            last_design_table: 0,
            last_read: 0,
            last_ticket: 0,
            measured: None,
            earlier_fields: Vec::new(),
            changed: false,
        };
        session.begin(Workspace::default()).expect("the first workspace names an existing source");
        session
    }

    /// Answers one request. `now` is the host's time in microseconds. Takes about one slice of work at most.
    pub fn handle(&mut self, now: Timestamp, ask: Ask) -> Answer {
        self.answer(now, ask).unwrap_or_else(Answer::Failed)
    }

    /// Loads and writes about `count` events. Returns when to call it again.
    pub fn advance(&mut self, now: Timestamp, count: u32) -> Next {
        let more = self.load.is_loading();
        self.read_clock(more);
        let (pace, loaded) = (self.workspace.cluster.events_per_second, self.load.events().len() as u32);
        let clock = self.clock.as_ref().and_then(|read| read.clock.as_ref());
        self.arrival.pass(now, pace, clock.filter(|_| !more), loaded, more);
        let mut worked = self.load.step(count);
        if worked {
            self.refit();
        }
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        for design_table in &mut self.design_tables {
            worked |= design_table.step(supply, count);
        }
        worked |= self.build_again(count);
        worked |= self.tables.step(now);
        let (stored, later) = self.own_data.step(now, &mut self.load, worked);
        if self.own_data.take_changed() {
            self.changed = true;
            self.refit();
        }
        let later = later.into_iter().chain(self.tables.wait(now)).min();
        match (worked || stored, self.arrival.is_playing(), later) {
            (true, _, _) => Next::Now,
            (false, true, _) => Next::In { millis: PLAY_MILLIS },
            (false, false, Some(millis)) => Next::In { millis },
            (false, false, None) => Next::Asked,
        }
    }

    /// Reads the times of the events when they are played, once all are loaded and after their fields have changed.
    fn read_clock(&mut self, more: bool) {
        if more || !self.arrival.is_playing() {
            return;
        }
        let events = self.load.events();
        let is_of = |read: &ReadClock| read.events == events.len() && read.fields == events.fields();
        if !self.clock.as_ref().is_some_and(is_of) {
            let (fields, clock) = (events.fields().to_vec(), EventClock::of(events));
            self.clock = Some(ReadClock { events: events.len(), fields, clock });
        }
    }

    /// Returns whether the table of this design lacks events that have arrived, or has none. A view of it is soon outdated.
    pub fn grows(&self, index: u32) -> bool {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        self.design_tables.get(index as usize).is_some_and(|table| table.is_behind(supply) || table.is_unbuilt())
    }

    /// Handles a result of the host's attempts to open the storage.
    pub fn on_storage_event(&mut self, now: Timestamp, event: StorageEvent) {
        self.own_data.on_storage_event(now, event);
    }

    /// Returns whether the host has to open the storage that another tab held.
    pub fn take_reopen_request(&mut self) -> bool {
        self.own_data.take_reopen_request()
    }

    /// Returns whether something has changed without a request since the last call.
    pub fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) | self.own_data.take_changed()
    }

    /// The file that the host has to fetch, if the session waits for one.
    pub fn next_fetch(&self) -> Option<Fetch> {
        self.load.next_fetch()
    }

    /// Accepts the file with this ticket, or the reason why it could not be fetched.
    pub fn fetched(&mut self, ticket: u32, file: Result<Vec<u8>>) {
        self.load.fetched(ticket, file);
    }

    /// Adds the time that an answer took to the cost of its read, or of the measurement.
    pub fn charge(&mut self, answer: &mut Answer, micros: Timestamp) {
        let micros = u64::try_from(micros).unwrap_or(0);
        match answer {
            Answer::Rows(chunk) => {
                chunk.elapsed_micros += micros;
                if let Some(read) = self.reads.get_mut(&chunk.read) {
                    read.elapsed_micros += micros;
                }
            }
            Answer::Measured(_) => {
                let table = self.measured.take().and_then(|at| self.design_tables.get_mut(at));
                table.into_iter().for_each(|table| table.charge_measurement(micros));
            }
            Answer::Profiles(_) => self.charge_profiles(micros),
            _ => {}
        }
    }

    fn answer(&mut self, now: Timestamp, ask: Ask) -> Result<Answer> {
        match ask {
            Ask::Samples => Ok(Answer::Samples(tabletop_workload::samples())),
            Ask::SetWorkspace { workspace, load } => self.set_workspace(now, workspace, load),
            Ask::Workspace => Ok(Answer::Workspace(self.workspace.clone())),
            Ask::BeginOwn(own) => Ok(self.begin_own(own)),
            Ask::OwnBytes { bytes, last } => self.own_bytes(now, &bytes, last),
            Ask::CancelLoad => Ok(self.cancel_load()),
            Ask::Data => Ok(self.data()),
            Ask::Events { start, count } => Ok(Answer::Events(self.events(start, count))),
            Ask::Play(playback) => Ok(self.play(playback, now)),
            Ask::Timeline { index } => self.timeline(index),
            Ask::View { index } => self.view(index).map(Answer::View),
            Ask::Read { index, query } => self.read(index, query),
            Ask::ReadMore(id) => self.read_more(id),
            Ask::Trace(ask) => self.trace(&ask),
            Ask::Touch(ask) => self.touch(&ask),
            Ask::Mark(ask) => mark::mark(&ask),
            Ask::Simulate(ask) => self.simulate(&ask),
            Ask::Profiles(ask) => self.profiles(&ask),
            Ask::Experiment(_) | Ask::Migration(_) => Err(Error::invalid("this needs a clock: the host passes it")),
            Ask::Live(_) => {
                Err(Error::invalid("this host is a worker of the page: only a server answers requests about a server"))
            }
            Ask::CancelRead(id) => {
                self.reads.remove(&id);
                Ok(Answer::Done)
            }
            Ask::Storage => Ok(self.storage(now)),
            Ask::KeepHere => {
                self.own_data.keep_here();
                Ok(self.storage(now))
            }
            Ask::DeleteSet { set } => self.own_data.delete(now, set, &mut self.load).map(|()| self.storage(now)),
            Ask::DeleteSets => {
                // Its tables may be among the files.
                self.migration = None;
                self.own_data.delete_all(now, &mut self.load).map(|()| self.storage(now))
            }
            Ask::ExportSet { set, start } => self.own_data.export(now, set, start).map(Answer::Lines),
            Ask::ExportTable { index, resume } => self.export_table(index, resume),
            Ask::Request { request, now } => {
                let newest_write = &mut self.hand_writes.newest;
                self.tables.ask(&self.workspace, &mut self.design_tables, newest_write, now, request).map(Answer::Response)
            }
            Ask::TakeBack(numbers) => Ok(self.take_back(numbers)),
            Ask::HandWrites(ask) => self.keep_hand_writes(&ask),
            Ask::Compare => Ok(self.compare()),
            Ask::ProposeDesigns => Ok(self.propose_designs()),
            Ask::Measure => Ok(self.measure()),
            Ask::Suggest => Ok(Answer::Suggested(self.suggest())),
        }
    }

    fn data(&self) -> Answer {
        let content = match self.source_found() {
            Source::Own(own) => own.content,
            _ => None,
        };
        Answer::Data(DataView {
            kept: self.own_data.stored_count(),
            keeping: self.own_data.persistence().clone(),
            content,
            ..self.load.view()
        })
    }

    /// The source of the events, with the content of the stored file that was found by its name.
    fn source_found(&self) -> Source {
        self.workspace.source.with_content(self.own_data.content())
    }

    fn storage(&mut self, now: Timestamp) -> Answer {
        Answer::Storage(self.own_data.view(now))
    }

    /// Loads the source of this workspace, with new tables for its designs.
    fn begin(&mut self, workspace: Workspace) -> Result<()> {
        self.last_ticket += 1;
        self.load = match &workspace.source {
            Source::Generated(settings) => EventLoad::generated(settings),
            Source::Sample(name) => EventLoad::sample(name, self.last_ticket)?,
            Source::Own(own) => EventLoad::awaited(own),
        };
        self.arrival = workspace.arrived.or(workspace.source.first_part()).map_or(Arrival::immediate(), Arrival::at);
        match &workspace.source {
            Source::Own(own) => self.own_data.find(own, &mut self.load),
            _ => self.own_data.forget(),
        }
        self.release_writes();
        self.clock = None;
        self.workspace = workspace;
        self.earlier_fields.clear();
        self.reads.clear();
        self.simulations.clear();
        self.profiles.clear();
        self.experiment = None;
        self.migration = None;
        self.built_again.clear();
        self.design_tables.clear();
        (0..self.workspace.designs.len()).for_each(|at| self.add_design_table(at));
        Ok(())
    }

    fn begin_own(&mut self, own: OwnData) -> Answer {
        self.load = EventLoad::own(&own);
        self.own_data.begin(&own);
        self.migration = None;
        self.arrival = Arrival::immediate();
        self.release_writes();
        self.clock = None;
        self.workspace.source = Source::Own(own);
        self.earlier_fields.clear();
        self.rebuild_tables();
        self.data()
    }

    fn own_bytes(&mut self, now: Timestamp, bytes: &Bytes, last: bool) -> Result<Answer> {
        self.load.feed(bytes, last)?;
        self.refit();
        self.own_data.catch_up(now, &self.load);
        Ok(self.data())
    }

    fn cancel_load(&mut self) -> Answer {
        self.load.cancel();
        self.refit();
        self.data()
    }

    /// Adopts the fields that the reader has detected or a person has corrected.
    fn refit(&mut self) {
        let fields = self.load.events().fields();
        if let Source::Own(own) = &mut self.workspace.source
            && own.fields != fields
        {
            let earlier = std::mem::replace(&mut own.fields, fields.to_vec());
            if !fields.starts_with(&earlier) {
                self.earlier_fields.push(earlier);
            }
        }
        for design_table in &mut self.design_tables {
            design_table.refit(fields, &self.workspace.cluster);
        }
    }

    fn rebuild_tables(&mut self) {
        for (design_table, design) in self.design_tables.iter_mut().zip(&self.workspace.designs) {
            design_table.redesign(design, self.load.events().fields(), &self.workspace.cluster);
            let writes = self.hand_writes.adopt(&self.workspace.source, design).unwrap_or_default();
            design_table.adopt_writes(writes, &self.workspace.cluster);
        }
    }

    fn events(&self, start: u32, count: u32) -> EventsView {
        let events = self.load.events();
        let loaded = events.len() as u32;
        let start = start.min(loaded);
        let end = start.saturating_add(count.min(EVENTS_MAX)).min(loaded);
        let mut values = Vec::new();
        let texts = (start..end).map(|index| {
            events.record(index as usize, &mut values);
            values.iter().map(|value| value.map(String::from)).collect()
        });
        EventsView { fields: events.fields().to_vec(), start, events: texts.collect() }
    }

    fn play(&mut self, playback: Playback, now: Timestamp) -> Answer {
        self.arrival.play(playback, now, self.load.events().len() as u32);
        Answer::Done
    }

    #[inline(never)]
    fn timeline(&mut self, index: u32) -> Result<Answer> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let by_event_time = self.arrival.is_playing() && self.clock.as_ref().is_some_and(|read| read.clock.is_some());
        let timeline = design_table_at(&mut self.design_tables, index)?.timeline(supply);
        Ok(Answer::Timeline(TimelineView { by_event_time, ..timeline }))
    }

    fn view(&mut self, index: u32) -> Result<DesignView> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let design_table = design_table_at(&mut self.design_tables, index)?;
        Ok(DesignView { newest_write: self.hand_writes.newest, ..design_table.view(supply) })
    }

    fn compare(&mut self) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        Answer::Compared(self.design_tables.iter_mut().map(|design_table| design_table.figures(supply)).collect())
    }

    #[inline(never)]
    fn propose_designs(&self) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        Answer::Proposed(tabletop_design::propose(supply, &self.workspace))
    }

    /// Measures the access patterns for one slice: first each of them once on each design, then again for their times. Tables that
    /// are being built come first, so that the view of them is not late.
    #[inline(never)]
    fn measure(&mut self) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let queries = &self.workspace.queries;
        let is_free = !self.design_tables.iter().any(|table| table.is_behind(supply));
        let stages = self.design_tables.iter_mut().enumerate().filter(|_| is_free);
        let stages = stages.filter_map(|(at, table)| Some((table.measure_stage(supply, queries)?, at)));
        self.measured = stages.min().map(|(_, at)| at);
        if let Some(at) = self.measured {
            self.design_tables[at].measure(supply, queries);
        }
        let designs = self.design_tables.iter_mut().map(|design_table| design_table.costs(supply, queries)).collect();
        // The time of this slice is in the next answer, so there is one more after the last slice.
        Answer::Measured(Measurements { designs, more: self.measured.is_some() })
    }

    /// Suggests access patterns from a sample of all loaded events.
    #[inline(never)]
    fn suggest(&self) -> Vec<NamedQuery> {
        let events = self.load.events();
        let step = events.len().div_ceil(SUGGEST_EVENTS as usize).max(1);
        let sample = (0..events.len()).step_by(step).map(|index| {
            let mut values = Vec::new();
            events.record(index, &mut values);
            values
        });
        suggest_queries(events.fields(), &sample.collect::<Vec<_>>())
    }

    fn export_table(&mut self, index: u32, resume: Option<ExportResume>) -> Result<Answer> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let design_table = design_table_at(&mut self.design_tables, index)?;
        let grows = self.load.is_loading() || self.arrival.is_playing() || design_table.is_behind(supply);
        let growth = if grows { Growth::Ongoing } else { Growth::Ended };
        design_table.export(resume, growth).map(Answer::Exported)
    }

    fn read(&mut self, index: u32, query: Query) -> Result<Answer> {
        let supply = supply(&self.load, &self.arrival, &self.workspace.cluster);
        let design_table = design_table_at(&mut self.design_tables, index)?;
        let read = OpenRead::begin(design_table, &query)?.metered_at_rest(design_table, supply);
        self.last_read = self.last_read.wrapping_add(1);
        let id = ReadId(self.last_read);
        self.reads.insert(id, read);
        if self.reads.len() > READS_MAX {
            self.reads.pop_first();
        }
        self.read_more(id)
    }

    #[inline(never)]
    fn trace(&mut self, ask: &[u8]) -> Result<Answer> {
        let ask = wire::decode(ask).map_err(|_| Error::invalid("this is no request for a trace"))?;
        let id = match ask {
            TraceAsk::More(id) => id,
            TraceAsk::Begin { index, query, cells } => {
                let detail = if cells { TraceDetail::Cells } else { TraceDetail::Counts };
                let trace = OpenTrace::begin(design_table_at(&mut self.design_tables, index)?, &query, detail)?;
                self.last_read = self.last_read.wrapping_add(1);
                self.traces.insert(ReadId(self.last_read), trace);
                if self.traces.len() > TRACES_MAX {
                    self.traces.pop_first();
                }
                ReadId(self.last_read)
            }
        };
        let ended = || Error::new(Code::Cancelled, "this trace is complete or was dropped: begin it again");
        let trace = self.traces.get_mut(&id).ok_or_else(ended)?;
        let chunk = match self.design_tables.iter_mut().find(|design_table| design_table.id == trace.design_table) {
            Some(design_table) => trace.next(id, design_table),
            None => Err(ended()),
        };
        if chunk.as_ref().map_or(true, |chunk| chunk.complete) {
            self.traces.remove(&id);
        }
        chunk.map(|chunk| Answer::Traced(wire::encode(&chunk).into()))
    }

    #[inline(never)]
    fn touch(&mut self, ask: &[u8]) -> Result<Answer> {
        let ask = wire::decode(ask).map_err(|_| Error::invalid("this is no request for what a query touches"))?;
        let id = match ask {
            TouchAsk::More(id) => id,
            TouchAsk::Begin { index, query } => {
                let read = OpenRead::begin(design_table_at(&mut self.design_tables, index)?, &query)?;
                self.last_read = self.last_read.wrapping_add(1);
                self.touches.insert(ReadId(self.last_read), read.noting());
                if self.touches.len() > TRACES_MAX {
                    self.touches.pop_first();
                }
                ReadId(self.last_read)
            }
        };
        let ended = || Error::new(Code::Cancelled, "this read is complete or was dropped: begin it again");
        let mut read = self.touches.remove(&id).ok_or_else(ended)?;
        let design_table = self.design_tables.iter_mut().find(|design_table| design_table.id == read.design_table);
        let complete = read.next(id, design_table.ok_or_else(ended)?)?.complete;
        let touched = read.touched().cloned().unwrap_or_default();
        let complete = complete || touched.blocks() > TOUCHED_MAX;
        if !complete {
            self.touches.insert(id, read);
        }
        Ok(Answer::Touched(wire::encode(&TouchChunk { read: id, touched, complete }).into()))
    }

    fn read_more(&mut self, id: ReadId) -> Result<Answer> {
        let Some(read) = self.reads.get_mut(&id) else {
            return Err(Error::not_found("this read is complete or was cancelled: begin it again"));
        };
        let chunk = match self.design_tables.iter_mut().find(|design_table| design_table.id == read.design_table) {
            Some(design_table) => read.next(id, design_table),
            None => Err(Error::new(Code::Cancelled, "the design was deleted during the read")),
        };
        if chunk.as_ref().map_or(true, |chunk| chunk.complete) {
            self.reads.remove(&id);
        }
        chunk.map(Answer::Rows)
    }
}

/// The inputs from which the designs' tables are built.
fn supply<'a>(load: &'a EventLoad, arrival: &Arrival, cluster: &'a ClusterSettings) -> Supply<'a> {
    let events = load.events();
    let settled = if load.is_settled() { events.len() as u32 } else { 0 };
    let playing = arrival.is_playing();
    Supply { events, arrived: arrival.arrived(settled), total: load.events_total(), playing, cluster }
}

fn design_table_at(design_tables: &mut [DesignTable], index: u32) -> Result<&mut DesignTable> {
    let count = design_tables.len();
    let missing = || Error::not_found(format!("there is no design {index}: the workspace has {count}, counted from 0"));
    design_tables.get_mut(index as usize).ok_or_else(missing)
}
