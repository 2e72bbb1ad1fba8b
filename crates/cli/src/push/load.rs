//! The rows of a design's table, prepared to be written.

use tabletop_design::{DesignTable, Supply};
use tabletop_keys::salt::hash;
use tabletop_model::{Cell, ColumnFamily, ReadRows, Result, Row, RowKey};
use tabletop_workload::Events;
use tabletop_workspace::{ClusterSettings, Design};

use crate::overwritten::Overwritten;

/// The maximum number of entries in a range, which one worker writes in order.
const RANGE_ENTRIES_MAX: usize = 5_000;
/// The maximum number of cells and bytes of one entry. A longer row is written in pieces, because
/// requests have limits.
const ENTRY_CELLS_MAX: usize = 20_000;
const ENTRY_BYTES_MAX: usize = 4 << 20;
/// The limits of one request. Google advises against larger ones.
const REQUEST_ENTRIES_MAX: usize = 500;
const REQUEST_CELLS_MAX: usize = 50_000;
const REQUEST_BYTES_MAX: usize = 4 << 20;
/// The cells of one slice of the read.
const SLICE_CELLS: u64 = 100_000;
/// The events of one step of building.
const STEP_EVENTS: u32 = 4_096;

/// A table's rows, ready to be written.
pub(super) struct BulkLoad {
    /// The families, in the order of their creation.
    pub families: Vec<ColumnFamily>,
    /// The names of the families that aggregate.
    pub aggregates: Vec<String>,
    /// The first key of each tablet except the first one.
    pub splits: Vec<RowKey>,
    /// Sorted rows, divided at the splits and into ranges of limited length. The ranges are in the
    /// order in which they are best written: consecutive ranges are in different tablets.
    pub ranges: Vec<Vec<Entry>>,
    /// The number of rows and cells, and the bytes of keys, columns, timestamps (8 each) and
    /// values.
    pub rows: u64,
    pub cells: u64,
    pub bytes: u64,
    /// The number of events without a row.
    pub refused: u64,
    /// The events that later ones replace, if there are any.
    pub overwritten: Option<Overwritten>,
    /// A hash of all rows, their order and their ranges.
    pub fingerprint: u64,
}

/// A row, or a piece of a long row.
pub(super) struct Entry {
    pub key: RowKey,
    pub cells: Vec<Cell>,
    /// Whether this is the last piece of its row.
    pub ends_row: bool,
}

impl BulkLoad {
    /// Builds the load of a design whose template has no problems.
    pub fn build(design: &Design, events: &Events, cluster: &ClusterSettings) -> Result<BulkLoad> {
        let mut design_table = DesignTable::new(0, design, events.fields(), cluster);
        let supply = Supply::all(events, cluster);
        while design_table.step(supply, STEP_EVENTS) {}
        let spec = design_table.describe();
        let refused = design_table.view(supply).events_refused.into();
        let aggregating = spec.families.iter().filter(|family| family.aggregate.is_some());
        let mut load = BulkLoad {
            aggregates: aggregating.map(|family| family.name.clone()).collect(),
            families: spec.families,
            splits: spec.initial_splits,
            ranges: Vec::new(),
            rows: 0,
            cells: 0,
            bytes: 0,
            refused,
            overwritten: Overwritten::of(design, events),
            fingerprint: hash(
                format!("{} {:?} {:?}", design.template, design.layout, design.families).as_bytes(),
            ),
        };
        let mut tablets: Vec<Vec<Entry>> = (0..=load.splits.len()).map(|_| Vec::new()).collect();
        let mut read = ReadRows { unmetered: true, slice_cells_max: SLICE_CELLS, ..ReadRows::default() };
        loop {
            let chunk = design_table.read(&read)?;
            for row in chunk.rows {
                load.count(&row);
                let tablet = load.splits.partition_point(|split| *split <= row.key);
                tablets[tablet].extend(entries(row));
            }
            match chunk.resume {
                Some(resume) => read.resume = Some(resume),
                None => break,
            }
        }
        load.ranges = ranges(tablets);
        load.count_ranges();
        Ok(load)
    }

