//! This engine in the way that a host uses it: one instance with one table.

use tabletop_engine::{Budget, CellRef, Instance, RowVisitor, Storage, TableHandle};
use tabletop_model::{
    ColumnFamily, Error, Mutation, ReadRows, RowFilter, RowMutation, RowRange, RowSet, TableSettings, TableSpec,
};

use crate::{CACHE_BYTES, Result, Row, Rows, Store, Visitor};

const TABLE: &str = "events";
/// The families of both layouts.
const FAMILIES: [&str; 4] = ["click", "conversion", "view", "e"];
/// Memtables of a server's size, and tablets that do not split: the small ones of the page are not measured here.
const MEMTABLE_BYTES: u64 = 32 << 20;
const TABLET_BYTES: u64 = 1 << 40;
/// The compaction step between two batches.
const STEP: Budget = Budget { bytes: 64 << 20 };

/// The engine on some storage.
pub struct Ours<S> {
    instance: Instance<S>,
}

impl<S: Storage> Ours<S> {
    /// Opens the existing table, or creates one. `synced` selects whether a write is synced before it is answered.
    pub fn open(storage: S, synced: bool) -> Result<Self> {
        let (instance, _) = Instance::open(storage, 0).map_err(text)?;
        let mut ours = Ours { instance };
        if ours.instance.table(TABLE).is_err() {
            let families = FAMILIES.map(ColumnFamily::new).to_vec();
            let spec = TableSpec { families, initial_splits: Vec::new(), settings: settings(MEMTABLE_BYTES) };
            ours.instance.create_table(0, TABLE, spec).map_err(text)?;
        }
        ours.table()?.set_synced(synced);
        Ok(ours)
    }

    fn table(&mut self) -> Result<TableHandle<'_>> {
        self.instance.table(TABLE).map_err(text)
    }
}

impl<S: Storage> Store for Ours<S> {
    type Batch = Vec<RowMutation>;

    fn batch(rows: &[Row]) -> Self::Batch {
        let mutation = |row: &Row| RowMutation {
            key: row.key.as_slice().into(),
            mutations: Vec::from_iter(row.cells.iter().map(|cell| Mutation::SetCell {
                family: cell.family.into(),
                qualifier: cell.qualifier.as_slice().into(),
                timestamp: row.time,
                value: cell.value.as_slice().into(),
            })),
        };
        rows.iter().map(mutation).collect()
    }

    fn write(&mut self, entries: Self::Batch) -> Result<()> {
        let outcomes = self.table()?.mutate_rows(0, &entries).map_err(text)?;
        if let Some(error) = outcomes.into_iter().flatten().next() {
            return Err(text(error));
        }
        self.instance.advance(0, STEP);
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        // With this limit, any memtable is full, so it is written, too.
        for memtable_bytes_max in [1, MEMTABLE_BYTES] {
            self.table()?.update_settings(settings(memtable_bytes_max)).map_err(text)?;
            while self.instance.advance(0, STEP) {}
        }
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, facets: &[&str], visitor: &mut impl Visitor) -> Result<()> {
        let rows = match rows {
            Rows::All => RowSet::all(),
            Rows::Prefix(prefix) => RowSet::range(RowRange::prefix(prefix)),
            Rows::One(key) => RowSet { keys: vec![key.into()], ranges: Vec::new() },
        };
        let facet = |name: &&str| RowFilter::ColumnQualifierRegex(format!("[^,]*,[^,]*,{name}").into());
        let filter = match facets {
            [] => None,
            [one] => Some(facet(one)),
            several => Some(RowFilter::Interleave(several.iter().map(facet).collect())),
        };
        let read = ReadRows { rows, filter, ..ReadRows::default() };
        self.table()?.scan(&read, &mut Pass(visitor)).map_err(text)?;
        Ok(())
    }
}

fn text(error: Error) -> String {
    format!("Tabletop: {error}")
}

fn settings(memtable_bytes_max: u64) -> TableSettings {
    TableSettings {
        memtable_bytes_max,
        tablet_bytes_max: TABLET_BYTES,
        tablet_load_max: f64::INFINITY,
        cache_bytes_max: CACHE_BYTES,
        ..TableSettings::default()
    }
}

/// Passes rows and cells from the engine to a visitor.
struct Pass<'a, V>(&'a mut V);

impl<V: Visitor> RowVisitor for Pass<'_, V> {
    #[inline]
    fn row(&mut self, key: &[u8]) {
        self.0.row(key);
    }

    #[inline]
    fn cell(&mut self, cell: CellRef<'_>) {
        self.0.cell(cell.family.as_bytes(), cell.qualifier, cell.timestamp, cell.value);
    }
}
