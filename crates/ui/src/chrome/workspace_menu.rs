//! The workspace as a file, and a fresh one.

use web_sys::{File, HtmlInputElement};
use yew::{AttrValue, Callback, Event, Html, Properties, TargetCast, function_component, html, use_node_ref};

use crate::widgets::{Icon, MenuButton};

/// Properties of [`WorkspaceMenu`].
#[derive(Properties, PartialEq)]
pub struct WorkspaceMenuProps {
    /// Offers the workspace as a file.
    pub on_download: Callback<()>,
    /// Such a file was chosen.
    pub on_open: Callback<File>,
    /// Back to what everyone sees first.
    pub on_reset: Callback<()>,
}

/// A menu of three.
#[function_component]
pub fn WorkspaceMenu(props: &WorkspaceMenuProps) -> Html {
    let input = use_node_ref();
    let on_select = {
        let (input, on_download, on_reset) = (input.clone(), props.on_download.clone(), props.on_reset.clone());
        Callback::from(move |item: AttrValue| match item.as_str() {
            "download" => on_download.emit(()),
            "open" => {
                if let Some(input) = input.cast::<HtmlInputElement>() {
                    input.click();
                }
            }
            _ => on_reset.emit(()),
        })
    };
    let onchange = {
        let on_open = props.on_open.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                on_open.emit(file);
            }
            // The same file may be chosen again after it was changed.
            input.set_value("");
        })
    };
    let items = [("download", "Download workspace"), ("open", "Open a workspace file"), ("reset", "Start over")];
    html! {
        <>
            <MenuButton
                label="Workspace"
                icon={Icon::File}
                icon_only=true
                end=true
                items={items.map(|(value, text)| (value.into(), text.into())).to_vec()}
                {on_select}
            />
            <input ref={input} type="file" hidden=true accept=".json,application/json" aria-label="Workspace file" {onchange} />
        </>
    }
}
