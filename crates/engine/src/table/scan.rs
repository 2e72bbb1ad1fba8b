//! Reads: the rows of a set, filtered, counted, and cut into slices.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_model::limits::ROW_BYTES_MAX;
use tabletop_model::{
    Cell, Code, Error, ReadRows, ReadStats, Result, Resume, Row, RowsChunk, Timestamp, escape,
};

use crate::cache::Blocks;
use crate::cell_key::CellKey;
use crate::columns::FamilyId;
use crate::filter::{Cells, Filter, Item, Needed, Rest};
use crate::key_range::{KeyRange, key_ranges};
use crate::memtable::Memtable;
use crate::merge::{Batch, BatchCell, BatchSize, Merge};
use crate::storage::Storage;
use crate::table::Table;
use crate::table::snapshot::{Reading, Snapshot, tablet_of, tablets_of};
use crate::table::tablet::settled;

/// A receiver of the rows of a scan. Nothing is allocated for it: keys and values are borrowed from
/// the table's blocks.
pub trait RowVisitor {
    /// Begins a row. A row without cells in the output is not passed.
    fn row(&mut self, key: &[u8]);
    /// Receives a cell of that row: families in the order of their creation, then qualifiers by
    /// bytes, then newest first.
    fn cell(&mut self, cell: CellRef<'_>);
    /// Returns whether the visitor has enough for now. The slice then ends after the row, as it
    /// does after enough cells were examined.
    fn is_full(&self) -> bool {
        false
    }
    /// Returns whether the visitor needs no more cells of the row.
    fn has_enough(&self) -> bool {
        false
    }
    /// Returns whether the visitor accepts rows of more than 256 MiB.
    fn takes_long_rows(&self) -> bool {
        false
    }
}

/// One version of one column, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRef<'a> {
    /// The column family's name.
    pub family: &'a str,
    /// The column's qualifier.
    pub qualifier: &'a [u8],
    /// The time in microseconds.
    pub timestamp: Timestamp,
    /// The stored bytes; empty after `strip_value`.
    pub value: &'a [u8],
    /// The label that `apply_label` added.
    pub label: Option<&'a str>,
}

/// Where a scan ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scan {
    /// Counts over all slices so far.
    pub stats: ReadStats,
    /// Where to resume; `None` when the read is complete.
    pub resume: Option<Resume>,
    /// Rows that were examined in this slice, by the index of their tablet in key order.
    pub tablet_rows: Vec<(usize, u64)>,
}

/// Cells of a row that are filtered and passed on together: long rows are passed in parts. The
/// first part is small, because a limit may end the row.
const FIRST_BATCH: BatchSize = BatchSize { cells: 64, bytes: 32 << 10 };
const BATCH: BatchSize = BatchSize { cells: 1_024, bytes: 1 << 20 };

impl Table {
    /// Answers a slice of a read. A metered read counts as load of the tablets.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub fn read(&mut self, storage: &mut dyn Storage, now: Timestamp, read: &ReadRows) -> Result<RowsChunk> {
        let mut rows = Vec::new();
        let scan = self.read_into(storage, now, read, &mut rows)?;
        Ok(RowsChunk { rows, stats: scan.stats, resume: scan.resume })
    }

    /// Answers a slice of a read and passes the rows to a visitor.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub fn read_into(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        read: &ReadRows,
        visitor: &mut impl RowVisitor,
    ) -> Result<Scan> {
        let scan = self.scan(storage, read, visitor)?;
        if !read.unmetered && self.reading.count_load(now, &scan) {
            self.split_read(storage, now, &scan);
        }
        Ok(scan)
    }

    /// Passes the rows of a read to `visitor` until the read is complete, or the slice or the
    /// visitor is full.
    ///
    /// `tablets_touched` counts the tablets with requested rows, up to where a limit ended the
    /// read.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty row key, a range that starts after its end or a filter that
    /// Bigtable rejects; `FailedPrecondition` for a row of more than 256 MiB after the filter;
    /// `ResourceExhausted` for a filter that makes too many copies; `DataLoss` and `Unavailable`
    /// from storage.
    pub fn scan(
        &mut self,
        storage: &dyn Storage,
        read: &ReadRows,
        visitor: &mut impl RowVisitor,
    ) -> Result<Scan> {
        self.publish();
        let kinds = self.families.kinds();
        let held = self.held.as_mut().map(|held| held.settled(kinds));
        self.reading.scan(storage, read, held, visitor)
    }
}

