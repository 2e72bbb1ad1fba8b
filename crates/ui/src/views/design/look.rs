//! What the editor of the row key keeps for itself.

use crate::page::state::{Change, Part};

/// What is open and dragged in the editor of the row key.
#[derive(Clone, Debug, Default)]
pub struct EditorLook {
    /// Whether something was typed between the braces of the template.
    pub completing: bool,
    /// The part of the template whose editor is open.
    pub part: Option<usize>,
    /// The solid part that is being dragged.
    pub dragged: Option<usize>,
    /// The solid part below the dragged one.
    pub drop_target: Option<usize>,
}

impl Part for EditorLook {
    fn follow(&mut self, change: &Change) {
        if matches!(change, Change::Design | Change::Workspace) {
            self.part = None;
        }
    }
}
