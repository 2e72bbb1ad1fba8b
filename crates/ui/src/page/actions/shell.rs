//! The actions of the shell, which any part of the page can call.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;

use tabletop_shell::Language;
use tabletop_texts::messages;
use web_sys::File;
use yew::Callback;

use super::{copy, preferences};
use crate::browser;
use crate::page::engine_link::EngineLink;
use crate::page::state::{Action, CommandHistory, Pane, PromptLine, ShellLog};

/// Id of the field in which commands are typed.
pub const PROMPT_ID: &str = "shell-line";
/// The stored name of this tab's commands.
const HISTORY: &str = "shell-history";

/// The user's actions in the shell.
#[derive(Clone, Debug)]
pub enum ShellAction {
    /// Runs the commands of a text, in order.
    Run(String),
    /// Shows the shell, and runs the commands there.
    Show(String),
    /// Cancels the running command and the queued ones.
    Cancel,
    /// Gives a command the file that it waits for, or none.
    File(Option<File>),
    /// Looks up the tables that exist, for completion.
    Known,
    /// Clears the output.
    Clear,
    /// Copies all of the output to the clipboard.
    Copy(Rc<ShellLog>),
    /// Chooses another language.
    Speak(Language),
}

/// The line of the prompt. It outlives the pane, so a folded shell keeps what was typed.
#[derive(Clone, Default)]
pub struct PromptMemory(Rc<RefCell<PromptLine>>);

impl PromptMemory {
    /// Makes an empty line with the commands that ran in this tab before a reload.
    pub fn restore() -> PromptMemory {
        let history = CommandHistory::read(&browser::session_stored(HISTORY).unwrap_or_default());
        PromptMemory(Rc::new(RefCell::new(PromptLine::new(history))))
    }

    /// The line.
    pub fn line(&self) -> Ref<'_, PromptLine> {
        self.0.borrow()
    }

    /// The line for changes.
    pub fn line_mut(&self) -> RefMut<'_, PromptLine> {
        self.0.borrow_mut()
    }

    /// Adds a command to the history.
    fn push(&self, command: &str) {
        let mut line = self.0.borrow_mut();
        line.push(command);
        // A browser that stores nothing keeps them until the reload.
        browser::store_for_session(HISTORY, &line.history().text());
    }
}

impl PartialEq for PromptMemory {
    fn eq(&self, other: &PromptMemory) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Returns the callback of the shell. It holds the language, because commands come from all parts
/// of the page.
pub fn shell_actions(
    act: &Callback<Action>,
    link: &EngineLink,
    memory: &PromptMemory,
) -> Callback<ShellAction> {
    let (act, link, memory) = (act.clone(), link.clone(), memory.clone());
    let language = Cell::new(preferences::stored_language());
    let run = {
        let link = link.clone();
        move |text: &str, language| {
            link.run_shell(language, text).iter().for_each(|command| memory.push(command));
        }
    };
    Callback::from(move |action: ShellAction| match action {
        ShellAction::Run(text) => run(&text, language.get()),
        ShellAction::Show(text) => {
            act.emit(preferences::open_shell());
            act.emit(Action::Look(Box::new(|look| look.pane = Pane::Shell)));
            focus_soon();
            run(&text, language.get());
        }
        ShellAction::Speak(spoken) => {
            language.set(spoken);
            act.emit(preferences::choose_language(spoken));
        }
        ShellAction::Cancel => link.cancel_shell(),
        ShellAction::File(file) => link.give_file(file),
        ShellAction::Known => link.learn_tables(),
        ShellAction::Clear => link.clear_shell(),
        ShellAction::Copy(log) => copy(log.text(), messages().shell.output_copied, act.clone()),
    })
}

/// Puts the focus into the prompt once the page shows it.
pub fn focus_soon() {
    browser::focus(format!("#{PROMPT_ID}"));
}
