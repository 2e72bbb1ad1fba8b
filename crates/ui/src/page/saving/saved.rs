//! The workspace of this tab in this browser: one copy for all tabs of the page, and one for this
//! tab.
//!
//! The copy of a tab restores its workspace after a reload, even if another tab has saved a
//! different one in the meantime. The user then decides which of the two is saved for all tabs.
//! Until then, this tab saves only its own copy. A workspace from a link is treated the same way:
//! it exists in this tab only, and the saved one is unchanged, until the user decides.
//!
//! There may be many workspaces (`workspaces.rs`). The page starts with the one that this tab had,
//! or with the one opened last in any tab, and reads no other.

use std::rc::Rc;

use gloo::events::EventListener;
use tabletop_client::json;
use tabletop_model::Error;
use tabletop_texts::messages;
use tabletop_workspace::Workspace;
use wasm_bindgen::JsCast;
use web_sys::StorageEvent;
use yew::Callback;

use super::workspaces::{self, content};
use crate::browser;
use crate::page::state::{Action, Apart, PageState, SavedAction};
use crate::page::{actions, crash};

/// The stored name of the id of the workspace that was opened last.
pub const CURRENT: &str = "current";
/// The stored name of the tab's copy.
const COPY: &str = "workspace";
/// The stored name of the id of the tab's workspace, after [`VISITING`] if its copy came from a
/// link or example.
const TAB: &str = "tab";
/// Ids do not start with this.
const VISITING: char = '+';

/// Returns the first state: with the workspace of the link in the address, else the last one of
/// this tab, else the last opened one, else the default of a first visit.
pub fn first_state() -> PageState {
    let current = browser::stored(CURRENT);
    let tab = browser::session_stored(TAB).or_else(|| current.clone()).unwrap_or_default();
    let text = browser::stored(&content(tab.trim_start_matches(VISITING)));
    // If both are missing, this is a first visit, or the user has deleted the data of this site.
    let mut state = if text.is_some() || current.is_some() {
        restore(&tab, text)
    } else {
        PageState::new(Workspace::default())
    };
    if actions::is_link() {
        browser::uncover();
        state.apply(actions::open_link());
        state.begin_history();
    }
    state
}

/// Returns the state of a later visit. `text` is the workspace that is saved for all tabs.
#[inline(never)]
fn restore(tab: &str, text: Option<String>) -> PageState {
    // The still shows a first visit.
    browser::uncover();
    let copy = browser::session_stored(COPY).as_deref().map(json::read);
    let copy = copy.and_then(Result::ok).map(Rc::new);
    let id = tab.trim_start_matches(VISITING);
    let saved = text.as_deref().map(json::read).transpose();
    let mut state = match (saved, copy) {
        (Ok(Some(saved)), Some(copy)) if tab.starts_with(VISITING) => {
            let mut state = PageState::new(saved);
            state.apply(Action::Saved(SavedAction::Visit(copy, 0)));
            state
        }
        (Ok(Some(saved)), Some(copy)) => {
            let mut state = PageState::new((*copy).clone());
            state.apply(Action::Saved(SavedAction::ChangedElsewhere(Rc::new(saved))));
            state
        }
        (Ok(Some(saved)), None) => PageState::new(saved),
        (Ok(None), Some(copy)) => {
            let mut state = PageState::new((*copy).clone());
            state.apply(Action::Saved(SavedAction::LostElsewhere));
            state
        }
        (Ok(None), None) => PageState::new(Workspace::default()),
        // The damaged text stays in the list, so it is not overwritten.
        (Err(error), copy) => {
            let mut state = PageState::new(copy.map(|copy| (*copy).clone()).unwrap_or_default());
            state.workspace_id = workspaces::fresh_id();
            browser::store(CURRENT, &state.workspace_id);
            state.apply(Action::Refused(Error::new(
                error.code,
                (messages().workspaces.damaged_at_start)(&error.message),
            )));
            return state;
        }
    };
    state.workspace_id = id.into();
    state
}

/// Saves the workspace for a reload of this tab and for the crash screen, and for all tabs if this
/// tab shares theirs. Returns whether the browser has stored it.
pub fn save(state: &PageState) -> bool {
    let text = json::write(&state.workspace);
    crash::keep(&text);
    let is_visiting = matches!(state.apart, Some(Apart::Visiting(_)));
    let tab =
        if is_visiting { format!("{VISITING}{}", state.workspace_id) } else { state.workspace_id.clone() };
    let is_copied = browser::store_for_session(COPY, &text) && browser::store_for_session(TAB, &tab);
    if !state.is_shared() {
        return is_copied;
    }
    let name = content(&state.workspace_id);
    match browser::stored(&name) {
        None if state.workspace_id.is_empty() => browser::store(&name, &text),
        Some(before) if before == text => true,
        _ => workspaces::store(&state.workspace_id, &state.workspace, &text),
    }
}

/// Returns the stored name of the manual writes of this tab's workspace, as JSON.
fn writes_name(state: &PageState) -> String {
    let visiting = if matches!(state.apart, Some(Apart::Visiting(_))) { "+" } else { "" };
    workspaces::writes(&[visiting, &state.workspace_id].concat())
}

/// Returns the text of the manual writes that this tab has saved, or else of those saved for all
/// tabs.
#[inline(never)]
pub fn writes(state: &PageState) -> Option<String> {
    let name = writes_name(state);
    browser::session_stored(&name).or_else(|| browser::stored(&name).filter(|_| state.is_shared()))
}

/// Saves the manual writes for a reload of this tab, and for all tabs if it shares their workspace.
/// Returns whether the browser has stored them.
#[inline(never)]
pub fn save_writes(state: &PageState) -> bool {
    let (name, text) = (writes_name(state), &state.hand_writes.kept);
    let is_copied = browser::store_for_session(&name, text);
    if !state.is_shared() {
        return is_copied;
    }
    if text.is_empty() {
        browser::remove_stored(&name);
        return true;
    }
    browser::store(&name, text)
}

/// Returns what another tab has done to the saved workspace since this tab saved it; `None` if
/// nothing. An edit must not overwrite that.
#[inline(never)]
pub fn changed_elsewhere(state: &PageState) -> Option<SavedAction> {
    let is_this = browser::session_stored(TAB).is_some_and(|tab| tab == state.workspace_id);
    if state.unsaved || !is_this {
        return None;
    }
    let copy = browser::session_stored(COPY)?;
    let text = browser::stored(&content(&state.workspace_id));
    if text.as_ref() == Some(&copy) { None } else { Some(read_elsewhere(text)) }
}

fn read_elsewhere(text: Option<String>) -> SavedAction {
    match text.and_then(|text| json::read(&text).ok()) {
        Some(workspace) => SavedAction::ChangedElsewhere(Rc::new(workspace)),
        None => SavedAction::LostElsewhere,
    }
}

/// Reports what other tabs save, until the returned listener is dropped.
pub fn listen(act: Callback<Action>) -> EventListener {
    EventListener::new(&browser::window(), "storage", move |event| {
        let Some(event) = event.dyn_ref::<StorageEvent>() else { return };
        on_other_tab(event.key(), &act);
    })
}

#[inline(never)]
fn on_other_tab(key: Option<String>, act: &Callback<Action>) {
    let tab = browser::session_stored(TAB).unwrap_or_default();
    let name = content(tab.trim_start_matches(VISITING));
    // Without a key, everything was deleted.
    if key.is_none_or(|key| browser::is_stored_name(&key, &name)) {
        act.emit(Action::Saved(read_elsewhere(browser::stored(&name))));
    }
    workspaces::follow(act);
}
