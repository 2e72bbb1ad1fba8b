//! Workspaces in links. A visit without a link runs none of this, so it is fetched later.

use std::rc::Rc;

use tabletop_client::json;
use tabletop_model::Result;
use tabletop_views::share::Recorded;
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
        Ok((workspace, link)) => {
            browser::store_for_session(RECORDED, &link.recorded);
            browser::drop_address_hash();
            browser::scroll_to_beginning();
            Action::Saved(SavedAction::Visit(Rc::new(workspace), link.design))
        }
        Err(error) => Action::Refused(error),
    }
}

fn read(hash: &str) -> Result<(Workspace, ShareLink)> {
    let link = ShareLink::read(hash)?;
    Ok((json::read(&link.json)?, link))
}

/// The stored name of what the sender of this tab's link has measured.
const RECORDED: &str = "recorded";

/// Returns what the sender of a link has measured, if this tab shows those designs without their
/// events.
pub fn recorded(state: &PageState) -> Option<Recorded> {
    let recorded = Recorded::read(&recorded_text());
    recorded.filter(|recorded| state.own_missing && recorded.is_of(&state.workspace))
}

/// Returns what the sender of the link that this tab has opened last has measured, as in the link.
pub fn recorded_text() -> String {
    browser::session_stored(RECORDED).unwrap_or_default()
}

/// Returns a link to the workspace, with the design and the view shown, and with what was measured.
///
/// # Errors
/// The workspace is too large.
#[inline(never)]
pub fn link_to(state: &PageState, recorded: String) -> Result<String> {
    let link = ShareLink { json: json::write(&state.workspace), design: state.design, recorded }.write()?;
    // The server is reachable for this user only.
    let view = if state.look.view.needs_server() { ViewId::ALL[0] } else { state.look.view };
    Ok(format!("{}{}{link}", browser::page_address(), view.query()))
}
