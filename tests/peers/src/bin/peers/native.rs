//! Measures the stores in native processes.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tabletop_peers::events::Events;
use tabletop_peers::fold::Checksum;
use tabletop_peers::ours::Ours;
use tabletop_peers::peers::{Fjall, Lmdb, Sqlite};
use tabletop_peers::work::{
    CELLS, Clock, Figure, Mixed, load, mixed, names, read_with_threads, reads, wide_row,
};
use tabletop_peers::{Columns, Conditions, Layout, Result, Rows, Shared, Store, Versions};
use tabletop_workload::random::Random;
use tempfile::TempDir;

use crate::figures::{Figures, OURS, Run};
use crate::{Settings, profiles};

/// The stores of cells, in the order of the columns.
pub const STORES: &[&str] = &[
    OURS,
    #[cfg(feature = "rocksdb")]
    "RocksDB",
    "fjall",
    "LMDB",
    "SQLite",
];
/// The tables, and the steps that measure them, each in its process.
pub const TABLES: [(&str, &[&str]); 6] = [
    ("wide", &["load", "load-synced", "read", "threads"]),
    ("narrow", &["load", "load-synced", "read", "threads"]),
    ("mixed", &["mixed"]),
    ("row", &["row"]),
    ("profiles", &["profiles-load", "profiles"]),
    ("memory", &["profiles-load", "profiles-memory"]),
];
const SEED: u64 = 0;
/// The largest number of keys of the mixed load, and its operations for each key: without a sync,
/// and with one.
const MIXED_KEYS: u64 = 1_000_000;
const OPERATIONS: u64 = 2;
const SYNCED_PART: u64 = 20;
/// The disk space that a store may need per event. The measured maximum is 2.6 kB.
const DISK_BYTES: u64 = 4_000;

/// Measures all stores and tables in turn, with the stores in a different order in each round. Also
/// measures this engine with a tenth of the events, to see how its times grow.
pub fn measure(settings: &Settings, figures: &mut Figures) -> Result<()> {
    clock(&settings.clock)?;
    let program =
        std::env::current_exe().map_err(|error| format!("the path of this program is not known: {error}"))?;
    let memory_bytes = if settings.tables.contains(&"memory") { profiles::MEMORY_DISK_BYTES } else { 0 };
    check_space(&program, memory_bytes.max(settings.events * DISK_BYTES))?;
    let mut random = Random::new(SEED);
    for round in 0..settings.rounds {
        for (table, steps) in TABLES.iter().filter(|(table, _)| settings.tables.contains(table)) {
            let is_load = steps.contains(&"load");
            let sizes = match *table {
                "mixed" => vec![settings.events.min(MIXED_KEYS)],
                "row" => vec![CELLS],
                // Further rounds would give the same result.
                "memory" => profiles::MEMORY_EVENTS.into_iter().filter(|_| round == 0).collect(),
                _ => vec![settings.events],
            };
            let stores = match *table {
                "profiles" => profiles::stores(&settings.clock),
                "memory" => vec![OURS],
                _ => STORES.to_vec(),
            };
            for events in sizes {
                for store in shuffled(&stores, &mut random) {
                    eprintln!(
                        "bench: round {} of {}: {table}, {events}, {store} …",
                        round + 1,
                        settings.rounds
                    );
                    one(
                        &program,
                        settings,
                        steps,
                        Run { place: "native", layout: table, store, events },
                        figures,
                    )?;
                }
            }
            if is_load {
                let events = settings.events / 10;
                one(
                    &program,
                    settings,
                    steps,
                    Run { place: "native", layout: table, store: OURS, events },
                    figures,
                )?;
            }
        }
    }
    Ok(())
}

