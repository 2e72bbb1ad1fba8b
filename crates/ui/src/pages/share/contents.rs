//! The content of shared files.

use std::rc::Rc;

use tabletop_schema::{EventsView, Field, GatheredTable, Workspace};

use super::measured::Measured;
use super::progress::Progress;

use crate::messages::messages;
use crate::state::PageState;

/// The content of shared files.
pub struct Contents {
    pub workspace: Rc<Workspace>,
    /// The fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// Opens the workspace; empty if it is too large for a link.
    pub link: String,
    pub measured: Measured,
    /// The tables in the order of the workspace; empty if they cannot be read.
    pub gathered: Vec<GatheredTable>,
    /// The outline of the continents (SVG), if it could be fetched.
    pub land: Option<String>,
    /// Why the content is incomplete, if it is.
    pub note: Option<String>,
}

impl Contents {
    /// Returns what is known now, without the tables.
    pub fn of(state: &PageState, link: &str) -> Contents {
        Contents {
            workspace: state.workspace.clone(),
            fields: state.shown.fields.clone(),
            preview: state.preview.clone(),
            link: link.into(),
            measured: Measured::of(state),
            gathered: Vec::new(),
            land: None,
            note: Progress::of(state).note(),
        }
    }
}

/// Returns the name of a workspace, or a description if it has none.
pub fn title(workspace: &Workspace) -> &str {
    let is_named = workspace.name != Workspace::UNNAMED && !workspace.name.trim().is_empty();
    if is_named { &workspace.name } else { messages().share.unnamed }
}
