//! The background work of a table as one value: what is due, what is in progress, and what has
//! failed.

use tabletop_model::{Error, Timestamp};

use crate::table::due::Due;
use crate::table::plan::{Compaction, Compactions};

/// How long garbage that is worth a compaction may wait, unless the host sets another delay.
pub(crate) const GC_DELAY_MICROS: i64 = 2_000_000;

/// The state of a table's background work.
#[derive(Debug)]
pub(crate) struct Background {
    pub due: Due,
    /// The merging or major compaction that is in progress.
    pub compaction: Option<Compaction>,
    /// Whether the host is writing memtables.
    pub is_flushing: bool,
    /// Where compactions run.
    pub compactions: Compactions,
    /// Bytes of compaction that writes owe.
    pub debt: u64,
    /// How long garbage that is worth a compaction may wait, in microseconds.
    pub gc_delay: i64,
    /// The time that GC rules use as the current time; `None` for the time of a compaction.
    pub gc_time: Option<Timestamp>,
    /// The last error of the work; `None` once all of it has succeeded.
    pub error: Option<Error>,
    /// The last damage that a compaction has found. Its tablet is not compacted until the table is
    /// opened again.
    damage: Option<Error>,
    /// Whether the damage has not been taken yet.
    has_new_damage: bool,
}

impl Default for Background {
    fn default() -> Self {
        Background {
            due: Due::default(),
            compaction: None,
            is_flushing: false,
            compactions: Compactions::Here,
            debt: 0,
            gc_delay: GC_DELAY_MICROS,
            gc_time: None,
            error: None,
            damage: None,
            has_new_damage: false,
        }
    }
}

impl Background {
    /// Returns whether the host is running a step of a compaction.
    pub fn is_apart(&self) -> bool {
        self.compaction.as_ref().is_some_and(|compaction| compaction.merging.is_none())
    }

    /// Returns whether any work is in progress.
    pub fn is_running(&self) -> bool {
        self.compaction.is_some() || self.is_flushing
    }

    /// Records damage that a compaction has found.
    pub fn note_damage(&mut self, damage: Error) {
        (self.damage, self.has_new_damage) = (Some(damage), true);
    }

    /// Returns the last error: that of work that will be retried, otherwise damage.
    pub fn last_error(&self) -> Option<Error> {
        self.error.clone().or_else(|| self.damage.clone())
    }

    /// Returns the damage that a compaction has found since the last call.
    pub fn take_new_damage(&mut self) -> Option<Error> {
        self.damage.clone().filter(|_| core::mem::take(&mut self.has_new_damage))
    }

    /// Returns a copy for a copy of the table. No work may be in progress.
    pub fn fork(&self) -> Background {
        Background {
            due: self.due.clone(),
            compaction: None,
            is_flushing: false,
            error: self.error.clone(),
            damage: self.damage.clone(),
            ..*self
        }
    }
}
