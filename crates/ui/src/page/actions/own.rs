//! The user's own events, or a workspace that was dropped in place of them.

use tabletop_texts::messages;
use tabletop_workspace::{Format, OnBadLine, OwnData, Reading, Source};
use wasm_bindgen_futures::spawn_local;
use web_sys::Blob;
use yew::Callback;

use super::edits::edit_now;
use super::files;
use crate::browser;
use crate::page::engine_link::EngineLink;
use crate::page::state::{Action, Edit, WorkspaceWish};

/// A file of more bytes takes a noticeable time to read.
const LARGE_BYTES: f64 = 16e6;

/// The user's own events, as they were chosen.
#[derive(Clone, PartialEq)]
pub struct OwnChoice {
    /// The bytes; they stay in this browser.
    pub blob: Blob,
    /// The file's name; nothing for a pasted text.
    pub name: Option<String>,
    /// How records are written.
    pub format: Format,
    /// What to do with lines that do not parse: skip them, or stop.
    pub on_bad_line: OnBadLine,
    /// The choices about what is otherwise detected in the bytes.
    pub reading: Reading,
}

/// Returns a callback that opens a workspace, and loads anything else as events.
pub fn choose(act: &Callback<Action>, link: &EngineLink) -> Callback<OwnChoice> {
    let (act, link) = (act.clone(), link.clone());
    Callback::from(move |choice: OwnChoice| {
        let (act, link) = (act.clone(), link.clone());
        spawn_local(async move {
            match files::workspace_in(&choice).await {
                Some(workspace) => act.emit(Action::Wish(WorkspaceWish::Import(Box::new(workspace)))),
                None => take(choice, &act, &link).await,
            }
        });
    })
}

/// Makes the user's own events the source. The workspace names the content of the file before any
/// event is read, so that a reload at any time finds the events of this file and of no other.
async fn take(choice: OwnChoice, act: &Callback<Action>, link: &EngineLink) {
    let OwnChoice { blob, name, format, on_bad_line, reading } = choice;
    let name = name.unwrap_or_else(pasted_name);
    if blob.size() > LARGE_BYTES {
        act.emit(Action::Say((messages().data.reading)(&name).into()));
    }
    let own = OwnData { name, format, fields: Vec::new(), on_bad_line, reading, content: None };
    let Some(own) = link.identify(&blob, own).await else { return };
    act.emit(edit_now(Edit::Source(Source::Own(own.clone()), None)));
    act.emit(Action::OwnChosen(blob.size() as u64));
    link.choose_own(blob, own);
}

/// Returns a name for a pasted text. No other stored text has it, in this tab or another one.
fn pasted_name() -> String {
    format!("pasted {}", browser::local_time())
}
