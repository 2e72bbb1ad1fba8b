//! Stores the events on the screen.
//!
//! The user's own events are stored after they are loaded, group by group, in turns with the
//! building of tables. A workspace that names them finds them again. Storage errors do not end the
//! session; they are reported.

use tabletop_engine::{Instance, Storage};
use tabletop_keys::Field;
use tabletop_model::{Code, Error, Result, Timestamp};
use tabletop_protocol::{LinesView, LoadState, Persistence, StorageView};
use tabletop_workspace::{ContentDigest, OwnData};

use crate::load::EventLoad;
use crate::shared_storage::SharedStorage;
use crate::stored_sets::StoredSets;

/// Maximum number of events by which a load may be ahead of storage; then the load waits. All
/// loaded events are in memory, and those that are not stored yet are lost when the tab is closed.
const AHEAD_MAX: u32 = 200_000;
/// Number of groups that are stored per slice of the file while a load waits: about as many events
/// as a slice has.
const CATCH_UP_GROUPS: u32 = 4;
/// Number of events that one step reads back.
const READ_EVENTS: u32 = 250;
/// Number of table building steps between two stored groups. The user waits for the tables, so
/// storing takes only a seventh of the time until they are built.
const STEPS_BETWEEN: u32 = 36;
/// Time after which a failing storage is retried. In the meantime, empty files are prepared, and
/// another tab may free space.
const RETRY_MICROS: Timestamp = 20_000;
/// Time after which a failing storage is reopened, once, before it becomes read-only.
const PATIENCE_MICROS: Timestamp = 2_000_000;
/// Time after which a read-only storage is retried, if the cause may be temporary.
const LATER_MICROS: Timestamp = 10_000_000;

/// The result of an attempt of the host to open the storage.
pub enum StorageEvent {
    /// Another tab holds the storage.
    OtherTab,
    /// The other tab has closed, and this tab has the lock.
    OtherTabGone,
    /// The browser does not offer storage to this page.
    Without(Error),
    /// The storage is open.
    Files(SharedStorage),
}

/// The stored sets, and the state of storing the events on the screen.
pub(crate) struct OwnDataStore {
    persistence: Persistence,
    files: Option<SharedStorage>,
    store: Option<StoredSets>,
    /// Whether the user has requested to take over the storage of another tab.
    reopen_requested: bool,
    task: Task,
    /// Since when storage has been failing, and the time of the next attempt.
    refused: Option<(Timestamp, Timestamp)>,
    reopened: bool,
    turn: u32,
    /// Whether more compaction is due.
    maintenance_due: bool,
    changed: bool,
}

/// The current work on the events on the screen.
enum Task {
    /// The events are not the user's own, or are not stored.
    Nothing,
    /// Own data of an opened workspace, which may be in storage.
    Find(OwnData),
    /// The events are being stored as they are loaded. The set is created with the first of them.
    Write { own: OwnData, set: Option<u32>, noted: Vec<Field> },
    /// The events are being read back.
    Read { set: u32, unreadable: u32 },
    /// All events are stored. Corrected fields may still have to be written.
    Complete { set: u32, corrected: Option<Vec<Field>> },
}

impl OwnDataStore {
    /// Creates the state before the first [`StorageEvent`].
    pub(crate) fn new() -> OwnDataStore {
        OwnDataStore {
            persistence: Persistence::Opening,
            files: None,
            store: None,
            reopen_requested: false,
            task: Task::Nothing,
            refused: None,
            reopened: false,
            turn: 0,
            maintenance_due: false,
            changed: false,
        }
    }

    /// Handles a result of the host's attempts to open the storage.
    pub(crate) fn on_storage_event(&mut self, now: Timestamp, event: StorageEvent) {
        self.changed = true;
        self.persistence = match event {
            StorageEvent::OtherTab => Persistence::OtherTab,
            StorageEvent::OtherTabGone => Persistence::OtherTabGone,
            StorageEvent::Without(error) => Persistence::Without(error),
            StorageEvent::Files(files) => {
                self.files = Some(files);
                self.open(now)
            }
        };
    }

    /// Returns whether the host has to open the storage that another tab held.
    pub(crate) fn take_reopen_request(&mut self) -> bool {
        std::mem::take(&mut self.reopen_requested)
    }

    /// Returns whether something has changed without a request since the last call.
    pub(crate) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Stops tracking the events on the screen, because they are replaced by events that are not
    /// stored.
    pub(crate) fn forget(&mut self) {
        self.task = Task::Nothing;
    }

    /// Looks for the user's own events of an opened workspace, immediately if possible.
    pub(crate) fn find(&mut self, own: &OwnData, load: &mut EventLoad) {
        self.task = Task::Find(own.clone());
        self.find_set(load);
    }

