//! A workspace with its tables, and the runs of jobs on them. Two entry points: `handle` for
//! requests and `advance` for background work.

mod hand_writes;
mod mark;
mod migration;
mod rest;
mod stage;
mod workspace;

use tabletop_design::{OpenRead, OpenTrace, jobs};
use tabletop_model::{Result, Timestamp};
use tabletop_protocol::{Answer, Ask, Clock, Jobs, Kind, Simulate};

use crate::load::Fetch;
use crate::own_data_store::StorageEvent;
use migration::MigrationHandle;
pub use stage::Next;
use stage::Stage;

/// The jobs of a worker.
const KINDS: &[Kind<Stage>] = &[
    Kind::of::<OpenRead>(),
    Kind::of::<OpenTrace>(),
    Kind::of::<jobs::QueryTouch>(),
    Kind::of::<jobs::MeasureRun>(),
    Kind::of::<jobs::ReadOnDesigns>(),
    Kind::of::<jobs::ExpiredCount>(),
    Kind::of::<jobs::KeySample>(),
    Kind::of::<jobs::GatherRun>(),
    Kind::of::<jobs::OpenSimulation>(),
    Kind::of::<jobs::TraceReader>(),
    Kind::of::<jobs::OpenProfiles>(),
    Kind::of::<jobs::OpenExperiment>(),
    Kind::of::<MigrationHandle>(),
];

/// A workspace, its loaded events, a table for each design, and all open runs of jobs.
pub struct Session {
    stage: Stage,
    jobs: Jobs<Stage>,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// Creates a session with the default workspace. Its events are loaded by [`Session::advance`].
    pub fn new() -> Session {
        Session { stage: Stage::new(true), jobs: Jobs::new(KINDS) }
    }

    /// Creates a session that measures no advice until a page asks for it with a view: the program
    /// that measures it arrives after the first picture.
    pub fn of_first_visit() -> Session {
        Session { stage: Stage::new(false), jobs: Jobs::new(KINDS) }
    }

    /// Returns the names of the jobs that a session runs.
    pub fn jobs() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(Kind::name)
    }

    /// Answers one request. `clock` returns the host's time in microseconds. Takes at most about
    /// one slice of work.
    pub fn handle(&mut self, clock: Clock, ask: Ask) -> Answer {
        let answer = match ask {
            Ask::Job(ask) => {
                let had_simulation = self.jobs.has_open::<Simulate>();
                let answer = self.jobs.handle(&mut self.stage, &ask, clock);
                // A simulation that waits for its tables is not open yet. Other runs must not drop
                // the tables that are built for it.
                if had_simulation && !self.jobs.has_open::<Simulate>() {
                    self.stage.forget_rest();
                }
                return Answer::Job(answer);
            }
            ask => self.stage.answer(clock(), ask).unwrap_or_else(Answer::Failed),
        };
        // The request may have changed the data that runs were begun with. These runs hold events
        // and tables, whose memory the new ones need: the next job's request may come much later.
        self.stage.drop_migration_of_others();
        self.jobs.drop_outdated(&self.stage);
        answer
    }

    /// Loads and writes about `count` events. Returns when to call it again.
    pub fn advance(&mut self, now: Timestamp, count: u32) -> Next {
        self.stage.advance(now, count)
    }

    /// Returns whether the table of this design lacks events that have arrived, or has none. A view
    /// of it is soon outdated.
    pub fn grows(&self, index: u32) -> bool {
        self.stage.grows(index)
    }

    /// Handles a result of the host's attempts to open the storage.
    pub fn on_storage_event(&mut self, now: Timestamp, event: StorageEvent) {
        self.stage.on_storage_event(now, event);
    }

    /// Returns whether the host has to open the storage that another tab held.
    pub fn take_reopen_request(&mut self) -> bool {
        self.stage.take_reopen_request()
    }

    /// Returns whether something has changed without a request since the last call.
    pub fn take_changed(&mut self) -> bool {
        self.stage.take_changed()
    }

    /// Returns the file that the host has to fetch, if the session waits for one.
    pub fn next_fetch(&self) -> Option<Fetch> {
        self.stage.next_fetch()
    }

    /// Accepts the file with this ticket, or the reason why it could not be fetched.
    pub fn fetched(&mut self, ticket: u32, file: Result<Vec<u8>>) {
        self.stage.fetched(ticket, file);
    }
}

#[cfg(test)]
mod tests {
    use tabletop_protocol::{JobAsk, KeysRequest, LoadSource, SampleKeys};
    use tabletop_workspace::Workspace;

    use super::*;

    #[test]
    fn a_request_that_replaces_the_events_closes_the_runs_on_them() {
        let mut session = Session::new();
        while session.advance(0, 4_096) != Next::Asked {}
        let begin = JobAsk::begin::<SampleKeys>(&KeysRequest { index: 0, share: 1.0 });
        let begun = session.handle(&|| 0, Ask::Job(begin));
        assert!(session.jobs.has_open::<SampleKeys>(), "{begun:?}");
        session.handle(&|| 0, Ask::Workspace);
        assert!(session.jobs.has_open::<SampleKeys>(), "a request that changes nothing keeps it");
        session.handle(&|| 0, Ask::SetWorkspace { workspace: Workspace::default(), load: LoadSource::Again });
        assert!(!session.jobs.has_open::<SampleKeys>());
    }
}
