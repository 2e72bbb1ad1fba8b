//! What a person can do, as callbacks: made once, given to every view. Below the views, above the state and the engine.

mod files;
mod own;
mod preferences;
mod shell;

use tabletop_client::json;
use tabletop_schema::{Playback, Query, SetView, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::{AttrValue, Callback};

use crate::browser;
use crate::engine_link::EngineLink;
use crate::messages::messages;
use crate::state::{Action, Edit, Look};
pub use own::OwnChoice;
pub use preferences::{SHELL_HEIGHT, SIDE_WIDTH, THEMES, UPPER_HEIGHT, choose_theme, resize, restore};
pub use shell::{PROMPT_ID, PromptMemory, ShellAction};

/// Callbacks that stay the same for the life of the page.
#[derive(Clone)]
pub struct Actions {
    /// Anything at all.
    pub act: Callback<Action>,
    /// A change of the workspace.
    pub edit: Callback<Edit>,
    /// Another question.
    pub query: Callback<Query>,
    /// A person's own events, or a workspace that is dropped among them.
    pub own: Callback<OwnChoice>,
    /// A file with a workspace.
    pub open: Callback<File>,
    /// How events arrive.
    pub play: Callback<Playback>,
    /// Ends the load.
    pub cancel_load: Callback<()>,
    /// Asks the question.
    pub run: Callback<()>,
    /// Gives it up.
    pub stop: Callback<()>,
    /// Starts another engine.
    pub restart: Callback<()>,
    /// What is kept in this browser.
    pub storage: Callback<StorageAction>,
    /// Commands.
    pub shell: Callback<ShellAction>,
    /// What the prompt remembers.
    pub shell_memory: PromptMemory,
}

/// Puts a text into the clipboard, and says so, or that the browser forbids it.
pub fn copy(text: String, said: &'static str, act: Callback<Action>) {
    spawn_local(async move {
        let said = if browser::copy(&text).await { said } else { messages().common.copy_forbidden };
        act.emit(Action::Say(said.into()));
    });
}

/// What can be done with what is kept in this browser.
#[derive(Clone, Debug, PartialEq)]
pub enum StorageAction {
    /// Shows it as it is now.
    Look,
    /// Keeps events in this tab from now on.
    KeepHere,
    /// Offers a set as a file.
    Export(SetView),
    /// Deletes a set, or all.
    Delete(Option<u32>),
    /// Asks the browser to delete nothing by itself.
    Persist,
    /// Offers the table on the screen as a file.
    ExportTable,
    /// Offers its rows as the file that cbt imports.
    ExportRows,
}

impl Actions {
    /// What can be done with this page and this engine.
    pub fn new(act: Callback<Action>, link: &EngineLink) -> Actions {
        let edit = edit(&act, link);
        let ask = |action: fn(&EngineLink)| {
            let link = link.clone();
            Callback::from(move |()| action(&link))
        };
        let play = {
            let link = link.clone();
            Callback::from(move |playback| link.play(playback))
        };
        let shell_memory = PromptMemory::restore();
        Actions {
            shell: shell::shell_actions(&act, link, &shell_memory),
            shell_memory,
            query: edit.reform(Edit::Query),
            edit,
            own: own::choose(&act, link),
            open: files::open_as_workspace(&act),
            play,
            cancel_load: ask(EngineLink::cancel_load),
            run: ask(EngineLink::ask),
            stop: ask(EngineLink::give_up),
            restart: ask(EngineLink::restart),
            storage: storage(link),
            act,
        }
    }

    /// Looks at something else, or in another way.
    pub fn look(&self, change: impl Fn(&mut Look) + Clone + 'static) -> Callback<()> {
        self.act.reform(move |()| Action::Look(Box::new(change.clone())))
    }

    /// The same, with what a control says.
    pub fn look_at<T: 'static>(&self, change: fn(&mut Look, T)) -> Callback<T> {
        self.act.reform(move |value: T| Action::Look(Box::new(move |look| change(look, value))))
    }

    /// Opens the shell, with the focus in its prompt.
    pub fn open_shell(&self) -> Callback<()> {
        self.act.reform(|()| {
            shell::focus_soon();
            preferences::open_shell()
        })
    }

    /// Folds the shell.
    pub fn fold_shell(&self) -> Callback<()> {
        self.act.reform(|()| preferences::fold_shell())
    }

    /// For screen readers.
    pub fn say(&self, text: impl Into<AttrValue>) {
        self.act.emit(Action::Say(text.into()));
    }

    /// Offers the workspace as a file.
    pub fn download(&self, workspace: &Workspace) {
        self.say(match browser::download("tabletop-workspace.json", "application/json", &json::write(workspace)) {
            Ok(()) => messages().common.workspace_saved,
            Err(_) => messages().common.download_forbidden,
        });
    }

    /// Back to what everyone sees first.
    pub fn reset(&self) {
        self.edit.emit(Edit::Workspace(Box::default()));
        self.say(messages().common.started_over);
    }
}

/// Edits the workspace; the benchmark learns when it was the design.
fn edit(act: &Callback<Action>, link: &EngineLink) -> Callback<Edit> {
    let (act, link) = (act.clone(), link.clone());
    Callback::from(move |edit: Edit| {
        if matches!(edit, Edit::TemplateTyping(_) | Edit::Template(_) | Edit::Layout(_) | Edit::FamilyField(_)) {
            link.design_edited();
        }
        act.emit(edit_now(edit));
    })
}

fn edit_now(edit: Edit) -> Action {
    Action::Edit(edit, browser::now_millis())
}

fn storage(link: &EngineLink) -> Callback<StorageAction> {
    let link = link.clone();
    Callback::from(move |action| match action {
        StorageAction::Look => link.look_at_storage(),
        StorageAction::KeepHere => link.keep_here(),
        StorageAction::Export(set) => link.export_kept(set),
        StorageAction::Delete(set) => link.delete_kept(set),
        StorageAction::Persist => link.persist(),
        StorageAction::ExportTable => link.export_table(),
        StorageAction::ExportRows => link.export_rows(),
    })
}