impl Reading {
    /// Counts the rows of a scan as load of their tablets. Returns whether one of them may have
    /// become hot.
    pub fn count_load(&self, now: Timestamp, scan: &Scan) -> bool {
        let table = self.snapshot();
        let mut is_hot = false;
        for &(index, rows) in &scan.tablet_rows {
            // There may be fewer tablets by now; the load of the last rows is then lost.
            let Some(tablet) = table.tablets.get(index) else { continue };
            tablet.load.lock().count(now, rows, 0);
            is_hot |= tablet.is_split_due(&table.settings);
        }
        is_hot
    }

    /// Answers [`Table::scan`] concurrently with other reads and with changes of the table. The
    /// rows of `held` are newer than all others.
    ///
    /// # Errors
    /// Any error of [`Table::scan`]: the read is invalid or exceeds a limit, or storage fails.
    pub fn scan(
        &self,
        storage: &dyn Storage,
        read: &ReadRows,
        held: Option<&Memtable>,
        visitor: &mut impl RowVisitor,
    ) -> Result<Scan> {
        self.scan_blocks(&Blocks::cached(storage, &self.cache), read, held, visitor)
    }

    /// Answers [`Table::scan`], reading blocks through `blocks`.
    pub fn scan_blocks(
        &self,
        blocks: &Blocks<'_>,
        read: &ReadRows,
        held: Option<&Memtable>,
        visitor: &mut impl RowVisitor,
    ) -> Result<Scan> {
        let table = self.snapshot();
        let ranges = ranges_to_read(read)?;
        let filter = read.filter.as_ref();
        let filter = filter
            .map(|filter| Filter::compile(filter, table.families.names(), read.sample_seed))
            .transpose()?;
        let groups = filter
            .as_ref()
            .and_then(|filter| table.families.groups().needed(|family| filter.needs_family(family)));
        let resume = read.resume.as_ref();
        let mut scanner = Scanner {
            families: table.families.names(),
            read,
            reading: self,
            held,
            filter,
            groups,
            batch: Batch::default(),
            items: Vec::new(),
            stats: resume.map(|resume| resume.stats).unwrap_or_default(),
            slice_cells: 0,
            counted: resume.map(|resume| tablet_of(&table.tablets, &resume.after)),
            tablet_rows: Vec::new(),
        };
        let before = scanner.stats;
        let end = scanner.ranges(&table, blocks, &ranges, visitor);
        let Scanner { mut stats, tablet_rows, .. } = scanner;
        let counts = blocks.counts();
        if !read.unmetered {
            let mut reads = self.counts.lock();
            reads.blocks.add(&counts);
            reads.bloom_skips += stats.bloom_skips - before.bloom_skips;
            reads.bytes_returned += stats.bytes_returned - before.bytes_returned;
        }
        stats.blocks_read += counts.blocks_read;
        stats.bytes_read += counts.bytes_read;
        stats.cache_hits += counts.cache_hits;
        let resume = match end? {
            End::Slice(after) => Some(Resume { after: after.into(), stats }),
            End::Limit | End::Rows => None,
        };
        Ok(Scan { stats, resume, tablet_rows })
    }
}

/// Returns the ranges of a read that are still to be read, in the order of reading.
fn ranges_to_read(read: &ReadRows) -> Result<Vec<KeyRange>> {
    let mut ranges = key_ranges(&read.rows)?;
    if let Some(resume) = &read.resume {
        ranges = ranges.iter().map(|range| range.beyond(&resume.after, read.reversed)).collect();
        ranges.retain(|range| !range.is_empty());
    }
    if read.reversed {
        ranges.reverse();
    }
    Ok(ranges)
}

/// The reason why a scan stopped.
enum End {
    /// There are no more rows.
    Rows,
    /// The requested number of rows was returned.
    Limit,
    /// The slice or the visitor is full; holds the last row that was examined.
    Slice(Vec<u8>),
}

struct Scanner<'a> {
    families: &'a [String],
    read: &'a ReadRows,
    reading: &'a Reading,
    held: Option<&'a Memtable>,
    filter: Option<Filter>,
    /// Locality groups that the filter needs; `None` for all.
    groups: Option<Vec<u8>>,
    batch: Batch,
    items: Vec<Item>,
    stats: ReadStats,
    slice_cells: u64,
    /// The tablet that was counted last. Ranges are in order, so each tablet is counted once.
    counted: Option<usize>,
    tablet_rows: Vec<(usize, u64)>,
}