fn shuffled(stores: &[&'static str], random: &mut Random) -> Vec<&'static str> {
    let mut left = stores.to_vec();
    let mut order = Vec::new();
    while !left.is_empty() {
        order.push(left.remove(random.below(left.len() as u64) as usize));
    }
    order
}

/// Measures one store, each step in a new process.
fn one(program: &Path, settings: &Settings, steps: &[&str], run: Run, figures: &mut Figures) -> Result<()> {
    let folder = folder_next_to(program)?;
    for step in steps {
        let mut child = Command::new(program);
        let [events, cache] = [run.events, settings.cache_mib].map(|number| number.to_string());
        child
            .args(["--child", run.store, run.layout, &events, &cache, &settings.clock, step])
            .arg(folder.path());
        let output =
            child.output().map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        if !output.status.success() {
            return Err(format!("{} failed: {}", run.store, String::from_utf8_lossy(&output.stderr)));
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let figure = || {
                let line: Value = serde_json::from_str(line).ok()?;
                let [work, value, checksum] = ["work", "value", "checksum"].map(|name| &line[name]);
                Some(Figure {
                    work: work.as_str()?.into(),
                    value: value.as_f64()?,
                    checksum: checksum.as_u64()?,
                })
            };
            figures.add(run, figure().ok_or_else(|| format!("{} printed {line}", run.store))?)?;
        }
    }
    Ok(())
}

/// Runs one step in this process, and prints its figures to standard output.
pub fn child(words: &[&str]) -> Result<()> {
    let [store, table, events, cache, clock_name, step, folder] = words[..] else {
        return Err(format!("a step is not {words:?}"));
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is not a number"));
    let is_of_profiles = matches!(table, "profiles" | "memory");
    let cache_bytes = if table == "memory" { profiles::MEMORY_CACHE_BYTES } else { number(cache)? << 20 };
    let step = Step {
        events: Events::new(SEED, number(events)?),
        layout: if table == "wide" { Layout::Wide } else { Layout::Narrow },
        conditions: Conditions {
            cache_bytes,
            synced: !(is_of_profiles || matches!(step, "load" | "mixed" | "row")),
            shared: step == "threads",
            versions: if matches!(step, "mixed" | "row") { Versions::Newest } else { Versions::All },
        },
        clock: clock(clock_name)?,
        step,
        folder: Path::new(folder),
    };
    if is_of_profiles {
        return profiles::run(store, &step);
    }
    match store {
        "fjall" => step.run(Fjall::open),
        "LMDB" => step.run(Lmdb::open),
        "SQLite" => step.run(Sqlite::open),
        #[cfg(feature = "rocksdb")]
        "RocksDB" => step.run(tabletop_peers::peers::Rocks::open),
        _ => step.run(Ours::open),
    }
}

/// One step of a store in this process.
pub struct Step<'a> {
    pub events: Events,
    pub layout: Layout,
    pub conditions: Conditions,
    pub clock: Clock,
    pub step: &'a str,
    /// The store's own folder, for all of its steps.
    pub folder: &'a Path,
}

impl Step<'_> {
    fn run<S: Shared>(&self, open: impl Fn(&Path, Conditions) -> Result<S>) -> Result<()> {
        let folder = self.folder.join("cells");
        if !matches!(self.step, "read" | "threads") {
            fs::remove_dir_all(&folder).ok();
        }
        let start = (self.clock.now)();
        let mut store = open(&folder, self.conditions)?;
        match self.step {
            "read" => self.read(&mut store, start),
            "threads" => print(read_with_threads(&store, &self.events, self.clock)?),
            "mixed" => self.mixed(store, &folder, open),
            "row" => print(wide_row(&mut store, &self.events, self.clock)?),
            _ => self.load(store, &folder),
        }
    }

    fn load<S: Store>(&self, mut store: S, folder: &Path) -> Result<()> {
        let is_synced = self.conditions.synced;
        print(load(&mut store, &self.events, self.layout, is_synced, self.clock)?)?;
        drop(store);
        if is_synced {
            print_memory(names::MEMORY_LOAD);
            print_figure(names::DISK, bytes(folder)? as f64 / self.events.count as f64);
        }
        Ok(())
    }

    fn read<S: Store>(&self, store: &mut S, start: f64) -> Result<()> {
        store.read(Rows::One(&self.events.key(0)), Columns::All, &mut Checksum::default())?;
        print_figure(names::OPEN, ((self.clock.now)() - start) * 1e3);
        print(reads(store, &self.events, self.layout, self.clock)?)?;
        print_memory(names::MEMORY_READ);
        Ok(())
    }

    fn mixed<S: Store>(
        &self,
        mut store: S,
        folder: &Path,
        open: impl Fn(&Path, Conditions) -> Result<S>,
    ) -> Result<()> {
        let operations = self.events.count * OPERATIONS;
        let mut rows = Mixed::new(&self.events);
        rows.fill(&mut store)?;
        print(mixed(&mut store, &mut rows, operations, false, self.clock)?)?;
        store.settle()?;
        drop(store);
        print_figure(names::AMPLIFICATION, bytes(folder)? as f64 / rows.live_bytes() as f64);
        let mut store = open(folder, Conditions { synced: true, ..self.conditions })?;
        print(mixed(&mut store, &mut rows, operations / SYNCED_PART, true, self.clock)?)
    }
}

/// Prints figures to standard output.
pub fn print(figures: Vec<Figure>) -> Result<()> {
    for Figure { work, value, checksum } in figures {
        println!("{}", json!({ "work": work, "value": value, "checksum": checksum }));
    }
    Ok(())
}

/// Prints a figure without a checksum.
pub fn print_figure(work: &str, value: f64) {
    println!("{}", json!({ "work": work, "value": value, "checksum": 0 }));
}

/// Prints the peak of resident memory, if the system reports it. Pages of a memory map count.
pub fn print_memory(work: &str) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    if let Some(kib) = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok()) {
        print_figure(work, kib / 1024.0);
    }
}

