//! The workspace in this browser: one copy for all tabs of the page, and one for each tab.
//!
//! The copy of a tab restores its workspace after a reload, even if another tab has saved a different one in the meantime. The
//! person then decides which of the two is saved for all tabs. Until then, this tab saves only its own copy. A workspace that came
//! with a link is treated in the same way: it is in this tab only, and what was saved stays as it is, until the person decides.

use std::rc::Rc;

use gloo_events::EventListener;
use tabletop_client::json;
use tabletop_schema::Workspace;
use yew::Callback;

use crate::state::{Action, PageState};
use crate::{actions, browser, crash};

/// The stored name of both copies.
const NAME: &str = "workspace";
/// The stored name of whether the copy of the tab came with a link.
const LINKED: &str = "linked";

/// Returns the first state: with the workspace of the link in the address, else the last one of this tab, else the last saved one,
/// else that of a first visit.
pub fn first_state() -> PageState {
    let shared = browser::stored(NAME).as_deref().and_then(read);
    // Without a shared copy the person has deleted the data of this site.
    let own = shared.is_some().then(|| browser::session_stored(NAME)).flatten().as_deref().and_then(read);
    let mut state = PageState::new(own.or_else(|| shared.clone()).unwrap_or_default());
    if let Some(shared) = shared {
        // The still is the picture of a first visit.
        browser::uncover();
        state.linked = browser::session_stored(LINKED).is_some_and(|linked| !linked.is_empty());
        state.apply(Action::SavedElsewhere(Rc::new(shared)));
    }
    if actions::is_link() {
        browser::uncover();
        state.apply(actions::open_link());
    }
    state
}

/// Saves the workspace for a reload of this tab and for the crash screen. Saves it for all tabs if this tab shares theirs.
pub fn save(state: &PageState) {
    let text = json::write(&state.workspace);
    crash::keep(&text);
    // A browser that stores nothing, such as in a private window, works until it is closed.
    browser::store_for_session(NAME, &text);
    browser::store_for_session(LINKED, if state.linked { "yes" } else { "" });
    if state.other_work.is_none() {
        browser::store(NAME, &text);
    }
}

/// Reports what other tabs save, until the returned listener is dropped.
pub fn listen(act: Callback<Action>) -> EventListener {
    EventListener::new(&browser::window(), "storage", move |_| {
        if let Some(workspace) = browser::stored(NAME).as_deref().and_then(read) {
            act.emit(Action::SavedElsewhere(Rc::new(workspace)));
        }
    })
}

/// Reads a workspace. A text that is none is of another version or was changed by hand.
fn read(text: &str) -> Option<Workspace> {
    json::read(text).ok()
}