impl Scanner<'_> {
    fn ranges(
        &mut self,
        table: &Snapshot,
        blocks: &Blocks<'_>,
        ranges: &[KeyRange],
        visitor: &mut impl RowVisitor,
    ) -> Result<End> {
        if self.limit_is_reached() {
            return Ok(End::Limit);
        }
        for range in ranges {
            let tablets = tablets_of(&table.tablets, range);
            for step in 0..tablets.len() {
                let index = if self.read.reversed { tablets.end - 1 - step } else { tablets.start + step };
                let tablet = &table.tablets[index];
                blocks.enter_tablet(index);
                if self.counted != Some(index) {
                    self.counted = Some(index);
                    self.stats.tablets_touched += 1;
                }
                let seen_before = self.stats.rows_seen;
                let within = range.bounds().meet(tablet.range.bounds());
                if !self.read.may_be_outdated {
                    table.check_complete(within)?;
                }
                let (kinds, groups) = (table.families.kinds(), self.groups.as_deref());
                let settle =
                    |memtable: &mut Memtable| memtable.settle(self.reading.snapshot().families.kinds());
                // The frozen memtable is sorted before the other one is locked, because writes wait
                // for that one.
                tablet.frozen.iter().for_each(|frozen| drop(settled(&frozen.memtable, settle)));
                let memtable = settled(&tablet.memtable, settle);
                let frozen = tablet.frozen.as_ref().map(|frozen| settled(&frozen.memtable, settle));
                let memtables = [self.held, Some(&memtable), frozen.as_deref()];
                let (mut merge, bloom_skips) =
                    tablet.merge(memtables, blocks, within, self.read.reversed, kinds, groups)?;
                self.stats.bloom_skips += bloom_skips;
                let end = self.rows(&mut merge, within.is_row(), visitor)?;
                match self.tablet_rows.last_mut() {
                    Some((last, rows)) if *last == index => *rows += self.stats.rows_seen - seen_before,
                    _ => self.tablet_rows.push((index, self.stats.rows_seen - seen_before)),
                }
                if !matches!(end, End::Rows) {
                    return Ok(end);
                }
            }
        }
        Ok(End::Rows)
    }

    fn rows(&mut self, merge: &mut Merge<'_>, is_row: bool, visitor: &mut impl RowVisitor) -> Result<End> {
        while merge.next_row()? {
            self.row(merge, visitor)?;
            if self.limit_is_reached() {
                return Ok(End::Limit);
            }
            let is_long = self.read.slice_cells_max > 0 && self.slice_cells >= self.read.slice_cells_max;
            if is_long || visitor.is_full() {
                return Ok(End::Slice(merge.key().to_vec()));
            }
            // Nothing after the only row is read.
            if is_row {
                break;
            }
        }
        Ok(End::Rows)
    }

    fn limit_is_reached(&self) -> bool {
        self.read.rows_limit > 0 && self.stats.rows_returned >= self.read.rows_limit
    }

    fn row(&mut self, merge: &mut Merge<'_>, visitor: &mut impl RowVisitor) -> Result<()> {
        let drop_all = self.filter.as_mut().is_some_and(|filter| !filter.begin_row(merge.key()));
        let whole = self.filter.as_ref().is_some_and(Filter::needs_whole_row);
        let mut wanted = if whole && !drop_all { BatchSize::ALL } else { FIRST_BATCH };
        let mut out = RowOutput { visitor, cells: 0, bytes: 0 };
        let mut live = 0;
        let families = self.families;
        let handed_out = if drop_all {
            None
        } else {
            merge.hand_out(self.filter.as_mut(), |key, family, qualifier, timestamp, value| {
                out.quick_cell(
                    key,
                    families,
                    family,
                    CellRef { family: "", qualifier, timestamp, value, label: None },
                );
            })?
        };
        if let Some(count) = handed_out {
            live = u64::from(count);
            self.slice_cells += live;
            out.check_size(merge.key())?;
        }
        while handed_out.is_none() {
            let more = merge.fill(&mut self.batch, self.filter.as_mut(), drop_all, wanted)?;
            live += self.batch.live;
            self.slice_cells += self.batch.looked_at;
            match &mut self.filter {
                Some(filter) if self.batch.needs_test => {
                    let cells = MergedCells { merge, batch: &self.batch };
                    filter.apply(&cells, &mut self.items)?;
                    for item in &self.items {
                        let cell = &self.batch.cells[item.cell as usize];
                        out.cell(merge, self.families, cell, item.stripped, filter.label(item))?;
                    }
                }
                _ => {
                    for cell in &self.batch.cells {
                        out.cell(merge, self.families, cell, false, None)?;
                    }
                }
            }
            if !more || out.visitor.has_enough() || !self.skip(merge)? {
                break;
            }
            wanted = BatchSize {
                cells: BATCH.cells.min(wanted.cells.saturating_mul(4)),
                bytes: BATCH.bytes.min(wanted.bytes.saturating_mul(4)),
            };
        }
        self.stats.rows_seen += u64::from(live > 0);
        self.stats.cells_seen += live;
        self.stats.rows_returned += u64::from(out.cells > 0);
        self.stats.cells_returned += out.cells;
        self.stats.bytes_returned += out.bytes;
        // A row that has only deletes is work too.
        self.slice_cells += u64::from(live == 0);
        Ok(())
    }
}

