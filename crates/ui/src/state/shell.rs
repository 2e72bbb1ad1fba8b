//! The shell as the page shows it, and what happens to it.

mod history;
mod log;
mod prompt;

use std::rc::Rc;

use tabletop_model::{Problem, TableSpec};
use tabletop_shell::Language;

pub use history::CommandHistory;
pub use log::{CommandStatus, LogEntry, ShellLog};
pub use prompt::{KeyPress, Pressed, PromptContext, PromptLine};

/// The languages with their names.
pub const LANGUAGES: [(Language, &str); 2] = [(Language::Cbt, "cbt"), (Language::HBase, "HBase")];
/// The file that the command `import` reads, which the page offers as a download.
pub const ROWS_FILE: &str = "rows.csv";

/// What stands before a command.
pub fn prompt_of(language: Language) -> &'static str {
    match language {
        Language::Cbt => "cbt>",
        Language::HBase => "hbase>",
    }
}

/// All that the pane is drawn from.
#[derive(Debug, Default)]
pub struct ShellState {
    /// What was said so far.
    pub log: Rc<ShellLog>,
    /// A command is at work.
    pub running: bool,
    /// The file that it waits for.
    pub file: Option<Rc<str>>,
    /// Tables and their families, for completion.
    pub known: Rc<Vec<(String, Vec<String>)>>,
    /// The same tables, as they were looked up last.
    specs: Vec<(String, TableSpec)>,
}

/// What happens in the shell.
#[derive(Debug)]
pub enum ShellEvent {
    /// A command begins.
    Began(Language, String),
    /// It has printed this.
    Printed(String),
    /// It cannot be read.
    Refused(Vec<Problem>),
    /// It waits for a file of this name, or does no more.
    Wants(Option<String>),
    /// It has ended.
    Ended(CommandStatus),
    /// The page says something itself.
    Noted(&'static str),
    /// The output was cleared.
    Cleared,
    /// Which tables there are.
    Known(Vec<(String, TableSpec)>),
}

impl ShellState {
    /// A table as it was looked up last.
    pub fn spec(&self, table: &str) -> Option<&TableSpec> {
        self.specs.iter().find(|(id, _)| id == table).map(|(_, spec)| spec)
    }

    /// Lets it happen.
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
            ShellEvent::Noted(text) => log.note(text),
            ShellEvent::Cleared => log.clear(),
            ShellEvent::Known(specs) => {
                let names = |spec: &TableSpec| spec.families.iter().map(|family| family.name.clone()).collect();
                self.known = Rc::new(specs.iter().map(|(table, spec)| (table.clone(), names(spec))).collect());
                self.specs = specs;
            }
        }
    }
}
