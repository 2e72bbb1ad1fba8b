//! What the page has sent to the engine and requested from it.

use std::rc::Rc;

use tabletop_model::TabletId;
use tabletop_protocol::{DesignView, KeptWrites, TimelineView};
use tabletop_workspace::{ContentDigest, Design, GivenRole, OwnData, Source, ViewId, Workspace};
use web_sys::Blob;

use super::shell::ShellWork;
use crate::page::state::QueryResult;

/// Which part of a workspace is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnScreen {
    /// Index of the design.
    pub design: u32,
    /// The view.
    pub view: ViewId,
    /// Whether the figures of all designs and the costs of access patterns are needed.
    pub compares: bool,
    /// Whether what the values of the events suggest is needed.
    pub suggests: bool,
}

/// What the page has requested of the timeline.
#[derive(Default)]
pub struct TimelineLook {
    /// Whether the page draws the timeline.
    pub(super) is_shown: bool,
    /// Whether a request is under way.
    pub(super) is_asked: bool,
    pub(super) asked_at: f64,
    /// The last answer, which is not drawn again.
    pub(super) last: Option<Rc<TimelineView>>,
}

/// What the page has saved of the manual writes.
#[derive(Default)]
pub struct WritesKept {
    /// Increments with each request, which replaces the previous one.
    pub(super) turn: u32,
    /// The writes that were saved or restored last, for a restarted engine.
    pub(super) last: KeptWrites,
}

/// What the page has requested about tablets.
#[derive(Default)]
pub struct InsideAsked {
    /// The tablet that is shown.
    pub(super) tablet: Option<TabletId>,
    /// Whether the user has chosen the tablet.
    pub(super) is_chosen: bool,
    /// The number of the query whose touched blocks were requested last.
    pub(super) touched: u32,
    /// Whether a tablet is being requested.
    pub(super) is_asked: bool,
    /// The last picture, until its tablet is requested.
    pub(super) view: Option<Rc<DesignView>>,
}

/// The state that the engine was sent, and the requests to it.
pub struct SyncState {
    /// The workspace shown.
    pub desired: Rc<Workspace>,
    pub design: u32,
    pub view: ViewId,
    /// Whether the figures of all designs and the costs of access patterns are needed.
    pub compares: bool,
    /// Whether what the values of the events suggest is needed.
    pub suggests: bool,
    /// The last workspace sent to the engine.
    pub sent: Option<Rc<Workspace>>,
    /// Whether a workspace is being sent.
    pub sending: bool,
    /// Whether pictures are being requested.
    pub watching: bool,
    /// Whether access patterns are being measured.
    pub measuring: bool,
    /// The version and the number of the events, and the user's roles, for which roles and access patterns were suggested.
    pub suggested: Option<(u32, u32, Vec<GivenRole>)>,
    /// Whether something has changed since the last picture.
    pub changed: bool,
    /// Increments when the events may have changed.
    pub events_version: u32,
    /// The number of events, once all are loaded: then the page need not request it again.
    pub events_loaded: Option<u32>,
    /// The number of events in the preview; `None` when it may be outdated.
    pub previewed: Option<u32>,
    /// Increments with each request for events of the list, which cancels the previous one.
    pub events_asked: u32,
    /// The rows shown.
    pub shown: Rc<QueryResult>,
    /// The design of the rows shown: its index, and its state at the time.
    pub asked_design: Option<(u32, Design)>,
    /// Increments with each query, which cancels the previous one.
    pub query: u32,
    /// Whether the workspace names a file that the page does not have and that is not stored.
    pub own_missing: bool,
    /// The content of the file whose events the engine has.
    pub content: Option<ContentDigest>,
    /// Whether events are still being stored.
    pub storing: bool,
    /// A file that was just chosen, until it is sent.
    pub own_chosen: Option<(Blob, OwnData)>,
    /// Whether the user has changed a design, and its table is not painted yet.
    pub design_edited: bool,
    pub interactive: bool,
    pub timeline: TimelineLook,
    pub writes: WritesKept,
    pub inside: InsideAsked,
    pub shell: ShellWork,
    pub server_shell: ShellWork,
}

/// A workspace that is not sent yet.
pub struct Unsent {
    pub workspace: Rc<Workspace>,
    /// Whether the engine must load other events.
    pub other_events: bool,
    /// The file of its source, if it was just chosen.
    pub chosen: Option<(Blob, OwnData)>,
}

impl SyncState {
    /// The state before the first workspace is sent.
    pub fn new(desired: Rc<Workspace>) -> SyncState {
        SyncState {
            desired,
            design: 0,
            view: ViewId::Design,
            compares: false,
            suggests: false,
            sent: None,
            sending: false,
            watching: false,
            measuring: false,
            suggested: None,
            changed: false,
            events_version: 0,
            events_loaded: None,
            previewed: None,
            events_asked: 0,
            shown: Rc::default(),
            asked_design: None,
            query: 0,
            own_missing: false,
            content: None,
            storing: false,
            own_chosen: None,
            design_edited: false,
            interactive: false,
            timeline: TimelineLook::default(),
            writes: WritesKept::default(),
            inside: InsideAsked::default(),
            shell: ShellWork::default(),
            server_shell: ShellWork::default(),
        }
    }

    /// Notes that the events may have changed.
    pub fn events_are_others(&mut self) {
        self.events_version += 1;
        (self.events_loaded, self.previewed, self.content) = (None, None, None);
    }

    /// Returns whether a workspace with the source `next` has the events of one with the source
    /// `before`. It may have learned the content of its file, which the engine has found.
    pub fn has_same_events(&self, before: &Source, next: &Source) -> bool {
        before.same_events(next) || before.with_content(self.content).same_events(next)
    }

    /// Returns the workspace shown and notes that it is sent, if it differs from the last one or a
    /// file was chosen for it.
    pub fn next_to_send(&mut self) -> Option<Unsent> {
        let workspace = self.desired.clone();
        // A file with the same name can have other bytes, so a chosen file is loaded even if the
        // workspace is the same.
        let chosen =
            self.own_chosen.take_if(|(_, own)| Source::Own(own.clone()).same_events(&workspace.source));
        let same = |sent: &Rc<Workspace>| Rc::ptr_eq(sent, &workspace) || *sent == workspace;
        if chosen.is_none() && self.sent.as_ref().is_some_and(same) {
            return None;
        }
        let before = self.sent.replace(workspace.clone());
        let source = before.as_ref().map(|before| &before.source);
        let other_events =
            chosen.is_some() || !source.is_some_and(|source| self.has_same_events(source, &workspace.source));
        if other_events || source != Some(&workspace.source) {
            self.events_are_others();
        }
        Some(Unsent { workspace, other_events, chosen })
    }
}