impl Scanner<'_> {
    /// Skips the cells after the batch that the filter can no longer pass because a limit is
    /// reached. Returns `false` if no cell of the row is left.
    fn skip(&mut self, merge: &mut Merge<'_>) -> Result<bool> {
        let (Some(filter), Some(last)) = (&self.filter, self.batch.cells.last()) else { return Ok(true) };
        match filter.rest(last.ordinal) {
            Rest::Nothing => Ok(false),
            Rest::Anything => Ok(true),
            Rest::OtherColumns => {
                let (family, qualifier) = merge.column(last);
                let qualifier = qualifier.to_vec();
                let following = [&qualifier, &[0][..]].concat();
                if Needed::By(filter).next((family, &following)).is_none() {
                    return Ok(false);
                }
                merge.skip_past(&CellKey::new((family, &qualifier), Timestamp::MIN), Needed::By(filter))?;
                Ok(true)
            }
        }
    }
}

/// Passes on one row and counts it.
struct RowOutput<'a, V> {
    visitor: &'a mut V,
    cells: u64,
    bytes: u64,
}

impl<V: RowVisitor> RowOutput<'_, V> {
    #[inline]
    fn cell(
        &mut self,
        merge: &Merge<'_>,
        families: &[String],
        cell: &BatchCell,
        stripped: bool,
        label: Option<&str>,
    ) -> Result<()> {
        let (family, qualifier, value) = merge.content(cell);
        let value = if stripped { &[] } else { value };
        let cell = CellRef { family: "", qualifier, timestamp: cell.place.timestamp, value, label };
        self.quick_cell(merge.key(), families, family, cell);
        self.check_size(merge.key())
    }

    #[inline]
    fn quick_cell(&mut self, key: &[u8], families: &[String], family: FamilyId, cell: CellRef<'_>) {
        // The family was created after the read began.
        let Some(name) = families.get(usize::from(family)) else { return };
        if self.cells == 0 {
            self.visitor.row(key);
            self.bytes += key.len() as u64;
        }
        let family = name.as_str();
        self.cells += 1;
        self.bytes +=
            (family.len() + cell.qualifier.len() + size_of::<Timestamp>() + cell.value.len()) as u64;
        self.visitor.cell(CellRef { family, ..cell });
    }

    fn check_size(&self, key: &[u8]) -> Result<()> {
        if self.bytes <= ROW_BYTES_MAX || self.visitor.takes_long_rows() {
            return Ok(());
        }
        Err(Error::new(
            Code::FailedPrecondition,
            alloc::format!(
                "Read returned more than 256 MiB from row \"{}\", which exceeds the limit of 256 MiB. Set a filter that \
                 retrieves only recent versions and only the columns you want",
                escape(key)
            ),
        ))
    }
}

struct MergedCells<'a, 's> {
    merge: &'a Merge<'s>,
    batch: &'a Batch,
}

impl Cells for MergedCells<'_, '_> {
    fn count(&self) -> u32 {
        self.batch.cells.len() as u32
    }

    fn facts(&self, cell: u32) -> &[u64] {
        self.merge.facts(&self.batch.cells[cell as usize])
    }

    fn timestamp(&self, cell: u32) -> i64 {
        self.batch.cells[cell as usize].place.timestamp
    }

    fn value(&self, cell: u32) -> &[u8] {
        self.merge.value(&self.batch.cells[cell as usize])
    }

    fn column_ordinal(&self, cell: u32) -> u32 {
        self.batch.cells[cell as usize].ordinal
    }
}

impl RowVisitor for Vec<Row> {
    fn row(&mut self, key: &[u8]) {
        self.push(Row { key: key.into(), cells: Vec::new() });
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        let row = self.last_mut().expect("a row begins before its cells");
        row.cells.push(Cell {
            family: cell.family.to_string(),
            qualifier: cell.qualifier.into(),
            timestamp: cell.timestamp,
            value: cell.value.into(),
            label: cell.label.map(ToString::to_string),
        });
    }
}
