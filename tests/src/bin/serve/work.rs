//! The measured works, in the order in which they run on one server.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use bytes::Bytes;
use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as admin;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as data;
use tabletop_tests::faulty::chance;
use tabletop_tests::server::Server;

use crate::Result;
use crate::figures::Work;
use crate::link::{Answer, Link, framed};

/// Rows per request.
pub const BATCH_ROWS: u64 = 1_000;
const VALUE_BYTES: usize = 100;
const BATCHES_IN_FLIGHT: usize = 4;
const POINTS: u64 = 50_000;
const POINTS_IN_FLIGHT: usize = 16;
/// Number of single reads, and of single writes, in a round of the comparison with the page.
const CALLS_OF_ROUND: u64 = 10_000;
const WIDE_ROWS: u64 = 2_000;
const WIDE_COLUMNS: u64 = 200;
/// Length of the test of simultaneous reads and writes.
const TIME_OF_BUSY: Duration = Duration::from_secs(20);
/// A work is repeated as often as fits into this time, and at least three times. The median counts.
const TIME_FOR_REPEATS: Duration = Duration::from_secs(5);

pub const PARENT: &str = "projects/bench/instances/bench";
const NARROW: &str = "projects/bench/instances/bench/tables/narrow";
const WIDE: &str = "projects/bench/instances/bench/tables/wide";
const MUTATE_ROW: &str = "google.bigtable.v2.Bigtable/MutateRow";
const READ_ROWS: &str = "google.bigtable.v2.Bigtable/ReadRows";
const MUTATE_ROWS: &str = "google.bigtable.v2.Bigtable/MutateRows";

/// Runs all works on one server.
pub async fn measure(server: &Server, rows: u64, mut say: impl FnMut(Work, f64)) -> Result<()> {
    let link = Link::to(&server.address).await?;
    create(&link, "narrow").await?;
    let before = server.memory_bytes();

    let batches = narrow_batches(rows);
    let start = Instant::now();
    let answer = all(&link, MUTATE_ROWS, batches, BATCHES_IN_FLIGHT).await?;
    say(Work::Load, rows as f64 / start.elapsed().as_secs_f64());
    if answer.failures > 0 {
        return Err(format!("{} rows were not written", answer.failures));
    }
    if let (Some(before), Some(after)) = (before, server.memory_bytes()) {
        say(Work::Memory, after.saturating_sub(before) as f64 / 1e6 / (rows as f64 / 1e6));
    }

    let scan = data::ReadRowsRequest { table_name: NARROW.into(), ..Default::default() };
    let time = median(&link, &scan, rows).await?;
    say(Work::Scan, rows as f64 / time.as_secs_f64());
    let limit = data::ReadRowsRequest { rows_limit: 10, ..scan };
    say(Work::Limit, median(&link, &limit, 10).await?.as_secs_f64() * 1e3);

    let mut chance = chance(2);
    let points = (0..POINTS).map(|_| framed(&point(chance(rows)))).collect();
    let start = Instant::now();
    let answer = all(&link, READ_ROWS, points, POINTS_IN_FLIGHT).await?;
    say(Work::Points, POINTS as f64 / start.elapsed().as_secs_f64());
    expect_rows(answer, POINTS)?;

    let busy = busy(&link, rows).await?;
    say(Work::BusyReads, busy.reads.as_secs_f64() * 1e3);
    say(Work::BusyWrites, busy.writes.as_secs_f64() * 1e3);

    create(&link, "wide").await?;
    all(&link, MUTATE_ROWS, wide_batches(), 1).await?;
    let time = median(&link, &interleave(), WIDE_ROWS).await?;
    say(Work::Interleave, WIDE_ROWS as f64 / time.as_secs_f64());
    Ok(())
}

/// Creates the table for [`round`].
pub async fn fill(link: &Link, rows: u64) -> Result<()> {
    create(link, "narrow").await?;
    let answer = all(link, MUTATE_ROWS, narrow_batches(rows), BATCHES_IN_FLIGHT).await?;
    if answer.failures == 0 { Ok(()) } else { Err(format!("{} rows were not written", answer.failures)) }
}

