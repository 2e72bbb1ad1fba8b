//! Measures what the user notices, and prints it as a table and as JSON: `cargo xtask bench [--json
//! FILE]`, which builds the page first. The groups of figures are: first load, edit, compare,
//! scroll, scrub, load, scan, evaluator, traffic, and profiles (both pipelines with a million
//! events, in the view and natively; `cargo xtask bench engine` has the memory of the batch, the
//! staleness of profiles, and peers). Times depend on the machine, so the worker's times are printed next to the
//! times of the same code compiled natively. Exceeding a budget is reported and is not a failure.

mod evaluator;
mod figures;
mod first_load;
mod motion;
mod native;
mod page;
mod profiles;
mod slower;
mod traffic;

use std::path::PathBuf;
use std::process::ExitCode;

use figures::Figures;
use lexopt::{Arg, Parser};
use tabletop_tests::browser::{Result, path_from};
use tabletop_tests::command_line;

fn main() -> ExitCode {
    command_line::run("bench [--json FILE]", parse, |options| bench(options.json))
}

#[derive(Default)]
struct Options {
    json: Option<PathBuf>,
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options = Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("json") => options.json = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

fn bench(json: Option<PathBuf>) -> Result<()> {
    let dist = path_from("TABLETOP_DIST")?;
    let mut figures = Figures::default();
    first_load::sizes(&dist, &mut figures)?;
    first_load::times(&dist, &mut figures)?;
    page::edits(&dist, &mut figures)?;
    motion::motion(&dist, &mut figures)?;
    page::load_and_scan(&dist, &mut figures)?;
    traffic::simulation(&dist, &mut figures)?;
    traffic::repaint(&dist, &mut figures)?;
    profiles::pipelines(&dist, &mut figures)?;
    native::load_and_scan(&mut figures)?;
    evaluator::designs(&mut figures)?;
    traffic::simulation_native(&mut figures)?;
    profiles::pipelines_native(&mut figures)?;
    println!("{figures}");
    match json {
        Some(file) => std::fs::write(&file, figures.json())
            .map_err(|error| format!("cannot write {}: {error}", file.display())),
        None => Ok(()),
    }
}
