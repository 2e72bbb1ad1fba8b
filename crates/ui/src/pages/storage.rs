//! What is kept in this browser: a dialog, and a line above the panes when something is to be said of it.

use tabletop_client::Room;
use tabletop_model::{Code, Error};
use tabletop_schema::{Keeping, LoadState, OwnData, SetView, Source};
use wasm_bindgen::JsCast;
use web_sys::HtmlDialogElement;
use yew::{AttrValue, Callback, Html, html};

use crate::app::{Actions, StorageAction};
use crate::browser;
use crate::results::format::{bytes, count};
use crate::state::{Deleting, Edit, State};
use crate::widgets::{ButtonKind, Icon, icon, push, tool};

const DIALOG: &str = "storage";

/// Opens the dialog.
pub fn open_storage(actions: &Actions) -> Callback<()> {
    let (storage, fresh) = (actions.storage.clone(), actions.look(|look| look.deleting = None));
    Callback::from(move |()| {
        if let Some(dialog) = dialog() {
            fresh.emit(());
            storage.emit(StorageAction::Look);
            // Fails only when it is open already.
            let _ = dialog.show_modal();
        }
    })
}

/// A line when events are not kept as a person expects it.
pub fn storage_banner(state: &State, actions: &Actions) -> Html {
    let keeping = &state.data.keeping;
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let says = match keeping {
        Keeping::Opening | Keeping::Here => false,
        // Nobody who loads nothing of their own is bothered with it.
        Keeping::Without(_) => is_own,
        Keeping::OtherTab | Keeping::OtherTabGone | Keeping::ReadOnly(_) | Keeping::Broken(_) => true,
    };
    if !says || state.look.storage_read == *keeping {
        return html! {};
    }
    let close = actions.look({
        let keeping = keeping.clone();
        move |look| look.storage_read = keeping.clone()
    });
    html! {
        <div class="banner" role="status">
            <p>{state_of(keeping)}</p>
            if *keeping == Keeping::OtherTabGone {
                { push("Keep data here", None, ButtonKind::Plain, false, actions.storage.reform(|()| StorageAction::KeepHere)) }
            } else {
                { push("Storage", None, ButtonKind::Plain, false, open_storage(actions)) }
            }
            { tool("Close this note", Icon::Close, false, close) }
        </div>
    }
}

/// The dialog, closed until it is opened.
pub fn storage_dialog(state: &State, actions: &Actions) -> Html {
    let close = Callback::from(|()| dialog().iter().for_each(HtmlDialogElement::close));
    let storage = &state.storage;
    let all = count(storage.sets.len() as u64, "set");
    let is_broken = matches!(storage.keeping, Keeping::Broken(_));
    html! {
        <dialog id={DIALOG} class="storage" aria-labelledby="storage-title">
            <div class="dialog-head">
                <h2 id="storage-title">{"Storage in this browser"}</h2>
                { tool("Close", Icon::Close, false, close) }
            </div>
            <p class={if matters(&storage.keeping) { "problem" } else { "soft" }}>
                if matters(&storage.keeping) { {icon(Icon::Warning)} }
                <span>{state_of(&storage.keeping)}</span>
            </p>
            if storage.keeping == Keeping::OtherTabGone {
                { push("Keep data here", None, ButtonKind::Plain, false, actions.storage.reform(|()| StorageAction::KeepHere)) }
            }
            if storage.sets.is_empty() {
                if storage.keeping == Keeping::Here {
                    <p class="storage-none soft">{"Nothing is kept yet: load events of your own, and they are."}</p>
                }
            } else {
                <ul class="sets" aria-label="Kept events">{ for storage.sets.iter().map(|set| set_line(set, state, actions)) }</ul>
            }
            { for state.room.map(|room| room_lines(room, state, actions)) }
            if storage.sets.len() > 1 || is_broken {
                { delete_button(Deleting::All, "Delete all", if is_broken { "everything that is kept" } else { &all }, state, actions) }
            }
        </dialog>
    }
}

/// One set: what it is, and what can be done with it.
fn set_line(set: &SetView, state: &State, actions: &Actions) -> Html {
    let name = &set.own.name;
    let events = count(set.events.into(), "event");
    let how = match &set.state {
        LoadState::Loading => " · being stored",
        LoadState::Interrupted => " · a part: the load was not finished",
        LoadState::Cancelled => " · a part: the load was cancelled",
        LoadState::Failed(_) => " · a part: the load failed",
        LoadState::Loaded | LoadState::Awaited => "",
    };
    let is_named = state.workspace.source.same_events(&Source::Own(set.own.clone()));
    let show = {
        // What the fields are comes with the events, and a template that fits them.
        let own = OwnData { fields: Vec::new(), ..set.own.clone() };
        actions.edit.reform(move |()| Edit::Source(Source::Own(own.clone()), None))
    };
    let export = {
        let set = set.clone();
        actions.storage.reform(move |()| StorageAction::Export(set.clone()))
    };
    html! {
        <li key={set.set} class="set">
            <div class="set-text">
                <strong class="set-name">{name.clone()}</strong>
                <span class="soft small">{format!("{events} · {}{how}", bytes(set.bytes))}</span>
                { for set.trouble.as_ref().map(|error| html! { <span class="problem small">{icon(Icon::Warning)}<span>{damage(error)}</span></span> }) }
            </div>
            <div class="set-tools">
                if is_named && set.shown {
                    <span class="set-shown soft small">{"On the screen"}</span>
                } else if !is_named && set.opens {
                    { named(&format!("Show {name}"), push("Show", None, ButtonKind::Quiet, false, show)) }
                }
                { named(&format!("Export {name}"), push("Export", None, ButtonKind::Quiet, false, export)) }
                { delete_button(Deleting::Set(set.set), "Delete", &format!("{events} of {name}"), state, actions) }
            </div>
        </li>
    }
}

