//! The shell, and parts of the page as commands.

use alloc::format;

use super::numbers::bytes;

texts!(Shell {
    language: "Shell language",
    help: "Help",
    copy_output: "Copy output",
    output_copied: "Output copied",
    clear_output: "Clear output",
    output: "Shell output",
    log: "Shell log",
    empty: "Commands run against the tables of the designs, and against tables that you create here, which \
            last until you close the page. Tab completes, Up recalls, Esc cancels.",
    /// A command that is running.
    running: "A command is running",
    cancel_command: "Cancel command",
    cancelled: "Cancelled.",
    left_out: |size: u64| format!("{} of earlier output is not shown.", bytes(size)),
    /// A command that reads a file: before and after its name.
    reads_file: "This command reads the file",
    file: "File for the command",
    choose_file: "Choose file",
    no_file: "No file",
    no_file_chosen: "no file was chosen",
    file_too_large: "it is larger than 100 MB. Use the command line for that",
    file_unreadable: "the browser cannot read it. Choose it again",
    /// Printed once.
    design_changed: "Note: this changed the table of a design. Undo reverts it. If you change the row key \
                     or layout, your writes are shelved until you change it back. This browser stores them; \
                     files and links do not contain them.\n",
    /// The line to type in.
    command: "Shell command",
    placeholder: "Type a command, or help",
    keys: "Enter runs the command. Shift+Enter starts a new line. Tab completes, or leaves an empty line; \
           Shift+Tab always leaves. Up and Down go through earlier commands. Esc cancels the running \
           command.",
    completions: "Completions",
    completion: |at: usize, of: usize, text: &str| format!("{at} of {of} completions: {text}"),
    /// Parts of the page as commands of a language of the shell.
    as_commands: AsCommands {
        query: |language: &str| format!("Query as {language}"),
        tablets: |language: &str| format!("Tablets as {language}"),
        first_events: |language: &str| format!("First events as {language}"),
        all_rows: |language: &str| format!("All rows as {language}"),
        impossible: "This language has no command for this.",
        title: "Commands",
        copy: "Copy commands",
        copied: "Commands copied",
        run: "Run in shell",
    },
});
