//! The workspace as this browser saves it: once for all tabs of the page, and once for each tab.
//!
//! The copy of the tab brings back its own workspace after a reload when another tab has saved one since. Which of the two is
//! saved for all tabs, a person then decides; until that, this tab saves its own copy only.

use std::rc::Rc;

use gloo_events::EventListener;
use tabletop_client::json;
use tabletop_schema::Workspace;
use yew::Callback;

use crate::state::{Action, PageState};
use crate::{browser, crash};

/// The name of both copies.
const NAME: &str = "workspace";

/// The state to begin with: what this tab showed last, or what was saved last, or what every new visitor sees.
pub fn first_state() -> PageState {
    let shared = browser::stored(NAME).as_deref().and_then(read);
    // Without a shared copy the person has deleted the data of this site.
    let own = shared.is_some().then(|| browser::session_stored(NAME)).flatten().as_deref().and_then(read);
    let mut state = PageState::new(own.or_else(|| shared.clone()).unwrap_or_default());
    if let Some(shared) = shared {
        state.apply(Action::SavedElsewhere(Rc::new(shared)));
    }
    state
}

/// Saves the workspace for a reload of this tab and for the crash screen, and for all tabs if it is the one that they share.
pub fn save(state: &PageState) {
    let text = json::write(&state.workspace);
    crash::keep(&text);
    // A browser that saves nothing (a private window may not) still works until it is closed.
    browser::store_for_session(NAME, &text);
    if state.other_tab.is_none() {
        browser::store(NAME, &text);
    }
}

/// Tells what another tab saves from now on, until the answer is dropped.
pub fn listen(act: Callback<Action>) -> EventListener {
    EventListener::new(&browser::window(), "storage", move |_| {
        if let Some(workspace) = browser::stored(NAME).as_deref().and_then(read) {
            act.emit(Action::SavedElsewhere(Rc::new(workspace)));
        }
    })
}

/// A text that does not read as a workspace is of another version or was changed by hand.
fn read(text: &str) -> Option<Workspace> {
    json::read(text).ok()
}
