//! Edits at a moment.

use crate::browser;
use crate::state::{Action, Edit};

/// Returns the action of an edit that is made now.
pub(super) fn edit_now(edit: Edit) -> Action {
    Action::Edit(edit, browser::now_millis())
}
