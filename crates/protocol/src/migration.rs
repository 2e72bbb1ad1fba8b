//! A migration next to a stream of events, as it is sent between the worker and the page.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{RowKey, TableWork, Timestamp};
use tabletop_workspace::Design;

use crate::Job;

/// The maximum number of events in a round of the page's stream: the first ones.
pub const MIGRATION_EVENTS_MAX: u32 = 50_000;

/// Migrates a table during a stream of events. A host has at most one migration, and its tables
/// outlive the run.
pub struct Migrate;

impl Job for Migrate {
    const NAME: &'static str = "migrate";
    type Request = MigrationRequest;
    type Order = MigrationStep;
    type Chunk = MigrationSlice;
}

/// How a run of a migration begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum MigrationRequest {
    /// Finds the migration of these events, including one from an earlier visit whose tables are
    /// stored.
    Find,
    /// Begins with an empty table, or finds the migration that was begun earlier.
    Begin(MigrationChoice),
}

/// What a slice of a migration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationStep {
    /// Works for a slice of time.
    Work(MigrationOrder),
    /// Removes the tables.
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
    /// A stored migration of other events uses the tables that this one would use. Nothing was
    /// begun: the choice must say that it replaces that migration. The text names its events.
    Occupied(String),
}

/// The user's choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MigrationChoice {
    /// The design of the existing table.
    pub from: Design,
    /// The design of the new table.
    pub to: Design,
    /// The age in days above which GC removes events, 1 or more.
    pub retention_days: u32,
    /// Whether this migration replaces a stored migration of other events.
    pub replaces_other: bool,
}

/// The order of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationOrder {
    /// A decision, which is applied before anything else.
    pub decision: Option<MigrationDecision>,
    /// How many events arrive per second; 0 pauses the stream.
    pub events_per_second: u32,
    /// Whether the current step makes progress: copies, compares or drops.
    pub works: bool,
}

/// A decision of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationDecision {
    /// Creates the new table, and writes events into both tables.
    DualWrites,
    /// Switches reads to the new table.
    Switch,
    /// Switches reads back to the old table.
    SwitchBack,
    /// Stops writing to the old table, and drops it.
    Drop,
    /// Abandons the migration: drops the new table and keeps the old one.
    Undo,
    /// Copies and compares all rows again, after a difference.
    CopyAgain,
}

/// A step of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MigrationStage {
    /// The new table is being made.
    Creating,
    /// New events are written into both tables; older ones are only in the old table.
    DualWrites,
    /// Older events are being copied.
    Backfilling,
    /// Events of the old table are looked up in the new one.
    Verifying,
    /// Events of the new table are looked up in the old one.
    VerifyingBack,
    /// Both tables have the same events. Reads use the old table.
    Ready,
    /// Reads use the new table. Both tables are written.
    Switched,
    /// Events of the old table are looked up in the new one once more. Reads use the new table.
    Checking,
    /// The old table is being dropped, and is no longer written.
    Dropping,
    /// Only the new table is left.
    Done,
    /// The new table is being dropped, and is no longer written.
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

    /// Returns the name of the stage, as the row of the state stores it.
    pub fn name(self) -> &'static str {
        MigrationStage::ALL.into_iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// Returns the stage with this name.
    pub fn named(name: &str) -> Option<MigrationStage> {
        MigrationStage::ALL.into_iter().find(|(_, known)| *known == name).map(|(stage, _)| stage)
    }

    /// Returns whether new events are written into the old table.
    pub fn writes_old(self) -> bool {
        !matches!(self, MigrationStage::Dropping | MigrationStage::Done)
    }

    /// Returns whether new events are written into the new table.
    pub fn writes_new(self) -> bool {
        !matches!(self, MigrationStage::Creating | MigrationStage::Undoing | MigrationStage::Undone)
    }

    /// Returns whether new events are written into both tables.
    pub fn writes_both(self) -> bool {
        self.writes_old() && self.writes_new()
    }

    /// Returns whether reads use the new table.
    pub fn reads_new(self) -> bool {
        matches!(
            self,
            MigrationStage::Switched
                | MigrationStage::Checking
                | MigrationStage::Dropping
                | MigrationStage::Done
        )
    }
}

