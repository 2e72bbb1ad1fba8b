//! What this browser stores: a dialog, and a banner when events are not stored as expected.

use tabletop_client::Room;
use tabletop_model::{Code, Error};
use tabletop_protocol::{LoadState, Persistence, SetView};
use tabletop_texts::messages;
use tabletop_workspace::{OnBadLine, OwnData, Source};
use yew::{Callback, Html, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, icon, push, tool};
use crate::page::actions::{Actions, StorageAction};
use crate::page::state::{Deleting, Edit, PageState, StorageLook};

const DIALOG: &str = "storage";
/// Digits of the content of a file that are shown.
const CONTENT_DIGITS: usize = 6;

/// Returns a callback that opens the dialog.
pub fn open_storage(actions: &Actions) -> Callback<()> {
    let (storage, draw) = (
        actions.storage.clone(),
        actions.part(|look: &mut StorageLook| (look.open, look.deleting) = (true, None)),
    );
    Callback::from(move |()| {
        draw.emit(());
        storage.emit(StorageAction::Look);
        browser::open_dialog(DIALOG);
    })
}

/// Draws a banner when events are not stored as the user expects.
pub fn storage_banner(state: &PageState, actions: &Actions) -> Html {
    let keeping = &state.data.keeping;
    let is_own = matches!(state.workspace.source, Source::Own(_));
    let says = match keeping {
        Persistence::Opening | Persistence::Here => false,
        // This only matters for own events.
        Persistence::Without(_) => is_own,
        Persistence::OtherTab
        | Persistence::OtherTabGone
        | Persistence::ReadOnly(_)
        | Persistence::Broken(_) => true,
    };
    if !says || state.look.part::<StorageLook>().note_read == *keeping {
        return html! {};
    }
    let close = actions.part({
        let keeping = keeping.clone();
        move |look: &mut StorageLook| look.note_read = keeping.clone()
    });
    html! {
        <div class="banner" role="status">
            <p>{state_of(keeping)}</p>
            if *keeping == Persistence::OtherTabGone {
                { push(messages().storage.save_here, None, ButtonKind::Plain, actions.storage.reform(|()| StorageAction::KeepHere)) }
            } else {
                { push(messages().common.storage, None, ButtonKind::Plain, open_storage(actions)) }
            }
            { tool(messages().storage.close_note, Icon::Close, close) }
        </div>
    }
}

/// Draws the dialog, once it has been opened: a first visit does not need it.
#[inline(never)]
pub fn storage_dialog(state: &PageState, actions: &Actions) -> Html {
    let close = Callback::from(|()| browser::close_dialog(DIALOG));
    let storage = &state.storage;
    let says = &messages().storage;
    let all = (says.sets)(storage.sets.len() as u64);
    let is_broken = matches!(storage.keeping, Persistence::Broken(_));
    html! {
        <dialog id={DIALOG} class="storage" aria-labelledby="storage-title">
            <div class="dialog-head">
                <h2 id="storage-title">{says.title}</h2>
                { tool(messages().common.close, Icon::Close, close) }
            </div>
            <p class={if matters(&storage.keeping) { "problem" } else { "soft" }}>
                if matters(&storage.keeping) { {icon(Icon::Warning)} }
                <span>{state_of(&storage.keeping)}</span>
            </p>
            if storage.keeping == Persistence::OtherTabGone {
                { push(messages().storage.save_here, None, ButtonKind::Plain, actions.storage.reform(|()| StorageAction::KeepHere)) }
            }
            if storage.sets.is_empty() {
                if storage.keeping == Persistence::Here {
                    <p class="storage-none soft">{says.nothing}</p>
                }
            } else {
                <ul class="sets" aria-label={says.list}>{ for storage.sets.iter().map(|set| set_line(set, state, actions)) }</ul>
            }
            { for state.room.map(|room| room_lines(room, state, actions)) }
            if storage.sets.len() > 1 || is_broken {
                { delete_button(Deleting::All, says.delete_all, if is_broken { says.everything } else { &all }, state, actions) }
            }
        </dialog>
    }
}

/// Draws one set with its buttons.
fn set_line(set: &SetView, state: &PageState, actions: &Actions) -> Html {
    let name = &set.own.name;
    let says = &messages().storage;
    let how = match &set.state {
        LoadState::Loading => says.storing,
        LoadState::Interrupted => says.interrupted,
        LoadState::Cancelled => says.cancelled,
        LoadState::Failed(_) => says.failed,
        LoadState::Loaded | LoadState::Awaited => "",
    };
    let mark = mark_of(set, state);
    let named = format!("{name}{mark}");
    let is_named = state.workspace.source.same_events(&Source::Own(set.own.clone()));
    let show = {
        // The fields, and a template for them, follow with the events.
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
                <span class="soft small">{(says.size)(set.events.into(), set.bytes)}{mark}{how}</span>
                { for set.trouble.as_ref().map(|error| html! { <span class="problem small">{icon(Icon::Warning)}<span>{damage(error)}</span></span> }) }
            </div>
            <div class="set-tools">
                if is_named && set.shown {
                    <span class="set-shown soft small">{says.shown}</span>
                } else if !is_named && set.opens {
                    { grouped(&(says.show_set)(&named), push(says.show, None, ButtonKind::Quiet, show)) }
                }
                { grouped(&(says.export_set)(&named), push(says.export, None, ButtonKind::Quiet, export)) }
                { delete_button(Deleting::Set(set.set), says.delete, &(says.events_of)(set.events.into(), &named), state, actions) }
            </div>
        </li>
    }
}

