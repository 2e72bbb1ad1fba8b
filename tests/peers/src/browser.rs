//! The functions that the pages in `tests/peers/browser` call: this engine under the workload, and
//! the same cells for its peers.

use tabletop_engine::Storage;
use tabletop_model::RowMutation;
use tabletop_worker::opfs::Opfs;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WorkerGlobalScope;

use crate::entries::entries;
use crate::events::{Events, FACETS};
use crate::job::{Decode, Job};
use crate::ours::pipelines::Pipelines;
use crate::ours::{Ours, PROFILES};
use crate::profiles::{STREAMED, Sum, sql, staleness_p99, strategies};
use crate::work::{BATCH, Clock, STRATEGY, reads, some_keys, some_users};
use crate::{CACHE_BYTES, Conditions, Layout, Row, Store, Versions, Visitor};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn millis() -> f64;
}

fn clock() -> f64 {
    millis() / 1e3
}

fn layout(name: &str) -> Layout {
    if name == "wide" { Layout::Wide } else { Layout::Narrow }
}

/// This engine on the browser's files.
#[wasm_bindgen]
pub struct Engine {
    files: Opfs,
    events: Events,
    layout: Layout,
    store: Ours<Opfs>,
    pipelines: Option<Pipelines>,
    batch: Vec<RowMutation>,
    made: u64,
    cells: f64,
}

#[wasm_bindgen]
impl Engine {
    /// Opens an empty table in its own files.
    pub async fn open(name: &str, events: u32, synced: bool) -> Result<Engine, String> {
        let layout = layout(name);
        let folder = if synced { "synced" } else { "unsynced" };
        let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
        let files = Opfs::open(&scope.navigator().storage(), folder).await?;
        // The first attempt only requests files, which are created afterwards.
        let conditions =
            Conditions { cache_bytes: CACHE_BYTES, synced, shared: false, versions: Versions::All };
        let mut store = Ours::open(files.clone(), conditions);
        if store.is_err() {
            files.prepare_files().await;
            store = Ours::open(files.clone(), conditions);
        }
        let events = Events::new(0, events.into());
        Ok(Engine {
            files,
            events,
            layout,
            store: store?,
            pipelines: None,
            batch: Vec::new(),
            made: 0,
            cells: 0.0,
        })
    }

    /// Makes the next batch. Returns false if there is none.
    pub fn next(&mut self) -> bool {
        let end = self.events.count.min(self.made + BATCH);
        let rows: Vec<Row> = (self.made..end).map(|index| self.events.row(index, self.layout)).collect();
        self.cells += rows.iter().map(|row| row.cells.len()).sum::<usize>() as f64;
        self.batch = self.store.batch(&rows);
        self.made = end;
        !rows.is_empty()
    }

    /// Writes the batch.
    pub fn write(&mut self) -> Result<(), String> {
        self.store.write(std::mem::take(&mut self.batch))
    }

    /// Creates and deletes the files that the engine has requested.
    pub async fn prepare_files(&self) {
        if self.files.needs_preparing() {
            self.files.prepare_files().await;
        }
    }

    /// Does all compaction that is due.
    pub fn settle(&mut self) -> Result<(), String> {
        self.store.settle()
    }

    /// Returns the number of cells written.
    pub fn cells(&self) -> f64 {
        self.cells
    }

    /// Returns the size of all files in bytes.
    pub fn bytes(&self) -> Result<f64, String> {
        let size = |file| self.files.size(file).map(|size| size as f64);
        let files = self.files.files().map_err(|error| error.to_string())?;
        files.into_iter().map(size).sum::<Result<f64, _>>().map_err(|error| error.to_string())
    }

    /// Returns the name, the value and the checksum of each work.
    pub fn reads(&mut self) -> Result<Vec<String>, String> {
        let figures = reads(&mut self.store, &self.events, self.layout, Clock::of_time(clock))?;
        Ok(figures
            .into_iter()
            .flat_map(|figure| [figure.work, figure.value.to_string(), figure.checksum.to_string()])
            .collect())
    }

