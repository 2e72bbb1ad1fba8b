//! Fills a folder, and reads from it while it compacts.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tabletop_engine::{CellRef, Limits, RowVisitor};
use tabletop_model::{ColumnFamily, GcRule, ReadRows, RowSet, TableSettings, TableSpec};
use tabletop_server::{Host, InstanceName, Served, system_clock, table_settings};
use tabletop_tests::faulty::chance;

use crate::Result;
use crate::data::{Values, key, row_bytes};

const TABLE: &str = "t";
/// The size of the modelled data.
const GIGABYTES: u64 = 100;
/// Number of rows per request.
const BATCH: u64 = 500;
const READS: u64 = 20_000;
/// How long rows are read during writes.
const DURING: Duration = Duration::from_secs(60);

/// Writes rows in random order.
pub fn fill(folder: &Path, gigabytes: u64, values: Values) -> Result<()> {
    let (host, served, _) = open(folder, gigabytes)?;
    let family = ColumnFamily { gc_rule: GcRule::MaxVersions(1), ..ColumnFamily::new("f") };
    let settings = TableSettings { cache_bytes_max: limits(gigabytes).cache_bytes_max, ..table_settings() };
    let spec = TableSpec { families: vec![family], settings, ..TableSpec::default() };
    served.change(|instance, now| instance.create_table(now, TABLE, spec)).map_err(text)?;
    let (rows, begun) = (rows(gigabytes), Instant::now());
    for batch in 0..rows / BATCH {
        write(&served, values, (0..BATCH).map(|row| batch * BATCH + row), 0)?;
        if batch % (rows / BATCH / 10).max(1) == 0 {
            eprintln!(
                "bench large: {} of {rows} rows after {:.0} s",
                batch * BATCH,
                begun.elapsed().as_secs_f64()
            );
        }
    }
    let loaded = begun.elapsed().as_secs_f64();
    served.finish_work();
    let work = served.with(|instance, now| Ok(instance.table(TABLE)?.view(now).work)).map_err(text)?;
    host.close();
    let input = (rows * row_bytes()) as f64;
    println!("{} values, {:.1} GB in {rows} rows", values.name(), input / 1e9);
    figure("load, MB/s", input / 1e6 / loaded);
    figure(
        "written by compactions, to what memtables took",
        work.compaction_bytes_written as f64 / work.flushed_bytes as f64,
    );
    let (files, bytes) = files(folder)?;
    figure("files", files as f64);
    figure("bytes of the files per byte of input", bytes as f64 / input);
    Ok(())
}

/// Opens the folder and reads random rows, first alone and then during writes.
pub fn read(folder: &Path, gigabytes: u64, values: Values) -> Result<()> {
    let (rows, before) = (rows(gigabytes), memory("VmRSS:"));
    let (host, served, opened) = open(folder, gigabytes)?;
    figure("opening, s", opened.as_secs_f64());
    figure("memory after opening, MB", memory("VmRSS:") - before);
    let mut pick = chance(1);
    let idle = (0..READS).map(|_| read_one(&served, pick(rows))).collect::<Result<Vec<Duration>>>()?;
    quantiles("point read", idle);
    figure("memory after these reads, MB", memory("VmRSS:") - before);
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (served, is_over) = (served.clone(), is_over.clone());
        move || -> Result<u64> {
            let (mut pick, mut round) = (chance(2), 0);
            while !is_over.load(Ordering::Relaxed) {
                round += 1;
                write(&served, values, (0..BATCH).map(|_| pick(rows)), round)?;
            }
            Ok(round * BATCH)
        }
    });
    let begun = Instant::now();
    let work = |served: &Served| {
        served.with(|instance, now| Ok(instance.table(TABLE)?.view(now).work)).map_err(text)
    };
    let work_before = work(&served)?;
    let mut during = Vec::new();
    while begun.elapsed() < DURING && !writer.is_finished() {
        during.push(read_one(&served, pick(rows))?);
    }
    let work_after = work(&served)?;
    is_over.store(true, Ordering::Relaxed);
    let written = writer.join().map_err(|_| "the writer panicked")??;
    let seconds = begun.elapsed().as_secs_f64();
    quantiles("point read during writes", during);
    figure("  writes during these reads, MB/s", (written * row_bytes()) as f64 / 1e6 / seconds);
    let compacted = work_after.compaction_bytes_written - work_before.compaction_bytes_written;
    figure("  written by compactions, MB/s", compacted as f64 / 1e6 / seconds);
    figure("most memory, MB", memory("VmHWM:") - before);
    host.close();
    Ok(())
}

