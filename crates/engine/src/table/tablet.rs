//! A tablet: rows `[start, end)` of a table in a memtable and runs.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use tabletop_model::{TableSettings, TabletId, TabletView, Timestamp};

use crate::cache::{Blocks, Search};
use crate::families::FamilyKind;
use crate::key_range::{Bounds, KeyRange};
use crate::log::LogPlace;
use crate::memtable::Memtable;
use crate::merge::Merge;
use crate::shared::{Guarded, Shared};
use crate::sstable::SsTable;
use crate::storage::StorageError;
use crate::table::load::TabletLoad;
use crate::table::overlap::Overlapping;
use crate::table::run::Run;

/// The unit of splitting and balancing.
#[derive(Clone, Debug)]
pub(crate) struct Tablet {
    pub id: TabletId,
    pub parent: Option<TabletId>,
    /// The state that reads need, shared with them. It is copied when it changes.
    pub data: Arc<TabletData>,
    pub made_at: Timestamp,
    /// All rows that were logged before this place are in the runs.
    pub log_mark: LogPlace,
    /// The bytes of the memtable that are included in the table's count.
    pub counted_bytes: u64,
    /// The place in the log of the memtable's first row, if it has rows.
    pub memtable_from: LogPlace,
    /// A requested major compaction that has not finished.
    pub wanted: Option<Wanted>,
    /// The time at which to look for garbage; `Timestamp::MAX` for never.
    pub look_at: Timestamp,
    /// The time of the first write since the memtable was checked for garbage.
    pub written_at: Option<Timestamp>,
    /// Since when there is garbage, or since its collection was discarded.
    pub garbage_since: Option<Timestamp>,
    /// Whether the frozen memtable is written because of its garbage.
    pub is_frozen_for_garbage: bool,
    /// Runs with garbage that has waited long enough.
    pub collects: Option<Overlapping>,
    /// Whether a compaction met damage. No compaction is retried until the table is opened again.
    /// Rows can be written, and rows that are not damaged can be read.
    pub has_damaged_run: bool,
    /// How many runs of one locality group overlap.
    pub depth: u32,
}

/// The rows of a tablet.
#[derive(Clone, Debug)]
pub(crate) struct TabletData {
    pub range: KeyRange,
    /// The newest rows.
    pub memtable: Arc<Guarded<Memtable>>,
    /// Older rows, until they are written as SSTables.
    pub frozen: Option<Frozen>,
    /// The runs, newest first.
    pub runs: Vec<Run>,
    /// Ranges whose SSTables cannot be read.
    pub damaged: Vec<(KeyRange, StorageError)>,
    pub load: Arc<Shared<TabletLoad>>,
    /// A split found no key to split at; it is retried above this size.
    pub unsplittable_bytes: u64,
}

/// A memtable that takes no more writes.
#[derive(Clone, Debug)]
pub(crate) struct Frozen {
    pub memtable: Arc<Guarded<Memtable>>,
    /// The place in the log of its first row.
    pub from: LogPlace,
    /// The end of the log when it was frozen.
    pub until: LogPlace,
}

/// A requested major compaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    pub rows: WantedRows,
    /// Locality groups for which it has finished.
    pub done: Vec<u8>,
}

/// Where the last rows are that were in memory when a compaction was requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WantedRows {
    Memtable,
    Frozen,
    #[default]
    Written,
}

impl Wanted {
    /// Returns whether rows must be written before the compaction can finish.
    pub fn has_rows(&self) -> bool {
        self.rows != WantedRows::Written
    }
}

impl Tablet {
    pub fn new(id: TabletId, range: KeyRange, now: Timestamp, settings: &TableSettings) -> Tablet {
        Tablet {
            id,
            parent: None,
            data: Arc::new(TabletData {
                range,
                memtable: Arc::default(),
                frozen: None,
                runs: Vec::new(),
                damaged: Vec::new(),
                load: Arc::new(Shared::new(TabletLoad::new(now, settings.load_window_seconds))),
                unsplittable_bytes: 0,
            }),
            made_at: now,
            log_mark: LogPlace::default(),
            counted_bytes: 0,
            memtable_from: LogPlace::default(),
            wanted: None,
            look_at: Timestamp::MAX,
            written_at: None,
            garbage_since: None,
            is_frozen_for_garbage: false,
            collects: None,
            has_damaged_run: false,
            depth: 0,
        }
    }

