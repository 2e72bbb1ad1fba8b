//! Measures the stores in native processes.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;

use serde_json::{Value, json};
use tabletop_peers::events::Events;
use tabletop_peers::ours::Ours;
use tabletop_peers::peers::{Fjall, Lmdb, Sqlite};
use tabletop_peers::work::{Figure, load, names, reads};
use tabletop_peers::{Layout, Result, Store};
use tabletop_server::FileStorage;
use tempfile::TempDir;

use crate::figures::{Figures, OURS, Run};

/// The stores, in the order of the columns.
const STORES: [&str; 4] = [OURS, "fjall", "LMDB", "SQLite"];
/// The step of one process: a load with or without syncs, or reads of the loaded table.
const STEPS: [&str; 3] = ["load", "load-synced", "read"];
const LAYOUTS: [(&str, Layout); 2] = [("wide", Layout::Wide), ("narrow", Layout::Narrow)];
const SEED: u64 = 0;

/// Measures all stores and layouts in turn. Also measures this engine with a tenth of the events, to see how its times grow.
pub fn measure(events: u64, rounds: u64, figures: &mut Figures) -> Result<()> {
    for round in 0..rounds {
        for (layout, _) in LAYOUTS {
            for store in STORES {
                eprintln!("bench: round {} of {rounds}: {layout}, {events} events, {store} …", round + 1);
                let run = Run { place: "native", layout, store, events };
                one(run, figures)?;
            }
            one(Run { place: "native", layout, store: OURS, events: events / 10 }, figures)?;
        }
    }
    Ok(())
}

/// Measures one store, each step in a new process.
fn one(run: Run, figures: &mut Figures) -> Result<()> {
    let program = std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
    let folder = folder_next_to(&program)?;
    for step in STEPS {
        let mut child = Command::new(&program);
        child.args(["--child", run.store, run.layout, &run.events.to_string(), step]).arg(folder.path());
        let output = child.output().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        if !output.status.success() {
            return Err(format!("{} failed: {}", run.store, String::from_utf8_lossy(&output.stderr)));
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let figure = || {
                let line: Value = serde_json::from_str(line).ok()?;
                let [work, value, checksum] = ["work", "value", "checksum"].map(|name| &line[name]);
                Some(Figure { work: work.as_str()?.into(), value: value.as_f64()?, checksum: checksum.as_u64()? })
            };
            figures.add(run, figure().ok_or_else(|| format!("{} printed {line}", run.store))?)?;
        }
    }
    Ok(())
}

/// Runs one step in this process, and prints its figures to standard output.
pub fn child(words: &[&str]) -> Result<()> {
    let [store, layout, events, step, folder] = words[..] else { return Err(format!("a step is not {words:?}")) };
    let layout = LAYOUTS.iter().find(|(name, _)| *name == layout).ok_or("no such layout")?.1;
    let events = Events::new(SEED, events.parse().map_err(|_| "not a number of events")?);
    let step = Step { events, layout, step, folder: Path::new(folder) };
    match store {
        "fjall" => step.run(Fjall::open),
        "LMDB" => step.run(Lmdb::open),
        "SQLite" => step.run(Sqlite::open),
        _ => step.run(|folder, synced| {
            let storage = FileStorage::open(folder).map_err(|error| error.to_string())?;
            Ours::open(storage, synced)
        }),
    }
}

struct Step<'a> {
    events: Events,
    layout: Layout,
    step: &'a str,
    folder: &'a Path,
}

impl Step<'_> {
    fn run<S: Store>(&self, open: impl Fn(&Path, bool) -> Result<S>) -> Result<()> {
        let folder = self.folder.join("cells");
        match self.step {
            "read" => {
                let mut store = open(&folder, true)?;
                self.reads(&mut store)
            }
            step => {
                fs::remove_dir_all(&folder).ok();
                let mut store = open(&folder, step == "load-synced")?;
                self.load(&mut store)?;
                drop(store);
                if step == "load-synced" { self.print_disk(&folder) } else { Ok(()) }
            }
        }
    }

    fn print_disk(&self, folder: &Path) -> Result<()> {
        let bytes = bytes(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        print_figure(names::DISK, bytes as f64 / self.events.count as f64, 0);
        Ok(())
    }

    fn load<S: Store>(&self, store: &mut S) -> Result<()> {
        let is_synced = self.step == "load-synced";
        let cells_per_second = load(store, &self.events, self.layout, clock)?;
        print_figure(if is_synced { names::LOAD_SYNCED } else { names::LOAD }, cells_per_second, 0);
        if is_synced {
            print_memory(names::MEMORY_LOAD);
        }
        Ok(())
    }

    fn reads<S: Store>(&self, store: &mut S) -> Result<()> {
        for figure in reads(store, &self.events, self.layout, clock)? {
            print_figure(&figure.work, figure.value, figure.checksum);
        }
        print_memory(names::MEMORY_READ);
        Ok(())
    }
}

fn print_figure(work: &str, value: f64, checksum: u64) {
    println!("{}", json!({ "work": work, "value": value, "checksum": checksum }));
}

/// Prints the peak of resident memory, if the system reports it. Pages of a memory map count.
fn print_memory(work: &str) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    if let Some(kib) = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok()) {
        print_figure(work, kib / 1024.0, 0);
    }
}

fn clock() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Returns the disk space of the files in a folder. Some files are longer than their content.
fn bytes(folder: &Path) -> io::Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let facts = entry.metadata()?;
        sum += if facts.is_dir() { bytes(&entry.path())? } else { on_disk(&facts) };
    }
    Ok(sum)
}

#[cfg(unix)]
fn on_disk(facts: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(facts) * 512
}

#[cfg(not(unix))]
fn on_disk(facts: &fs::Metadata) -> u64 {
    facts.len()
}

/// Makes a folder next to the program. Unlike a folder for temporary files, it is not in memory. Dropping it removes it.
fn folder_next_to(program: &Path) -> Result<TempDir> {
    let parent = program.parent().ok_or("the program has no folder")?;
    let folder = tempfile::Builder::new().prefix("bench-engine-").tempdir_in(parent);
    folder.map_err(|error| format!("cannot make a folder in {}: {error}", parent.display()))
}
