//! The workspace of this tab and the saved ones: which one is open, whether this tab saves it for
//! all tabs, and what the user can do with the list of all.

use std::rc::Rc;

use tabletop_texts::messages;
use tabletop_workspace::Workspace;

use super::undo::{EditKind, Step, UndoHistory};
use super::workspaces::{Apart, Left, SavedAction, Stored};
use super::{Change, PageState};

impl PageState {
    /// Returns whether this tab saves its workspace for all tabs.
    pub fn is_shared(&self) -> bool {
        self.apart.is_none()
    }

    /// Returns whether the workspace is that of a first visit, or an unmodified one from a link or
    /// example: not the user's work.
    pub fn has_no_user_work(&self) -> bool {
        is_same_work(
            &self.workspace,
            &Workspace { name: self.workspace.name.clone(), ..Workspace::default() },
        ) && self.workspace.name.starts_with(Workspace::UNNAMED)
            || self.visited.as_ref().is_some_and(|visited| is_same_work(visited, &self.workspace))
    }

    /// Returns whether the workspace is known to be from a link.
    pub fn came_from_elsewhere(&self) -> bool {
        matches!(self.apart, Some(Apart::Visiting(_))) || self.visited.is_some()
    }

    /// Makes the workspace the start of the history, if it replaced no work of the user: nothing
    /// was open before it.
    #[inline(never)]
    pub fn begin_history(&mut self) {
        if self.is_shared() {
            self.history = UndoHistory::default();
        }
    }

    /// Stops treating a workspace as this tab's only, if the saved one is the same.
    #[inline(never)]
    pub(super) fn reunite(&mut self) {
        match &self.apart {
            Some(Apart::Changed(other) | Apart::Visiting(other)) if is_same_work(other, &self.workspace) => {
                self.apart = None;
            }
            // Another tab has changed the user's own in the meantime.
            Some(Apart::Visiting(own)) if self.history.is_at_border() => {
                self.apart = Some(Apart::Changed(own.clone()));
            }
            _ => {}
        }
    }

    #[inline(never)]
    pub(super) fn on_saved(&mut self, action: SavedAction) {
        let says = &messages().banners;
        match action {
            SavedAction::ChangedElsewhere(workspace) => {
                let is_visiting = matches!(self.apart, Some(Apart::Visiting(_)));
                self.apart =
                    Some(if is_visiting { Apart::Visiting(workspace) } else { Apart::Changed(workspace) });
                self.look.other_work_read = false;
            }
            SavedAction::LostElsewhere => {
                // The page keeps the user's own as long as it shows another one.
                if !matches!(self.apart, Some(Apart::Visiting(_))) {
                    self.apart = Some(Apart::Lost);
                    self.look.other_work_read = false;
                }
            }
            SavedAction::Visit(workspace, design) => self.visit(workspace, design),
            SavedAction::TakeOver => self.take_over(),
            SavedAction::KeepOwn => {
                self.apart = None;
                self.status = says.kept_own.into();
            }
            SavedAction::Opened(stored) => self.open(stored),
            SavedAction::SavedAs(stored) => self.saved_as(stored),
            SavedAction::Refused(refused) => self.unsaved = refused,
        }
    }

    /// Shows a workspace from a link or example. The user's own stays saved until they decide, and
    /// Undo returns to it as well.
    fn visit(&mut self, workspace: Rc<Workspace>, design: usize) {
        self.opened += 1;
        if workspace != self.workspace {
            self.visited = self.has_no_user_work().then(|| workspace.clone());
            if self.apart.is_none() && self.visited.is_none() {
                self.apart = Some(Apart::Visiting(self.workspace.clone()));
                self.history.leave(&self.workspace);
            } else {
                self.history.push(&self.workspace, EditKind::Other, 0.0);
            }
            self.show(workspace);
        }
        self.select(design.min(self.workspace.designs.len() - 1));
        self.look.other_work_read = false;
        self.refusal = None;
        self.status = messages().banners.link_opened.into();
    }

    fn take_over(&mut self) {
        let says = &messages().banners;
        self.opened += 1;
        match self.apart.take() {
            Some(Apart::Changed(workspace)) => {
                self.history.push(&self.workspace, EditKind::Other, 0.0);
                self.show(workspace);
                self.status = says.taken_over.into();
            }
            Some(Apart::Visiting(own)) => {
                self.history.return_to_own(&self.workspace);
                // Another tab may have changed it in the meantime.
                self.show(own);
                self.status = says.back_from_link.into();
            }
            other => self.apart = other,
        }
    }

    /// Shows another saved workspace with the history that it has in this tab.
    fn open(&mut self, stored: Stored) {
        self.opened += 1;
        let left = self.left.remove(&stored.id);
        let id = std::mem::replace(&mut self.workspace_id, stored.id);
        let mut history = UndoHistory::default();
        if let Some(left) = left {
            history = left.history;
            if left.workspace != stored.workspace {
                history.push(&left.workspace, EditKind::Other, 0.0);
            }
        }
        let history = std::mem::replace(&mut self.history, history);
        if id != self.workspace_id {
            self.left.insert(id, Left { history, workspace: self.workspace.clone() });
        }
        (self.apart, self.visited, self.refusal, self.design) = (None, None, None, 0);
        self.look.follow(&Change::Saved);
        self.status = (messages().workspaces.opened)(&stored.workspace.name).into();
        self.show(stored.workspace);
        self.last_edit = None;
    }

    /// Saves the workspace shown as a new one and continues with it. The steps made before it was
    /// opened stay with the other one.
    fn saved_as(&mut self, stored: Stored) {
        let id = std::mem::replace(&mut self.workspace_id, stored.id);
        if let Some(Apart::Visiting(own)) = self.apart.take() {
            let history = self.history.split_at_border();
            self.left.insert(id, Left { history, workspace: own });
        }
        self.visited = None;
        self.status = (messages().workspaces.saved_as)(&stored.workspace.name).into();
        // At most its name differs.
        self.put(stored.workspace, Step::Continued);
    }
}

/// Returns whether two workspaces differ at most in the current query and in the position. Each tab
/// can have its own.
fn is_same_work(one: &Workspace, other: &Workspace) -> bool {
    *one == Workspace { query: one.query.clone(), arrived: one.arrived, ..other.clone() }
}

#[cfg(test)]
mod tests;
