//! Events of the whole window: undo keys, dropped files, and changes of the address and of the
//! window's width.

use gloo::events::{EventListener, EventListenerOptions};
use tabletop_workspace::{Format, OnBadLine, Reading};
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, Event, KeyboardEvent};
use yew::Callback;

use crate::browser;
use crate::chrome::{open_keys, open_palette, single_keys_work};
use crate::page::actions::{
    Actions, LARGE, OwnChoice, ShellAction, follow_address, has_token, is_link, open_link, open_server,
    refit_side, view_of_address,
};
use crate::page::engine_link::EngineLink;
use crate::page::state::Action;
use crate::panes::shell::{fold, is_prompt};
use crate::views::view;

/// The media query of a page that shows one pane at a time.
pub const NARROW: &str = "(max-width: 719px)";

/// The event of the window when the later part of the program has arrived
/// (crates/bundle/src/later.js).
const LATER: &str = "tabletop-later";

/// Listens until the returned listeners are dropped.
pub fn listen(actions: &Actions, link: &EngineLink) -> Vec<EventListener> {
    let window = |name: &'static str, hear: Box<dyn Fn(&Event)>| {
        let options = EventListenerOptions::enable_prevent_default();
        EventListener::new_with_options(&browser::window(), name, options, move |event| hear(event))
    };
    let key = {
        let actions = actions.clone();
        move |event: &Event| hear_key(event, &actions)
    };
    let over = {
        let act = actions.act.clone();
        move |event: &Event| {
            if holds_files(event) {
                event.prevent_default();
                show_drop(&act);
            }
        }
    };
    let leave = {
        let act = actions.act.clone();
        move |event: &Event| {
            // The pointer left the page, not one of its elements for another.
            if event.dyn_ref::<DragEvent>().is_some_and(|event| event.related_target().is_none()) {
                hide_drop(&act);
            }
        }
    };
    let drop = {
        let (act, own) = (actions.act.clone(), actions.own.clone());
        move |event: &Event| {
            if holds_files(event) {
                event.prevent_default();
                hide_drop(&act);
                take_drop(event, &own);
            }
        }
    };
    let back = {
        let act = actions.act.clone();
        move |_: &Event| act.emit(follow_address())
    };
    let hash = {
        let act = actions.act.clone();
        move |_: &Event| {
            if is_link() {
                act.emit(open_link());
            } else if has_token() {
                act.emit(open_server());
            }
        }
    };
    let later = {
        let link = link.clone();
        move |_: &Event| link.show_rest()
    };
    let mut listeners = vec![
        window(LATER, Box::new(later)),
        window("keydown", Box::new(key)),
        window("dragover", Box::new(over)),
        window("dragleave", Box::new(leave)),
        window("drop", Box::new(drop)),
        window("popstate", Box::new(back)),
        window("hashchange", Box::new(hash)),
    ];
    let narrow =
        actions.look_at(|look, narrow: bool| look.narrow = narrow).reform(|()| browser::matches(NARROW));
    for (query, hear) in [(NARROW, narrow), (LARGE, actions.act.reform(|()| refit_side()))] {
        if let Some(list) = browser::window().match_media(query).ok().flatten() {
            listeners.push(EventListener::new(&list, "change", move |_| hear.emit(())));
        }
    }
    listeners
}

/// Elements with texts that are not part of the workspace. They have their own undo.
const UNDOES_ITSELF: &str = "[data-undo='own']";

/// Elements in which a key types a character.
const TAKES_TEXT: &str =
    "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], dialog[open]";

/// Elements that use a space or a dot, and those that scroll by a space. The slider of the timeline
/// uses neither.
const TAKES_SPACE: &str = "a, button, summary, label, input:not([type=range]), textarea, select, [contenteditable], [tabindex], dialog[open]";

/// Handles Ctrl+` and Ctrl+K anywhere, `?`, a space and a dot outside fields, and Ctrl+Z,
/// Ctrl+Shift+Z and Ctrl+Y outside texts that are not part of the workspace.
fn hear_key(event: &Event, actions: &Actions) {
    let Actions { act, shell, .. } = actions;
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if key.ctrl_key() && key.code() == "Backquote" {
        event.prevent_default();
        // An empty text only opens the shell. In the prompt, the key folds the shell again if it
        // can be folded.
        if !(target.is_some_and(|target| is_prompt(&target)) && fold()) {
            shell.emit(ShellAction::Show(String::new()));
        }
        return;
    }
    let has_modifier = key.ctrl_key() || key.meta_key();
    if has_modifier && !key.shift_key() && !key.alt_key() && key.key() == "k" {
        event.prevent_default();
        return open_palette(act);
    }
    let takes_text = || {
        target.as_ref().is_some_and(|target| target.closest(TAKES_TEXT).is_ok_and(|found| found.is_some()))
    };
    if !has_modifier && key.key() == "?" && !takes_text() && single_keys_work() {
        event.prevent_default();
        return open_keys(act);
    }
    if !has_modifier && matches!(key.key().as_str(), " " | ".") {
        return play_or_pause(key, target, actions);
    }
    if !has_modifier
        || key.alt_key()
        || target.is_some_and(|target| target.closest(UNDOES_ITSELF).is_ok_and(|found| found.is_some()))
    {
        return;
    }
    match (key.key().as_str(), key.shift_key()) {
        ("z", false) => act.emit(Action::Undo),
        ("z" | "Z", true) | ("y", false) => act.emit(Action::Redo),
        _ => return,
    }
    event.prevent_default();
}

/// Plays or pauses the events, unless the focused element uses the key.
#[inline(never)]
fn play_or_pause(key: &KeyboardEvent, target: Option<Element>, actions: &Actions) {
    let is_used = target.is_some_and(|target| target.closest(TAKES_SPACE).is_ok_and(|found| found.is_some()));
    if !is_used && !key.alt_key() && !key.repeat() && single_keys_work() {
        key.prevent_default();
        (view(view_of_address()).play)(actions);
    }
}

/// Returns whether files are dragged, rather than a chip of the row key.
fn holds_files(event: &Event) -> bool {
    let transfer = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
    transfer.is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

fn show_drop(act: &Callback<Action>) {
    act.emit(Action::Look(Box::new(|look| look.dropping = true)));
}

fn hide_drop(act: &Callback<Action>) {
    act.emit(Action::Look(Box::new(|look| look.dropping = false)));
}

fn take_drop(event: &Event, own: &Callback<OwnChoice>) {
    let transfer = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
    if let Some(file) = transfer.and_then(|transfer| transfer.files()).and_then(|files| files.get(0)) {
        let name = Some(file.name());
        own.emit(OwnChoice {
            blob: file.into(),
            name,
            format: Format::Detect,
            on_bad_line: OnBadLine::Skip,
            reading: Reading::default(),
        });
    }
}
