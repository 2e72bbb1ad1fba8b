//! Requests whose messages are encoded on their own, so that the code for them need not be fetched with that of the other messages:
//! writes by hand, what a query does, and the views Traffic and Profiles.

use tabletop_model::{Result, wire};
use tabletop_schema::experiment::{ExperimentAsk, ExperimentChunk};
use tabletop_schema::migration::{MigrationAsk, MigrationChunk};
use tabletop_schema::{
    Answer, Ask, HandWritesAsk, KeptWrites, MarkAsk, Marks, ProfilesAsk, ProfilesChunk, SimulateAsk, SimulationChunk, TouchAsk,
    TouchChunk, TraceAsk, TraceChunk, TraceStreams,
};

use crate::Client;

impl Client {
    /// The writes by hand that the person has not taken back, to be kept for a reload.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn kept_writes(&self) -> Result<KeptWrites> {
        self.ask(Ask::HandWrites(wire::encode(&HandWritesAsk::Keep).into()), |answer| match answer {
            Answer::HandWrites(kept) => wire::decode(&kept).ok(),
            _ => None,
        })
        .await
    }

    /// Does writes by hand of an earlier visit again: the next workspace that is sent has them, in designs of the same names, and no others.
    ///
    /// # Errors
    /// `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn restore_writes(&self, kept: KeptWrites) -> Result<()> {
        self.ask_done(Ask::HandWrites(wire::encode(&HandWritesAsk::Restore(kept)).into())).await
    }

    /// The next slice of a traced query: what the nodes of its filter do with its cells.
    ///
    /// # Errors
    /// As a read; `Cancelled` when the table was rebuilt.
    pub async fn trace(&self, ask: TraceAsk) -> Result<TraceChunk> {
        self.ask(Ask::Trace(wire::encode(&ask).into()), |answer| match answer {
            Answer::Traced(chunk) => wire::decode(&chunk).ok(),
            _ => None,
        })
        .await
    }

    /// What the patterns of a filter name in cells.
    ///
    /// # Errors
    /// `InvalidArgument` for a filter that a read refuses; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn mark(&self, ask: MarkAsk) -> Result<Marks> {
        self.ask(Ask::Mark(wire::encode(&ask).into()), |answer| match answer {
            Answer::Marked(marks) => wire::decode(&marks).ok(),
            _ => None,
        })
        .await
    }

    /// The next slice of a query that notes what it touches of the SSTables. It finds the cache as it is, and leaves it so.
    ///
    /// # Errors
    /// As a read; `Cancelled` when the table was rebuilt.
    pub async fn touch(&self, ask: TouchAsk) -> Result<TouchChunk> {
        self.ask(Ask::Touch(wire::encode(&ask).into()), |answer| match answer {
            Answer::Touched(chunk) => wire::decode(&chunk).ok(),
            _ => None,
        })
        .await
    }

    /// Begins a simulation of traffic on a design, continues one, or ends it. An end has no chunk.
    ///
    /// # Errors
    /// `FailedPrecondition` while a table of the design is not complete; `InvalidArgument` for a traffic with a problem; `NotFound` for
    /// a design that does not exist; `Cancelled` for a simulation that was dropped; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn simulate(&self, ask: SimulateAsk) -> Result<Option<SimulationChunk>> {
        self.ask(Ask::Simulate(wire::encode(&ask).into()), |answer| match answer {
            Answer::Simulated(chunk) => wire::decode(&chunk).ok().map(Some),
            Answer::Done => Some(None),
            _ => None,
        })
        .await
    }

    /// Makes streams of a trace: CSV with the columns `time`, `operation` and `key`. `name` is that of the file.
    ///
    /// # Errors
    /// `InvalidArgument` for a file without a request; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn read_trace(&self, name: String, bytes: Vec<u8>) -> Result<TraceStreams> {
        let ask = SimulateAsk::ReadTrace { name, bytes: bytes.into() };
        self.ask(Ask::Simulate(wire::encode(&ask).into()), |answer| match answer {
            Answer::Simulated(streams) => wire::decode(&streams).ok(),
            _ => None,
        })
        .await
    }

    /// Begins the pipelines of profiles of a design, does a slice of their work, or ends them. An end has no chunk.
    ///
    /// # Errors
    /// `FailedPrecondition` for a design or events that make no profiles; `InvalidArgument` for a strategy with problems; `NotFound` for
    /// a design that does not exist; `Cancelled` for pipelines that were dropped; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn profiles(&self, ask: ProfilesAsk) -> Result<Option<ProfilesChunk>> {
        self.ask(Ask::Profiles(wire::encode(&ask).into()), |answer| match answer {
            Answer::Profiles(chunk) => wire::decode(&chunk).ok().map(Some),
            Answer::Done => Some(None),
            _ => None,
        })
        .await
    }

    /// Begins the experiment of the article, does a slice of its work, or ends it. An end has no chunk.
    ///
    /// # Errors
    /// `InvalidArgument` for a choice out of range; `FailedPrecondition` for events that make no profiles; `Cancelled` for one that was
    /// dropped; `Unavailable` once the worker has stopped.
    #[inline(never)]
    pub async fn experiment(&self, ask: ExperimentAsk) -> Result<Option<ExperimentChunk>> {
        self.ask(Ask::Experiment(wire::encode(&ask).into()), |answer| match answer {
            Answer::Experiment(chunk) => wire::decode(&chunk).ok().map(Some),
            Answer::Done => Some(None),
            _ => None,
        })
        .await
    }

    /// Finds, begins, continues or removes the migration. There is no chunk where there is none.
    ///
    /// # Errors
    /// `FailedPrecondition` for designs between which events cannot be copied, for a decision that is not possible now, and for other events;
    /// `Unavailable` while the storage is being opened or refuses, and once the worker has stopped; `DataLoss` for rows that are damaged;
    /// `Cancelled` for one that was removed.
    #[inline(never)]
    pub async fn migrate(&self, ask: MigrationAsk) -> Result<Option<MigrationChunk>> {
        self.ask(Ask::Migration(wire::encode(&ask).into()), |answer| match answer {
            Answer::Migration(chunk) => wire::decode(&chunk).ok().map(Some),
            Answer::Done => Some(None),
            _ => None,
        })
        .await
    }
}
