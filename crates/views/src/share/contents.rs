//! The content of shared files.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::Field;
use tabletop_protocol::{EventsView, GatheredTable};
use tabletop_texts::messages;
use tabletop_workspace::Workspace;

use super::known::Known;
use super::measured::Measured;
use super::progress::Progress;

/// The content of shared files.
pub struct Contents {
    /// The workspace.
    pub workspace: Rc<Workspace>,
    /// The fields of the events.
    pub fields: Rc<Vec<Field>>,
    /// The first events.
    pub preview: Rc<EventsView>,
    /// Opens the workspace; empty if it is too large for a link.
    pub link: String,
    /// The figures of the designs, and the costs of their access patterns.
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
    pub fn of(known: &Known, link: &str) -> Contents {
        Contents {
            workspace: known.workspace.clone(),
            fields: known.fields.clone(),
            preview: known.preview.clone(),
            link: link.into(),
            measured: Measured::of(known),
            gathered: Vec::new(),
            land: None,
            note: Progress::of(known).note(),
        }
    }
}

/// Returns the name of a workspace, or a description if it has none.
pub fn title(workspace: &Workspace) -> &str {
    let is_named = workspace.name != Workspace::UNNAMED && !workspace.name.trim().is_empty();
    if is_named { &workspace.name } else { messages().share.unnamed }
}
