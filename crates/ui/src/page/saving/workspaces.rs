//! All workspaces in this browser. A first visit runs none of this, so it is fetched later.
//!
//! ```text
//! current          the id of the workspace that was opened last; the first one has an empty id
//! workspace<id>    a workspace as JSON
//! about<id>        what the list says of it: length, time of the last change, designs, source, name (views/workspaces.rs)
//! writes<id>       its manual writes as JSON, if any
//! ```
//!
//! Each workspace has its own entry of the list, so two tabs that save two workspaces do not
//! overwrite each other's list. An entry that is missing, or belongs to a text of another length,
//! is rebuilt from the workspace.

use std::rc::Rc;

use js_sys::{Date, Math};
use tabletop_client::json;
use tabletop_model::{Code, Error};
use tabletop_texts::messages;
use tabletop_workspace::Workspace;
use yew::Callback;

use super::saved::CURRENT;
use crate::browser;
use crate::page::state::{
    About, Action, Apart, Edit, PageState, SavedAction, Stored, WorkspaceLine, WorkspaceWish, WorkspacesLook,
    free_name,
};

/// The id of the dialog that lists workspaces.
pub const DIALOG: &str = "workspaces";

/// Returns the stored name of a workspace.
pub fn content(id: &str) -> String {
    ["workspace", id].concat()
}

/// Returns the stored name of the manual writes of a workspace.
pub fn writes(id: &str) -> String {
    ["writes", id].concat()
}

fn about(id: &str) -> String {
    ["about", id].concat()
}

/// Returns an id that no other workspace has.
pub fn fresh_id() -> String {
    format!(".{:x}{:04x}", Date::now() as u64, (Math::random() * 65_536.0) as u32)
}

/// Stores a workspace, whose JSON is `text`, and its entry of the list. Returns whether the browser
/// has stored the workspace.
#[inline(never)]
pub fn store(id: &str, workspace: &Workspace, text: &str) -> bool {
    let is_stored = browser::store(&content(id), text);
    if is_stored {
        // If there is no space for the entry, it is written when the list is read.
        browser::store(&about(id), &About::new(workspace, units(text), Date::now()).to_string());
    }
    is_stored
}

/// Reads the list again, if it is shown.
pub fn follow(act: &Callback<Action>) {
    if browser::document().get_element_by_id(DIALOG).is_some() {
        show_list(act);
    }
}

/// Does what the user asks for, and reports it.
#[inline(never)]
pub fn fulfil(state: &PageState, wish: WorkspaceWish, act: &Callback<Action>) {
    let is_open = state.look.part::<WorkspacesLook>().open;
    let done = Desk { state, act }.fulfil(wish);
    show_list(act);
    match done {
        Ok(said) if said.is_empty() => {}
        Ok(said) => {
            act.emit(Action::part({
                let said = said.clone();
                move |look: &mut WorkspacesLook| look.said = (said, false)
            }));
            act.emit(Action::Say(said.into()));
        }
        // The user does not see anything outside the dialog while it is open.
        Err(error) if is_open => {
            act.emit(Action::part(move |look: &mut WorkspacesLook| look.said = (error.message, true)));
        }
        Err(error) => act.emit(Action::Refused(error)),
    }
}

fn show_list(act: &Callback<Action>) {
    let lines = Rc::new(list());
    act.emit(Action::part(move |look: &mut WorkspacesLook| look.lines = lines));
}

/// Returns a line for each workspace, the last changed first. Workspaces are read in full only
/// where an entry is wrong.
fn list() -> Vec<WorkspaceLine> {
    let names = browser::stored_names();
    let ids = names.iter().filter_map(|name| name.strip_prefix("workspace")).filter(|id| is_id(id));
    let mut lines: Vec<WorkspaceLine> = ids.map(line).collect();
    for id in names.iter().filter_map(|name| name.strip_prefix("about")).filter(|id| is_id(id)) {
        if lines.iter().all(|line| line.id != id) {
            browser::remove_stored(&about(id));
        }
    }
    let changed = |line: &WorkspaceLine| line.about.as_ref().map_or(f64::MAX, |about| about.changed_millis);
    lines.sort_by(|one, other| changed(other).total_cmp(&changed(one)).then_with(|| one.id.cmp(&other.id)));
    lines
}

