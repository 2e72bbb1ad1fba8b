//! Name, undo and redo, the workspace as a file, theme, about.

use web_sys::File;
use yew::{Callback, Html, Properties, function_component, html};

use super::about::About;
use super::theme::ThemeSwitch;
use super::workspace_menu::WorkspaceMenu;
use crate::widgets::{Button, ButtonKind, Icon};

/// Properties of [`TopBar`].
#[derive(Properties, PartialEq)]
pub struct TopBarProps {
    /// There is a change to take back.
    pub can_undo: bool,
    /// There is one to make again.
    pub can_redo: bool,
    /// Takes it back.
    pub on_undo: Callback<()>,
    /// Makes it again.
    pub on_redo: Callback<()>,
    /// Offers the workspace as a file.
    pub on_download: Callback<()>,
    /// Such a file was chosen.
    pub on_open: Callback<File>,
    /// Back to what everyone sees first.
    pub on_reset: Callback<()>,
}

/// The bar at the top.
#[function_component]
pub fn TopBar(props: &TopBarProps) -> Html {
    html! {
        <header class="topbar">
            <svg class="logo" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
                <rect class="logo-a" x="2" y="6" width="9" height="12" rx="2" />
                <rect class="logo-b" x="12.5" y="6" width="4" height="12" rx="1.5" />
                <rect class="logo-c" x="18" y="6" width="4" height="12" rx="1.5" />
            </svg>
            <h1 class="brand">{"Tabletop"}</h1>
            <p class="tagline soft">{"Bigtable row keys, tried out in your browser"}</p>
            <div class="topbar-tools">
                <Button label="Undo" title="Undo (Ctrl+Z)" icon={Icon::Undo} icon_only=true kind={ButtonKind::Quiet} disabled={!props.can_undo}
                    on_click={props.on_undo.clone()} />
                <Button label="Redo" title="Redo (Ctrl+Shift+Z)" icon={Icon::Redo} icon_only=true kind={ButtonKind::Quiet} disabled={!props.can_redo}
                    on_click={props.on_redo.clone()} />
                <WorkspaceMenu on_download={props.on_download.clone()} on_open={props.on_open.clone()} on_reset={props.on_reset.clone()} />
                <ThemeSwitch />
                <About />
            </div>
        </header>
    }
}
