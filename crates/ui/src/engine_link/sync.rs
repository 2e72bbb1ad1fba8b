//! What the page has sent to the engine and asked of it so far.

use std::rc::Rc;

use tabletop_schema::{OwnData, Source, Workspace};
use web_sys::Blob;

use super::shell::ShellWork;
use crate::state::QueryResult;

/// What the engine was sent, and what it was asked.
pub struct SyncState {
    /// The workspace on the screen.
    pub desired: Rc<Workspace>,
    pub design: u32,
    /// The workspace that the engine was sent last; nothing before the first.
    pub sent: Option<Rc<Workspace>>,
    /// A workspace is being sent.
    pub sending: bool,
    /// Pictures are being pulled.
    pub watching: bool,
    /// Something has changed since the last picture.
    pub changed: bool,
    /// Goes up whenever the events may have become others.
    pub events_version: u32,
    /// How many there are, once no more can come: then there is no need to ask.
    pub events_loaded: Option<u32>,
    /// How many the preview shows; nothing when they may be others by now.
    pub previewed: Option<u32>,
    /// The rows on the screen.
    pub shown: Rc<QueryResult>,
    /// Goes up with every question: an earlier one is given up.
    pub question: u32,
    /// The workspace names a file whose bytes are neither here nor stored: nothing is to come.
    pub own_missing: bool,
    /// Events are still being stored.
    pub storing: bool,
    /// A file that was just chosen, until it is sent.
    pub own_chosen: Option<(Blob, OwnData)>,
    /// A person has changed a design, and its table is still to be painted.
    pub design_edited: bool,
    pub interactive: bool,
    pub shell: ShellWork,
}

/// What is to be sent next.
pub struct Unsent {
    pub workspace: Rc<Workspace>,
    /// The engine loads other events than before.
    pub other_events: bool,
    /// The bytes of its source.
    pub chosen: Option<(Blob, OwnData)>,
}

impl SyncState {
    /// Nothing was sent yet of the workspace on the screen.
    pub fn new(desired: Rc<Workspace>) -> SyncState {
        SyncState {
            desired,
            design: 0,
            sent: None,
            sending: false,
            watching: false,
            changed: false,
            events_version: 0,
            events_loaded: None,
            previewed: None,
            shown: Rc::default(),
            question: 0,
            own_missing: false,
            storing: false,
            own_chosen: None,
            design_edited: false,
            interactive: false,
            shell: ShellWork::default(),
        }
    }

    /// The events on the screen may have become others.
    pub fn events_are_others(&mut self) {
        self.events_version += 1;
        (self.events_loaded, self.previewed) = (None, None);
    }

    /// Takes note that the workspace on the screen is sent, if it differs from what was sent last or a file was chosen for it.
    pub fn next_to_send(&mut self) -> Option<Unsent> {
        let workspace = self.desired.clone();
        // The same name may stand for other bytes: a file that was chosen is loaded though the workspace may be the same.
        let chosen = self.own_chosen.take_if(|(_, own)| Source::Own(own.clone()).same_events(&workspace.source));
        let same = |sent: &Rc<Workspace>| Rc::ptr_eq(sent, &workspace) || *sent == workspace;
        if chosen.is_none() && self.sent.as_ref().is_some_and(same) {
            return None;
        }
        let before = self.sent.replace(workspace.clone());
        let source = before.as_ref().map(|before| &before.source);
        let other_events = chosen.is_some() || !source.is_some_and(|source| source.same_events(&workspace.source));
        if other_events || source != Some(&workspace.source) {
            self.events_are_others();
        }
        Some(Unsent { workspace, other_events, chosen })
    }
}
