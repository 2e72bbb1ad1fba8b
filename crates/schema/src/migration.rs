//! A migration beside a stream of events, and how it travels from the worker to the page.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{RowKey, TableWork, Timestamp};

use crate::{Design, Job};

/// The most events of a round in the page: the first ones.
pub const MIGRATION_EVENTS_MAX: u32 = 50_000;

/// Migrates a table during a stream of events. A host has one migration at most, and its tables outlive the run.
pub struct Migrate;

impl Job for Migrate {
    const NAME: &'static str = "migrate";
    type Request = MigrationRequest;
    type Order = MigrationStep;
    type Chunk = MigrationSlice;
}

/// What a run of a migration is begun with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MigrationRequest {
    /// Find the migration of these events, including one of an earlier visit whose tables are stored.
    Find,
    /// Begin with an empty table, or find the migration that was begun before.
    Begin(MigrationChoice),
}

/// What a slice of a migration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationStep {
    /// Work for a slice of time.
    Work(MigrationOrder),
    /// Remove the tables.
    Remove,
}

impl Default for MigrationStep {
    fn default() -> Self {
        MigrationStep::Work(MigrationOrder::default())
    }
}

/// What a slice of a migration returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MigrationSlice {
    /// The state of the migration.
    At(Box<MigrationChunk>),
    /// There is no migration of these events, or it was removed.
    Absent,
    /// A stored migration of other events has its tables where this one would have them. Nothing was begun: the choice has to say
    /// that it replaces them. The text says which events.
    Occupied(String),
}

/// What the user chooses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MigrationChoice {
    /// The design of the table that exists.
    pub from: Design,
    /// The design of the table that is made.
    pub to: Design,
    /// The age in days from which GC removes events, 1 or more.
    pub retention_days: u32,
    /// Whether it takes the place of a stored one of other events.
    pub replaces_other: bool,
}

/// What happens in a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationOrder {
    /// What is decided before anything else.
    pub decision: Option<MigrationDecision>,
    /// How many events arrive in a second; 0 for none.
    pub events_per_second: u32,
    /// Whether the step continues by itself: copies, compares, drops.
    pub works: bool,
}

/// A decision of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationDecision {
    /// Makes the new table, and writes events into both.
    DualWrites,
    /// Reads from the new table.
    Switch,
    /// Reads from the old table again.
    SwitchBack,
    /// Stops writing the old table, and drops it.
    Drop,
    /// Drops the new table, and continues as before.
    Undo,
    /// Copies and compares all rows again, after a difference.
    CopyAgain,
}

/// A step of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationStage {
    /// The new table is being made.
    Creating,
    /// New events are written into both tables; older ones are in the old one.
    DualWrites,
    /// Older events are being copied.
    Backfilling,
    /// Events of the old table are looked up in the new one.
    Verifying,
    /// Events of the new table are looked up in the old one.
    VerifyingBack,
    /// Both tables hold the same events. Reads are from the old one.
    Ready,
    /// Reads are from the new one. Both are written.
    Switched,
    /// Events of the old table are looked up in the new one once more. Reads are from the new one.
    Checking,
    /// The old table is being dropped, and not written any more.
    Dropping,
    /// Only the new table is left.
    Done,
    /// The new table is being dropped, and not written any more.
    Undoing,
    /// Only the old table is left.
    Undone,
}

impl MigrationStage {
    const ALL: [(MigrationStage, &'static str); 12] = [
        (MigrationStage::Creating, "creating"),
        (MigrationStage::DualWrites, "dual writes"),
        (MigrationStage::Backfilling, "backfilling"),
        (MigrationStage::Verifying, "verifying"),
        (MigrationStage::VerifyingBack, "verifying back"),
        (MigrationStage::Ready, "ready"),
        (MigrationStage::Switched, "switched"),
        (MigrationStage::Checking, "checking"),
        (MigrationStage::Dropping, "dropping"),
        (MigrationStage::Done, "done"),
        (MigrationStage::Undoing, "undoing"),
        (MigrationStage::Undone, "undone"),
    ];

    /// The stage in words, as its row has it.
    pub fn name(self) -> &'static str {
        MigrationStage::ALL.into_iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// The stage of this name.
    pub fn named(name: &str) -> Option<MigrationStage> {
        MigrationStage::ALL.into_iter().find(|(_, known)| *known == name).map(|(stage, _)| stage)
    }

    /// Whether new events are written into the old table.
    pub fn writes_old(self) -> bool {
        !matches!(self, MigrationStage::Dropping | MigrationStage::Done)
    }

    /// Whether new events are written into the new table.
    pub fn writes_new(self) -> bool {
        !matches!(self, MigrationStage::Creating | MigrationStage::Undoing | MigrationStage::Undone)
    }

    /// Whether new events are written into both.
    pub fn writes_both(self) -> bool {
        self.writes_old() && self.writes_new()
    }

    /// Whether reads are from the new table.
    pub fn reads_new(self) -> bool {
        matches!(self, MigrationStage::Switched | MigrationStage::Checking | MigrationStage::Dropping | MigrationStage::Done)
    }
}

/// What a host knows of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationVisit {
    /// Whether the tables are stored in this browser: then another visit resumes it. Else they are in memory, and end with the tab.
    pub is_stored: bool,
    /// Whether it was begun by an earlier visit.
    pub is_resumed: bool,
}

