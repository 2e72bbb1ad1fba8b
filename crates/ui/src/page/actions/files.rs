//! Workspaces in files.

use tabletop_client::json;
use tabletop_model::Error;
use tabletop_texts::messages;
use tabletop_workspace::Workspace;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, File, HtmlElement};
use yew::Callback;

use super::OwnChoice;
use crate::browser;
use crate::page::state::{Action, WorkspaceWish};

/// Size of the largest file that is read, in bytes. A workspace holds no events.
const BYTES_MAX: f64 = 1e6;

/// The id of the hidden field that takes the file of a workspace.
pub const WORKSPACE_FILE: &str = "workspace-file";

/// Lets the user choose a workspace file.
pub fn choose_workspace_file() {
    let input = browser::document()
        .get_element_by_id(WORKSPACE_FILE)
        .and_then(|input| input.dyn_into::<HtmlElement>().ok());
    input.iter().for_each(HtmlElement::click);
}

/// Returns a callback that opens a file as a separate workspace, or reports what is wrong with it.
pub fn open_as_workspace(act: &Callback<Action>) -> Callback<File> {
    let act = act.clone();
    Callback::from(move |file: File| {
        let act = act.clone();
        spawn_local(async move {
            act.emit(match open(&file).await {
                Ok(workspace) => Action::Wish(WorkspaceWish::Import(Box::new(workspace))),
                Err(error) => Action::Wish(WorkspaceWish::Refuse(error)),
            });
        });
    })
}

/// Reads the workspace in a file.
///
/// # Errors
/// Why the file does not contain a workspace.
async fn open(file: &Blob) -> Result<Workspace, Error> {
    if file.size() > BYTES_MAX {
        return Err(Error::invalid(messages().common.workspace_too_large));
    }
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    let text = text.ok_or_else(|| Error::invalid(messages().common.file_unreadable))?;
    json::read(&text)
}

/// Returns the workspace in a file that was chosen as events, if it holds one.
pub async fn workspace_in(choice: &OwnChoice) -> Option<Workspace> {
    let is_json = choice.name.as_ref().is_some_and(|name| name.to_ascii_lowercase().ends_with(".json"));
    if !is_json {
        return None;
    }
    open(&choice.blob).await.ok()
}
