//! The migration beside a stream of events, continued slice by slice as the page asks for more.
//!
//! Its tables are beside a person's own events in the browser's storage, and each request is one record of a commit log and one sync. So
//! after a kill of the tab another visit finds it ([`MigrationAsk::Find`]). A tab that stores nothing has the tables in memory.

use std::cell::RefCell;
use std::rc::Rc;

use tabletop_design::Tables;
use tabletop_design::migration::MigrationRun;
use tabletop_engine::{Budget, Instance, MemoryStorage};
use tabletop_model::{Code, Error, Request, Result, Timestamp, wire};
use tabletop_schema::migration::{MigrationAsk, MigrationId, MigrationOrder, MigrationVisit};
use tabletop_schema::{Answer, Persistence};

use super::Session;
use crate::own_data_store::OwnDataStore;
use crate::shared_storage::SharedStorage;

/// Compaction between two slices. GC is a part of it.
const MAINTENANCE: Budget = Budget { bytes: 128 << 10 };
/// Failures of the storage in a row after which it is opened again. The page asks again four times a second.
const FAILURES: u32 = 8;

/// A migration under way.
pub(super) struct OpenMigration {
    visit: MigrationVisit,
    home: Home,
    /// `None` after an error: the rows say how far it is.
    run: Option<MigrationRun>,
    /// Failures of the storage in a row.
    failures: u32,
}

/// Where the tables are.
enum Home {
    /// In the browser's storage.
    Stored,
    /// In memory.
    Memory(Box<Instance<SharedStorage>>),
}

/// When a migration was begun.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// By this visit.
    Now,
    /// By an earlier one.
    Before,
}

impl Home {
    fn instance<'a>(&'a mut self, own_data: &'a mut OwnDataStore) -> Result<&'a mut Instance<SharedStorage>> {
        let closed = || Error::new(Code::FailedPrecondition, "this tab has no storage open any more: the storage view shows why");
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

impl Session {
    /// Finds, begins, continues or removes the migration. `clock` returns microseconds.
    #[inline(never)]
    pub(crate) fn migrate(&mut self, ask: &[u8], clock: &dyn Fn() -> Timestamp) -> Result<Answer> {
        let now = clock();
        let (id, order) = match wire::decode(ask).map_err(|_| Error::invalid("this is no request for a migration"))? {
            MigrationAsk::Remove(id) => return self.remove_migration(id, now),
            MigrationAsk::Find => match self.find_migration(now)? {
                Some(id) => (id, MigrationOrder::default()),
                None => return Ok(Answer::Done),
            },
            MigrationAsk::Begin(choice) => match self.find_migration(now) {
                // It was begun in another visit, or by a click before: its rows are a person's work.
                Ok(Some(id)) => (id, MigrationOrder::default()),
                Err(error) if error.code == Code::Unavailable => return Err(error),
                // One that cannot go on is replaced.
                Ok(None) | Err(_) => {
                    let mut home = self.migration_home()?;
                    let (source, events) = (&self.workspace.source, self.load.events());
                    let instance = home.instance(&mut self.own_data)?;
                    let run = with_tables(instance, now, |tables| MigrationRun::begin(tables, &choice, source, events))?;
                    (self.keep_migration(home, run, Begun::Now), MigrationOrder::default())
                }
            },
            MigrationAsk::Go { id, order } => (id, order),
        };
        let open = self.migration.as_mut().filter(|open| open.visit.id == id).ok_or_else(ended)?;
        let (source, events) = (&self.workspace.source, self.load.events());
        let OpenMigration { visit, home, run, failures } = open;
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
                Ok(Answer::Migration(wire::encode(&chunk).into()))
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

    /// Where the tables of a migration are that is looked for, or begins.
    fn migration_home(&self) -> Result<Home> {
        if self.load.is_loading() {
            return Err(Error::new(Code::Unavailable, "the events are being loaded: try again"));
        }
        match self.own_data.persistence() {
            Persistence::Here => Ok(Home::Stored),
            Persistence::Opening => Err(Error::new(Code::Unavailable, "the browser's storage is being opened: try again")),
            _ => {
                let files = SharedStorage(Rc::new(RefCell::new(MemoryStorage::default())));
                Ok(Home::Memory(Box::new(Instance::on(files))))
            }
        }
    }

    fn keep_migration(&mut self, home: Home, run: MigrationRun, begun: Begun) -> MigrationId {
        self.last_read = self.last_read.wrapping_add(1);
        let (is_stored, is_resumed) = (matches!(home, Home::Stored), begun == Begun::Before);
        let visit = MigrationVisit { id: MigrationId(self.last_read), is_stored, is_resumed };
        self.migration = Some(OpenMigration { visit, home, run: Some(run), failures: 0 });
        visit.id
    }

    /// Returns the migration of this visit, or that of an earlier one.
    fn find_migration(&mut self, now: Timestamp) -> Result<Option<MigrationId>> {
        if let Some(open) = &self.migration {
            return Ok(Some(open.visit.id));
        }
        let mut home = self.migration_home()?;
        let (source, events) = (&self.workspace.source, self.load.events());
        let instance = home.instance(&mut self.own_data)?;
        let found = with_tables(instance, now, |tables| MigrationRun::find(tables, source, events))?;
        Ok(found.map(|run| self.keep_migration(home, run, Begun::Before)))
    }

    fn remove_migration(&mut self, id: MigrationId, now: Timestamp) -> Result<Answer> {
        let open = self.migration.as_mut().filter(|open| open.visit.id == id).ok_or_else(ended)?;
        with_tables(open.home.instance(&mut self.own_data)?, now, MigrationRun::remove)?;
        self.migration = None;
        Ok(Answer::Done)
    }
}

fn ended() -> Error {
    Error::new(Code::Cancelled, "this migration was removed: begin it again")
}
