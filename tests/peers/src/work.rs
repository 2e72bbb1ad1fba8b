//! The measurements, which are the same for every store.

#[cfg(not(target_arch = "wasm32"))]
mod load;
#[cfg(not(target_arch = "wasm32"))]
mod mixed;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
#[cfg(not(target_arch = "wasm32"))]
mod wide_row;

#[cfg(not(target_arch = "wasm32"))]
pub use {
    load::load,
    mixed::{Mixed, mixed},
    threads::read_with_threads,
    wide_row::{CELLS, wide_row},
};

use tabletop_workload::random::Random;

use crate::events::{Events, FACETS, USERS};
use crate::fold::Checksum;
use crate::job::{Decode, Job};
use crate::{Columns, Layout, Result, Rows, Store};

/// The events of a batch.
pub const BATCH: u64 = 1_000;
/// The facets of a typical strategy, which names only some.
pub const STRATEGY: [&str; 3] = ["brand", "color", "size"];
/// The number of users and rows that are read: enough for some tenths of a second.
const USER_READS: usize = 10_000;
const ROW_READS: usize = 50_000;
/// The seed for choosing them.
const READS_SEED: u64 = 2;
/// The number of runs of a read. The fastest run counts, because the first one fills caches.
const RUNS: usize = 2;

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The name of the work.
    pub work: String,
    /// The value in the work's unit (see [`unit()`]).
    pub value: f64,
    /// The checksum of a read, which is the same for every store; 0 for other work.
    pub checksum: u64,
}

/// Clocks in seconds, which begin at an arbitrary time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The time of the whole process.
    pub now: fn() -> f64,
    /// The time of this thread alone, to subtract work that is not the store's. It differs from
    /// `now` if both count processor time.
    pub own: fn() -> f64,
}

impl Clock {
    /// Creates a clock of wall-clock time.
    pub fn of_time(now: fn() -> f64) -> Clock {
        Clock { now, own: now }
    }
}

/// The names of the measurements.
pub mod names {
    /// Cells per second.
    pub const LOAD_SYNCED: &str = "load, synced per batch";
    /// Cells per second.
    pub const LOAD: &str = "load, not synced";
    /// Milliseconds, of a batch.
    pub const WRITE_SYNCED: &str = "p99.9 of a write of 1,000, synced";
    /// See [`WRITE_SYNCED`].
    pub const WRITE: &str = "p99.9 of a write of 1,000";
    /// Milliseconds.
    pub const OPEN: &str = "restart: open, read a row";
    /// Cells per second.
    pub const SCAN: &str = "full scan";
    /// Cells of the table per second.
    pub const FILTER: &str = "filter, 3 of 12 facets";
    /// Users per second.
    pub const USER: &str = "rows of a random user";
    /// Rows per second.
    pub const ROW: &str = "random row";
    /// Rows per second.
    pub const ROW_1: &str = "random row, 1 thread";
    /// Rows per second.
    pub const ROW_2: &str = "random row, 2 threads";
    /// The ratio of the two.
    pub const THREADS: &str = "random row, 2 threads / 1";
    /// Events per second.
    pub const JOB: &str = "profile job, 3 of 12 facets";
    /// Events per second.
    pub const JOB_TYPED: &str = "profile job, 3 of 12 facets, typed";
    /// Events per second.
    pub const JOB_ALL: &str = "profile job, all facets";
    /// The prefix of all jobs' names, and the suffix of those that decode only the strings of their
    /// JSON.
    pub const JOBS: &str = "profile job";
    /// See [`JOBS`].
    pub const TYPED: &str = ", typed";
    /// Bytes per event.
    pub const DISK: &str = "bytes on disk";
    /// MiB.
    pub const MEMORY_LOAD: &str = "peak memory of a load";
    /// MiB.
    pub const MEMORY_READ: &str = "peak memory of reads";
    /// Operations per second.
    pub const MIXED: &str = "50% read, 40% write, 10% delete";
    /// See [`MIXED`].
    pub const MIXED_SYNCED: &str = "the same, each write synced";
    /// Microseconds, of one row.
    pub const MIXED_WRITE: &str = "p99.9 of a write";
    /// See [`MIXED_WRITE`].
    pub const MIXED_WRITE_SYNCED: &str = "p99.9 of a write, synced";
    /// Bytes on disk per byte of rows that were not deleted.
    pub const AMPLIFICATION: &str = "bytes on disk / live bytes";
    /// Cells per second.
    pub const CELLS: &str = "load of 1,000,000 columns";
    /// Reads per second.
    pub const CELLS_ONE: &str = "one column";
    /// Reads per second.
    pub const CELLS_FIRST: &str = "first 100 columns";
    /// Increments per second.
    pub const CELLS_ADD: &str = "increment of a column";
    /// Events per second: all profiles are recomputed after a change of the strategy, and stored.
    pub const BATCH: &str = "batch: all profiles, stored";
    /// MiB.
    pub const MEMORY_BATCH: &str = "peak memory of the batch";
    /// Events per second: each event is written, then the profile of its user.
    pub const STREAM: &str = "streaming: event and profile";
    /// Milliseconds from the arrival of an event to the profile with it, at half the rate of
    /// [`STREAM`].
    pub const STALENESS: &str = "p99 of the staleness of a profile";
}

