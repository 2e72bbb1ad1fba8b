//! What all runs of a session share: a workspace, its events, and a table for each design; and the
//! answers to requests that take less than a slice.

use std::ops::Range;
use std::sync::Arc;

use tabletop_advice::{LoadedEvents, ROLES_EVENTS, look_ups};
use tabletop_design::jobs::DesignHost;
use tabletop_design::{DesignTable, Growth, Supply};
use tabletop_keys::{Field, FieldRole};
use tabletop_model::{Bytes, Code, Error, ExportResume, Result, Timestamp};
use tabletop_protocol::{
    Answer, Ask, DataView, DesignView, EventsView, JobError, Playback, Suggestions, TimelineView,
};
use tabletop_workload::Events;
use tabletop_workspace::{GivenRole, NamedQuery, OwnData, Source, Workspace};

use super::hand_writes::HandWriteStore;
use super::mark;
use super::migration::OpenMigration;
use crate::arrival::Arrival;
use crate::event_clock::EventClock;
use crate::load::{EventLoad, Fetch};
use crate::own_data_store::{OwnDataStore, StorageEvent};
use crate::tables::Tables;

/// Maximum number of events in one answer.
const EVENTS_MAX: u32 = 1_000;
/// Milliseconds between two steps while events arrive live.
const PLAY_MILLIS: u32 = 16;

/// When the session needs to be called again.
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

/// A table that is rebuilt from all events for simulations.
pub(super) struct BuiltAgain {
    /// The design's table on the screen, and its revision.
    pub(super) of: (u32, u64),
    pub(super) table: DesignTable,
}

/// A workspace, its loaded events and a table for each design.
pub(super) struct Stage {
    pub(super) workspace: Workspace,
    /// Counts edits of the workspace and changes of its source.
    pub(super) workspace_version: u64,
    pub(super) load: EventLoad,
    pub(super) own_data: OwnDataStore,
    pub(super) arrival: Arrival,
    clock: Option<ReadClock>,
    pub(super) design_tables: Vec<DesignTable>,
    /// The migration of this visit.
    pub(super) migration: Option<OpenMigration>,
    /// Tables that are rebuilt for simulations, because reads or requests of the user have shaped
    /// the table on the screen.
    pub(super) built_again: Vec<BuiltAgain>,
    /// Tables that do not belong to a design.
    tables: Tables,
    pub(super) hand_writes: HandWriteStore,
    pub(super) last_design_table: u32,
    last_ticket: u32,
    /// Whether advice is measured.
    pub(super) measures_advice: bool,
    /// Earlier fields of these events, which the page may have seen before the final ones were
    /// detected.
    pub(super) earlier_fields: Vec<Vec<Field>>,
    changed: bool,
}

/// The clock of the loaded events, and the events and fields from which it was read.
struct ReadClock {
    events: usize,
    fields: Vec<Field>,
    clock: Option<EventClock>,
}

impl Stage {
    /// Creates a stage with the default workspace. Its events are loaded by [`Stage::advance`].
    pub(super) fn new(measures_advice: bool) -> Stage {
        let mut stage = Stage {
            workspace: Workspace::default(),
            workspace_version: 0,
            load: EventLoad::empty(),
            own_data: OwnDataStore::new(),
            arrival: Arrival::immediate(),
            clock: None,
            design_tables: Vec::new(),
            migration: None,
            built_again: Vec::new(),
            tables: Tables::new(),
            hand_writes: HandWriteStore::default(),
            last_design_table: 0,
            last_ticket: 0,
            measures_advice,
            earlier_fields: Vec::new(),
            changed: false,
        };
        stage.begin(Workspace::default()).expect("the first workspace names an existing source");
        stage
    }

