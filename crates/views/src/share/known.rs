//! What a host knows of a workspace, from which files are made.

use alloc::rc::Rc;
use alloc::vec::Vec;

use tabletop_advice::{DesignCosts, DesignFigures};
use tabletop_keys::Field;
use tabletop_protocol::EventsView;
use tabletop_workspace::Workspace;

/// What the host knows of a workspace.
pub struct Known<'a> {
    /// The workspace.
    pub workspace: &'a Rc<Workspace>,
    /// The fields of the events.
    pub fields: &'a Rc<Vec<Field>>,
    /// The first events.
    pub preview: &'a Rc<EventsView>,
    /// The figures of designs, some of which may have been changed since.
    pub figures: &'a [DesignFigures],
    /// The costs of the access patterns on each design.
    pub costs: Vec<DesignCosts>,
    /// Whether events are loading.
    pub is_loading: bool,
    /// Whether nothing more will be known: the engine has stopped, or the file with the events is
    /// missing.
    pub is_over: bool,
}
