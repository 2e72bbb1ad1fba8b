//! `tabletop link`: a workspace as a link to the page, and back.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use tabletop_schema::{ShareLink, Source};

use super::run::read;
use super::style::tell;
use super::{Failure, Result};

const EXAMPLES: &str = "\
Examples:
  tabletop link shop.json --page https://example.com/tabletop/
  tabletop link shop.json --page http://localhost:8080/ --view compare
  tabletop link 'https://example.com/tabletop/#w1.…' > shop.json
  tabletop run 'https://example.com/tabletop/#w1.…'

The link has the whole workspace in the part after #, which a browser does not send to the server. Events of your own are not in it.";

/// Print a link that opens a workspace on the page, or the workspace of a link
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file to make a link, or a link to print its workspace
    #[arg(value_name = "WORKSPACE.json|LINK")]
    workspace: PathBuf,
    /// Address of the page; without it, only the part of the link from # on is printed
    #[arg(long, value_name = "URL", default_value = "")]
    page: String,
    /// Name of the design that the page shows [default: the first]
    #[arg(long, value_name = "NAME")]
    design: Option<String>,
    /// The view that the page shows
    #[arg(long, value_enum, default_value_t = View::Design)]
    view: View,
}

/// A view of the page (`ui/actions/views.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum View {
    /// One design: its key, tablets and rows
    Design,
    /// All designs side by side
    Compare,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let line = if is_link(&options.workspace) {
        workspace.to_json()
    } else {
        let design = match &options.design {
            None => 0,
            Some(name) => workspace
                .designs
                .iter()
                .position(|design| design.name == *name)
                .ok_or_else(|| Failure::Wrong(format!("there is no design \"{name}\"")))?,
        };
        if let Source::Own(own) = &workspace.source {
            tell(format!("The events are not in the link: who opens it needs the file {}.", own.name));
        }
        let view = match options.view {
            View::Design => "",
            View::Compare => "?view=compare",
        };
        format!("{}{view}{}", options.page, ShareLink { json: workspace.to_json(), design }.write()?)
    };
    writeln!(io::stdout(), "{line}").map_err(|error| Failure::of("the output cannot be written", &error))
}

/// Returns whether an argument is a link, and not a file.
pub(crate) fn is_link(argument: &std::path::Path) -> bool {
    argument.to_str().is_some_and(ShareLink::is_in)
}