    /// Returns the entries of a range's next request, beginning with the entry at `from`.
    pub fn request(&self, range: usize, from: usize) -> &[Entry] {
        let rest = &self.ranges[range][from..];
        let (mut cells, mut bytes) = (0, 0);
        let fitting = rest.iter().take(REQUEST_ENTRIES_MAX).take_while(|entry| {
            cells += entry.cells.len();
            bytes += entry.key.len() + entry.cells.iter().map(cell_bytes).sum::<usize>();
            cells <= REQUEST_CELLS_MAX && bytes <= REQUEST_BYTES_MAX
        });
        // A single entry is a valid request, whatever its size.
        let count = fitting.count().max(1);
        &rest[..count.min(rest.len())]
    }

    /// Returns the number of requests of the whole load.
    pub fn requests(&self) -> u64 {
        let of_range = |range: usize| {
            let (mut from, mut requests) = (0, 0);
            while from < self.ranges[range].len() {
                from += self.request(range, from).len();
                requests += 1;
            }
            requests
        };
        (0..self.ranges.len()).map(of_range).sum()
    }

    fn count(&mut self, row: &Row) {
        self.rows += 1;
        self.cells += row.cells.len() as u64;
        self.bytes += (row.key.len() + row.cells.iter().map(cell_bytes).sum::<usize>()) as u64;
        let mut hashed = self.fingerprint.to_le_bytes().to_vec();
        hashed.extend_from_slice(&row.key);
        for cell in &row.cells {
            for part in [cell.family.as_bytes(), &cell.qualifier, &cell.timestamp.to_le_bytes(), &cell.value]
            {
                hashed.extend_from_slice(&(part.len() as u32).to_le_bytes());
                hashed.extend_from_slice(part);
            }
        }
        self.fingerprint = hash(&hashed);
    }

    /// Adds the ranges to the fingerprint: the progress of ranges is only valid for the same
    /// ranges.
    fn count_ranges(&mut self) {
        let mut hashed = self.fingerprint.to_le_bytes().to_vec();
        for range in &self.ranges {
            let key = range.first().map_or(&[][..], |entry| &entry.key);
            hashed.extend_from_slice(&(range.len() as u64).to_le_bytes());
            hashed.extend_from_slice(&(key.len() as u32).to_le_bytes());
            hashed.extend_from_slice(key);
        }
        self.fingerprint = hash(&hashed);
    }
}

fn cell_bytes(cell: &Cell) -> usize {
    cell.family.len() + cell.qualifier.len() + 8 + cell.value.len()
}

/// Converts a row to one entry, or to several if it is long.
fn entries(row: Row) -> Vec<Entry> {
    let mut pieces: Vec<Entry> = Vec::new();
    let mut bytes = 0;
    for cell in row.cells {
        bytes += cell_bytes(&cell);
        match pieces.last_mut() {
            Some(piece) if piece.cells.len() < ENTRY_CELLS_MAX && bytes <= ENTRY_BYTES_MAX => {
                piece.cells.push(cell);
            }
            _ => {
                bytes = cell_bytes(&cell);
                pieces.push(Entry { key: row.key.clone(), cells: vec![cell], ends_row: false });
            }
        }
    }
    if let Some(last) = pieces.last_mut() {
        last.ends_row = true;
    }
    pieces
}

/// Divides the tablets into ranges. Returns the first range of each tablet, then the second one of
/// each, and so on.
fn ranges(tablets: Vec<Vec<Entry>>) -> Vec<Vec<Entry>> {
    let mut turns: Vec<Vec<Vec<Entry>>> = Vec::new();
    for tablet in tablets {
        let mut rest = tablet;
        let mut turn = 0;
        while !rest.is_empty() {
            let tail = rest.split_off(rest.len().min(RANGE_ENTRIES_MAX));
            if turns.len() == turn {
                turns.push(Vec::new());
            }
            turns[turn].push(rest);
            rest = tail;
            turn += 1;
        }
    }
    turns.into_iter().flatten().collect()
}
