//! The figures before the last edit of the design shown, to report what the edit has changed; and
//! the figures of all tables before tables were added, duplicated or removed.

use tabletop_advice::{Effect, ReadCost, Snapshot};
use tabletop_workspace::{Design, Workspace};

use super::PageState;
use super::remembered::{LastEdit, LastListEdit};
use super::undo::Step;

impl PageState {
    /// Remembers the figures before an edit that leads to `next`, if it changes the design shown.
    pub(super) fn remember_figures(&mut self, next: &Workspace, step: Step) {
        let (now, at) = (&self.workspace, self.design);
        let same_list = now.designs.len() == next.designs.len();
        let designs = now
            .designs
            .get(at)
            .zip(next.designs.get(at))
            .filter(|(now, next)| same_list && now.name == next.name);
        let Some((design, edited)) = designs.filter(|_| now.source == next.source) else {
            self.last_edit = None;
            return;
        };
        let is_same = design.differs_at_most_in_results(edited) && now.cluster == next.cluster;
        if is_same || (step == Step::Continued && self.last_edit.is_some()) {
            return;
        }
        // The table of quick edits is not complete in between, so their combined effect is
        // reported.
        if let Some(before) = self.snapshot() {
            self.last_edit = Some(LastEdit { before, design: design.clone(), revision: self.view.revision });
        }
    }

    /// Returns the design shown as it was before its last edit, if no other design is like it.
    pub fn design_before(&self) -> Option<&Design> {
        let before = &self.last_edit.as_ref()?.design;
        let is_kept =
            |design: &Design| (&design.template, &design.layout) == (&before.template, &before.layout);
        // An index table is compared with its design.
        let is_own = before.index_of.is_none();
        (is_own && !self.workspace.designs.iter().any(is_kept)).then_some(before)
    }

    /// Returns what the last edit of the design shown has changed, the most important first. `None`
    /// until the table of the edited design is complete, and if there was no edit.
    pub fn effects(&self) -> Option<Vec<Effect>> {
        let last = self
            .last_edit
            .as_ref()
            .filter(|last| self.view.revision > last.revision && self.shown.problems.is_empty())?;
        last.before.effects(&self.snapshot()?)
    }

    /// Remembers the figures of all tables before a change that adds, duplicates or removes tables.
    /// Quick changes are reported together.
    pub(super) fn remember_list(&mut self, next: &Workspace) {
        let now = &self.workspace;
        let (designs, later) = (&now.designs, &next.designs);
        if now.source != next.source || now.cluster != next.cluster {
            self.last_list_edit = None;
        } else if designs.len() == later.len() {
            // Reordering does not change the list, and an edit of a table reports its own effect.
            if !designs
                .iter()
                .all(|design| later.iter().any(|other| design.differs_at_most_in_results(other)))
            {
                self.last_list_edit = None;
            }
        } else if let Some(before) = self.all_tables() {
            self.last_list_edit = Some(LastListEdit { before });
        }
    }

    /// Returns the total effect of the last change of the list of tables. `None` until all tables
    /// are complete.
    pub fn list_effects(&self) -> Option<Vec<Effect>> {
        self.last_list_edit.as_ref()?.before.effects(&self.all_tables()?)
    }

    fn all_tables(&self) -> Option<Snapshot> {
        let (designs, figures) = (&self.workspace.designs, &self.compared);
        let is_of_these = designs.len() == figures.len()
            && designs
                .iter()
                .zip(&**figures)
                .all(|(design, of)| of.design.differs_at_most_in_results(design));
        is_of_these.then(|| Snapshot::of_all(figures)).flatten()
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let is_read = self.result.complete() && !self.answer_is_old();
        let cost = ReadCost { ranges: self.result.ranges, stats: self.result.stats };
        self.view.snapshot(is_read.then_some((&self.workspace.query, cost)))
    }
}
