//! Workspaces in links. A visit without a link runs none of this, so it is fetched later.

use std::rc::Rc;

use tabletop_client::json;
use tabletop_model::Result;
use tabletop_workspace::{ShareLink, ViewId, Workspace};

use crate::browser;
use crate::page::state::{Action, PageState, SavedAction};

/// Returns whether the address of the page is a link to a workspace.
pub fn is_link() -> bool {
    let hash = browser::address_hash();
    !hash.is_empty() && ShareLink::is_in(&hash)
}

/// Returns the action that opens the link in the address, or reports what is wrong with it.
///
/// A link that was opened is removed from the address: a reload shows the user's changes, not the
/// link again. A link that cannot be opened stays, so that the user can read it, and a reload with
/// a newer page tries again.
#[inline(never)]
pub fn open_link() -> Action {
    match read(&browser::address_hash()) {
        Ok((workspace, design)) => {
            browser::drop_address_hash();
            browser::scroll_to_beginning();
            Action::Saved(SavedAction::Visit(Rc::new(workspace), design))
        }
        Err(error) => Action::Refused(error),
    }
}

fn read(hash: &str) -> Result<(Workspace, usize)> {
    let link = ShareLink::read(hash)?;
    Ok((json::read(&link.json)?, link.design))
}

/// Returns a link to the workspace, with the design and the view shown.
///
/// # Errors
/// The workspace is too large.
#[inline(never)]
pub fn link_to(state: &PageState) -> Result<String> {
    let link = ShareLink { json: json::write(&state.workspace), design: state.design }.write()?;
    // The server is reachable for this user only.
    let view = if state.look.view.needs_server() { ViewId::ALL[0] } else { state.look.view };
    Ok(format!("{}{}{link}", browser::page_address(), view.query()))
}