    /// Begins to store the user's own events, which are loaded from now on.
    pub(crate) fn begin(&mut self, own: &OwnData) {
        self.task = Task::Write { own: own.clone(), set: None, noted: Vec::new() };
        (self.refused, self.reopened) = (None, false);
    }

    /// Stores the fields that the user has corrected.
    pub(crate) fn set_fields(&mut self, now: Timestamp, load: &EventLoad) {
        if let Task::Complete { corrected, .. } = &mut self.task {
            *corrected = Some(load.events().fields().to_vec());
            if self.may_store() {
                self.write(now, load);
            }
        }
    }

    /// Returns the number of events on the screen that are stored and synced; `None` if they are
    /// not stored.
    pub(crate) fn stored_count(&self) -> Option<u32> {
        match self.set() {
            Some(set) => self.store.as_ref()?.set(set).ok().map(|set| set.events),
            None => (matches!(self.task, Task::Write { .. }) && self.persistence == Persistence::Here)
                .then_some(0),
        }
    }

    /// Returns the number of the set with the events on the screen.
    fn set(&self) -> Option<u32> {
        match &self.task {
            Task::Nothing | Task::Find(_) => None,
            Task::Write { set, .. } => *set,
            Task::Read { set, .. } | Task::Complete { set, .. } => Some(*set),
        }
    }

    /// Returns the digest of the file whose stored events are on the screen, if the set has it.
    pub(crate) fn content(&self) -> Option<ContentDigest> {
        self.store.as_ref()?.set(self.set()?).ok()?.own.content
    }

    /// Returns whether this tab stores events, and the reason if not.
    pub(crate) fn persistence(&self) -> &Persistence {
        &self.persistence
    }

    /// Stores or reads back a few events, in turns with the tables. `worked` says whether there was
    /// work on the tables. Returns whether more can be done immediately, or the number of
    /// milliseconds to wait.
    pub(crate) fn step(&mut self, now: Timestamp, load: &mut EventLoad, worked: bool) -> (bool, Option<u32>) {
        self.turn = self.turn.wrapping_add(1);
        match &self.task {
            Task::Find(_) => (self.find_set(load), None),
            Task::Read { .. } => (self.read(now, load), None),
            Task::Write { .. } | Task::Complete { corrected: Some(_), .. } if self.may_store() => {
                if worked && !self.turn.is_multiple_of(STEPS_BETWEEN) {
                    return (true, None);
                }
                if let Some((_, again)) = self.refused
                    && now < again
                {
                    return (false, Some(((again - now) / 1_000 + 1) as u32));
                }
                let more = self.write(now, load);
                (more, self.refused.map(|(_, again)| ((again - now) / 1_000).max(1) as u32).filter(|_| !more))
            }
            _ if self.maintenance_due && !worked => {
                self.maintenance_due = self.store.as_mut().is_some_and(|store| store.maintain(now));
                (self.maintenance_due, None)
            }
            _ => (false, None),
        }
    }

    /// Stores some groups while a load is far ahead of storage.
    pub(crate) fn catch_up(&mut self, now: Timestamp, load: &EventLoad) {
        for _ in 0..CATCH_UP_GROUPS {
            let behind = load.events().len() as u32 - self.stored_count().unwrap_or(0);
            let waits = matches!(self.task, Task::Write { .. })
                && self.persistence == Persistence::Here
                && self.refused.is_none();
            if !waits || behind < AHEAD_MAX {
                return;
            }
            self.write(now, load);
        }
    }

    /// Returns the view of the storage for the page.
    pub(crate) fn view(&mut self, now: Timestamp) -> StorageView {
        let sets = self.store.as_mut().map(|store| store.views(now)).unwrap_or_default();
        let (shown, writes) = (self.set(), matches!(self.task, Task::Write { .. }));
        let with_state = |mut view: tabletop_protocol::SetView| {
            view.shown = Some(view.set) == shown;
            if view.state == LoadState::Loading && !(view.shown && writes) {
                view.state = LoadState::Interrupted;
            }
            view
        };
        StorageView { keeping: self.persistence.clone(), sets: sets.into_iter().map(with_state).collect() }
    }

    /// Takes over the storage of another tab, if that tab has closed.
    pub(crate) fn keep_here(&mut self) {
        if self.persistence == Persistence::OtherTabGone {
            self.reopen_requested = true;
            // The storage is opened only once, however often the user requests it.
            self.persistence = Persistence::Opening;
        }
    }

    /// Deletes a set. Events on the screen stay there until the page is closed.
    pub(crate) fn delete(&mut self, now: Timestamp, set: u32, load: &mut EventLoad) -> Result<()> {
        self.store()?.delete(set)?;
        if self.set() == Some(set) {
            self.release(load);
        }
        self.retry_after_delete(now);
        Ok(())
    }

