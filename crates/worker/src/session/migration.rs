//! The migration during a stream of events.
//!
//! Its tables are next to the user's own events in the browser's storage, and each request is one
//! record of a commit log and one sync. So if the tab is killed, another visit finds the migration
//! ([`MigrationRequest::Find`]). A tab without storage keeps the tables in memory. The tables
//! outlive the run: a run is only the page's handle on the migration of its host.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use tabletop_design::Tables;
use tabletop_design::migration::{MigrationBegun, MigrationRun};
use tabletop_engine::{Budget, Instance, MemoryStorage};
use tabletop_model::{Code, Error, Request, Result, Timestamp};
use tabletop_protocol::{
    Begin, Clock, JobError, Persistence, Progress, Run,
    migration::{
        Migrate, MigrationChoice, MigrationOrder, MigrationRequest, MigrationSlice, MigrationStep,
        MigrationVisit,
    },
};
use tabletop_workload::Events;

use super::stage::Stage;
use crate::own_data_store::OwnDataStore;
use crate::shared_storage::SharedStorage;

/// Budget of the compaction between two slices. It includes garbage collection.
const MAINTENANCE: Budget = Budget { bytes: 128 << 10 };
/// Number of consecutive storage failures after which the storage is reopened. The page retries
/// four times a second.
const FAILURES: u32 = 8;

/// The migration of a host.
pub(super) struct OpenMigration {
    /// The events that stream into it.
    events: Arc<Events>,
    visit: MigrationVisit,
    home: Home,
    /// The run; `None` after an error, when only the stored rows are reliable.
    run: Option<MigrationRun>,
    /// Number of consecutive storage failures.
    failures: u32,
}

/// Where the tables are stored.
enum Home {
    /// In the browser's storage.
    Stored,
    /// In memory.
    Memory(Box<Instance<SharedStorage>>),
}

impl Home {
    fn instance<'a>(&'a mut self, own_data: &'a mut OwnDataStore) -> Result<&'a mut Instance<SharedStorage>> {
        let closed = || {
            Error::new(
                Code::FailedPrecondition,
                "the storage is no longer open in this tab: the storage view shows why",
            )
        };
        match self {
            Home::Memory(instance) => Ok(instance),
            Home::Stored => own_data.instance().ok_or_else(closed),
        }
    }
}

/// Calls `work` with the tables of an instance.
fn with_tables<T>(
    instance: &mut Instance<SharedStorage>,
    now: Timestamp,
    work: impl FnOnce(&mut Tables) -> Result<T>,
) -> Result<T> {
    let mut ask = |request: Request| instance.handle(now, request);
    work(&mut Tables::new(&mut ask))
}

/// A page's handle on the migration of the host, or on what prevents it.
pub(super) enum MigrationHandle {
    /// The migration of these events.
    On(Arc<Events>),
    /// There is no migration of these events.
    Absent,
    /// A stored migration of other events is in the way.
    Occupied(String),
}

impl Begin<Stage> for MigrationHandle {
    #[inline(never)]
    fn begin(
        stage: &mut Stage,
        request: MigrationRequest,
        clock: Clock,
    ) -> Result<MigrationHandle, JobError> {
        stage.begin_migration(request, clock()).map_err(told_apart)
    }
}

impl Run<Stage> for MigrationHandle {
    type Job = Migrate;

    #[inline(never)]
    fn next(
        &mut self,
        stage: &mut Stage,
        step: MigrationStep,
        clock: Clock,
    ) -> Result<Progress<Migrate>, JobError> {
        match (self, step) {
            (MigrationHandle::Absent, _) => Ok(Progress::Last(MigrationSlice::Absent)),
            (MigrationHandle::Occupied(of_others), _) => {
                Ok(Progress::Last(MigrationSlice::Occupied(of_others.clone())))
            }
            (MigrationHandle::On(_), MigrationStep::Remove) => {
                stage.remove_migration(clock()).map_err(told_apart)?;
                Ok(Progress::Last(MigrationSlice::Absent))
            }
            (MigrationHandle::On(_), MigrationStep::Work(order)) => {
                stage.migrate(order, clock).map(Progress::More).map_err(told_apart)
            }
        }
    }

    fn is_current(&self, stage: &Stage) -> bool {
        match self {
            MigrationHandle::On(events) => {
                let is_of = |of: &Arc<Events>| Arc::ptr_eq(of, events);
                is_of(stage.load.events()) && stage.migration.as_ref().is_some_and(|open| is_of(&open.events))
            }
            // Such a run has only one slice.
            MigrationHandle::Absent | MigrationHandle::Occupied(_) => true,
        }
    }
}

/// Classifies an error of the tables of a migration by what the page can do about it.
fn told_apart(error: Error) -> JobError {
    match error.code {
        Code::Unavailable => JobError::NotReady(error),
        Code::FailedPrecondition | Code::InvalidArgument => JobError::Unfit(error),
        Code::Cancelled => JobError::Gone,
        _ => JobError::Failed(error),
    }
}

