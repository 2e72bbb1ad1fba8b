//! Reads that report what they touch: the SSTables that were searched, the SSTables that a Bloom
//! filter or the range of their keys ruled out, and the blocks. Other reads only count their
//! blocks.

use alloc::vec::Vec;
use core::cell::RefCell;

use tabletop_model::{
    ReadRows, Result, RowsChunk, SortedMap, Touched, TouchedBlock, TouchedRun, TouchedTablet,
};

use crate::cache::{Blocks, Search, Watch};
use crate::storage::{FileId, Storage};
use crate::table::Table;

/// A slice of a read, and what it touches.
#[derive(Clone, Debug, PartialEq)]
pub struct TouchedChunk {
    /// The rows. Its figures do not count blocks.
    pub chunk: RowsChunk,
    /// What it touches.
    pub touched: Touched,
}

/// What a read has touched so far.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    /// Tablets by their index in key order, in the order of reading.
    tablets: Vec<(usize, SortedMap<u64, TouchedRun>)>,
    /// The position in `tablets` of the tablet that is being read.
    now: usize,
}

impl Watch for RefCell<Touches> {
    #[cold]
    #[inline(never)]
    fn tablet(&self, index: usize) {
        let Touches { tablets, now } = &mut *self.borrow_mut();
        *now = tablets.iter().position(|(known, _)| *known == index).unwrap_or(tablets.len());
        if *now == tablets.len() {
            tablets.push((index, SortedMap::new()));
        }
    }

    #[cold]
    #[inline(never)]
    fn search(&self, file: FileId, search: Search) {
        let mut touches = self.borrow_mut();
        let Some(run) = touches.run(file) else { return };
        let count = match search {
            Search::Begun => &mut run.searches,
            Search::RuledOut => &mut run.bloom_skips,
            Search::OutOfRange => &mut run.range_skips,
            Search::OtherGroup => &mut run.group_skips,
        };
        *count += 1;
    }

    /// A block that is touched again is counted as the first time.
    fn block(&self, file: FileId, block: u32, bytes: u32, from_cache: bool) {
        let mut touches = self.borrow_mut();
        let Some(run) = touches.run(file) else { return };
        if let Err(at) = run.blocks.binary_search_by_key(&block, |known| known.block) {
            run.blocks.insert(at, TouchedBlock { block, bytes, from_cache });
        }
    }
}

impl Touches {
    fn run(&mut self, file: FileId) -> Option<&mut TouchedRun> {
        let (_, runs) = self.tablets.get_mut(self.now)?;
        let run = runs.get_or_default(file.0);
        run.file = file.0;
        Some(run)
    }
}

impl Table {
    /// Answers a slice of a read and reports what it touches.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub(crate) fn touch(&mut self, storage: &dyn Storage, read: &ReadRows) -> Result<TouchedChunk> {
        self.publish();
        let kinds = self.families.kinds();
        let held = self.held.as_mut().map(|held| held.settled(kinds));
        let touches = RefCell::new(Touches::default());
        let blocks = Blocks::noted(storage, &self.reading.cache, &touches);
        let read = ReadRows { unmetered: true, ..read.clone() };
        let mut rows = Vec::new();
        let scan = self.reading.scan_blocks(&blocks, &read, held, &mut rows)?;
        let tablets = touches.take().tablets.into_iter().filter_map(|(index, runs)| {
            let tablet = self.tablets.get(index)?.id;
            Some(TouchedTablet { tablet, runs: runs.into_values().collect() })
        });
        Ok(TouchedChunk {
            touched: Touched { tablets: tablets.collect() },
            chunk: RowsChunk { rows, stats: scan.stats, resume: scan.resume },
        })
    }
}
