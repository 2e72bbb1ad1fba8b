//! Saved workspaces as the page knows them: the list, the ones that this tab has left, and what the user can do with them.

use std::collections::BTreeMap;
use std::rc::Rc;

use tabletop_model::Error;
use tabletop_schema::Workspace;

use super::look::Part;
use super::undo::UndoHistory;
use super::workspace_list::WorkspaceLine;

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
    pub(super) workspace: Rc<Workspace>,
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

impl Part for WorkspacesLook {}