    /// Deletes all sets, including unreadable ones.
    pub(crate) fn delete_all(&mut self, now: Timestamp, load: &mut EventLoad) -> Result<()> {
        let Some(mut files) = self.files.clone() else { return self.store().map(drop) };
        self.store = None;
        self.release(load);
        for file in files.files()? {
            files.remove(file)?;
        }
        self.persistence = self.open(now);
        Ok(())
    }

    /// Stops storing the events on the screen. Events that are not read back yet are lost.
    fn release(&mut self, load: &mut EventLoad) {
        if matches!(self.task, Task::Read { .. }) {
            load.cancel();
        }
        self.task = Task::Nothing;
    }

    /// Returns some events of a set as JSON lines.
    pub(crate) fn export(&mut self, now: Timestamp, set: u32, start: u32) -> Result<LinesView> {
        self.store()?.lines(now, set, start)
    }

    /// Returns the instance with the sets, for further tables in it, if this tab stores anything.
    pub(crate) fn instance(&mut self) -> Option<&mut Instance<SharedStorage>> {
        self.store.as_mut().filter(|_| self.persistence == Persistence::Here).map(StoredSets::instance)
    }

    /// Reopens the storage: after a write with an unknown outcome, a table refuses writes until it
    /// is reopened.
    pub(crate) fn reopen(&mut self, now: Timestamp) {
        if self.persistence == Persistence::Here {
            self.persistence = self.open(now);
            self.changed = true;
        }
    }

    fn store(&mut self) -> Result<&mut StoredSets> {
        let nothing = || {
            Error::new(
                Code::FailedPrecondition,
                "the storage is not open in this tab: the storage view shows why",
            )
        };
        self.store.as_mut().ok_or_else(nothing)
    }

    /// Opens the storage and returns the resulting state.
    fn open(&mut self, now: Timestamp) -> Persistence {
        (self.refused, self.maintenance_due) = (None, true);
        let Some(files) = self.files.clone() else { return self.persistence.clone() };
        self.store = None;
        match StoredSets::open(now, files) {
            Ok(store) => {
                let persistence =
                    store.damage().map_or(Persistence::Here, |error| Persistence::Broken(error.clone()));
                self.store = Some(store);
                persistence
            }
            Err(error) if error.code == Code::DataLoss => Persistence::Broken(error),
            Err(error) => Persistence::Without(error),
        }
    }

    /// Returns whether events may be stored: storage is writable, or the reason why not may have
    /// passed.
    fn may_store(&self) -> bool {
        match &self.persistence {
            Persistence::Here => true,
            Persistence::ReadOnly(error) => matches!(error.code, Code::Unavailable | Code::ResourceExhausted),
            _ => false,
        }
    }

    /// Looks for the events of an opened workspace, as soon as that is possible. Returns whether
    /// the result is known.
    fn find_set(&mut self, load: &mut EventLoad) -> bool {
        let Task::Find(own) = &self.task else { return false };
        if self.persistence == Persistence::Opening
            || (self.store.is_none() && *load.state() == LoadState::Awaited)
        {
            return false;
        }
        let found = self.store.as_ref().and_then(|store| store.find(own)).cloned();
        self.task = match found {
            Some(set) => {
                // The workspace's kinds and names of fields have precedence, if it has the same
                // number of fields.
                let fields =
                    if own.fields.len() == set.own.fields.len() { &own.fields } else { &set.own.fields };
                load.begin_reading_back(fields, set.events);
                Task::Read { set: set.number, unreadable: 0 }
            }
            None => {
                load.await_user();
                // Another tab may have stored them. They are looked up again when this tab takes
                // over.
                if self.store.is_none() {
                    self.changed = true;
                    return true;
                }
                Task::Nothing
            }
        };
        self.changed = true;
        true
    }

    fn read(&mut self, now: Timestamp, load: &mut EventLoad) -> bool {
        let (Task::Read { set, unreadable }, Some(store)) = (&mut self.task, &mut self.store) else {
            return false;
        };
        let number = *set;
        if !load.is_loading() {
            // The user has cancelled the load.
            self.task = Task::Complete { set: number, corrected: None };
            return true;
        }
        let Ok(known) = store.set(number).cloned() else { return false };
        let start = load.events().len() as u32 + *unreadable;
        if start >= known.events {
            let state = match known.state {
                _ if *unreadable > 0 => LoadState::Failed(Error::new(
                    Code::DataLoss,
                    format!(
                        "{unreadable} of the {} events that were kept cannot be read: the storage was damaged. The others are \
                         here: load the file again to have all.",
                        known.events
                    ),
                )),
                LoadState::Loading => LoadState::Interrupted,
                state => state,
            };
            load.end_reading_back(state, known.seen);
            self.task = Task::Complete { set: number, corrected: None };
            return true;
        }
        let end = known.events.min(start.saturating_add(READ_EVENTS));
        let done = store.read(now, number, start, end, load.events_mut());
        match done {
            Ok(()) => {}
            Err(error) if error.code == Code::DataLoss => {
                // Read one by one, because some events may be in undamaged blocks.
                for index in start..end {
                    if store.read(now, number, index, index + 1, load.events_mut()).is_err() {
                        *unreadable += 1;
                    }
                }
            }
            Err(error) => {
                load.end_reading_back(LoadState::Failed(error), known.seen);
                self.task = Task::Complete { set: number, corrected: None };
            }
        }
        true
    }