impl Stage {
    /// Drops the migration if its events are not the loaded ones. Its tables stay if they are
    /// stored.
    pub(super) fn drop_migration_of_others(&mut self) {
        let events = self.load.events();
        self.migration.take_if(|open| !Arc::ptr_eq(&open.events, events));
    }

    fn begin_migration(&mut self, request: MigrationRequest, now: Timestamp) -> Result<MigrationHandle> {
        let found = match (&request, self.find_migration(now)) {
            (MigrationRequest::Find, found) => found?,
            (MigrationRequest::Begin(_), Err(error)) if error.code == Code::Unavailable => return Err(error),
            // A migration that cannot be resumed is replaced. One that can be resumed was begun in
            // another visit or by an earlier click, and its rows are the user's work.
            (MigrationRequest::Begin(_), found) => found.unwrap_or(false),
        };
        match request {
            _ if found => Ok(MigrationHandle::On(self.load.events().clone())),
            MigrationRequest::Find => Ok(MigrationHandle::Absent),
            MigrationRequest::Begin(choice) => self.begin_chosen(&choice, now),
        }
    }

    fn begin_chosen(&mut self, choice: &MigrationChoice, now: Timestamp) -> Result<MigrationHandle> {
        let mut home = self.migration_home()?;
        let (source, events) = (&self.workspace.source, self.load.events());
        let instance = home.instance(&mut self.own_data)?;
        match with_tables(instance, now, |tables| MigrationRun::begin(tables, choice, source, events))? {
            MigrationBegun::Occupied(of_others) => Ok(MigrationHandle::Occupied(of_others)),
            MigrationBegun::Run(run) => {
                self.keep_migration(home, *run, false);
                Ok(MigrationHandle::On(self.load.events().clone()))
            }
        }
    }

    /// Works for a slice.
    fn migrate(&mut self, order: MigrationOrder, clock: Clock) -> Result<MigrationSlice> {
        let now = clock();
        let open = self.migration.as_mut().ok_or_else(ended)?;
        let OpenMigration { events, visit, home, run, failures } = open;
        let source = &self.workspace.source;
        let instance = home.instance(&mut self.own_data)?;
        let worked = with_tables(instance, now, |tables| {
            let run = match run {
                Some(run) => run,
                None => run.insert(MigrationRun::find(tables, source, events)?.ok_or_else(ended)?),
            };
            run.go(tables, events, order, clock)?;
            Ok((run.look(tables, *visit)?, run.now()))
        });
        match worked {
            Ok((chunk, newest)) => {
                *failures = 0;
                instance.set_gc_time(Some(newest));
                instance.advance(now, MAINTENANCE);
                Ok(MigrationSlice::At(Box::new(chunk)))
            }
            Err(error) => {
                *run = None;
                if error.code == Code::Unavailable {
                    *failures += 1;
                    if failures.is_multiple_of(FAILURES) {
                        self.own_data.reopen(now);
                    }
                }
                Err(error)
            }
        }
    }

    /// Returns where the tables of a migration are stored that is begun or found now.
    fn migration_home(&self) -> Result<Home> {
        if self.load.is_loading() {
            return Err(Error::new(Code::Unavailable, "the events are being loaded: try again"));
        }
        match self.own_data.persistence() {
            Persistence::Here => Ok(Home::Stored),
            Persistence::Opening => {
                Err(Error::new(Code::Unavailable, "the browser's storage is being opened: try again"))
            }
            _ => {
                let files = SharedStorage(Rc::new(RefCell::new(MemoryStorage::default())));
                Ok(Home::Memory(Box::new(Instance::on(files))))
            }
        }
    }

    fn keep_migration(&mut self, home: Home, run: MigrationRun, is_resumed: bool) {
        let visit = MigrationVisit { is_stored: matches!(home, Home::Stored), is_resumed };
        self.migration = Some(OpenMigration {
            events: self.load.events().clone(),
            visit,
            home,
            run: Some(run),
            failures: 0,
        });
    }

    /// Returns whether there is a migration of the loaded events, in this visit or from an earlier
    /// one.
    fn find_migration(&mut self, now: Timestamp) -> Result<bool> {
        self.drop_migration_of_others();
        if self.migration.is_some() {
            return Ok(true);
        }
        let mut home = self.migration_home()?;
        let (source, events) = (&self.workspace.source, self.load.events());
        let instance = home.instance(&mut self.own_data)?;
        let found = with_tables(instance, now, |tables| MigrationRun::find(tables, source, events))?;
        let Some(run) = found else { return Ok(false) };
        self.keep_migration(home, run, true);
        Ok(true)
    }

    fn remove_migration(&mut self, now: Timestamp) -> Result<()> {
        let open = self.migration.as_mut().ok_or_else(ended)?;
        with_tables(open.home.instance(&mut self.own_data)?, now, MigrationRun::remove)?;
        self.migration = None;
        Ok(())
    }
}

fn ended() -> Error {
    Error::new(Code::Cancelled, "this migration was removed: start it again")
}
