//! Figures of `tabletop serve`, measured by a client in another process: `cargo xtask bench serve`. If Google's emulator is
//! installed, it is measured in the same run.

mod figures;
mod link;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use figures::Figures;
use lexopt::{Arg, Parser};
use tabletop_tests::command_line;
use tabletop_tests::server::Server;
use tempfile::TempDir;

/// Errors are messages for the person.
type Result<T> = std::result::Result<T, String>;

/// The options of the command line.
struct Options {
    rows: u64,
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    command_line::run("serve-bench [--rows N] [--json FILE]", parse, |options| bench(&options))
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options = Options { rows: 1_000_000, json: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("rows") => options.rows = command_line::number(parser, "--rows", work::BATCH_ROWS)?,
            Arg::Long("json") => options.json = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

fn bench(options: &Options) -> Result<()> {
    let rows = options.rows;
    let program = PathBuf::from(std::env::var_os("TABLETOP").ok_or("TABLETOP must be the path of the program")?);
    // One thread sends and receives: the server needs the other cores.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let mut figures = Figures::new(rows);
    let mut measure = |name: &'static str, server: Server| {
        eprintln!("bench serve: {name} …");
        let measured = runtime.block_on(work::measure(&server, rows, |work, value| figures.add(name, work, value)));
        measured.map_err(|error| format!("{name}: {error}"))
    };
    measure(figures::OURS, Server::tabletop(&program, &Server::free_address()?, None)?)?;
    let folder = TempDir::new().map_err(|error| format!("no temporary folder: {error}"))?;
    measure(figures::ON_DISK, Server::tabletop(&program, &Server::free_address()?, Some(folder.path()))?)?;
    drop(folder);
    match Server::find_emulator() {
        Some(emulator) => measure(figures::EMULATOR, Server::emulator(&emulator, &Server::free_address()?)?)?,
        None => eprintln!("bench serve: no cbtemulator is installed: compared with its figures on the machine of the goals"),
    }
    println!("{figures}");
    match &options.json {
        Some(file) => std::fs::write(file, figures.json()).map_err(|error| format!("cannot write {}: {error}", file.display())),
        None => Ok(()),
    }
}
