//! Saved workspaces as the page knows them: the list, the ones that this tab has left, and what the
//! user can do with them.

use std::collections::BTreeMap;
use std::rc::Rc;

use tabletop_model::Error;
use tabletop_workspace::Workspace;

use super::look::Part;
use super::undo::UndoHistory;
use tabletop_views::workspaces::WorkspaceLine;

/// Why this tab saves only its own copy, until the user decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Apart {
    /// Another tab has saved this version of the workspace.
    Changed(Rc<Workspace>),
    /// The workspace is from a link or is an example. This one is the user's own, which is saved.
    Visiting(Rc<Workspace>),
    /// Another tab has deleted the saved workspace, or it can no longer be read.
    Lost,
}

/// A saved workspace.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Unique in this browser. The id of the first workspace is empty.
    pub id: String,
    /// The saved workspace.
    pub workspace: Rc<Workspace>,
}

/// What has happened to the workspace of this tab and to the saved one.
pub enum SavedAction {
    /// Another tab saved this version of it.
    ChangedElsewhere(Rc<Workspace>),
    /// Another tab deleted it, or saved something that this page cannot read.
    LostElsewhere,
    /// A link or an example was opened: its workspace, and the index of the design to show.
    Visit(Rc<Workspace>, usize),
    /// Shows the workspace that is saved for all tabs; Undo or Redo restores the one of this tab.
    TakeOver,
    /// Saves the workspace of this tab for all tabs.
    KeepOwn,
    /// Shows another saved workspace.
    Opened(Stored),
    /// The workspace shown is now saved as this one.
    SavedAs(Stored),
    /// The browser has refused to save it, or no longer refuses.
    Refused(bool),
}

/// What the user asks to do with saved workspaces. The browser's storage may refuse it.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkspaceWish {
    /// Reads the list again.
    List,
    /// Opens one.
    Open(String),
    /// Opens a new one.
    New,
    /// Saves this one from a file, and opens it.
    Import(Box<Workspace>),
    /// A file cannot be imported, for this reason.
    Refuse(Error),
    /// Saves the one shown as a new one.
    SaveAs,
    /// Renames one.
    Rename(String, String),
    /// Saves a copy of one.
    Duplicate(String),
    /// Deletes one.
    Delete(String),
    /// Offers one as a file, as it is stored.
    Download(String),
}

/// A workspace that this tab has left, as it was then. Its history resumes when it is opened again.
pub struct Left {
    pub(super) history: UndoHistory,
    pub(super) workspace: Rc<Workspace>,
}

/// The workspaces that this tab has left, by their ids.
pub type LeftWork = BTreeMap<String, Left>;

/// The list of saved workspaces, and what is open in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkspacesLook {
    /// Whether the dialog is open.
    pub open: bool,
    /// The list, as last read.
    pub lines: Rc<Vec<WorkspaceLine>>,
    /// The id of the workspace that is being renamed.
    pub renaming: Option<String>,
    /// The id of the workspace that a second press deletes.
    pub deleting: Option<String>,
    /// The search words for the list.
    pub typed: String,
    /// The last announcement, and whether it is a failure.
    pub said: (String, bool),
}

impl Part for WorkspacesLook {}
