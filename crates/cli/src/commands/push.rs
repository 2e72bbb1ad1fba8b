//! `tabletop push`: creates the table of a workspace's design in a real Bigtable.

use std::io;

use crate::push::{Options, push};

use super::Result;
use super::run::{events, read};

/// Loads the events and pushes them.
pub(super) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let loaded = events::load(&workspace.source, &options.workspace, &options.events)?;
    loaded.tell_bad_records();
    Ok(push(options, &workspace, &loaded.events, &mut io::stdout())?)
}
