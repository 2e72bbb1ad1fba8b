//! The work of a compaction: it merges immutable runs into a new file. It needs nothing else of the
//! table, so a host can run it concurrently with writes.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::Timestamp;

use crate::cache::Blocks;
use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::families::Families;
use crate::filter::Needed;
use crate::gc::Collector;
use crate::key_range::KeyRange;
use crate::merge::{Batch, BatchSize, Merge};
use crate::sstable::{Dictionary, SsTable, Writer};
use crate::storage::{Storage, StorageError};
use crate::table::run::{Run, may_hold};

/// A compaction between two steps.
#[derive(Debug)]
pub(crate) struct Merging {
    sources: Sources,
    writer: Writer,
    /// Where the last step ended.
    done: Option<Done>,
    batch: Batch,
    /// The dictionaries of the runs that the last step has begun; the next step needs them again.
    dictionaries: Vec<Arc<Dictionary>>,
}

/// The inputs of a compaction.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The rows of the tablet.
    pub range: KeyRange,
    /// The locality group of the runs.
    pub group: u8,
    /// The runs to merge, newest first.
    pub inputs: Arc<[Run]>,
    /// Older runs, in which deletes hide rows.
    pub older: Arc<[Run]>,
    pub families: Arc<Families>,
    /// The GC rules at the time at which the compaction was chosen, if they are applied.
    pub collector: Option<Collector>,
}

/// The result of a step.
#[derive(Debug)]
pub(crate) enum Progress {
    /// There is more to merge.
    More(Box<Merging>),
    /// The file is written and synced.
    Done {
        /// The new SSTable; `None` if no rows are left.
        merged: Option<Arc<SsTable>>,
        /// The earliest time at which a rule expires one of its cells.
        next: Timestamp,
        sources: Sources,
    },
}

/// Where a step of a compaction ended.
#[derive(Debug)]
struct Done {
    /// The last row that was merged, or begun.
    key: Vec<u8>,
    /// The last merged cell of that row, if there are more.
    cell: Option<(FamilyId, Vec<u8>, Timestamp)>,
}

/// The cells that are merged and written together.
const BATCH: BatchSize = BatchSize { cells: 1_024, bytes: 32 << 10 };
/// Written blocks wait in memory, because storage cannot be read and written at the same time.
/// After this many bytes they are appended to the file.
const WAITING_BYTES_MAX: u64 = 4 << 20;

impl Merging {
    /// Returns the runs that the compaction has open.
    pub fn runs(&self) -> [Arc<[Run]>; 2] {
        [self.sources.inputs.clone(), self.sources.older.clone()]
    }

    /// Returns how many bytes it has written to the file so far.
    pub fn written(&self) -> u64 {
        self.writer.bytes()
    }

    pub fn new(sources: Sources, writer: Writer) -> Merging {
        Merging { sources, writer, done: None, batch: Batch::default(), dictionaries: Vec::new() }
    }

    /// Merges rows until none is left or the budget is used up. Completes the file when none is
    /// left.
    ///
    /// # Errors
    /// Errors of storage. The file is then of no use.
    pub fn run(
        mut self: Box<Self>,
        storage: &mut dyn Storage,
        budget: &mut u64,
    ) -> Result<Progress, StorageError> {
        while *budget > 0 {
            let mut part = WAITING_BYTES_MAX.min(*budget);
            *budget -= part;
            let is_finished = self.merge(storage, &mut part)?;
            *budget += part;
            self.writer.flush(storage)?;
            if is_finished {
                let Merging { sources, writer, .. } = *self;
                let next = sources.collector.as_ref().map_or(Timestamp::MAX, Collector::next);
                return Ok(Progress::Done { merged: writer.finish(storage)?, next, sources });
            }
        }
        Ok(Progress::More(self))
    }

    /// Merges rows into the writer until none is left or the budget is used up; it can stop within
    /// a row. Returns `true` when none is left.
    fn merge(&mut self, storage: &dyn Storage, budget: &mut u64) -> Result<bool, StorageError> {
        let Merging {
            sources: Sources { range, group, inputs, older, families, collector },
            writer,
            done,
            batch,
            dictionaries,
        } = self;
        let older: Vec<&Run> = older.iter().collect();
        let mut within = None;
        let range = match done.take() {
            Some(Done { key, cell: Some(cell) }) => {
                within = Some(cell);
                KeyRange { start: key, end: range.end.clone() }
            }
            Some(Done { key, cell: None }) => range.beyond(&key, false),
            None => range.clone(),
        };
        let blocks = Blocks::uncached(storage);
        let mut merge = Merge::new(inputs.len(), false, families.kinds());
        for run in inputs.iter() {
            merge.add_sstable(&blocks, &run.table, range.bounds().meet(run.range.bounds()));
        }
        while merge.next_row()? {
            let before = writer.bytes();
            let mut more = true;
            if let Some((family, qualifier, timestamp)) = within.take() {
                merge.skip_past(&CellKey { family, qualifier: &qualifier, timestamp }, Needed::All)?;
            } else {
                merge.check_row(writer.last_key())?;
                let tombstones = merge.tombstones().filter(|_| may_hold(&older, merge.key()));
                let tombstones =
                    tombstones.as_ref().map(|tombstones| families.groups().part(*group, tombstones));
                writer.begin_row(merge.key(), tombstones.as_deref());
                more = !merge.copy(writer, collector.as_mut())?;
                collector.iter_mut().for_each(Collector::begin_row);
            }
            let mut work = 1;
            while more {
                more = merge.fill(batch, None, false, BATCH)?;
                work += batch.looked_at * 8;
                for cell in &batch.cells {
                    let (family, qualifier, value) = merge.content(cell);
                    let time = cell.place.timestamp;
                    if collector
                        .as_mut()
                        .is_some_and(|collector| collector.collects(family, cell.ordinal, time))
                    {
                        continue;
                    }
                    writer.cell(family, qualifier, time, value);
                }
                if more && work + writer.bytes() - before >= *budget && merge.can_skip() {
                    let last =
                        merge.last_cell().map(|cell| (cell.family, cell.qualifier.to_vec(), cell.timestamp));
                    if last.is_some() {
                        merge.note_last(batch);
                        *done = Some(Done { key: merge.key().to_vec(), cell: last });
                        *dictionaries = loaded(inputs);
                        *budget = 0;
                        return Ok(false);
                    }
                }
            }
            writer.end_row();
            *budget = budget.saturating_sub(work + writer.bytes() - before);
            if *budget == 0 {
                *done = Some(Done { key: merge.key().to_vec(), cell: None });
                *dictionaries = loaded(inputs);
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the dictionaries that are in memory.
fn loaded(runs: &[Run]) -> Vec<Arc<Dictionary>> {
    runs.iter().filter_map(|run| run.table.loaded.lock().dictionary.upgrade()).collect()
}