/// Returns the unit of a work, and whether more is better.
pub fn unit(work: &str) -> (&'static str, bool) {
    match work {
        names::LOAD_SYNCED | names::LOAD | names::SCAN | names::FILTER | names::CELLS => ("cells/s", true),
        names::WRITE | names::WRITE_SYNCED | names::OPEN | names::STALENESS => ("ms", false),
        names::MIXED_WRITE | names::MIXED_WRITE_SYNCED => ("µs", false),
        names::USER => ("users/s", true),
        names::ROW | names::ROW_1 | names::ROW_2 => ("rows/s", true),
        names::MIXED | names::MIXED_SYNCED | names::CELLS_ONE | names::CELLS_FIRST | names::CELLS_ADD => {
            ("ops/s", true)
        }
        names::THREADS => ("times", true),
        names::AMPLIFICATION => ("times", false),
        names::DISK => ("B/event", false),
        names::MEMORY_LOAD | names::MEMORY_READ | names::MEMORY_BATCH => ("MiB", false),
        _ => ("events/s", true),
    }
}

/// Returns a figure without a checksum.
#[cfg(not(target_arch = "wasm32"))]
fn figure(work: &str, value: f64) -> Figure {
    Figure { work: work.into(), value, checksum: 0 }
}

/// Measures all reads of a loaded table.
pub fn reads<S: Store>(store: &mut S, events: &Events, layout: Layout, clock: Clock) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut measure = |work: &str, run: &mut dyn FnMut() -> Result<(u64, u64)>| {
        let mut best = 0f64;
        let mut checksum = 0;
        for _ in 0..RUNS {
            let start = (clock.now)();
            let (count, sum) = run()?;
            best = best.max(count as f64 / ((clock.now)() - start));
            checksum = sum;
        }
        figures.push(Figure { work: work.into(), value: best, checksum });
        Ok::<(), String>(())
    };

    measure(names::SCAN, &mut || scan(store, events))?;
    if layout == Layout::Wide {
        measure(names::FILTER, &mut || filter(store, events))?;
    }

    let users = some_users(events, USER_READS);
    measure(names::USER, &mut || read_users(store, &users))?;
    let keys = some_keys(events, ROW_READS);
    measure(names::ROW, &mut || read_rows(store, &keys))?;

    let jobs: &[(&str, Decode, &[&str])] = match layout {
        Layout::Narrow => &[
            (names::JOB, Decode::Generic, &STRATEGY),
            (names::JOB_TYPED, Decode::Typed, &STRATEGY),
            (names::JOB_ALL, Decode::Generic, &FACETS),
        ],
        Layout::Wide => &[(names::JOB, Decode::Typed, &STRATEGY), (names::JOB_ALL, Decode::Typed, &FACETS)],
    };
    for (work, decode, facets) in jobs {
        measure(work, &mut || profile(store, events, Job::new(layout, *decode, facets)))?;
    }
    Ok(figures)
}

/// Returns the key prefixes of some users, drawn uniformly.
pub fn some_users(events: &Events, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(READS_SEED);
    (0..count).map(|_| events.user(random.below(USERS))).collect()
}

/// Returns the keys of some events, drawn uniformly.
pub fn some_keys(events: &Events, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(READS_SEED);
    (0..count).map(|_| events.key(random.below(events.count))).collect()
}

// These functions are not inlined, so that each has its own name in a profile.

#[inline(never)]
fn scan(store: &mut impl Store, events: &Events) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    store.read(Rows::All, Columns::All, &mut all)?;
    if all.rows != events.count {
        return Err(format!("{} rows were read of {} events", all.rows, events.count));
    }
    Ok((all.cells, all.sum))
}

#[inline(never)]
fn filter(store: &mut impl Store, events: &Events) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    store.read(Rows::All, Columns::Facets(&STRATEGY), &mut all)?;
    Ok((events.count * FACETS.len() as u64, all.sum))
}

#[inline(never)]
fn read_users(store: &mut impl Store, users: &[Vec<u8>]) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    users.iter().try_for_each(|user| store.read(Rows::Prefix(user), Columns::All, &mut all))?;
    Ok((users.len() as u64, all.sum))
}

#[inline(never)]
fn read_rows(store: &mut impl Store, keys: &[Vec<u8>]) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    keys.iter().try_for_each(|key| store.read(Rows::One(key), Columns::All, &mut all))?;
    if all.rows != keys.len() as u64 {
        return Err(format!("{} of {} rows were found", all.rows, keys.len()));
    }
    Ok((all.rows, all.sum))
}

#[inline(never)]
fn profile(store: &mut impl Store, events: &Events, mut job: Job<'_>) -> Result<(u64, u64)> {
    store.read(Rows::All, job.wanted(), &mut job)?;
    job.finish();
    Ok((events.count, job.sum))
}
