//! The dialog with all saved workspaces.

use tabletop_texts::messages;
use web_sys::{HtmlInputElement, InputEvent};
use yew::{Callback, Html, TargetCast, classes, html};

use crate::browser;
use crate::kit::{ButtonKind, Icon, NameField, icon, push, tool};
use crate::page::actions::{Actions, choose_workspace_file};
use crate::page::saving::workspaces::DIALOG;
use crate::page::state::{
    About, AboutEvents, Action, PageState, WORKSPACE_NAME_CHARS_MAX, WorkspaceLine, WorkspaceWish,
    WorkspacesLook, lines_with,
};

/// The maximum number of lines that are drawn at once.
const LINES_MAX: usize = 100;
/// With more workspaces there is a search field.
const FIND_FROM: usize = 8;

/// Returns a callback that opens the dialog.
pub fn open_workspaces(actions: &Actions) -> Callback<()> {
    let draw = actions
        .part(|look: &mut WorkspacesLook| *look = WorkspacesLook { open: true, ..WorkspacesLook::default() });
    let list = wish(actions, WorkspaceWish::List);
    Callback::from(move |()| {
        draw.emit(());
        list.emit(());
        browser::open_dialog(DIALOG);
    })
}

/// Returns a callback that acts on a saved workspace.
pub fn wish(actions: &Actions, wish: WorkspaceWish) -> Callback<()> {
    actions.act.reform(move |()| Action::Wish(wish.clone()))
}

/// Draws the dialog while it is open.
#[inline(never)]
pub fn workspaces_dialog(state: &PageState, actions: &Actions) -> Html {
    let (says, look) = (&messages().workspaces, state.look.part::<WorkspacesLook>());
    let onclose = actions.part(|look: &mut WorkspacesLook| look.open = false).reform(|_| ());
    let found = lines_with(&look.lines, &look.typed);
    let on_find = actions
        .part_at(|look: &mut WorkspacesLook, typed: String| look.typed = typed)
        .reform(|event: InputEvent| event.target_unchecked_into::<HtmlInputElement>().value());
    let (said, is_failure) = &look.said;
    html! {
        <dialog id={DIALOG} class="workspaces" data-undo="own" aria-labelledby="workspaces-title" {onclose}>
            <div class="dialog-head">
                <h2 id="workspaces-title">{says.title}</h2>
                { tool(messages().common.close, Icon::Close, Callback::from(|()| browser::close_dialog(DIALOG))) }
            </div>
            <p class="soft">{says.about}</p>
            <div class="workspaces-tools">
                { push(says.new, Some(Icon::Plus), ButtonKind::Plain, wish(actions, WorkspaceWish::New)) }
                { push(messages().top_bar.open, Some(Icon::File), ButtonKind::Plain, Callback::from(|()| choose_workspace_file())) }
                if look.lines.len() >= FIND_FROM {
                    <input class="input" type="search" autocomplete="off" spellcheck="false" aria-label={says.find} placeholder={says.find}
                        value={look.typed.clone()} oninput={on_find} />
                }
            </div>
            <p class={classes!("workspaces-said", is_failure.then_some("problem"))} role="status">
                if !said.is_empty() { {icon(if *is_failure { Icon::Error } else { Icon::Check })}<span>{said.clone()}</span> }
            </p>
            <ul class="sets" aria-label={says.list}>{ for found.iter().take(LINES_MAX).map(|line| draw(line, state, actions)) }</ul>
            if found.is_empty() && !look.typed.is_empty() { <p class="soft">{says.none_found}</p> }
            if found.len() > LINES_MAX { <p class="soft small">{(says.more)(found.len() - LINES_MAX)}</p> }
        </dialog>
    }
}