/// Opens the instance, and returns how long that took.
fn open(folder: &Path, gigabytes: u64) -> Result<(Host, Arc<Served>, Duration)> {
    let begun = Instant::now();
    let host = Host::open(folder, system_clock).map_err(text)?.with_limits(limits(gigabytes));
    let name = InstanceName { project: "bench".into(), instance: "large".into() };
    let served = host.instance_or_new(&name).map_err(text)?;
    Ok((host, served, begun.elapsed()))
}

/// Returns the limits of a server, scaled down in proportion to the data.
fn limits(gigabytes: u64) -> Limits {
    let part = |limit: u64| limit * gigabytes / GIGABYTES;
    let Limits { memtable_bytes_max, log_bytes_max, cache_bytes_max, dictionary_bytes_max } =
        Limits::default();
    Limits {
        memtable_bytes_max: part(memtable_bytes_max),
        log_bytes_max: part(log_bytes_max),
        cache_bytes_max: part(cache_bytes_max),
        dictionary_bytes_max: part(dictionary_bytes_max),
    }
}

fn rows(gigabytes: u64) -> u64 {
    gigabytes * 1_000_000_000 / row_bytes() / BATCH * BATCH
}

fn write(served: &Served, values: Values, numbers: impl Iterator<Item = u64>, round: u64) -> Result<()> {
    let entries = numbers.map(|number| values.row(number, round)).collect();
    let outcomes = served.mutate_rows(TABLE.into(), entries).map_err(text)?;
    outcomes.into_iter().flatten().next().map_or(Ok(()), |error| Err(text(error)))
}

fn read_one(served: &Served, number: u64) -> Result<Duration> {
    let rows = RowSet { keys: vec![key(number).into()], ranges: Vec::new() };
    let read = ReadRows { rows, ..ReadRows::default() };
    let (mut count, begun) = (Count(0), Instant::now());
    served.read_into(TABLE, &read, &mut count).map_err(text)?;
    if count.0 == 1 { Ok(begun.elapsed()) } else { Err(format!("row {number} has {} cells", count.0)) }
}

/// Counts cells: GC may not have removed old versions yet.
struct Count(u64);

impl RowVisitor for Count {
    fn row(&mut self, _: &[u8]) {}

    fn cell(&mut self, _: CellRef<'_>) {
        self.0 = 1;
    }
}

fn quantiles(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{what}, {} times, ms: half {:.3}, p99 {:.3}, p99.9 {:.3}, most {:.3}",
        times.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
}

fn figure(what: &str, value: f64) {
    println!("{what}: {value:.2}");
}

/// Returns the number of files below a folder, and their bytes.
fn files(folder: &Path) -> Result<(u64, u64)> {
    let failed = |error| format!("{}: {error}", folder.display());
    let mut sum = (0, 0);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let facts = entry.metadata().map_err(failed)?;
        let (files, bytes) = if facts.is_dir() { files(&entry.path())? } else { (1, facts.len()) };
        sum = (sum.0 + files, sum.1 + bytes);
    }
    Ok(sum)
}

/// Returns a figure of this process's memory in MB; 0 where the system does not report it.
fn memory(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(0.0, |kib| kib * 1024.0 / 1e6)
}

fn text(error: tabletop_model::Error) -> String {
    error.to_string()
}
