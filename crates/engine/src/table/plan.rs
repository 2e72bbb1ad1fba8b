//! The plan of a merging or major compaction, and the state of the one in progress.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{CompactionView, TabletId, Timestamp};

use crate::storage::FileId;
use crate::table::merging::Merging;
use crate::table::run::Run;

/// What to merge in a tablet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Choice {
    /// How many runs of the group overlap.
    pub depth: usize,
    pub group: u8,
    pub inputs: Inputs,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Inputs {
    /// Runs with garbage, and all that overlap them, by their numbers in the group.
    Overlapping(Vec<usize>),
    /// This many of the newest runs.
    Newest(usize),
}

/// A merging or major compaction that was chosen.
#[derive(Debug)]
pub(crate) struct Plan {
    pub tablet: TabletId,
    /// The first key of the tablet.
    pub start: Vec<u8>,
    /// The locality group whose runs it merges.
    pub group: u8,
    /// The runs to merge, newest first. Runs of the group between them overlap none of them.
    pub inputs: Arc<[Run]>,
    /// The runs of the group that are older than all of the inputs and may overlap them. A
    /// compaction without any is a major one.
    pub older: Arc<[Run]>,
    /// When it was chosen; `None` for a compaction that a write runs.
    pub at: Option<Timestamp>,
    /// Whether it removes what GC rules allow; only a major compaction can.
    pub collects: bool,
    /// Whether it was chosen after the last call of
    /// [`Table::compact`](crate::table::Table::compact).
    pub is_asked_for: bool,
}

/// A merging or major compaction in progress.
#[derive(Debug)]
pub(crate) struct Compaction {
    pub plan: Plan,
    /// The file that is written.
    pub file: FileId,
    /// The merge; `None` while the host runs a step of it.
    pub merging: Option<Box<Merging>>,
}

/// Where the compactions run that a call finds due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compactions {
    /// In the call itself.
    Here,
    /// In the host, in steps of [`Table::take_step`](crate::table::Table::take_step).
    Apart,
}

impl Compaction {
    pub fn is_of(&self, tablet: TabletId) -> bool {
        self.plan.tablet == tablet
    }

    pub fn view(&self) -> CompactionView {
        CompactionView {
            files: self.plan.inputs.iter().map(|run| run.table.file.0).collect(),
            bytes: self.plan.inputs.iter().map(|run| run.size.bytes).sum(),
            written: self.merging.as_ref().map(|merging| merging.written()),
            is_major: self.plan.older.is_empty(),
        }
    }

    /// Returns the runs that the compaction has open.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.plan.inputs.iter().chain(&*self.plan.older)
    }

    /// Marks the compaction as chosen before the last call of
    /// [`Table::compact`](crate::table::Table::compact), so that it does not fulfil that request.
    pub fn supersede(&mut self) {
        self.plan.is_asked_for = false;
    }
}
