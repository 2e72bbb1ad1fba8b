//! Applies edits at a position of the timeline.

use crate::browser;
use crate::page::state::{Action, Edit};

/// Returns the action for an edit made now.
pub(super) fn edit_now(edit: Edit) -> Action {
    Action::Edit(edit, browser::now_millis())
}