    /// Loads and writes about `count` events. Returns when to call it again.
    pub(super) fn advance(&mut self, now: Timestamp, count: u32) -> Next {
        let more = self.load.is_loading();
        self.read_clock(more);
        let (pace, loaded) = (self.workspace.cluster.events_per_second, self.load.events().len() as u32);
        let clock = self.clock.as_ref().and_then(|read| read.clock.as_ref());
        self.arrival.pass(now, pace, clock.filter(|_| !more), loaded, more);
        let mut worked = self.load.step(count);
        if worked {
            self.refit();
        }
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
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

    /// Reads the times of the events while they are played: once all are loaded, and again after
    /// their fields have changed.
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

    /// Returns whether the table of this design lacks events that have arrived, or has none. A view
    /// of it is soon outdated.
    pub(super) fn grows(&self, index: u32) -> bool {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        self.design_tables
            .get(index as usize)
            .is_some_and(|table| table.is_behind(supply) || table.is_unbuilt())
    }

    /// Handles a result of the host's attempts to open the storage.
    pub(super) fn on_storage_event(&mut self, now: Timestamp, event: StorageEvent) {
        self.own_data.on_storage_event(now, event);
    }

    /// Returns whether the host has to open the storage that another tab held.
    pub(super) fn take_reopen_request(&mut self) -> bool {
        self.own_data.take_reopen_request()
    }

    /// Returns whether something has changed without a request since the last call.
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed) | self.own_data.take_changed()
    }

    /// Returns the file that the host has to fetch, if the session waits for one.
    pub(super) fn next_fetch(&self) -> Option<Fetch> {
        self.load.next_fetch()
    }

    /// Accepts the file with this ticket, or the reason why it could not be fetched.
    pub(super) fn fetched(&mut self, ticket: u32, file: Result<Vec<u8>>) {
        self.load.fetched(ticket, file);
    }

    /// Answers a request that takes less than a slice.
    pub(super) fn answer(&mut self, now: Timestamp, ask: Ask) -> Result<Answer> {
        match ask {
            Ask::Samples => Ok(Answer::Samples(tabletop_workload::samples())),
            Ask::SetWorkspace { workspace, load } => self.set_workspace(now, workspace, load),
            Ask::Workspace => Ok(Answer::Workspace(self.workspace.clone())),
            Ask::BeginOwn(own) => Ok(self.begin_own(own)),
            Ask::OwnBytes { bytes, last } => self.own_bytes(now, &bytes, last),
            Ask::CancelLoad => Ok(self.cancel_load()),
            Ask::Data => Ok(self.data()),
            Ask::Events { start, count } => Ok(Answer::Events(self.events_view(start, count))),
            Ask::Play(playback) => Ok(self.play(playback, now)),
            Ask::Timeline { index } => self.timeline(index),
            Ask::View { index, first_look } => {
                self.measures_advice = !first_look;
                self.view(index).map(Answer::View)
            }
            Ask::Mark(ask) => mark::mark(&ask),
            Ask::Job(_) => Err(Error::new(Code::Internal, "a step of a job is answered by the registry")),
            Ask::Storage => Ok(self.storage(now)),
            Ask::KeepHere => {
                self.own_data.keep_here();
                Ok(self.storage(now))
            }
            Ask::DeleteSet { set } => {
                self.own_data.delete(now, set, &mut self.load).map(|()| self.storage(now))
            }
            Ask::DeleteSets => {
                // The tables of the migration may be among the deleted files.
                self.migration = None;
                self.own_data.delete_all(now, &mut self.load).map(|()| self.storage(now))
            }
            Ask::ExportSet { set, start } => self.own_data.export(now, set, start).map(Answer::Lines),
            Ask::ExportTable { index, resume } => self.export_table(index, resume),
            Ask::Request { request, now } => {
                let newest_write = &mut self.hand_writes.newest;
                self.tables
                    .ask(&self.workspace, &mut self.design_tables, newest_write, now, request)
                    .map(Answer::Response)
            }
            Ask::TakeBack(numbers) => Ok(self.take_back(numbers)),
            Ask::HandWrites(ask) => self.keep_hand_writes(&ask),
            Ask::Compare => Ok(self.compare()),
            Ask::ProposeDesigns => Ok(self.propose_designs()),
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

    /// Returns the source of the events, with the digest of the stored file that was found by its
    /// name.
    pub(super) fn source_found(&self) -> Source {
        self.workspace.source.with_content(self.own_data.content())
    }

    fn storage(&mut self, now: Timestamp) -> Answer {
        Answer::Storage(self.own_data.view(now))
    }

    /// Loads the source of this workspace, with new tables for its designs.
    pub(super) fn begin(&mut self, workspace: Workspace) -> Result<()> {
        self.last_ticket += 1;
        self.load = match &workspace.source {
            Source::Generated(settings) => EventLoad::generated(settings),
            Source::Sample(name) => EventLoad::sample(name, self.last_ticket)?,
            Source::Own(own) => EventLoad::awaited(own),
        };
        self.arrival =
            workspace.arrived.or(workspace.source.first_part()).map_or(Arrival::immediate(), Arrival::at);
        match &workspace.source {
            Source::Own(own) => self.own_data.find(own, &mut self.load),
            _ => self.own_data.forget(),
        }
        self.release_writes();
        self.clock = None;
        self.workspace = workspace;
        self.earlier_fields.clear();
        self.workspace_version += 1;
        self.built_again.clear();
        self.design_tables.clear();
        (0..self.workspace.designs.len()).for_each(|at| self.add_design_table(at));
        Ok(())
    }

    fn begin_own(&mut self, own: OwnData) -> Answer {
        self.load = EventLoad::own(&own);
        self.own_data.begin(&own);
        self.workspace_version += 1;
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

    /// Adopts the fields that were detected or that the user has corrected.
    pub(super) fn refit(&mut self) {
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
        if self.load.take_rearranged() {
            (self.clock, self.workspace_version) = (None, self.workspace_version + 1);
            for design_table in &mut self.design_tables {
                design_table.rebuild(&self.workspace.cluster);
            }
        }
    }

    fn rebuild_tables(&mut self) {
        for (design_table, design) in self.design_tables.iter_mut().zip(&self.workspace.designs) {
            design_table.redesign(design, self.load.events().fields(), &self.workspace.cluster);
            let writes = self.hand_writes.adopt(&self.workspace.source, design).unwrap_or_default();
            design_table.adopt_writes(writes, &self.workspace.cluster);
        }
    }

    fn events_view(&self, start: u32, count: u32) -> EventsView {
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
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        let by_event_time =
            self.arrival.is_playing() && self.clock.as_ref().is_some_and(|read| read.clock.is_some());
        let timeline = design_table_at(&mut self.design_tables, index)?.timeline(supply);
        Ok(Answer::Timeline(TimelineView { by_event_time, ..timeline }))
    }

    fn view(&mut self, index: u32) -> Result<DesignView> {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        let design_table = design_table_at(&mut self.design_tables, index)?;
        Ok(DesignView { newest_write: self.hand_writes.newest, ..design_table.view(supply) })
    }

    fn compare(&mut self) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        Answer::Compared(
            self.design_tables.iter_mut().map(|design_table| design_table.figures(supply)).collect(),
        )
    }

    #[inline(never)]
    fn propose_designs(&self) -> Answer {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        Answer::Proposed(tabletop_design::propose(supply, &self.workspace))
    }

    /// Suggests roles from a sample, which the order of the file shows best, and what users look up from
    /// all loaded events.
    #[inline(never)]
    fn suggest(&self) -> Suggestions {
        let events = self.load.events();
        if events.is_empty() {
            return Suggestions::default();
        }
        let (in_file, value) =
            (|event, field| events.value_in_file(event, field), |event, field| events.value(event, field));
        let loaded = LoadedEvents { fields: events.fields(), count: events.len(), value: &value };
        let found = LoadedEvents { value: &in_file, ..loaded }.roles(ROLES_EVENTS);
        let given = |field: &Field| GivenRole::of(&self.workspace.roles, &field.name);
        let roles: Vec<FieldRole> = events
            .fields()
            .iter()
            .zip(&found)
            .map(|(field, found)| given(field).unwrap_or(found.role))
            .collect();
        let digits = (0..events.fields().len()).map(|field| loaded.digits(field)).collect();
        let rates = loaded.rates(&roles);
        Suggestions { look_ups: look_ups(loaded, &roles), digits, roles: found, rates }
    }

    fn export_table(&mut self, index: u32, resume: Option<ExportResume>) -> Result<Answer> {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        let design_table = design_table_at(&mut self.design_tables, index)?;
        let grows = self.load.is_loading() || self.arrival.is_playing() || design_table.is_behind(supply);
        let growth = if grows { Growth::Ongoing } else { Growth::Ended };
        design_table.export(resume, growth).map(Answer::Exported)
    }
}

/// Returns the inputs from which the designs' tables are built.
pub(super) fn supply<'a>(
    load: &'a EventLoad,
    arrival: &Arrival,
    workspace: &'a Workspace,
    measures_advice: bool,
) -> Supply<'a> {
    let (events, cluster, roles) = (load.events(), &workspace.cluster, &workspace.roles);
    let settled = if load.is_settled() { events.len() as u32 } else { 0 };
    let playing = arrival.is_playing();
    let queries = &workspace.queries;
    Supply {
        events,
        arrived: arrival.arrived(settled),
        total: load.events_total(),
        playing,
        cluster,
        roles,
        queries,
        measures_advice,
    }
}

fn design_table_at(design_tables: &mut [DesignTable], index: u32) -> Result<&mut DesignTable> {
    let count = design_tables.len();
    let missing =
        || Error::not_found(format!("there is no design {index}: the workspace has {count}, counted from 0"));
    design_tables.get_mut(index as usize).ok_or_else(missing)
}

impl DesignHost for Stage {
    fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn workspace_version(&self) -> u64 {
        self.workspace_version
    }

    fn events(&self) -> &Arc<Events> {
        self.load.events()
    }

    fn is_loading(&self) -> bool {
        self.load.is_loading()
    }

    fn tables(&self) -> &[DesignTable] {
        &self.design_tables
    }

    fn parts(&mut self) -> (Supply<'_>, &[NamedQuery], &mut [DesignTable]) {
        let Stage { load, arrival, workspace, design_tables, measures_advice, .. } = self;
        (supply(load, arrival, workspace, *measures_advice), &workspace.queries, design_tables)
    }

    fn bring_to_rest(&mut self, designs: Range<usize>) -> Result<(), JobError> {
        self.bring_tables_to_rest(designs)
    }

    fn table_at_rest(&self, index: usize) -> &DesignTable {
        self.rest_of(index)
    }
}
