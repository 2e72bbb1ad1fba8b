//! `tabletop completions` and `tabletop man`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::CommandFactory;

use super::{Arguments, Failure, Result};

/// Print the completions for a shell
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  tabletop completions bash > ~/.local/share/bash-completion/completions/tabletop"
)]
pub(crate) struct CompletionsOptions {
    /// The shell
    shell: clap_complete::Shell,
}

/// Print the manual page, or write the pages of all commands into a folder
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tabletop man ~/.local/share/man/man1")]
pub(crate) struct ManOptions {
    /// Folder for one page per command; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn completions(options: &CompletionsOptions) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "tabletop", &mut text);
    io::stdout().write_all(&text).map_err(|error| Failure::of("the output cannot be written", &error))
}

pub(crate) fn pages(options: &ManOptions) -> Result<()> {
    match &options.folder {
        Some(folder) => {
            let made = fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
            made.map_err(|error| {
                Failure::of(format!("the pages cannot be written into {}", folder.display()), &error)
            })
        }
        None => {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut text);
            rendered
                .and_then(|()| io::stdout().write_all(&text))
                .map_err(|error| Failure::of("the page cannot be written", &error))
        }
    }
}