/// What a host knows about a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationVisit {
    /// Whether the tables are stored in this browser, so that another visit can resume the
    /// migration. Otherwise they are in memory, and are lost with the tab.
    pub is_stored: bool,
    /// Whether the migration was begun in an earlier visit.
    pub is_resumed: bool,
}

/// The progress of a migration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MigrationChunk {
    /// Whether the migration is stored, and whether it was resumed.
    pub visit: MigrationVisit,
    /// The names of the two designs.
    pub designs: [String; 2],
    /// The stream of events.
    pub stream: MigrationStream,
    /// The age in days above which GC removes events.
    pub retention_days: u32,
    /// The stage; `None` while events are written into the old table only.
    pub stage: Option<MigrationStage>,
    /// Events that the backfill has copied. The count is saved together with the position of the
    /// backfill, so a kill does not count an event twice.
    pub copied: u64,
    /// Events that were written into both tables as they arrived. A write that is repeated after a
    /// kill or an error counts again.
    pub dual_written: u64,
    /// Events that the verification has compared.
    pub compared: u64,
    /// The share of the stage that is done, from 0 to 1; `None` if it is not known.
    pub share: Option<f64>,
    /// The key after which the stage resumes; empty at its beginning. Later rows are not done yet.
    pub after: RowKey,
    /// The first difference that the verification has found.
    pub difference: Option<MigrationDifference>,
    /// Fields that only newly arriving events have in the new table.
    pub new_fields: Vec<String>,
    /// The old table, if it exists.
    pub old: Option<MigratedTable>,
    /// The new table, if it exists.
    pub new: Option<MigratedTable>,
    /// Number of rows of the old table that the new one lacks, while older events are being copied.
    /// `None` if events do not have their own rows in both tables. It is as exact as the row counts
    /// of the tables.
    pub missing: Option<u64>,
}

/// An event that one of the two tables has and the other does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MigrationDifference {
    /// Whether the old table has it; otherwise the new table does.
    pub is_in_old: bool,
    /// The row of the event in that table.
    pub key: RowKey,
    /// The event, as its fields and texts.
    pub event: String,
}

/// The stream of events: the events of the workspace, in rounds, each later than the one before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MigrationStream {
    /// Number of events that have arrived, including refused ones.
    pub arrived: u64,
    /// Number of events that are written before the stream begins, as fast as possible.
    pub history: u64,
    /// Whether no events remain, because the events of the workspace cannot be repeated with later
    /// times.
    pub is_over: bool,
    /// The factor by which the times between events are longer than in the workspace, 1 or more.
    pub stretch: u64,
    /// Number of events that a design cannot write.
    pub refused: u64,
    /// Why the first refused event cannot be written.
    pub refusal: String,
    /// The latest time of an event so far, which GC uses as the current time, in microseconds since
    /// 1970.
    pub now: Timestamp,
    /// The 99th percentile of the latencies before dual writes, in microseconds. A latency is the
    /// time from the moment when a group of events is due to the moment when it is stored.
    pub p99_alone: Option<u64>,
    /// The 99th percentile of the latencies during dual writes and before the backfill, in
    /// microseconds.
    pub p99_before: Option<u64>,
    /// The 99th percentile of the latencies since the backfill has begun, in microseconds.
    pub p99: Option<u64>,
}

/// A table of a migration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MigratedTable {
    /// Number of rows.
    pub rows: u64,
    /// Number of cells.
    pub cells: u64,
    /// Whether these counts are exact.
    pub is_exact: bool,
    /// Number of stored bytes.
    pub bytes: u64,
    /// The work of the writes to the table.
    pub work: TableWork,
    /// Number of rows that GC has removed; `None` unless each event has its own row. It is
    /// approximate: the number of arrived events that are not in the table.
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
