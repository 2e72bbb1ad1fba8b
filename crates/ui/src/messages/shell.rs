//! The shell, and parts of the page as commands.

use super::numbers::bytes;

/// Texts of the shell.
pub struct Shell {
    pub about: &'static str,
    pub language: &'static str,
    pub help: &'static str,
    pub copy_output: &'static str,
    pub output_copied: &'static str,
    pub clear_output: &'static str,
    pub output: &'static str,
    pub log: &'static str,
    pub empty: &'static str,
    /// A command that is running.
    pub running: &'static str,
    pub cancel_command: &'static str,
    pub cancelled: &'static str,
    pub left_out: fn(bytes: u64) -> String,
    /// A command that reads a file: before and after its name.
    pub reads_file: &'static str,
    pub file: &'static str,
    pub choose_file: &'static str,
    pub no_file: &'static str,
    pub no_file_chosen: &'static str,
    pub file_too_large: &'static str,
    pub file_unreadable: &'static str,
    /// Printed once.
    pub design_changed: &'static str,
    /// The line to type in.
    pub command: &'static str,
    pub placeholder: &'static str,
    pub keys: &'static str,
    pub completions: &'static str,
    pub completion: fn(at: usize, of: usize, text: &str) -> String,
    pub as_commands: AsCommands,
}

/// Parts of the page as commands of a language of the shell.
pub struct AsCommands {
    pub query: fn(language: &str) -> String,
    pub table: fn(language: &str) -> String,
    pub tablets: fn(language: &str) -> String,
    pub first_events: fn(language: &str) -> String,
    pub all_rows: fn(language: &str) -> String,
    pub cbt: &'static str,
    pub impossible: &'static str,
    pub title: &'static str,
    pub copy: &'static str,
    pub copied: &'static str,
    pub run: &'static str,
}

pub const ENGLISH: Shell = Shell {
    about: "cbt and HBase commands on these tables",
    language: "Shell language",
    help: "Help",
    copy_output: "Copy output",
    output_copied: "Output copied",
    clear_output: "Clear output",
    output: "Shell output",
    log: "Shell log",
    empty: "Commands run against the tables of the designs, and against tables that you create here, which \
            last until you close the page. Tab completes, Up recalls, Esc cancels.",
    running: "A command is running",
    cancel_command: "Cancel command",
    cancelled: "Cancelled.",
    left_out: |size| format!("{} of earlier output is not shown.", bytes(size)),
    reads_file: "This command reads the file",
    file: "File for the command",
    choose_file: "Choose file",
    no_file: "No file",
    no_file_chosen: "no file was chosen",
    file_too_large: "it is larger than 100 MB. Use the command line for that",
    file_unreadable: "the browser cannot read it. Choose it again",
    design_changed: "Note: this changed the table of a design. Undo reverts it. If you change the row key \
                     or layout, your writes are shelved until you change it back. This browser stores them; \
                     files and links do not contain them.\n",
    command: "Shell command",
    placeholder: "Type a command, or help",
    keys: "Enter runs the command. Shift+Enter starts a new line. Tab completes, or leaves an empty line; \
           Shift+Tab always leaves. Up and Down go through earlier commands. Esc cancels the running \
           command.",
    completions: "Completions",
    completion: |at, of, text| format!("{at} of {of} completions: {text}"),
    as_commands: AsCommands {
        query: |language| format!("Query as {language}"),
        table: |language| format!("Table as {language}"),
        tablets: |language| format!("Tablets as {language}"),
        first_events: |language| format!("First events as {language}"),
        all_rows: |language| format!("All rows as {language}"),
        cbt: "cbt is Google's command line tool for Bigtable.",
        impossible: "This language has no command for this.",
        title: "Commands",
        copy: "Copy commands",
        copied: "Commands copied",
        run: "Run in shell",
    },
};
