//! Workspaces in files.

use tabletop_client::json;
use tabletop_model::Error;
use tabletop_schema::Workspace;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, File};
use yew::Callback;

use super::{OwnChoice, edit_now};
use crate::messages::messages;
use crate::state::{Action, Edit};

/// Size of the largest file that is read, in bytes. A workspace holds no events.
const BYTES_MAX: f64 = 1e6;

/// Returns a callback that opens a file as the workspace, or shows what is wrong with it.
pub fn open_as_workspace(act: &Callback<Action>) -> Callback<File> {
    let act = act.clone();
    Callback::from(move |file: File| {
        let act = act.clone();
        spawn_local(async move {
            act.emit(match open(&file).await {
                Ok(workspace) => edit_now(Edit::Workspace(Box::new(workspace))),
                Err(error) => Action::Refused(error),
            });
        });
    })
}

/// Reads the workspace in a file.
///
/// # Errors
/// The reason why the file has none.
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