/// Runs one round of short works: point reads per second and their p99 in milliseconds, the same
/// for single writes, and the rows per second of a scan and of writes in batches.
pub async fn round(link: &Link, rows: u64) -> Result<[f64; 6]> {
    let mut chance = chance(5);
    let mut calls = |message: fn(u64) -> Bytes| {
        (0..CALLS_OF_ROUND).map(|_| message(chance(rows))).collect::<VecDeque<Bytes>>()
    };
    let (reads, writes) = (calls(|row| framed(&point(row))), calls(mutate_row));
    let mut figures = [0.0; 6];
    for (at, method, messages) in [(0, READ_ROWS, reads), (2, MUTATE_ROW, writes)] {
        let start = Instant::now();
        let (_, mut times) = all_timed(link, method, messages, POINTS_IN_FLIGHT).await?;
        figures[at] = CALLS_OF_ROUND as f64 / start.elapsed().as_secs_f64();
        times.sort();
        figures[at + 1] = times[(times.len() - 1) * 99 / 100].as_secs_f64() * 1e3;
    }
    let start = Instant::now();
    let scan = data::ReadRowsRequest { table_name: NARROW.into(), ..Default::default() };
    expect_rows(link.call(READ_ROWS, framed(&scan)).await?, rows)?;
    figures[4] = rows as f64 / start.elapsed().as_secs_f64();
    let batches = narrow_batches(rows / 2);
    let start = Instant::now();
    all(link, MUTATE_ROWS, batches, BATCHES_IN_FLIGHT).await?;
    figures[5] = (rows / 2) as f64 / start.elapsed().as_secs_f64();
    Ok(figures)
}

async fn create(link: &Link, table: &str) -> Result<()> {
    let table_with = admin::Table {
        column_families: [("f".to_string(), Default::default())].into(),
        ..Default::default()
    };
    let create = admin::CreateTableRequest {
        parent: PARENT.into(),
        table_id: table.into(),
        table: Some(table_with),
        ..Default::default()
    };
    link.call("google.bigtable.admin.v2.BigtableTableAdmin/CreateTable", framed(&create)).await.map(drop)
}

/// Sends all messages, with this number of them in flight at a time.
async fn all(
    link: &Link,
    method: &'static str,
    messages: VecDeque<Bytes>,
    in_flight: usize,
) -> Result<Answer> {
    all_timed(link, method, messages, in_flight).await.map(|(answer, _)| answer)
}

/// Sends all messages like [`all`], and returns the time of each call.
async fn all_timed(
    link: &Link,
    method: &'static str,
    messages: VecDeque<Bytes>,
    in_flight: usize,
) -> Result<(Answer, Vec<Duration>)> {
    let messages = std::rc::Rc::new(std::cell::RefCell::new(messages));
    let (mut total, mut times) = (Answer::default(), Vec::new());
    let tasks = tokio::task::LocalSet::new();
    let mut running = Vec::new();
    for _ in 0..in_flight {
        let (link, messages) = (link.clone(), messages.clone());
        running.push(tasks.spawn_local(async move {
            let (mut total, mut times) = (Answer::default(), Vec::new());
            loop {
                let next = messages.borrow_mut().pop_front();
                let Some(message) = next else { return Ok::<_, String>((total, times)) };
                let start = Instant::now();
                let answer = link.call(method, message).await?;
                times.push(start.elapsed());
                total.rows += answer.rows;
                total.failures += answer.failures;
            }
        }));
    }
    tasks.await;
    for task in running {
        let (answer, of_task) = task.await.map_err(|error| error.to_string())??;
        total.rows += answer.rows;
        total.failures += answer.failures;
        times.extend(of_task);
    }
    Ok((total, times))
}

/// The slowest calls of a thousand.
struct Busy {
    reads: Duration,
    writes: Duration,
}

/// Replaces rows in batches, so that memtables are written out and compacted, and at the same time
/// reads and writes single rows.
async fn busy(link: &Link, rows: u64) -> Result<Busy> {
    let end = Instant::now() + TIME_OF_BUSY;
    let timed = |method: &'static str, next: fn(u64) -> Bytes, seed: u64| {
        let link = link.clone();
        async move {
            let (mut chance, mut times) = (chance(seed), Vec::new());
            while Instant::now() < end {
                let (message, start) = (next(chance(rows)), Instant::now());
                link.call(method, message).await?;
                times.push(start.elapsed());
            }
            times.sort();
            Ok::<_, String>(times[(times.len() - 1) * 999 / 1_000])
        }
    };
    let batches = async {
        let mut batches = narrow_batches(rows).into_iter().cycle();
        while let Some(batch) = batches.next().filter(|_| Instant::now() < end) {
            link.call(MUTATE_ROWS, batch).await?;
        }
        Ok::<_, String>(())
    };
    let write =
        |row| mutate_rows(NARROW, [(key(row), vec![set("q".into(), vec![7; VALUE_BYTES])])].into_iter());
    let reads = timed(READ_ROWS, |row| framed(&point(row)), 3);
    let (reads, writes, batches) = tokio::join!(reads, timed(MUTATE_ROWS, write, 4), batches);
    batches?;
    Ok(Busy { reads: reads?, writes: writes? })
}