    /// Stores the next group of events, and after the last group the state of the load. Returns
    /// whether more can be done immediately.
    fn write(&mut self, now: Timestamp, load: &EventLoad) -> bool {
        match self.try_write(now, load) {
            Ok(stored) => {
                self.refused = None;
                if stored {
                    self.changed |= self.persistence != Persistence::Here;
                    self.persistence = Persistence::Here;
                }
                stored
            }
            Err(error) => {
                self.refuse(now, error);
                false
            }
        }
    }

    /// Stores the next group, like [`OwnDataStore::write`], but returns errors. Returns whether
    /// anything was stored.
    fn try_write(&mut self, now: Timestamp, load: &EventLoad) -> Result<bool> {
        let closed = || Error::new(Code::Unavailable, "the storage could not be reopened");
        let store = self.store.as_mut().ok_or_else(closed)?;
        let (own, set, noted) = match &mut self.task {
            Task::Write { own, set, noted } => (own, set, noted),
            Task::Complete { set, corrected } => {
                let (Some(fields), Ok(known)) = (corrected.take(), store.set(*set).cloned()) else {
                    return Ok(false);
                };
                let noted = store.note(now, *set, &fields, known.state, &known.seen);
                *corrected = noted.is_err().then_some(fields);
                return noted.map(|()| true);
            }
            Task::Nothing | Task::Find(_) | Task::Read { .. } => return Ok(false),
        };
        let events = load.events();
        // The kinds of the fields may still change.
        if !load.is_settled() && load.is_loading() || events.is_empty() {
            return Ok(false);
        }
        own.fields = events.fields().to_vec();
        if set.is_some_and(|number| store.set(number).is_err()) {
            // The storage was reopened, and does not have the set.
            (*set, *noted) = (None, Vec::new());
        }
        let number = match *set {
            Some(number) => number,
            None => *set.insert(store.begin(now, own)?),
        };
        if noted != events.fields() {
            store.note(now, number, events.fields(), LoadState::Loading, load.seen())?;
            *noted = events.fields().to_vec();
        }
        let stored = store.set(number)?.events;
        let (waiting, loading) = (events.len() as u32 - stored, load.is_loading());
        if waiting >= crate::stored_sets::GROUP_EVENTS || waiting > 0 && !loading {
            store.put(now, number, events)?;
            self.maintenance_due = store.maintain(now);
            return Ok(true);
        }
        if waiting == 0 && !loading {
            store.note(now, number, events.fields(), load.state().clone(), load.seen())?;
            self.task = Task::Complete { set: number, corrected: None };
            self.changed = true;
            return Ok(true);
        }
        Ok(false)
    }

    /// Decides what to do after storage has failed.
    fn refuse(&mut self, now: Timestamp, error: Error) {
        let (since, _) = *self.refused.get_or_insert((now, now));
        self.refused = Some((since, now + RETRY_MICROS));
        let may_pass = error.code == Code::Unavailable;
        if may_pass && now - since < PATIENCE_MICROS {
            return;
        }
        // After a write with an unknown outcome, a table refuses writes until it is reopened.
        if may_pass && !std::mem::replace(&mut self.reopened, true) {
            match self.open(now) {
                Persistence::Here => {
                    self.refused = Some((now, now + RETRY_MICROS));
                    return;
                }
                Persistence::Without(error) => return self.read_only(now, error),
                damaged => {
                    (self.persistence, self.changed) = (damaged, true);
                    return;
                }
            }
        }
        self.read_only(now, error);
    }

    /// Makes the storage read-only for a while. The next failure starts a new period of retries.
    fn read_only(&mut self, now: Timestamp, error: Error) {
        (self.refused, self.reopened) = (Some((now + LATER_MICROS, now + LATER_MICROS)), false);
        let persistence = match error.code {
            Code::DataLoss => Persistence::Broken(error),
            _ => Persistence::ReadOnly(error),
        };
        self.changed |= self.persistence != persistence;
        self.persistence = persistence;
    }

    /// Allows writes again after something was deleted.
    fn retry_after_delete(&mut self, now: Timestamp) {
        if matches!(&self.persistence, Persistence::ReadOnly(_)) {
            self.persistence = Persistence::Here;
            self.reopened = false;
            self.refused = Some((now, now));
            self.changed = true;
        }
    }
}