    /// Prepares the pipelines of profiles for the loaded table.
    pub fn prepare_profiles(&mut self) -> Result<(), String> {
        let pipelines = Pipelines::new(self.layout, &self.events)?;
        self.store.tables(|tables| pipelines.create(tables))?;
        self.store.leave_unsynced(PROFILES)?;
        self.pipelines = Some(pipelines);
        Ok(())
    }

    /// Begins the batch with one of the two strategies.
    pub fn begin_batch(&mut self, strategy: usize) -> Result<(), String> {
        let pipelines = self.pipelines.as_mut().ok_or(NOT_PREPARED)?;
        self.store.tables(|tables| pipelines.begin(tables, &strategies()[strategy]))
    }

    /// Does a slice of the batch. Returns whether work remains.
    pub fn step_batch(&mut self) -> Result<bool, String> {
        let pipelines = self.pipelines.as_mut().ok_or(NOT_PREPARED)?;
        self.store.tables(|tables| pipelines.step(tables))
    }

    /// Lets the next event after those of the table arrive. Returns the seconds that this took.
    pub fn stream(&mut self, number: u32) -> Result<f64, String> {
        let pipelines = self.pipelines.as_mut().ok_or(NOT_PREPARED)?;
        let event = self.events.event(self.events.count + u64::from(number));
        let start = clock();
        self.store.tables(|tables| pipelines.stream(tables, &event))?;
        Ok(clock() - start)
    }

    /// Returns the checksum of all stored profiles.
    pub fn profiles_sum(&mut self) -> Result<String, String> {
        let pipelines = self.pipelines.as_ref().ok_or(NOT_PREPARED)?;
        self.store.tables(|tables| pipelines.sum(tables)).map(|sum| sum.to_string())
    }

    /// Closes the files.
    pub fn leave(self) {
        self.files.close();
    }
}

const NOT_PREPARED: &str = "the pipelines are not prepared";

/// Returns the number of events that stream in.
#[wasm_bindgen]
pub fn streamed() -> u32 {
    STREAMED as u32
}

/// Returns the 99th percentile of the staleness of profiles in seconds, from the seconds that each
/// event took.
#[wasm_bindgen]
pub fn staleness(seconds: &[f64]) -> f64 {
    staleness_p99(seconds)
}

/// The same events for the batch of the peers, its SQL, and the checksum of what it stores.
#[wasm_bindgen]
pub struct ProfileJob {
    events: Events,
    made: u64,
    sum: Sum,
}

#[wasm_bindgen]
impl ProfileJob {
    /// Makes a source of events, before its first one.
    #[wasm_bindgen(constructor)]
    pub fn new(events: u32) -> ProfileJob {
        ProfileJob { events: Events::new(0, events.into()), made: 0, sum: Sum::default() }
    }

    /// Returns the next events, at most `count`, as lines of CSV. The text is empty if there are
    /// none.
    pub fn lines(&mut self, count: u32) -> String {
        let mut lines = String::new();
        let end = self.events.count.min(self.made + u64::from(count));
        (self.made..end).for_each(|index| sql::csv_line(index, &self.events.event(index), &mut lines));
        self.made = end;
        lines
    }

    /// Returns the SQL with this name.
    pub fn sql(&self, name: &str) -> Result<String, String> {
        Ok(match name {
            "SQLite's tables" => sql::SQLITE_TABLES.into(),
            "an event" => sql::INSERT_EVENT.into(),
            "a facet" => sql::INSERT_FACET.into(),
            "DuckDB's table of lines" => sql::DUCKDB_ARRIVED.into(),
            "DuckDB's tables" => sql::DUCKDB_TABLES.into(),
            "the job" => sql::job(&self.events),
            "the profiles" => sql::LINES.into(),
            other => return Err(format!("there is no SQL with the name {other}")),
        })
    }

