//! What is measured, alike for every store.

use tabletop_workload::random::Random;

use crate::events::{Events, FACETS, USERS};
use crate::fold::Checksum;
use crate::job::{Decode, Job};
use crate::{Layout, Result, Row, Rows, Store};

/// Events of a batch.
pub const BATCH: u64 = 1_000;
/// The strategy of most customers names some facets.
pub const STRATEGY: [&str; 3] = ["brand", "color", "size"];
/// Users and rows that are looked up: enough for some tenths of a second.
const USER_READS: usize = 10_000;
const ROW_READS: usize = 50_000;
/// They are chosen by this seed.
const READS_SEED: u64 = 2;
/// Of so many runs of a read the fastest counts: the first one fills caches.
const RUNS: usize = 2;

/// One thing that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What of.
    pub work: String,
    /// How much, in the unit that the work has (see [`unit()`]).
    pub value: f64,
    /// What was read, the same for every store; 0 where nothing is.
    pub checksum: u64,
}

/// Seconds since any one moment.
pub type Clock = fn() -> f64;

/// Names of what is measured.
pub mod names {
    /// Cells a second.
    pub const LOAD_SYNCED: &str = "load, synced per batch";
    /// Cells a second.
    pub const LOAD: &str = "load, not synced";
    /// Cells a second.
    pub const SCAN: &str = "full scan";
    /// Cells that the table has, a second.
    pub const FILTER: &str = "filter, 3 of 12 facets";
    /// Users a second.
    pub const USER: &str = "rows of a random user";
    /// Rows a second.
    pub const ROW: &str = "random row";
    /// Events a second.
    pub const JOB: &str = "profile job, 3 of 12 facets";
    /// Events a second.
    pub const JOB_TYPED: &str = "profile job, 3 of 12 facets, typed";
    /// Events a second.
    pub const JOB_ALL: &str = "profile job, all facets";
    /// What the names of all jobs begin with, and what those end with that know the form of their JSON.
    pub const JOBS: &str = "profile job";
    /// See [`JOBS`].
    pub const TYPED: &str = ", typed";
    /// Bytes for each event.
    pub const DISK: &str = "bytes on disk";
    /// MiB.
    pub const MEMORY_LOAD: &str = "peak memory of a load";
    /// MiB.
    pub const MEMORY_READ: &str = "peak memory of reads";
}

/// What a work is counted in, and whether more is better.
pub fn unit(work: &str) -> (&'static str, bool) {
    match work {
        names::LOAD_SYNCED | names::LOAD | names::SCAN | names::FILTER => ("cells/s", true),
        names::USER => ("users/s", true),
        names::ROW => ("rows/s", true),
        names::DISK => ("B/event", false),
        names::MEMORY_LOAD | names::MEMORY_READ => ("MiB", false),
        _ => ("events/s", true),
    }
}

/// Writes all events in the order of time; cells a second, compaction included. Making the batches is not measured.
pub fn load<S: Store>(store: &mut S, events: &Events, layout: Layout, clock: Clock) -> Result<f64> {
    let mut seconds = 0.0;
    let mut cells = 0;
    let mut first = 0;
    while first < events.count {
        let end = events.count.min(first + BATCH);
        let rows: Vec<Row> = (first..end).map(|index| events.row(index, layout)).collect();
        cells += rows.iter().map(|row| row.cells.len()).sum::<usize>();
        let batch = S::batch(&rows);
        let start = clock();
        store.write(batch)?;
        seconds += clock() - start;
        first = end;
    }
    let start = clock();
    store.settle()?;
    seconds += clock() - start;
    Ok(cells as f64 / seconds)
}

/// All reads of a table that is loaded.
pub fn reads<S: Store>(store: &mut S, events: &Events, layout: Layout, clock: Clock) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let mut measure = |work: &str, run: &mut dyn FnMut() -> Result<(u64, u64)>| {
        let mut best = 0f64;
        let mut checksum = 0;
        for _ in 0..RUNS {
            let start = clock();
            let (count, sum) = run()?;
            best = best.max(count as f64 / (clock() - start));
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

/// What the keys of some users begin with, each user as likely.
pub fn some_users(events: &Events, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(READS_SEED);
    (0..count).map(|_| events.user(random.below(USERS))).collect()
}

/// Keys of some events, each as likely.
pub fn some_keys(events: &Events, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(READS_SEED);
    (0..count).map(|_| events.key(random.below(events.count))).collect()
}

// Each of these has a name of its own in a profile: none is inlined.

#[inline(never)]
fn scan(store: &mut impl Store, events: &Events) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    store.read(Rows::All, &[], &mut all)?;
    if all.rows != events.count {
        return Err(format!("{} rows were read of {} events", all.rows, events.count));
    }
    Ok((all.cells, all.sum))
}

#[inline(never)]
fn filter(store: &mut impl Store, events: &Events) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    store.read(Rows::All, &STRATEGY, &mut all)?;
    Ok((events.count * FACETS.len() as u64, all.sum))
}

#[inline(never)]
fn read_users(store: &mut impl Store, users: &[Vec<u8>]) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    users.iter().try_for_each(|user| store.read(Rows::Prefix(user), &[], &mut all))?;
    Ok((users.len() as u64, all.sum))
}

#[inline(never)]
fn read_rows(store: &mut impl Store, keys: &[Vec<u8>]) -> Result<(u64, u64)> {
    let mut all = Checksum::default();
    keys.iter().try_for_each(|key| store.read(Rows::One(key), &[], &mut all))?;
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