/// How far a migration is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MigrationChunk {
    /// Which one, and where its tables are.
    pub visit: MigrationVisit,
    /// The names of the two designs.
    pub designs: [String; 2],
    /// The stream of events.
    pub stream: MigrationStream,
    /// The age in days from which GC removes events.
    pub retention_days: u32,
    /// The stage; `None` while events are written into the old table only.
    pub stage: Option<MigrationStage>,
    /// Events that were copied by the backfill. Their number is saved with the place that it has reached: a kill counts none twice.
    pub copied: u64,
    /// Events of the writes into both tables, as they arrived. A write that is repeated after a kill or an error counts again.
    pub dual_written: u64,
    /// Events that the verification has compared.
    pub compared: u64,
    /// The share of the stage that is done, from 0 to 1, if it is known.
    pub share: Option<f64>,
    /// The key after which the stage resumes; empty at its beginning. Rows after it are not done yet.
    pub after: RowKey,
    /// The first difference that the verification has found.
    pub difference: Option<MigrationDifference>,
    /// Fields that only new events have in the new table.
    pub new_fields: Vec<String>,
    /// The old table, if there is one.
    pub old: Option<MigratedTable>,
    /// The new table, if there is one.
    pub new: Option<MigratedTable>,
    /// Rows of the old table that the new one lacks, while older events are to be copied, if events have rows of their own in both. It is as
    /// exact as the counts of both tables.
    pub missing: Option<u64>,
}

/// An event that one of the two tables holds and the other does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationDifference {
    /// Whether the old table holds it. Else the new one does.
    pub is_in_old: bool,
    /// The row there.
    pub key: RowKey,
    /// The event, as its fields and texts.
    pub event: String,
}

/// The stream of events: those of the workspace, round after round, each round later than the one before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MigrationStream {
    /// Events that have arrived, also those that were refused.
    pub arrived: u64,
    /// Events that are written before the stream begins, as fast as possible.
    pub history: u64,
    /// Whether no more events follow, because those of the workspace cannot be repeated with later times.
    pub is_over: bool,
    /// How many times longer the times between events are than those of the workspace, 1 or more.
    pub stretch: u64,
    /// Events that a design cannot write.
    pub refused: u64,
    /// Why the first of them cannot be written.
    pub refusal: String,
    /// The latest time of an event so far, which GC takes for the present; microseconds since 1970.
    pub now: Timestamp,
    /// The 99th percentile of the latencies with the old table only; microseconds. A latency is the time from the moment when a group of
    /// events is due to the moment when it is stored.
    pub p99_alone: Option<u64>,
    /// The same with both tables, before the backfill.
    pub p99_before: Option<u64>,
    /// The same since the backfill has begun.
    pub p99: Option<u64>,
}

/// A table of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MigratedTable {
    /// Rows.
    pub rows: u64,
    /// Cells.
    pub cells: u64,
    /// Whether rows and cells are counted exactly.
    pub is_exact: bool,
    /// Bytes stored.
    pub bytes: u64,
    /// The work of its writes.
    pub work: TableWork,
    /// Rows that GC has removed, if events have rows of their own: about those of events that have arrived and are not there.
    pub removed: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_names_of_their_own_and_new_events_are_always_written() {
        for (stage, name) in MigrationStage::ALL {
            assert_eq!((stage.name(), MigrationStage::named(name)), (name, Some(stage)));
            assert!(stage.writes_old() || stage.writes_new());
            assert!(!stage.reads_new() || stage.writes_new(), "what is read is written");
        }
        assert_eq!(MigrationStage::named("other"), None);
    }
}
