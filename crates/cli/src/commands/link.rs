//! `tabletop link`: a workspace as a link to the page, and back.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use tabletop_workspace::{ShareLink, Source, ViewId};

use super::run::{position_of, read};
use super::style::tell;
use super::{Failure, Result};

const EXAMPLES: &str = "\
Examples:
  tabletop link shop.json --page https://example.com/tabletop/
  tabletop link shop.json --page http://localhost:8080/ --view compare
  tabletop link 'https://example.com/tabletop/#w1.…' > shop.json
  tabletop run 'https://example.com/tabletop/#w1.…'

The link contains the whole workspace in the part after #, which browsers do not send to the server. It does not contain your own events.";

/// Print a link that opens a workspace on the page, or the workspace of a link
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file to make a link, or a link to print its workspace
    #[arg(value_name = "WORKSPACE.json|LINK")]
    workspace: PathBuf,
    /// Address of the page; without it, only the part of the link starting at # is printed
    #[arg(long, value_name = "URL", default_value = "")]
    page: String,
    /// Name of the design that the page shows [default: the first]
    #[arg(long, value_name = "NAME")]
    design: Option<String>,
    /// The view that the page shows
    #[arg(long, default_value = ViewId::ALL[0].name(), value_parser = view_parser())]
    view: ViewId,
}

/// Parses a view of the page by its name, and lists all views in the help.
fn view_parser() -> impl TypedValueParser<Value = ViewId> {
    let offered = || ViewId::ALL.iter().copied().filter(|view| !view.needs_server());
    let values =
        PossibleValuesParser::new(offered().map(|view| PossibleValue::new(view.name()).help(view.about())));
    values.map(move |name| {
        offered().find(|view| view.name() == name).expect("the parser takes these names only")
    })
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let line = if is_link(&options.workspace) {
        workspace.to_json()
    } else {
        let design = match &options.design {
            None => 0,
            Some(name) => position_of(&workspace, name)?,
        };
        if let Source::Own(own) = &workspace.source {
            tell(format!("The events are not in the link: to open it, you need the file {}.", own.name));
        }
        format!(
            "{}{}{}",
            options.page,
            options.view.query(),
            ShareLink { json: workspace.to_json(), design, recorded: String::new() }.write()?
        )
    };
    writeln!(io::stdout(), "{line}").map_err(|error| Failure::of("the output cannot be written", &error))
}

/// Returns whether an argument is a link, and not a file.
pub(crate) fn is_link(argument: &std::path::Path) -> bool {
    argument.to_str().is_some_and(ShareLink::is_in)
}