/// Returns what distinguishes a set from others of the same name: the first digits of its content,
/// or how it was read.
fn mark_of(set: &SetView, state: &PageState) -> String {
    let (says, own) = (messages(), &set.own);
    let others = || state.storage.sets.iter().map(|set| &set.own).filter(|other| other.name == own.name);
    let mut mark = String::new();
    if let Some(content) = own.content
        && others().any(|other| other.content != own.content)
    {
        mark.push_str(&(says.storage.content)(&content.text()[..CONTENT_DIGITS]));
    }
    if others().any(|other| other.content == own.content && !other.is_read_like(own)) {
        mark.push_str(&(says.storage.read_as)(
            says.data.formats[own.format as usize],
            own.on_bad_line == OnBadLine::Skip,
        ));
    }
    mark
}

/// Draws a button in a group with a name, for screen readers.
fn grouped(name: &str, button: Html) -> Html {
    html! { <span role="group" aria-label={name.to_owned()}>{button}</span> }
}

/// Draws a button that deletes when it is pressed twice.
fn delete_button(what: Deleting, label: &str, of: &str, state: &PageState, actions: &Actions) -> Html {
    let asked = state.look.part::<StorageLook>().deleting == Some(what);
    let press = {
        let (storage, look) = (
            actions.storage.clone(),
            actions.part_at(|look: &mut StorageLook, deleting| look.deleting = deleting),
        );
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
    let keep = actions.part(|look: &mut StorageLook| look.deleting = None);
    let says = &messages().storage;
    html! {
        <span class="delete" role="group" aria-label={(says.delete_group)(label, of)}>
            // It stays the same button, so that it keeps the focus.
            { push(if asked { says.delete_confirm } else { label }, None, if asked { ButtonKind::Plain } else { ButtonKind::Quiet }, press) }
            if asked { { push(says.keep, None, ButtonKind::Quiet, keep) } }
            <span class="visually-hidden" role="status">
                if asked { {(says.press_again)(of)} }
            </span>
        </span>
    }
}

/// Draws the storage space, and whether it is safe.
fn room_lines(room: Room, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().storage;
    let safe = match (room.persisted, state.look.part::<StorageLook>().persist_refused) {
        (true, _) => says.safe,
        (false, false) => says.not_safe,
        (false, true) => says.not_agreed,
    };
    html! {
        <div class="room">
            <p>
                <span class="num">{(says.room)(room.used as u64, room.quota as u64)}</span>{" "}
                <span class="soft">{says.room_shared}</span>{" "}
                <span class="soft" role="status">{safe}</span>
            </p>
            if !room.persisted {
                { push(says.ask_to_keep, Some(Icon::Lock), ButtonKind::Plain, actions.storage.reform(|()| StorageAction::Persist)) }
            }
        </div>
    }
}

fn matters(keeping: &Persistence) -> bool {
    matches!(keeping, Persistence::Without(_) | Persistence::ReadOnly(_) | Persistence::Broken(_))
}

/// Returns whether events that are loaded now are stored, and what the user can do.
fn state_of(keeping: &Persistence) -> String {
    let says = &messages().storage;
    match keeping {
        Persistence::Opening => says.opening.into(),
        Persistence::Here => says.here.into(),
        Persistence::OtherTab => says.other_tab.into(),
        Persistence::OtherTabGone => says.other_tab_closed.into(),
        Persistence::Without(error) => sentence(error),
        Persistence::ReadOnly(error) => {
            let why = match error.code {
                Code::ResourceExhausted => says.no_room,
                Code::Unavailable => says.write_refused,
                _ => &error.message,
            };
            (says.read_only)(why)
        }
        Persistence::Broken(error) if error.code == Code::DataLoss => {
            (says.export_then_delete)(&damage(error))
        }
        Persistence::Broken(error) => (says.nothing_saved_until_then)(&sentence(error)),
    }
}

/// Returns what is wrong with stored events.
fn damage(error: &Error) -> String {
    match error.code {
        Code::DataLoss => messages().storage.damaged.into(),
        // The message comes from a newer build.
        _ => sentence(error),
    }
}

fn sentence(error: &Error) -> String {
    let mut letters = error.message.chars();
    // The messages begin with ASCII. The table of all letters would add 9 kB (gzip) to the page.
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    format!("{}{}.", first.map(String::from).unwrap_or_default(), letters.as_str())
}