/// Draws a workspace with its buttons.
fn draw(line: &WorkspaceLine, state: &PageState, actions: &Actions) -> Html {
    let says = &messages().workspaces;
    let look = state.look.part::<WorkspacesLook>();
    let is_shown = line.id == state.workspace_id;
    // The list may be older than the last edit of the workspace shown.
    let about = match &line.about {
        Ok(about) if is_shown && state.is_shared() => {
            Ok(About::new(&state.workspace, about.units, about.changed_millis))
        }
        about => about.clone(),
    };
    let name = about.as_ref().map_or(says.damaged, |about| about.name.as_str()).to_owned();
    let button = |label: &'static str, of: fn(&str) -> String, wanted: WorkspaceWish| {
        named(&of(&name), push(label, None, ButtonKind::Quiet, wish(actions, wanted)))
    };
    let rename = {
        let id = line.id.clone();
        actions.part(move |look: &mut WorkspacesLook| look.renaming = Some(id.clone()))
    };
    html! {
        <li key={format!("w{}", line.id)} id={element_id(&line.id)} class="set">
            if look.renaming.as_ref() == Some(&line.id) {
                { name_field(line, &name, actions) }
            } else {
                <div class="set-text">
                    <strong class="set-name">{name.clone()}</strong>
                    { match &about {
                        Ok(about) => html! { <span class="soft small">{in_words(about)}</span> },
                        Err(why) => html! { <span class="problem small">{icon(Icon::Warning)}<span>{(says.damaged_why)(why)}</span></span> },
                    } }
                </div>
            }
            <div class="set-tools">
                if is_shown {
                    <span class="set-shown soft small">{if state.is_shared() { says.shown } else { says.shown_apart }}</span>
                }
                if about.is_ok() && !(is_shown && state.is_shared()) {
                    { button(says.open, says.open_named, WorkspaceWish::Open(line.id.clone())) }
                }
                if about.is_ok() {
                    <span class="workspace-rename" role="group" aria-label={(says.rename_named)(&name)}>
                        { push(says.rename, None, ButtonKind::Quiet, rename) }
                    </span>
                    { button(says.duplicate, says.duplicate_named, WorkspaceWish::Duplicate(line.id.clone())) }
                }
                { button(messages().common.download, says.download_named, WorkspaceWish::Download(line.id.clone())) }
                { delete_button(&line.id, &name, state, actions) }
            </div>
        </li>
    }
}

fn element_id(id: &str) -> String {
    format!("workspace{}", id.replace('.', "-"))
}

/// Returns when a workspace was changed, if that is known, and its content.
fn in_words(about: &About) -> String {
    let says = &messages().workspaces;
    let changed = (about.changed_millis > 0.0).then(|| browser::local_minute(about.changed_millis));
    let events = match &about.events {
        AboutEvents::Generated(events) => (says.generated)(*events),
        AboutEvents::Sample(name) => (says.sample)(name),
        AboutEvents::Own(file) => (says.own)(file),
    };
    changed.into_iter().chain([(says.designs)(about.designs), events]).collect::<Vec<_>>().join(" · ")
}

fn name_field(line: &WorkspaceLine, name: &str, actions: &Actions) -> Html {
    let says = &messages().workspaces;
    let prevents = |name: String| match name.chars().count() {
        0 => Some(says.no_name.into()),
        chars if chars > WORKSPACE_NAME_CHARS_MAX => Some((says.long_name)(WORKSPACE_NAME_CHARS_MAX)),
        _ => None,
    };
    let id = line.id.clone();
    let opener = format!("#{} .workspace-rename button", element_id(&line.id));
    let on_save = {
        let opener = opener.clone();
        actions.act.reform(move |name: String| {
            browser::focus(opener.clone());
            Action::Wish(WorkspaceWish::Rename(id.clone(), name))
        })
    };
    html! {
        <NameField
            problem_id="workspace-name-problem"
            label={says.name}
            save={says.save_name}
            cancel={messages().compare.cancel}
            name={name.to_owned()}
            chars_max={WORKSPACE_NAME_CHARS_MAX}
            {opener}
            {prevents}
            {on_save}
            on_end={actions.part(|look: &mut WorkspacesLook| look.renaming = None)}
        />
    }
}

/// Draws a button in a group with a name, for screen readers.
fn named(name: &str, button: Html) -> Html {
    html! { <span role="group" aria-label={name.to_owned()}>{button}</span> }
}

/// Draws a button that deletes when it is pressed twice.
fn delete_button(id: &str, name: &str, state: &PageState, actions: &Actions) -> Html {
    let (says, common) = (&messages().workspaces, &messages().storage);
    let asked = state.look.part::<WorkspacesLook>().deleting.as_deref() == Some(id);
    let press = {
        let (id, actions) = (id.to_owned(), actions.clone());
        Callback::from(move |()| {
            let next = (!asked).then(|| id.clone());
            actions.part(move |look: &mut WorkspacesLook| look.deleting = next.clone()).emit(());
            if asked {
                wish(&actions, WorkspaceWish::Delete(id.clone())).emit(());
            }
        })
    };
    let keep = actions.part(|look: &mut WorkspacesLook| look.deleting = None);
    html! {
        <span class="delete" role="group" aria-label={(says.delete_named)(name)}>
            // It stays the same button, so that it keeps the focus.
            { push(if asked { common.delete_confirm } else { common.delete }, None, if asked { ButtonKind::Plain } else { ButtonKind::Quiet }, press) }
            if asked { { push(common.keep, None, ButtonKind::Quiet, keep) } }
            <span class="visually-hidden" role="status">
                if asked { {(common.press_again)(name)} }
            </span>
        </span>
    }
}