/// Returns the clock with this name.
fn clock(name: &str) -> Result<Clock> {
    match name {
        "time" => Ok(Clock::of_time(|| {
            static START: LazyLock<Instant> = LazyLock::new(Instant::now);
            START.elapsed().as_secs_f64()
        })),
        #[cfg(unix)]
        "processor" => {
            fn seconds(id: ClockId) -> f64 {
                let time = clock_gettime(id);
                time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
            }
            Ok(Clock { now: || seconds(ClockId::ProcessCPUTime), own: || seconds(ClockId::ThreadCPUTime) })
        }
        _ => Err(format!("--clock takes time or processor, not {name}; on some systems only time")),
    }
}

/// Returns the disk space of the files in a folder. It may differ from their lengths, because some
/// files are longer than their content.
fn bytes(folder: &Path) -> Result<u64> {
    fn sum(folder: &Path) -> io::Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let facts = entry.metadata()?;
            bytes += if facts.is_dir() { sum(&entry.path())? } else { on_disk(&facts) };
        }
        Ok(bytes)
    }
    sum(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

#[cfg(unix)]
fn on_disk(facts: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(facts) * 512
}

#[cfg(not(unix))]
fn on_disk(facts: &fs::Metadata) -> u64 {
    facts.len()
}

/// Reports an error if the disk of the program has less space than is needed.
#[cfg(unix)]
fn check_space(program: &Path, needed: u64) -> Result<()> {
    let facts = rustix::fs::statvfs(program)
        .map_err(|error| format!("the space on the disk is not known: {error}"))?;
    let free = facts.f_bavail * facts.f_frsize;
    if free >= needed {
        return Ok(());
    }
    let [free, needed] = [free, needed].map(|bytes| bytes >> 20);
    Err(format!(
        "this many events need {needed} MiB on the disk of {}, which has {free}: choose fewer",
        program.display()
    ))
}

#[cfg(not(unix))]
fn check_space(_: &Path, _: u64) -> Result<()> {
    Ok(())
}

/// Creates a folder next to the program. A folder for temporary files may be in memory. Dropping it
/// removes the folder.
fn folder_next_to(program: &Path) -> Result<TempDir> {
    let parent = program.parent().ok_or("the program has no folder")?;
    let folder = tempfile::Builder::new().prefix("bench-engine-").tempdir_in(parent);
    folder.map_err(|error| format!("cannot make a folder in {}: {error}", parent.display()))
}