    /// Returns the number of rows, counted once for each run of a locality group that has them. A
    /// row may be in several groups; the group with the most rows counts.
    pub fn rows(&self) -> u64 {
        let rows_of = |group| self.runs_of(group).map(|run| run.size.rows).sum::<u64>();
        let in_memory: u64 = self.memtables().map(|memtable| memtable.read().row_count()).sum();
        in_memory + self.groups().into_iter().map(rows_of).max().unwrap_or_default()
    }

    /// Returns the places in the log of the first rows of the memtables.
    pub fn pins(&self) -> impl Iterator<Item = LogPlace> {
        let newest = Some(self.memtable_from).filter(|_| !self.memtable.read().is_empty());
        self.frozen.as_ref().map(|frozen| frozen.from).into_iter().chain(newest)
    }

    /// Returns the locality groups that have runs, in ascending order.
    pub fn groups(&self) -> Vec<u8> {
        let mut groups = Vec::new();
        for run in &self.runs {
            if let Err(at) = groups.binary_search(&run.group) {
                groups.insert(at, run.group);
            }
        }
        groups
    }

    /// Returns the runs of a locality group, newest first.
    pub fn runs_of(&self, group: u8) -> impl DoubleEndedIterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.group == group)
    }

    /// Returns whether the counts of rows and cells are exact: no row is in several sources, and
    /// none can be in several groups.
    pub fn is_exact(&self) -> bool {
        matches!(self.groups().as_slice(), [] | [_]) && self.is_tidy()
    }

    /// Returns whether no row of a locality group is in several sources.
    pub fn is_tidy(&self) -> bool {
        self.frozen.is_none() && self.groups().into_iter().all(|group| self.is_group_tidy(group))
    }

    /// Returns whether no row of one locality group is in several sources.
    fn is_group_tidy(&self, group: u8) -> bool {
        let memtable = self.memtable.read();
        let mut rows = memtable.range(&KeyRange::all());
        let first = rows.next();
        let last = rows.next_back().or(first);
        let key = |row| memtable.key(row);
        let (first, last) = (first.map(key), last.map(key));
        let is_clear_of_memtable = |run: &Run| {
            let below_memtable = first.is_none_or(|first| run.ends_before(first));
            let above_memtable = last.is_none_or(|last| last < run.start());
            below_memtable || above_memtable
        };
        self.runs_of(group).all(is_clear_of_memtable) && self.are_runs_tidy(group)
    }

    /// Returns whether no row of a group is in several runs.
    pub fn are_runs_tidy(&self, group: u8) -> bool {
        self.runs_of(group).enumerate().all(|(at, run)| {
            let mut others = self.runs_of(group).skip(at + 1);
            others.all(|other| run.ends_before(other.start()) || other.ends_before(run.start()))
        })
    }

    pub fn view(&self, now: Timestamp) -> TabletView {
        let load = self.load.lock();
        let ((reads_per_second, writes_per_second), total) = (load.rates(now), load.total);
        drop(load);
        let memtable_cells: u64 = self.memtables().map(|memtable| memtable.read().cells()).sum();
        TabletView {
            id: self.id,
            parent: self.parent,
            start: self.range.start.clone().into(),
            end: self.range.end.clone().unwrap_or_default().into(),
            rows: self.rows(),
            cells: memtable_cells + self.runs.iter().map(|run| run.size.cells).sum::<u64>(),
            exact: self.is_exact(),
            bytes: self.bytes(),
            memtable_bytes: self.memtable_bytes(),
            sstables: self.runs.len() as u32,
            reads: total.reads,
            writes: total.writes,
            reads_per_second,
            writes_per_second,
        }
    }
}

impl TabletData {
    /// Returns the memtables, newest first. Every caller that locks several of them locks them in
    /// this order.
    pub fn memtables(&self) -> impl Iterator<Item = &Guarded<Memtable>> {
        [&*self.memtable].into_iter().chain(self.frozen.as_ref().map(|frozen| &*frozen.memtable))
    }

