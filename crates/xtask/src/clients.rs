//! The server, asked by others than ourselves: Google's clients, and clients that go on while it is killed.

use std::path::PathBuf;

use crate::Result;
use crate::run::{cargo, command, run, target_folder, timed};
use crate::tools::Tools;

/// Builds `tabletop`, and lets the official Python client ask it for everything; or for the tests whose name contains `name`.
pub fn official(name: Option<&str>) -> Result<()> {
    let python = Tools::locate()?.python_with_client()?;
    let server = server()?;
    let mut tests = command(python, &["tests/clients/main.py"]);
    // Nothing is left beside the sources.
    tests.arg(server).args(name).env("PYTHONDONTWRITEBYTECODE", "1");
    run(tests)
}

/// The program `tabletop` as the tests have it.
fn server() -> Result<PathBuf> {
    timed("build of tabletop", || run(cargo(&["build", "--quiet", "--package", "tabletop-cli", "--bin", "tabletop"])))?;
    Ok(target_folder()?.join("debug").join("tabletop").with_extension(std::env::consts::EXE_EXTENSION))
}
