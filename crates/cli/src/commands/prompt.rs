//! The prompt at a terminal, with history and completion.

use std::fs;
use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};
use tabletop_model::{Request, Response, TableRequest, printable};
use tabletop_shell::{Language, complete, split};

use super::shell::{Ended, Shell, described};
use super::style::BAD;
use super::{Failure, Result};

/// The number of lines that the history keeps.
const HISTORY_LINES: usize = 1_000;

/// Reads commands until the end of the input.
pub(crate) fn run(shell: &Shell) -> Result<()> {
    let failed = |error: ReadlineError| Failure::Wrong(format!("the terminal cannot be read: {error}"));
    let config =
        Config::builder().max_history_size(HISTORY_LINES).map_err(failed)?.auto_add_history(true).build();
    let mut editor: Editor<Words, FileHistory> = Editor::with_config(config).map_err(failed)?;
    editor.set_helper(Some(Words { shell }));
    let (name, leave) = match shell.settings.language {
        Language::Cbt => ("cbt", "quit"),
        Language::HBase => ("hbase", "exit"),
    };
    let history = history_file(name);
    if let Some(file) = &history {
        // There is no history at the first start.
        let _ = editor.load_history(file);
    }
    println!("{}", printable(&shell.opened.described()));
    println!("Tab completes, \"help\" lists the commands, \"{leave}\" or Ctrl-D ends.");
    let ended = loop {
        match editor.readline(&format!("{name}> ")) {
            Ok(text) if matches!(text.trim(), "quit" | "exit") => break Ok(()),
            Ok(text) => match execute(shell, &text) {
                Ok(()) => {}
                failed => break failed,
            },
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break Ok(()),
            Err(error) => break Err(failed(error)),
        }
    };
    if let Some(file) = history {
        // An error here is not reported, because the commands have already run.
        let _ = file.parent().map(fs::create_dir_all);
        let _ = editor.save_history(&file);
    }
    ended
}

/// Runs the commands of a text. Pasted text may have several.
fn execute(shell: &Shell, text: &str) -> Result<()> {
    for span in split(shell.settings.language, text) {
        let line = &text[span.start as usize..span.end as usize];
        if let Ended::Misread(problems) = shell.execute(line)? {
            anstream::eprintln!("{BAD}{}{BAD:#}", printable(&described(line, &problems)));
        }
    }
    Ok(())
}

/// Returns the path of the history, in the folder for programs' state.
fn history_file(name: &str) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")));
    let state = state.or_else(|| variable("LOCALAPPDATA"))?;
    Some(state.join("tabletop").join(format!("{name}_history")))
}

/// The completion of commands, tables and families.
struct Words<'a> {
    shell: &'a Shell<'a>,
}

impl Words<'_> {
    /// Returns the tables and their families.
    fn known(&self) -> Vec<(String, Vec<String>)> {
        let opened = self.shell.opened;
        let Response::Tables(ids) = opened.handle(Request::ListTables) else { return Vec::new() };
        let with_families = |id: String| match opened.handle(TableRequest::Describe.of(id.clone())) {
            Response::Spec(spec) => (id, spec.families.into_iter().map(|family| family.name).collect()),
            _ => (id, Vec::new()),
        };
        ids.into_iter().map(with_families).collect()
    }
}

impl Completer for Words<'_> {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let completions = complete(self.shell.settings.language, line, at, &self.known());
        // All completions must begin at the same position, which is the position of the first one.
        let start = completions.first().map_or(at, |completion| completion.span.start as usize);
        let pairs = completions.into_iter().filter(|completion| completion.span.start as usize == start);
        let pair = |completion: tabletop_shell::Completion| Pair {
            display: completion.text.clone(),
            replacement: completion.text,
        };
        Ok((start, pairs.map(pair).collect()))
    }
}

impl Hinter for Words<'_> {
    type Hint = String;
}

impl Highlighter for Words<'_> {}
impl Validator for Words<'_> {}
impl Helper for Words<'_> {}
