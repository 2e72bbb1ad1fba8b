//! The figures before the last edit of the design on the screen, to say what the edit has changed.

use tabletop_schema::{Effect, ReadCost, Snapshot, Workspace};

use super::PageState;

/// The figures before an edit.
pub struct LastEdit {
    before: Snapshot,
    /// The revision of the table before the edit: a later one has the edit.
    revision: u64,
}

/// Whether an edit is part of the step of the history before it, as a letter that is typed after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is a step of its own.
    New,
    /// It continues the step.
    Continued,
}

impl PageState {
    /// Remembers the figures before an edit that leads to `next`, if it changes the design on the screen.
    pub(super) fn remember_figures(&mut self, next: &Workspace, step: Step) {
        let (now, at) = (&self.workspace, self.design);
        let same_list = now.designs.len() == next.designs.len();
        let designs = now.designs.get(at).zip(next.designs.get(at)).filter(|(now, next)| same_list && now.name == next.name);
        let Some((design, edited)) = designs.filter(|_| now.source == next.source) else {
            self.last_edit = None;
            return;
        };
        if (design, &now.cluster) == (edited, &next.cluster) || (step == Step::Continued && self.last_edit.is_some()) {
            return;
        }
        // The table of quick edits is not complete in between: what they change together is said.
        if let Some(before) = self.snapshot() {
            self.last_edit = Some(LastEdit { before, revision: self.view.revision });
        }
    }

    /// Returns what the last edit of the design on the screen has changed, the most important first. `None` before the table of the
    /// edited design is complete, and if there was no edit.
    pub fn effects(&self) -> Option<Vec<Effect>> {
        let last = self.last_edit.as_ref().filter(|last| self.view.revision > last.revision && self.shown.problems.is_empty())?;
        last.before.effects(&self.snapshot()?)
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let is_read = self.result.complete() && !self.answer_is_old();
        let cost = ReadCost { ranges: self.result.ranges, stats: self.result.stats };
        Snapshot::of(&self.view, is_read.then_some((&self.workspace.query, cost)))
    }
}
