//! What a person can do: made once, given to every pane.

use std::cell::Cell;

use tabletop_client::json;
use tabletop_schema::{OwnData, Playback, Query, SetView, Source, Workspace};
use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::{AttrValue, Callback};

use super::{files, layout};
use crate::browser;
use crate::engine_link::EngineLink;
use crate::messages::messages;
use crate::pages::data::{OwnChoice, pasted_name};
use crate::shell::{Memory, ShellAction, ShellEvent, focus_prompt};
use crate::state::{Action, Edit, Look, Pane};

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
    pub shell_memory: Memory,
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
        let edit = {
            let (act, link) = (act.clone(), link.clone());
            Callback::from(move |edit: Edit| {
                let of_design =
                    matches!(edit, Edit::TemplateTyping(_) | Edit::Template(_) | Edit::Layout(_) | Edit::FamilyField(_));
                if of_design {
                    link.design_edited();
                }
                act.emit(Action::Edit(edit, browser::now_millis()));
            })
        };
        let own = {
            let (act, link) = (act.clone(), link.clone());
            Callback::from(move |choice: OwnChoice| {
                let (act, link) = (act.clone(), link.clone());
                spawn_local(async move {
                    // A workspace that is dropped on the page is meant to be opened.
                    match files::workspace_in(&choice).await {
                        Some(workspace) => act.emit(edit_now(Edit::Workspace(Box::new(workspace)))),
                        None => take_own(choice, &act, &link),
                    }
                });
            })
        };
        let open = {
            let act = act.clone();
            Callback::from(move |file: File| {
                let act = act.clone();
                spawn_local(async move {
                    act.emit(match files::open(&file).await {
                        Ok(workspace) => edit_now(Edit::Workspace(Box::new(workspace))),
                        Err(error) => Action::Refused(error),
                    });
                });
            })
        };
        let ask = |action: fn(&EngineLink)| {
            let link = link.clone();
            Callback::from(move |()| action(&link))
        };
        let play = {
            let link = link.clone();
            Callback::from(move |playback| link.play(playback))
        };
        let storage = {
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
        };
        let shell_memory = Memory::new();
        let shell = shell_actions(&act, link, &shell_memory);
        Actions {
            shell,
            shell_memory,
            query: edit.reform(Edit::Query),
            edit,
            own,
            open,
            play,
            cancel_load: ask(EngineLink::cancel_load),
            run: ask(EngineLink::ask),
            stop: ask(EngineLink::give_up),
            restart: ask(EngineLink::restart),
            storage,
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

    /// Folds the shell or opens it, with the focus in its prompt.
    pub fn toggle_shell(&self, open: bool) -> Callback<()> {
        self.act.reform(move |()| {
            if open {
                focus_soon();
            }
            layout::show_shell(open)
        })
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

/// What can be done in the shell. The language is kept here, for commands come from all over the page.
fn shell_actions(act: &Callback<Action>, link: &EngineLink, memory: &Memory) -> Callback<ShellAction> {
    let (act, link, memory) = (act.clone(), link.clone(), memory.clone());
    let language = Cell::new(layout::stored_language());
    let run = {
        let link = link.clone();
        move |text: &str, language| link.run_shell(language, text).iter().for_each(|command| memory.push(command))
    };
    Callback::from(move |action: ShellAction| match action {
        ShellAction::Run(text) => run(&text, language.get()),
        ShellAction::Show(text) => {
            act.emit(layout::show_shell(true));
            act.emit(Action::Look(Box::new(|look| look.pane = Pane::Shell)));
            focus_soon();
            run(&text, language.get());
        }
        ShellAction::Speak(spoken) => {
            language.set(spoken);
            act.emit(layout::speak(spoken));
        }
        ShellAction::Cancel => link.cancel_shell(),
        ShellAction::File(file) => link.give_file(file),
        ShellAction::Known => link.learn_tables(),
        ShellAction::Clear => act.emit(Action::Shell(ShellEvent::Cleared)),
        ShellAction::Copy(log) => copy(log.text(), messages().shell.output_copied, act.clone()),
    })
}

/// Once the page shows the prompt.
fn focus_soon() {
    spawn_local(async {
        browser::next_frame().await;
        focus_prompt();
    });
}

fn edit_now(edit: Edit) -> Action {
    Action::Edit(edit, browser::now_millis())
}

/// Makes a person's own events the source.
fn take_own(choice: OwnChoice, act: &Callback<Action>, link: &EngineLink) {
    let OwnChoice { blob, name, format, on_bad_line } = choice;
    let name = name.unwrap_or_else(pasted_name);
    let own = OwnData { name, format, fields: Vec::new(), on_bad_line };
    act.emit(edit_now(Edit::Source(Source::Own(own.clone()), None)));
    act.emit(Action::OwnChosen(blob.size() as u64));
    link.choose_own(blob, own);
}
