//! Figures of `tabletop serve`, measured by a client in another process: `cargo xtask bench serve`.
//! If Google's emulator is installed, it is measured in the same run.

mod figures;
mod link;
mod page;
mod work;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use figures::Figures;
use lexopt::{Arg, Parser};
use serde_json::Value;
use tabletop_tests::command_line;
use tabletop_tests::server::Server;
use tempfile::TempDir;

/// Errors are human-readable messages.
type Result<T> = std::result::Result<T, String>;

/// The options of the command line.
struct Options {
    rows: u64,
    /// Whether to measure only the cost of the page.
    is_page_only: bool,
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    command_line::run("serve-bench [--rows N] [--only page] [--json FILE]", parse, |options| bench(&options))
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Options>, lexopt::Error> {
    let mut options = Options { rows: 1_000_000, is_page_only: false, json: None };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("rows") => options.rows = command_line::number(parser, "--rows", work::BATCH_ROWS)?,
            Arg::Long("only") => match parser.value()?.to_str() {
                Some("page") => options.is_page_only = true,
                _ => return Err("--only takes page".into()),
            },
            Arg::Long("json") => options.json = Some(parser.value()?.into()),
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

fn bench(options: &Options) -> Result<()> {
    let rows = options.rows;
    let program =
        PathBuf::from(std::env::var_os("TABLETOP").ok_or("TABLETOP must be the path of the program")?);
    // One thread sends and receives: the server needs the other cores.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    let mut figures = Figures::new(rows);
    if !options.is_page_only {
        compare(&program, &runtime, &mut figures)?;
        println!("{figures}");
    }
    eprintln!("bench serve: without and with --page …");
    let page = page::measure(&program, &runtime)?;
    println!("{page}");
    let Some(file) = &options.json else { return Ok(()) };
    let of_servers = if options.is_page_only { Vec::new() } else { figures.json() };
    let json = format!("{:#}\n", Value::Array(of_servers.into_iter().chain(page.json()).collect()));
    std::fs::write(file, json).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// Measures Tabletop, in memory and on a data folder, and the emulator.
fn compare(program: &Path, runtime: &tokio::runtime::Runtime, figures: &mut Figures) -> Result<()> {
    let rows = figures.rows();
    let mut measure = |name: &'static str, server: Server| {
        eprintln!("bench serve: {name} …");
        let measured =
            runtime.block_on(work::measure(&server, rows, |work, value| figures.add(name, work, value)));
        measured.map_err(|error| format!("{name}: {error}"))
    };
    measure(figures::OURS, Server::tabletop(program, &Server::free_address()?, None)?)?;
    let folder = TempDir::new().map_err(|error| format!("no temporary folder: {error}"))?;
    measure(figures::ON_DISK, Server::tabletop(program, &Server::free_address()?, Some(folder.path()))?)?;
    drop(folder);
    match Server::find_emulator() {
        Some(emulator) => measure(figures::EMULATOR, Server::emulator(&emulator, &Server::free_address()?)?)?,
        None => eprintln!(
            "bench serve: no cbtemulator is installed: compared with its figures on the machine of the goals"
        ),
    }
    Ok(())
}
