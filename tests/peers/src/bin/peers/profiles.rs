//! Measures the profile pipelines in native processes, and the batch in SQL for comparison.

use std::ffi::OsString;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tabletop_peers::ours::pipelines::Pipelines;
use tabletop_peers::ours::{Ours, PROFILES};
use tabletop_peers::profiles::{STREAMED, Sum, sql, sqlite, staleness_p99, strategies};
use tabletop_peers::work::{Figure, load, names};
use tabletop_peers::{Layout, Result};

use crate::figures::OURS;
use crate::native::{Step, print, print_figure, print_memory};

const SQLITE: &str = "SQLite";
const DUCKDB: &str = "DuckDB";
/// DuckDB has no package in Rust that compiles in minutes, so Node.js runs its client.
const DUCKDB_SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/native/duckdb.js");
/// The folder of npm packages with DuckDB's client.
const DUCKDB_PACKAGES: &str = "TABLETOP_DUCKDB";
/// Numbers of events for which the memory of the batch is measured.
pub const MEMORY_EVENTS: [u64; 3] = [100_000, 1_000_000, 3_000_000];
/// The cache for this measurement. The smallest table already fills it, so growth is not caused by
/// the cache.
pub const MEMORY_CACHE_BYTES: u64 = 8 << 20;
/// The disk space that this measurement may need: the largest table, and its compaction.
pub const MEMORY_DISK_BYTES: u64 = 2 << 30;

/// Returns the stores to measure. DuckDB is measured with wall-clock time, because its work is done
/// in another process.
pub fn stores(clock: &str) -> Vec<&'static str> {
    let has_duckdb = clock == "time" && packages().is_some();
    if !has_duckdb {
        eprintln!("bench: {DUCKDB} is NOT measured natively: it needs Node.js and --clock time.");
    }
    [OURS, SQLITE].into_iter().chain(has_duckdb.then_some(DUCKDB)).collect()
}

fn packages() -> Option<OsString> {
    std::env::var_os(DUCKDB_PACKAGES).filter(|folder| !folder.is_empty())
}

/// Runs one step in this process, and prints its figures.
pub fn run(store: &str, step: &Step<'_>) -> Result<()> {
    let folder = step.folder.join("profiles");
    let (events, cache_bytes) = (&step.events, step.conditions.cache_bytes);
    match (store, step.step) {
        (DUCKDB, "profiles-load") => Ok(()),
        (DUCKDB, _) => duckdb(step),
        (SQLITE, "profiles-load") => sqlite::load(&folder, events, cache_bytes),
        (SQLITE, _) => {
            let (seconds, connection) = sqlite::batch(&folder, events, cache_bytes, step.clock)?;
            print_memory(names::MEMORY_BATCH);
            print_batch(step, seconds, sqlite::sum(&connection)?)
        }
        (_, "profiles-load") => {
            let mut store = Ours::open(&folder, step.conditions)?;
            load(&mut store, events, Layout::Wide, false, step.clock).map(drop)
        }
        _ => ours(step, &folder),
    }
}

fn print_batch(step: &Step<'_>, seconds: f64, checksum: u64) -> Result<()> {
    print(vec![Figure { work: names::BATCH.into(), value: step.events.count as f64 / seconds, checksum }])
}

/// Measures both pipelines: first the batch, then events that arrive after those of the table.
fn ours(step: &Step<'_>, folder: &Path) -> Result<()> {
    let now = step.clock.now;
    let mut store = Ours::open(folder, step.conditions)?;
    let mut pipelines = Pipelines::new(Layout::Wide, &step.events)?;
    store.tables(|tables| pipelines.create(tables))?;
    store.leave_unsynced(PROFILES)?;
    let mut seconds = 0.0;
    for strategy in &strategies() {
        let start = now();
        store.tables(|tables| pipelines.begin(tables, strategy))?;
        while store.tables(|tables| pipelines.step(tables))? {}
        seconds = now() - start;
    }
    print_memory(names::MEMORY_BATCH);
    if step.step == "profiles-memory" {
        return Ok(());
    }
    let checksum = store.tables(|tables| pipelines.sum(tables))?;
    print_batch(step, seconds, checksum)?;
    let mut times = Vec::new();
    for index in step.events.count..step.events.count + STREAMED {
        let event = step.events.event(index);
        let start = now();
        store.tables(|tables| pipelines.stream(tables, &event))?;
        times.push(now() - start);
    }
    print_figure(names::STREAM, times.len() as f64 / times.iter().sum::<f64>());
    print_figure(names::STALENESS, staleness_p99(&times) * 1e3);
    Ok(())
}

/// Loads all events into DuckDB and measures its batch, in a process of Node.js.
fn duckdb(step: &Step<'_>) -> Result<()> {
    let packages = packages().ok_or_else(|| format!("{DUCKDB_PACKAGES} is not set"))?;
    let events = &step.events;
    let sql = json!({
        "arrived": sql::DUCKDB_ARRIVED,
        "tables": sql::DUCKDB_TABLES,
        "strategies": [sql::strategy(0), sql::strategy(1)],
        "job": sql::job(events),
        "lines": sql::LINES,
    });
    let mut command = Command::new("node");
    command.arg(DUCKDB_SCRIPT).arg(step.folder).arg(sql.to_string()).env(DUCKDB_PACKAGES, packages);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cannot start Node.js: {error}"))?;
    let mut write = || -> Result<()> {
        let mut input = BufWriter::new(child.stdin.take().ok_or("Node.js has no input")?);
        let mut line = String::new();
        for index in 0..events.count {
            line.clear();
            sql::csv_line(index, &events.event(index), &mut line);
            input.write_all(line.as_bytes()).map_err(|error| error.to_string())?;
        }
        input.flush().map_err(|error| error.to_string())
    };
    // If Node.js has ended, its own message is more helpful.
    let written = write();
    let output = child.wait_with_output().map_err(|error| format!("Node.js: {error}"))?;
    if !output.status.success() {
        return Err(format!("{DUCKDB} failed"));
    }
    written.map_err(|error| format!("the events for {DUCKDB}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let measured: Option<Value> = lines.next().and_then(|line| serde_json::from_str(line).ok());
    let number = |name: &str| measured.as_ref().and_then(|measured| measured[name].as_f64());
    let (Some(seconds), Some(memory)) = (number("seconds"), number("memory")) else {
        return Err(format!("{DUCKDB} printed {:?}", text.lines().next()));
    };
    let mut sum = Sum::default();
    lines.for_each(|line| sum.add(line));
    print_figure(names::MEMORY_BATCH, memory);
    print_batch(step, seconds, sum.value())
}