    /// Returns the bytes of the memtables.
    pub fn memtable_bytes(&self) -> u64 {
        self.sum_of_memtables(Memtable::bytes)
    }

    /// Returns the approximate bytes of memory that the memtables take.
    pub fn memory_bytes(&self) -> u64 {
        self.sum_of_memtables(Memtable::memory_bytes)
    }

    #[inline(never)]
    fn sum_of_memtables(&self, of: fn(&Memtable) -> u64) -> u64 {
        self.memtables().map(|memtable| of(&memtable.read())).sum()
    }

    /// Returns whether a delete in a memtable has uncovered older versions.
    pub fn uncovers(&self) -> bool {
        self.memtables().any(|memtable| memtable.read().uncovers)
    }

    /// Returns the bytes of memtables and runs.
    pub fn bytes(&self) -> u64 {
        self.memtable_bytes() + self.runs.iter().map(|run| run.size.bytes).sum::<u64>()
    }

    /// Returns whether the tablet is large or busy enough to be split at its middle.
    pub fn is_split_due(&self, settings: &TableSettings) -> bool {
        let bytes = self.bytes();
        let is_large = bytes > settings.tablet_bytes_max;
        // Below an eighth, a tablet whose load stays in one half would be split without end.
        let is_hot =
            bytes >= settings.tablet_bytes_max / 8 && self.load.lock().rate() > settings.tablet_load_max;
        (is_large || is_hot) && bytes >= self.unsplittable_bytes
    }

    /// Sorts the writes to the memtables since the last read.
    pub fn settle(&self, kinds: &[FamilyKind]) {
        self.memtables().for_each(|memtable| drop(settled(memtable, |memtable| memtable.settle(kinds))));
    }

    /// Returns the merged rows of a range, which must be within the tablet's. The sources are
    /// settled memtables, newest first, and the runs of some locality groups, or of all if `groups`
    /// is `None`. Also returns how many SSTables a Bloom filter ruled out.
    pub fn merge<'a>(
        &'a self,
        memtables: [Option<&'a Memtable>; 3],
        blocks: &'a Blocks<'a>,
        bounds: Bounds<'a>,
        reversed: bool,
        kinds: &'a [FamilyKind],
        groups: Option<&[u8]>,
    ) -> Result<(Merge<'a>, u64), StorageError> {
        if let Some((_, error)) =
            self.damaged.iter().find(|(damaged, _)| !damaged.bounds().meet(bounds).is_empty())
        {
            return Err(error.clone());
        }
        let sources_max = memtables.len() + self.runs.len();
        let mut merge = Merge::new(sources_max, reversed, kinds);
        let row_hash = bounds.is_row().then(|| SsTable::hash(bounds.start));
        let mut bloom_skips = 0;
        memtables.into_iter().flatten().for_each(|memtable| merge.add_memtable(memtable, bounds));
        for run in &self.runs {
            let search = if groups.is_some_and(|groups| !groups.contains(&run.group)) {
                Search::OtherGroup
            } else if row_hash.is_some_and(|hash| run.spans(bounds.start) && !run.table.may_hold(hash)) {
                bloom_skips += 1;
                Search::RuledOut
            } else if merge.add_sstable(blocks, &run.table, bounds.meet(run.range.bounds())) {
                Search::Begun
            } else {
                Search::OutOfRange
            };
            blocks.note(run.table.file, search);
        }
        Ok((merge, bloom_skips))
    }
}

/// Returns a memtable with the writes since the last read sorted by `settle`, which needs the
/// families as they are at that time.
pub(crate) fn settled(
    memtable: &Guarded<Memtable>,
    settle: impl Fn(&mut Memtable),
) -> impl Deref<Target = Memtable> {
    loop {
        let settled = memtable.read();
        if settled.is_settled() {
            return settled;
        }
        drop(settled);
        settle(&mut memtable.write());
    }
}

impl Deref for Tablet {
    type Target = TabletData;

    fn deref(&self) -> &TabletData {
        &self.data
    }
}

impl DerefMut for Tablet {
    fn deref_mut(&mut self) -> &mut TabletData {
        Arc::make_mut(&mut self.data)
    }
}
