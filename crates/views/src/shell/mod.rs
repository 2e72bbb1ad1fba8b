//! The state of the shell, and the events that change it.

use alloc::string::String;
use alloc::vec::Vec;

mod csv;
mod history;
mod log;
mod prompt;

use alloc::borrow::Cow;
use alloc::rc::Rc;

use tabletop_model::{Problem, TableSpec};
use tabletop_shell::Language;

pub use csv::CsvColumns;
pub use history::CommandHistory;
pub use log::{CommandStatus, LogEntry, ShellLog};
pub use prompt::{KeyPress, Pressed, PromptContext, PromptLine};

/// The languages with their names.
pub const LANGUAGES: [(Language, &str); 2] = [(Language::Cbt, "cbt"), (Language::HBase, "HBase")];
/// The file that the command `import` reads, which the page offers as a download.
pub const ROWS_FILE: &str = "rows.csv";

/// Returns the prompt before a command.
pub fn prompt_of(language: Language) -> &'static str {
    match language {
        Language::Cbt => "cbt>",
        Language::HBase => "hbase>",
    }
}

/// Whose tables commands use. Each has a log of its own, so that the two cannot be confused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellPlace {
    /// The tables of the page.
    Page,
    /// The tables of the running server that serves the page.
    Server,
}

/// Everything that the pane is drawn from.
#[derive(Debug, Default)]
pub struct ShellState {
    /// The commands and their output so far.
    pub log: Rc<ShellLog>,
    /// Whether a command runs.
    pub running: bool,
    /// The name of the file that it waits for.
    pub file: Option<Rc<str>>,
    /// Tables and their families, for completion.
    pub known: Rc<Vec<(String, Vec<String>)>>,
    /// The same tables with their settings, as they were last looked up.
    specs: Vec<(String, TableSpec)>,
}

/// An event of the shell.
#[derive(Debug)]
pub enum ShellEvent {
    /// A command begins.
    Began(Language, String),
    /// The command has printed this.
    Printed(String),
    /// The command cannot be parsed.
    Refused(Vec<Problem>),
    /// The command waits for a file of this name, or no longer waits.
    Wants(Option<String>),
    /// The command has ended.
    Ended(CommandStatus),
    /// A note of the page.
    Noted(Cow<'static, str>),
    /// The output was cleared.
    Cleared,
    /// The tables.
    Known(Vec<(String, TableSpec)>),
}

impl ShellState {
    /// Returns the settings of a table, as they were last looked up.
    pub fn spec(&self, table: &str) -> Option<&TableSpec> {
        self.specs.iter().find(|(id, _)| id == table).map(|(_, spec)| spec)
    }

    /// Forgets the settings of tables, because some are being rebuilt.
    pub fn forget_specs(&mut self) {
        self.specs.clear();
    }

    /// Applies an event.
    pub fn apply(&mut self, event: ShellEvent) {
        let log = Rc::make_mut(&mut self.log);
        match event {
            ShellEvent::Began(language, command) => {
                log.begin(language, command);
                self.running = true;
            }
            ShellEvent::Printed(text) => log.print(&text),
            ShellEvent::Refused(problems) => {
                log.refuse(problems);
                self.running = false;
            }
            ShellEvent::Wants(file) => self.file = file.map(Rc::from),
            ShellEvent::Ended(end) => {
                log.end(end);
                self.running = false;
                self.file = None;
            }
            ShellEvent::Noted(text) => log.note(&text),
            ShellEvent::Cleared => log.clear(),
            ShellEvent::Known(specs) => {
                let names =
                    |spec: &TableSpec| spec.families.iter().map(|family| family.name.clone()).collect();
                self.known =
                    Rc::new(specs.iter().map(|(table, spec)| (table.clone(), names(spec))).collect());
                self.specs = specs;
            }
        }
    }
}