/// Groups a button with what it is about, for who does not see the line.
fn named(name: &str, button: Html) -> Html {
    html! { <span role="group" aria-label={name.to_owned()}>{button}</span> }
}

/// A button that asks once: pressed again, it deletes.
fn delete_button(what: Deleting, label: &str, of: &str, state: &State, actions: &Actions) -> Html {
    let asked = state.look.deleting == Some(what);
    let press = {
        let (storage, look) = (actions.storage.clone(), actions.look_at(|look, deleting| look.deleting = deleting));
        Callback::from(move |()| {
            look.emit(if asked { None } else { Some(what) });
            if asked {
                storage.emit(StorageAction::Delete(match what {
                    Deleting::Set(set) => Some(set),
                    Deleting::All => None,
                }));
            }
        })
    };
    let keep = actions.look(|look| look.deleting = None);
    html! {
        <span class="delete" role="group" aria-label={format!("{label}: {of}")}>
            // The same button, so that the keyboard stays on it.
            { push(if asked { "Delete for good" } else { label }, None, if asked { ButtonKind::Plain } else { ButtonKind::Quiet }, false, press) }
            if asked { { push("Keep", None, ButtonKind::Quiet, false, keep) } }
            <span class="visually-hidden" role="status">
                if asked { {format!("Press again to delete {of}.")} }
            </span>
        </span>
    }
}

/// How much room there is, and whether it is safe.
fn room_lines(room: Room, state: &State, actions: &Actions) -> Html {
    let (used, quota) = (bytes(room.used as u64), bytes(room.quota as u64));
    let safe: AttrValue = match (room.persisted, state.look.persist_refused) {
        (true, _) => "It stays until you delete it, here or in the browser's settings.".into(),
        (false, false) => "The browser may delete it when the disk is full.".into(),
        (false, true) => {
            "The browser has not agreed to keep it safe. It decides by how much a page is used: a bookmark of this page, \
                          or a later day, may help."
                .into()
        }
    };
    html! {
        <div class="room">
            <p>
                <span class="num">{format!("{used} of {quota}")}</span>
                <span class="soft">{" are in use by all pages of this site. "}</span>
                <span class="soft" role="status">{safe}</span>
            </p>
            if !room.persisted {
                { push("Keep safe", Some(Icon::Lock), ButtonKind::Plain, false, actions.storage.reform(|()| StorageAction::Persist)) }
            }
        </div>
    }
}

fn matters(keeping: &Keeping) -> bool {
    matches!(keeping, Keeping::Without(_) | Keeping::ReadOnly(_) | Keeping::Broken(_))
}

/// What becomes of events that are loaded now, and what to do about it.
fn state_of(keeping: &Keeping) -> String {
    match keeping {
        Keeping::Opening => "The storage is being opened.".into(),
        Keeping::Here => {
            "Events of your own that you load are kept in this browser, so that a reload brings them back. Samples and \
                          generated events come again by themselves."
                .into()
        }
        Keeping::OtherTab => {
            "Another tab keeps this page's data. You can work here too, but what you load here is not kept.".into()
        }
        Keeping::OtherTabGone => "The other tab is closed. This one can take over what is kept, and keep what you load.".into(),
        Keeping::Without(error) => sentence(error),
        Keeping::ReadOnly(error) => {
            let why = match error.code {
                Code::ResourceExhausted => {
                    "the browser gives this page no more room. Delete what you do not need; it goes on as soon as there is room"
                }
                Code::Unavailable => "the browser refuses to write. It is asked again every few seconds",
                _ => &error.message,
            };
            format!("No more events are kept: {why}. What is loaded stays on the screen until the page is closed.")
        }
        Keeping::Broken(error) if error.code == Code::DataLoss => {
            format!("{} Export what can be read, then delete all; until then nothing is kept.", damage(error))
        }
        Keeping::Broken(error) => format!("{} Until then nothing is kept.", sentence(error)),
    }
}

/// What is wrong with what is kept.
fn damage(error: &Error) -> String {
    match error.code {
        Code::DataLoss => "A part of what is kept is damaged, by the disk or by another program.".into(),
        // Of a newer build, which says so.
        _ => sentence(error),
    }
}

fn sentence(error: &Error) -> String {
    let mut letters = error.message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn dialog() -> Option<HtmlDialogElement> {
    browser::document().get_element_by_id(DIALOG)?.dyn_into().ok()
}
