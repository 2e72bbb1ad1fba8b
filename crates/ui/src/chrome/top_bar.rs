//! The bar at the top: name, views, examples, the link, undo and redo, and a menu for the rest.

use tabletop_texts::messages;
use tabletop_workspace::Workspace;
use yew::{AttrValue, Callback, Event, Html, MouseEvent, TargetCast, html};

use super::about::{about, open_about};
use super::banners::start_over;
use super::examples::examples_button;
use super::keys::open_keys;
use super::palette::open_palette;
use crate::browser::{focus, take_file};
use crate::kit::{Icon, MenuButton, tool};
use crate::page::actions::{
    Actions, StorageAction, THEMES, WORKSPACE_FILE, address, choose_theme, choose_workspace_file, open_view,
};
use crate::page::state::{Action, PageState};
use crate::panes::export::open_export;
use crate::panes::share::share;
use crate::panes::storage::open_storage;
use crate::panes::workspaces::open_workspaces;
use crate::views::{View, offered};

/// The value of the menu's item for the theme of the system.
const SYSTEM: &str = "system";

/// Draws the bar.
pub fn top_bar(state: &PageState, actions: &Actions) -> Html {
    let bar = &messages().top_bar;
    html! {
        <header class="topbar">
            <a class="skip" href={address(state.look.view)} onclick={skip()}>{bar.skip}</a>
            <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
                <rect class="logo-a" x="2" y="6" width="9" height="12" rx="2" />
                <rect class="logo-b" x="12.5" y="6" width="4" height="12" rx="1.5" />
                <rect class="logo-c" x="18" y="6" width="4" height="12" rx="1.5" />
            </svg>
            <h1 class="brand">{bar.name}</h1>
            { views(state, actions) }
            <p class="tagline soft">{if state.workspace.name == Workspace::UNNAMED { bar.tagline.into() } else { state.workspace.name.clone() }}</p>
            <div class="topbar-work">
                { examples_button(state, actions) }
                { share(state, actions) }
            </div>
            <div class="topbar-tools">
                { tool(bar.undo, Icon::Undo, state.can_undo().then_some(actions.act.reform(|()| Action::Undo))) }
                { tool(bar.redo, Icon::Redo, state.can_redo().then_some(actions.act.reform(|()| Action::Redo))) }
                { menu(state, actions) }
                { about(state) }
            </div>
        </header>
    }
}

/// Returns what moves the focus to the content of the view.
fn skip() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        event.prevent_default();
        focus("main :is(.centre, .single-scroll, .server-scroll)".into());
    })
}

/// Draws the links to the views.
fn views(state: &PageState, actions: &Actions) -> Html {
    let bar = &messages().top_bar;
    let link = |view: &View| {
        let current = (state.look.view == view.id).then_some("page");
        html! { <a href={address(view.id)} aria-current={current} onclick={open_view(&actions.act, view.id)}>{(view.name)()}</a> }
    };
    html! { <nav class="views" aria-label={bar.views}>{ for offered(&state.look).map(link) }</nav> }
}

/// Draws the menu: the workspace as a file, its data, the themes that are not chosen, help.
fn menu(state: &PageState, actions: &Actions) -> Html {
    let on_select = {
        let (workspace, actions) = (state.workspace.clone(), actions.clone());
        Callback::from(move |item: AttrValue| match item.as_str() {
            "download" => actions.download(&workspace),
            "workspaces" => open_workspaces(&actions).emit(()),
            "export" => open_export(&actions).emit(()),
            "storage" => open_storage(&actions).emit(()),
            "table" => actions.storage.emit(StorageAction::ExportTable),
            "open" => choose_workspace_file(),
            "actions" => open_palette(&actions.act),
            "keys" => open_keys(&actions.act),
            "about" => open_about(&actions).emit(()),
            "reset" => start_over(&actions).emit(()),
            theme => {
                let chosen = THEMES.into_iter().find(|each| each.unwrap_or(SYSTEM) == theme).flatten();
                actions.act.emit(choose_theme(chosen));
            }
        })
    };
    let on_open = actions.open.clone();
    let onchange = Callback::from(move |event: Event| {
        take_file(&event.target_unchecked_into(), |file| on_open.emit(file));
    });
    let bar = &messages().top_bar;
    let themes = THEMES.into_iter().zip([bar.light, bar.dark, bar.system]);
    let themes = themes.filter(|(theme, _)| *theme != state.look.theme);
    let themes = themes.map(|(theme, text)| (theme.unwrap_or(SYSTEM), text));
    let items = [
        ("workspaces", bar.workspaces),
        ("download", bar.save),
        ("open", bar.open),
        ("table", bar.download_table),
        ("export", bar.export),
        ("storage", messages().common.storage),
        ("actions", bar.all_actions),
        ("keys", bar.keys),
        ("reset", bar.start_over),
    ];
    let last = [("about", bar.about.open)];
    let items = items.into_iter().chain(themes).chain(last);
    let items: Vec<(AttrValue, AttrValue)> = items.map(|(value, text)| (value.into(), text.into())).collect();
    html! {
        <>
            <MenuButton label={bar.menu} icon={Icon::Menu} icon_only=true end=true {items} {on_select} />
            <input id={WORKSPACE_FILE} type="file" hidden=true accept=".json,application/json" aria-label={bar.workspace_file} {onchange} />
        </>
    }
}