/// Median time of a read that must return this number of rows.
async fn median(link: &Link, read: &data::ReadRowsRequest, rows: u64) -> Result<Duration> {
    let message = framed(read);
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < 3 || begin.elapsed() < TIME_FOR_REPEATS && times.len() < 1_000 {
        let start = Instant::now();
        let answer = link.call(READ_ROWS, message.clone()).await?;
        times.push(start.elapsed());
        expect_rows(answer, rows)?;
    }
    times.sort();
    Ok(times[times.len() / 2])
}

fn expect_rows(answer: Answer, rows: u64) -> Result<()> {
    if answer.rows == rows { Ok(()) } else { Err(format!("{} rows were read, not {rows}", answer.rows)) }
}

fn key(row: u64) -> Vec<u8> {
    format!("user{row:012}").into_bytes()
}

fn narrow_batches(rows: u64) -> VecDeque<Bytes> {
    let mut chance = chance(1);
    let mut order: Vec<u64> = (0..rows).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, chance(at as u64 + 1) as usize);
    }
    let mut value =
        || (0..VALUE_BYTES / 8 + 1).flat_map(|_| chance(u64::MAX).to_le_bytes()).take(VALUE_BYTES).collect();
    let batches = order.chunks(BATCH_ROWS as usize);
    batches
        .map(|batch| mutate_rows(NARROW, batch.iter().map(|row| (key(*row), vec![set("q".into(), value())]))))
        .collect()
}

fn wide_batches() -> VecDeque<Bytes> {
    let rows: Vec<u64> = (0..WIDE_ROWS).collect();
    let column = |at: u64| {
        set(
            format!("type{},name{},{at:03}", at % 4, at % 10).into_bytes(),
            format!("value {at}").into_bytes(),
        )
    };
    let row = |row: &u64| (key(*row), (0..WIDE_COLUMNS).map(column).collect());
    rows.chunks(100).map(|batch| mutate_rows(WIDE, batch.iter().map(row))).collect()
}

fn mutate_rows(table: &str, rows: impl Iterator<Item = (Vec<u8>, Vec<data::Mutation>)>) -> Bytes {
    let entries = rows.map(|(row_key, mutations)| data::mutate_rows_request::Entry {
        row_key,
        mutations,
        ..Default::default()
    });
    framed(&data::MutateRowsRequest {
        table_name: table.into(),
        entries: entries.collect(),
        ..Default::default()
    })
}

fn mutate_row(row: u64) -> Bytes {
    let mutations = vec![set("q".into(), vec![7; VALUE_BYTES])];
    framed(&data::MutateRowRequest {
        table_name: NARROW.into(),
        row_key: key(row),
        mutations,
        ..Default::default()
    })
}

fn set(column_qualifier: Vec<u8>, value: Vec<u8>) -> data::Mutation {
    let set =
        data::mutation::SetCell { family_name: "f".into(), column_qualifier, timestamp_micros: 1_000, value };
    data::Mutation { mutation: Some(data::mutation::Mutation::SetCell(set)) }
}

fn point(row: u64) -> data::ReadRowsRequest {
    let rows = data::RowSet { row_keys: vec![key(row)], ..Default::default() };
    data::ReadRowsRequest { table_name: NARROW.into(), rows: Some(rows), ..Default::default() }
}

/// An interleave of two regexes: of 200 columns, one matches 5 and the other 2.
fn interleave() -> data::ReadRowsRequest {
    use data::row_filter::{Filter, Interleave};
    let regex = |pattern: &str| data::RowFilter {
        filter: Some(Filter::ColumnQualifierRegexFilter(pattern.as_bytes().to_vec())),
    };
    let filters = vec![regex("type1,name3,\\d*[1-5]3"), regex(".*,(007|199)")];
    let filter = data::RowFilter { filter: Some(Filter::Interleave(Interleave { filters })) };
    data::ReadRowsRequest { table_name: WIDE.into(), filter: Some(filter), ..Default::default() }
}
