//! What the page remembers in addition to the workspace: the file that was given for a missing one,
//! manual writes, and figures before an edit.

use std::rc::Rc;

use tabletop_advice::Snapshot;
use tabletop_workspace::{Design, OwnData};

use super::look::{Change, Part};

/// Own events that were given when those of the workspace were missing.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenFile {
    /// The missing events, as the workspace had them.
    pub missing: OwnData,
    /// The events that were given.
    pub given: OwnData,
}

impl GivenFile {
    /// Returns whether these are certainly not the missing events.
    pub fn is_other(&self) -> bool {
        !self.missing.may_be(&self.given)
    }
}

/// The note on own events that were given for missing ones.
#[derive(Clone, Default)]
pub struct GivenNote {
    /// Whether the user has closed the note.
    pub is_closed: bool,
}

impl Part for GivenNote {
    fn follow(&mut self, change: &Change) {
        if matches!(change, Change::Source) {
            self.is_closed = false;
        }
    }
}

/// What the page knows of manual writes.
pub struct HandWrites {
    /// The number of the newest write in the history.
    pub(super) newest: u32,
    /// The numbers of the undone writes, for the engine.
    pub taken_back: Rc<[u32]>,
    /// The text of the writes saved for a reload; empty if there are none.
    pub kept: Rc<str>,
}

impl Default for HandWrites {
    fn default() -> Self {
        HandWrites { newest: 0, taken_back: Rc::new([]), kept: "".into() }
    }
}

impl HandWrites {
    /// Returns what the saved text depends on; `None` without manual writes.
    pub fn kept_of(&self) -> Option<(u32, Rc<[u32]>)> {
        (self.newest > 0 || !self.kept.is_empty()).then(|| (self.newest, self.taken_back.clone()))
    }
}

/// The figures before an edit.
pub struct LastEdit {
    pub(super) before: Snapshot,
    /// The design before the edit.
    pub(super) design: Design,
    /// The revision of the table before the edit: a later one has the edit.
    pub(super) revision: u64,
}

/// The figures of all tables before their list was changed.
pub struct LastListEdit {
    pub(super) before: Snapshot,
}
