//! `cargo xtask bench engine [--events N] [--rounds N] [--cache MIB] [--tables LIST] [--clock
//! time|processor] [--json FILE] [--only native|browser]`: compares this engine with its peers, in
//! one run on one machine. Only the ratios count: figures depend on the machine and its load.
//!
//! Each store runs each step in a new process, so that its memory is measured separately, on the
//! same disk. Stores take turns, in a different order in each round, and the medians of all rounds
//! are reported.
//!
//! `--clock processor` measures the time that all threads of a store use, for a machine that is
//! also doing other work. It does not include time in which a store waits for disks, locks and its
//! own threads.
//!
//! The table "profiles" is the batch of all profiles after a change of the strategy, next to the
//! same job in SQLite and DuckDB, and events that stream in afterwards. The table "memory" is this
//! batch with 100,000, 1,000,000 and 3,000,000 events, whatever `--events` is, and a small cache:
//! its memory must not grow with the number of events.
//!
//! `--events 10000000 --rounds 1 --cache 64` compares tables that are several times the caches. It
//! takes about two hours.

mod browser;
mod figures;
mod native;
mod profiles;

use std::path::PathBuf;
use std::process::ExitCode;

use figures::Figures;
use lexopt::{Arg, Parser, ValueExt};
use tabletop_peers::{CACHE_BYTES, Result};
use tabletop_tests::command_line;

const USAGE: &str = "peers [--events N] [--rounds N] [--cache MIB] [--tables LIST] [--clock time|processor] [--json FILE] \
                     [--only native|browser]";

fn main() -> ExitCode {
    command_line::run(USAGE, parse, |task| match task {
        Task::Bench(settings) => bench(&settings),
        Task::Child(words) => native::child(&words.iter().map(String::as_str).collect::<Vec<_>>()),
    })
}

/// The work of this process.
enum Task {
    Bench(Settings),
    /// One step of one store, started by the process that compares.
    Child(Vec<String>),
}

/// The options of the command line.
struct Settings {
    events: u64,
    rounds: u64,
    /// The size of the caches of native stores.
    cache_mib: u64,
    /// The native tables to measure.
    tables: Vec<&'static str>,
    /// The clock for native stores: "time" or "processor".
    clock: String,
    json: Option<PathBuf>,
    native: bool,
    browser: bool,
}

fn parse(parser: &mut Parser) -> std::result::Result<Option<Task>, lexopt::Error> {
    let mut settings = Settings {
        events: 200_000,
        rounds: 3,
        cache_mib: CACHE_BYTES >> 20,
        tables: native::TABLES.map(|(table, _)| table).to_vec(),
        clock: "time".into(),
        json: None,
        native: true,
        browser: true,
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("child") => {
                let words = parser.raw_args()?.map(ValueExt::string);
                return Ok(Some(Task::Child(words.collect::<std::result::Result<_, _>>()?)));
            }
            Arg::Long("events") => settings.events = command_line::number(parser, "--events", 1)?,
            Arg::Long("rounds") => settings.rounds = command_line::number(parser, "--rounds", 1)?,
            Arg::Long("cache") => settings.cache_mib = command_line::number(parser, "--cache", 1)?,
            Arg::Long("tables") => settings.tables = tables(&parser.value()?.string()?)?,
            Arg::Long("clock") => settings.clock = parser.value()?.string()?,
            Arg::Long("json") => settings.json = Some(parser.value()?.into()),
            Arg::Long("only") => {
                let place = parser.value()?;
                (settings.native, settings.browser) = (place == "native", place == "browser");
                if !settings.native && !settings.browser {
                    return Err(format!("--only takes native or browser, not {place:?}").into());
                }
            }
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(Task::Bench(settings)))
}

/// Parses a list of tables, separated by commas.
fn tables(list: &str) -> std::result::Result<Vec<&'static str>, String> {
    let table = |word: &str| {
        let known = native::TABLES.map(|(table, _)| table);
        known
            .into_iter()
            .find(|table| *table == word)
            .ok_or_else(|| format!("the tables are {}, not {word}", known.join(", ")))
    };
    list.split(',').map(table).collect()
}

fn bench(settings: &Settings) -> Result<()> {
    let mut figures = Figures::default();
    if settings.native {
        native::measure(settings, &mut figures)?;
    }
    // An error in the browser does not discard figures that were measured before it.
    let in_browser = if settings.browser {
        browser::measure(settings.events, settings.rounds, &mut figures)
    } else {
        Ok(())
    };
    println!("{figures}");
    in_browser?;
    match &settings.json {
        Some(file) => std::fs::write(file, figures.json())
            .map_err(|error| format!("cannot write {}: {error}", file.display())),
        None => Ok(()),
    }
}
