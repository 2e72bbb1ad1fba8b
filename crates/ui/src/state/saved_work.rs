//! The workspace of this tab and those that are saved: which one is open, whether this tab saves it for all tabs, and what a person
//! can do with the list of all.

use std::collections::BTreeMap;
use std::rc::Rc;

use tabletop_model::Error;
use tabletop_schema::Workspace;
use tabletop_texts::messages;

use super::last_edit::Step;
use super::undo::{EditKind, UndoHistory};
use super::{PageState, WorkspaceLine};

/// Why this tab saves only a copy of its own, until a person decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Apart {
    /// Another tab has saved this version of the workspace.
    Changed(Rc<Workspace>),
    /// The workspace came with a link or is an example. This one is the person's own, which is saved.
    Visiting(Rc<Workspace>),
    /// Another tab has deleted what was saved, or it can no longer be read.
    Lost,
}

/// A saved workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Unique in this browser. The first workspace has an empty one.
    pub id: String,
    /// Its content.
    pub workspace: Rc<Workspace>,
}

/// What has happened to the workspace of this tab and to the saved one.
pub enum SavedAction {
    /// Another tab saved this version of it.
    ChangedElsewhere(Rc<Workspace>),
    /// Another tab deleted it, or saved what this page cannot read.
    LostElsewhere,
    /// A link or an example was opened: its workspace, and the index of its design on the screen.
    Visit(Rc<Workspace>, usize),
    /// Shows the workspace that is saved for all tabs; Undo or Redo brings back the one of this tab.
    TakeOver,
    /// Saves the workspace of this tab for all tabs.
    KeepOwn,
    /// Shows another saved workspace.
    Opened(Stored),
    /// The workspace on the screen is now saved as this one.
    SavedAs(Stored),
    /// The browser has refused to save it, or no longer does.
    Refused(bool),
}

/// What a person wants to do with saved workspaces. The browser's storage may refuse it.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkspaceWish {
    /// Reads the list again.
    List,
    /// Opens one.
    Open(String),
    /// Opens a fresh one.
    New,
    /// Saves this one from a file, and opens it.
    Import(Box<Workspace>),
    /// A file cannot be imported, for this reason.
    Refuse(Error),
    /// Saves the one on the screen as one of its own.
    SaveAs,
    /// Gives one another name.
    Rename(String, String),
    /// Saves a copy of one.
    Duplicate(String),
    /// Deletes one.
    Delete(String),
    /// Offers one as a file, as it is stored.
    Download(String),
}

/// A workspace that this tab has left, as it was then. Its history continues when it is opened again.
pub struct Left {
    pub(super) history: UndoHistory,
    workspace: Rc<Workspace>,
}

/// The workspaces that this tab has left, by their ids.
pub type LeftWork = BTreeMap<String, Left>;

/// The list of saved workspaces, and what is open in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkspacesLook {
    /// The dialog is open.
    pub open: bool,
    /// The list, as last read.
    pub lines: Rc<Vec<WorkspaceLine>>,
    /// The id of the one whose name is edited.
    pub renaming: Option<String>,
    /// The id of the one that a second press deletes.
    pub deleting: Option<String>,
    /// The words that select some of the list.
    pub typed: String,
    /// The last announcement, and whether it is a failure.
    pub said: (String, bool),
}

impl PageState {
    /// Returns whether this tab saves its workspace for all tabs.
    pub fn is_shared(&self) -> bool {
        self.apart.is_none()
    }

    /// Returns whether the workspace is that of a first visit, or one that came from elsewhere and was not changed: nobody's work.
    pub fn is_nobodys_work(&self) -> bool {
        is_same_work(&self.workspace, &Workspace { name: self.workspace.name.clone(), ..Workspace::default() })
            && self.workspace.name.starts_with(Workspace::UNNAMED)
            || self.visited.as_ref().is_some_and(|visited| is_same_work(visited, &self.workspace))
    }

    /// Returns whether the workspace came with a link, as far as this page knows.
    pub fn came_from_elsewhere(&self) -> bool {
        matches!(self.apart, Some(Apart::Visiting(_))) || self.visited.is_some()
    }

    /// Makes the workspace the start of the history, if it came in place of nobody's work: nothing was on the screen before it.
    #[inline(never)]
    pub fn begin_history(&mut self) {
        if self.is_shared() {
            self.history = UndoHistory::default();
        }
    }

    /// Ends the time of a workspace for this tab only, if the saved one is the same.
    #[inline(never)]
    pub(super) fn reunite(&mut self) {
        match &self.apart {
            Some(Apart::Changed(other) | Apart::Visiting(other)) if is_same_work(other, &self.workspace) => self.apart = None,
            // Another tab has changed the person's own in the meantime.
            Some(Apart::Visiting(own)) if self.history.is_at_border() => self.apart = Some(Apart::Changed(own.clone())),
            _ => {}
        }
    }

    #[inline(never)]
    pub(super) fn on_saved(&mut self, action: SavedAction) {
        let says = &messages().banners;
        match action {
            SavedAction::ChangedElsewhere(workspace) => {
                let is_visiting = matches!(self.apart, Some(Apart::Visiting(_)));
                self.apart = Some(if is_visiting { Apart::Visiting(workspace) } else { Apart::Changed(workspace) });
                self.look.other_work_read = false;
            }
            SavedAction::LostElsewhere => {
                // The page has the person's own as long as it shows another one.
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

    /// Shows a workspace that came from elsewhere. The one of the person stays saved until they decide, and Undo brings it back,
    /// too.
    fn visit(&mut self, workspace: Rc<Workspace>, design: usize) {
        self.opened += 1;
        if workspace != self.workspace {
            self.visited = self.is_nobodys_work().then(|| workspace.clone());
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
        (self.look.named, self.look.pattern, self.look.event) = (None, None, 0);
        self.status = (messages().workspaces.opened)(&stored.workspace.name).into();
        self.show(stored.workspace);
        self.last_edit = None;
    }

    /// Goes on with the workspace on the screen as one of its own. What was done before it came stays with the other one.
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

/// Returns whether two workspaces differ at most in the query on the screen and in the position. Each tab can have its own.
fn is_same_work(one: &Workspace, other: &Workspace) -> bool {
    *one == Workspace { query: one.query.clone(), arrived: one.arrived, ..other.clone() }
}

#[cfg(test)]
mod tests;
