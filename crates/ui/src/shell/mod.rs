//! The shell: commands of cbt and of the HBase shell against the tables that the page shows.
//!
//! ```text
//! prompt --ShellAction--> engine_link/shell.rs: asks the engine, step by step --ShellEvent--> ShellState --> pane
//! ```

mod commands;
mod csv;
mod history;
mod log;
mod pane;
mod prompt;
mod state;

pub use commands::{Commands, ROWS_FILE, as_commands};
pub use csv::CsvColumns;
pub use history::History;
pub use log::{End, Log};
pub use pane::{focus_prompt, fold, shell_pane};
pub use prompt::{Memory, is_prompt};
pub use state::{ShellEvent, ShellState};

use std::rc::Rc;

use tabletop_shell::Language;
use web_sys::File;

/// What a person can do in the shell.
#[derive(Clone, Debug)]
pub enum ShellAction {
    /// Commands of a text, one after the other.
    Run(String),
    /// Shows the shell, and does that there.
    Show(String),
    /// Gives up what is under way, and what waits behind it.
    Cancel,
    /// The file that a command wants, or none.
    File(Option<File>),
    /// Looks up which tables there are, for completion.
    Known,
    /// Forgets the output.
    Clear,
    /// Takes all of the output to the clipboard.
    Copy(Rc<Log>),
    /// Speaks another language.
    Speak(Language),
}

/// The languages with their names.
pub const LANGUAGES: [(Language, &str); 2] = [(Language::Cbt, "cbt"), (Language::HBase, "HBase")];

/// What stands before a command.
pub fn prompt_of(language: Language) -> &'static str {
    match language {
        Language::Cbt => "cbt>",
        Language::HBase => "hbase>",
    }
}