    /// Returns the SQL that sets one of the two strategies.
    pub fn strategy(&self, at: usize) -> String {
        sql::strategy(at)
    }

    /// Adds a score to the checksum, given as a line of the profiles.
    pub fn add(&mut self, line: &str) {
        self.sum.add(line);
    }

    /// Returns the checksum.
    pub fn sum(&self) -> String {
        self.sum.value().to_string()
    }
}

/// The same cells for the peers, in batches, and the expected results of reads.
#[wasm_bindgen]
pub struct Cells {
    events: Events,
    layout: Layout,
    made: u64,
    cells: u32,
    bytes: f64,
    rows: Vec<Row>,
    jobs: [Job<'static>; 2],
}

#[wasm_bindgen]
impl Cells {
    /// Makes a source of cells, before its first batch.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, events: u32) -> Cells {
        let layout = layout(name);
        let job = |facets| Job::new(layout, Decode::Typed, facets);
        let jobs = [job(&STRATEGY[..]), job(&FACETS[..])];
        Cells {
            events: Events::new(0, events.into()),
            layout,
            made: 0,
            cells: 0,
            bytes: 0.0,
            rows: Vec::new(),
            jobs,
        }
    }

    /// Makes the next batch. Returns false if there is none.
    pub fn next(&mut self) -> bool {
        let end = self.events.count.min(self.made + BATCH);
        self.rows.clear();
        self.rows.extend((self.made..end).map(|index| self.events.row(index, self.layout)));
        self.made = end;
        for row in &self.rows {
            for cell in &row.cells {
                self.cells += 1;
                self.bytes +=
                    (row.key.len() + cell.family.len() + cell.qualifier.len() + cell.value.len()) as f64;
                for job in &mut self.jobs {
                    job.cell(cell.family.as_bytes(), &cell.qualifier, row.time, &cell.value);
                }
            }
        }
        !self.rows.is_empty()
    }

    /// Returns the batch as entries: the length of the key (4 bytes), the key, the length of the
    /// value (4 bytes), the value.
    pub fn entries(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (key, value) in entries(&self.rows, Versions::All) {
            for part in [key, value.expect("events delete nothing")] {
                bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&part);
            }
        }
        bytes
    }

    /// Returns a column of the batch: all bytes of the row keys (0), the families (1), the
    /// qualifiers (2) or the values (3).
    pub fn column(&self, which: u8) -> Vec<u8> {
        self.texts(which).flatten().copied().collect()
    }

    /// Returns 0 and the end of each cell's part in that column.
    pub fn ends(&self, which: u8) -> Vec<i32> {
        let lengths = self.texts(which).map(|text| text.len() as i32);
        let ends = lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        [0].into_iter().chain(ends).collect()
    }

    /// Returns the timestamps of the batch's cells.
    pub fn times(&self) -> Vec<i64> {
        self.rows.iter().flat_map(|row| row.cells.iter().map(|_| row.time)).collect()
    }

    /// Returns the number of cells so far.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Returns the bytes of keys, columns and values so far, without timestamps.
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// Returns the sum of all users' scores, for three facets or for all.
    pub fn scores(&self, all: bool) -> f64 {
        self.jobs[usize::from(all)].total as f64
    }

    /// Returns the keys of some events.
    pub fn some_keys(&self, count: usize) -> Vec<String> {
        some_keys(&self.events, count).into_iter().map(text).collect()
    }

    /// Returns the key prefixes of some users.
    pub fn some_users(&self, count: usize) -> Vec<String> {
        some_users(&self.events, count).into_iter().map(text).collect()
    }

    fn texts(&self, which: u8) -> impl Iterator<Item = &[u8]> {
        let all = self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
        all.map(move |(row, cell)| match which {
            0 => &row.key[..],
            1 => cell.family.as_bytes(),
            2 => &cell.qualifier[..],
            _ => &cell.value[..],
        })
    }
}

fn text(key: Vec<u8>) -> String {
    String::from_utf8(key).expect("keys are text")
}