fn is_id(text: &str) -> bool {
    text.is_empty() || text.starts_with('.')
}

fn line(id: &str) -> WorkspaceLine {
    let known = browser::stored(&about(id)).as_deref().and_then(About::read);
    let units = browser::stored_units(&content(id));
    if let Some(about) = known.clone().filter(|about| about.units == units) {
        return WorkspaceLine { id: id.into(), about: Ok(about) };
    }
    let read = read(id).map(|workspace| {
        let entry = About::new(&workspace, units, known.map_or(0.0, |known| known.changed_millis));
        browser::store(&about(id), &entry.to_string());
        entry
    });
    WorkspaceLine { id: id.into(), about: read.map_err(|error| error.message) }
}

fn read(id: &str) -> Result<Workspace, Error> {
    let text = browser::stored(&content(id))
        .ok_or_else(|| Error::new(Code::NotFound, messages().workspaces.gone))?;
    json::read(&text)
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The state at the time of a request.
struct Desk<'a> {
    state: &'a PageState,
    act: &'a Callback<Action>,
}

impl Desk<'_> {
    /// Returns what to announce; empty if the state announces it.
    fn fulfil(&self, wish: WorkspaceWish) -> Result<String, Error> {
        let says = &messages().workspaces;
        match wish {
            WorkspaceWish::List => Ok(String::new()),
            WorkspaceWish::Open(id) => self.open(&id),
            WorkspaceWish::New => self.open_new(Workspace::default()),
            WorkspaceWish::Import(workspace) => self.open_new(*workspace),
            WorkspaceWish::Refuse(error) => Err(error),
            WorkspaceWish::SaveAs => self.save_as(),
            WorkspaceWish::Rename(id, name) => self.rename(&id, name),
            WorkspaceWish::Duplicate(id) => {
                let mut copy =
                    if self.is_on_screen(&id) { (*self.state.workspace).clone() } else { read(&id)? };
                copy.name = free_name(&list(), &copy.name);
                let copied = self.create(&copy)?;
                if let Some(text) = browser::stored(&writes(&id)) {
                    self.put_writes(&copied, &text)?;
                }
                Ok((says.duplicated)(&copy.name))
            }
            WorkspaceWish::Delete(id) => self.delete(&id),
            WorkspaceWish::Download(id) => self.download(&id),
        }
    }

    /// Returns whether the workspace shown is the one saved under this id.
    fn is_on_screen(&self, id: &str) -> bool {
        id == self.state.workspace_id && self.state.is_shared()
    }

    fn open(&self, id: &str) -> Result<String, Error> {
        if self.is_on_screen(id) {
            return Ok(String::new());
        }
        let workspace = Rc::new(read(id)?);
        self.settle()?;
        self.show(Stored { id: id.into(), workspace });
        browser::close_dialog(DIALOG);
        Ok(String::new())
    }

    /// Opens a workspace that is not saved yet. It does not replace the user's work.
    fn open_new(&self, mut workspace: Workspace) -> Result<String, Error> {
        let is_first = self.state.is_shared() && self.state.has_no_user_work();
        if is_first && workspace == Workspace::default() {
            return Ok(messages().workspaces.already_new.into());
        }
        let id = if is_first { self.state.workspace_id.clone() } else { fresh_id() };
        let others: Vec<WorkspaceLine> = list().into_iter().filter(|line| line.id != id).collect();
        workspace.name = free_name(&others, &workspace.name);
        if !is_first {
            self.settle()?;
        }
        self.put(&id, &workspace)?;
        self.show(Stored { id, workspace: Rc::new(workspace) });
        browser::close_dialog(DIALOG);
        Ok(String::new())
    }

    /// Shows a saved workspace.
    fn show(&self, stored: Stored) {
        browser::store(CURRENT, &stored.id);
        self.act.emit(Action::Saved(SavedAction::Opened(stored)));
    }

    /// Makes sure that the workspace shown is saved before another one replaces it. A workspace
    /// that exists in this tab only is saved as a new one.
    fn settle(&self) -> Result<(), Error> {
        if self.state.is_shared() {
            self.put(&self.state.workspace_id, &self.state.workspace)
        } else {
            self.save_as().map(drop)
        }
    }

    fn save_as(&self) -> Result<String, Error> {
        let mut workspace = (*self.state.workspace).clone();
        // A workspace that was deleted in another tab gets its name back.
        workspace.name = free_name(&list(), &workspace.name);
        let id = self.create(&workspace)?;
        if !self.state.hand_writes.kept.is_empty() {
            self.put_writes(&id, &self.state.hand_writes.kept)?;
        }
        browser::store(CURRENT, &id);
        self.act.emit(Action::Saved(SavedAction::SavedAs(Stored { id, workspace: Rc::new(workspace) })));
        Ok(String::new())
    }

    fn rename(&self, id: &str, name: String) -> Result<String, Error> {
        let said = (messages().workspaces.renamed)(&name);
        if self.is_on_screen(id) {
            self.act.emit(Action::Edit(Edit::Name(name), browser::now_millis()));
            return Ok(said);
        }
        let mut workspace = read(id)?;
        workspace.rename(name);
        self.put(id, &workspace)?;
        if id == self.state.workspace_id {
            // This tab has another version of it, or shows another workspace.
            self.act.emit(Action::Saved(SavedAction::ChangedElsewhere(Rc::new(workspace))));
        }
        Ok(said)
    }

    /// Deletes a workspace. If it is shown, the last changed one of the others replaces it.
    fn delete(&self, id: &str) -> Result<String, Error> {
        let before = list();
        let name = before.iter().find(|line| line.id == id).and_then(|line| line.about.as_ref().ok());
        let said =
            (messages().workspaces.deleted)(name.map_or(messages().workspaces.damaged, |about| &about.name));
        let is_shown = id == self.state.workspace_id;
        let visits = matches!(self.state.apart, Some(Apart::Visiting(_)));
        if is_shown && visits {
            // It is the saved version of what this tab has, which is saved as a new workspace
            // first.
            self.save_as()?;
        } else if is_shown {
            let next = before.iter().filter(|line| line.id != id).find_map(|line| {
                let workspace = Rc::new(read(&line.id).ok()?);
                Some(Stored { id: line.id.clone(), workspace })
            });
            self.show(match next {
                Some(next) => next,
                None => {
                    let workspace = Rc::new(Workspace::default());
                    Stored { id: self.create(&workspace)?, workspace }
                }
            });
        } else {
            // A reload after this one must not look for the deleted workspace.
            browser::store(CURRENT, &self.state.workspace_id);
        }
        browser::remove_stored(&content(id));
        browser::remove_stored(&about(id));
        browser::remove_stored(&writes(id));
        if !is_shown && self.state.unsaved && self.settle().is_ok() {
            self.act.emit(Action::Saved(SavedAction::Refused(false)));
        }
        Ok(said)
    }

    /// Offers the stored text as a file, even if it is not a valid workspace.
    fn download(&self, id: &str) -> Result<String, Error> {
        let gone = || Error::new(Code::NotFound, messages().workspaces.gone);
        let text = if self.is_on_screen(id) {
            json::write(&self.state.workspace)
        } else {
            browser::stored(&content(id)).ok_or_else(gone)?
        };
        let (file, kind) = match json::read(&text) {
            Ok(_) => ("tabletop-workspace.json", "application/json"),
            Err(_) => ("tabletop-damaged-workspace.txt", "text/plain"),
        };
        match browser::download(file, kind, &text) {
            Ok(()) => Ok(messages().common.downloaded.into()),
            Err(_) => Err(Error::new(Code::Unavailable, messages().common.download_forbidden)),
        }
    }

    /// Stores a workspace as a new one, and returns its id.
    fn create(&self, workspace: &Workspace) -> Result<String, Error> {
        let id = fresh_id();
        self.put(&id, workspace)?;
        Ok(id)
    }

    /// Stores the manual writes of a workspace.
    fn put_writes(&self, id: &str, text: &str) -> Result<(), Error> {
        let no_room = || Error::new(Code::ResourceExhausted, messages().workspaces.no_room);
        if browser::store(&writes(id), text) { Ok(()) } else { Err(no_room()) }
    }

    fn put(&self, id: &str, workspace: &Workspace) -> Result<(), Error> {
        let text = json::write(workspace);
        if browser::stored(&content(id)).is_some_and(|before| before == text) || store(id, workspace, &text) {
            return Ok(());
        }
        Err(Error::new(Code::ResourceExhausted, messages().workspaces.no_room))
    }
}
