//! This engine: natively as `tabletop serve` uses it, with a thread for compactions, and in a
//! browser on one thread.

#[cfg(not(target_arch = "wasm32"))]
mod host;
#[cfg(target_arch = "wasm32")]
mod instance;
pub mod pipelines;

#[cfg(not(target_arch = "wasm32"))]
pub use host::Ours;
#[cfg(target_arch = "wasm32")]
pub use instance::Ours;

use tabletop_engine::{CellRef, RowVisitor};
use tabletop_model::{
    ColumnFamily, Error, GcRule, Mutation, ReadRows, RowFilter, RowMutation, RowRange, RowSet, TableSettings,
    TableSpec,
};

use crate::{Change, Columns, Conditions, Row, Rows, Versions, Visitor};

const TABLE: &str = "events";
/// The table of profiles.
pub const PROFILES: &str = "profiles";
/// The families of all layouts.
const FAMILIES: [&str; 4] = ["click", "conversion", "view", "e"];
/// Memtables of a server's size, and tablets that do not split. The page's smaller sizes are not
/// measured here.
const MEMTABLE_BYTES: u64 = 32 << 20;
const TABLET_BYTES: u64 = 1 << 40;

fn spec(conditions: Conditions) -> TableSpec {
    let gc_rule = if conditions.versions == Versions::All { GcRule::KeepAll } else { GcRule::MaxVersions(1) };
    let family = |name| ColumnFamily { gc_rule: gc_rule.clone(), ..ColumnFamily::new(name) };
    let settings = settings(conditions, MEMTABLE_BYTES);
    TableSpec { families: FAMILIES.map(family).to_vec(), initial_splits: Vec::new(), settings }
}

fn settings(conditions: Conditions, memtable_bytes_max: u64) -> TableSettings {
    TableSettings {
        memtable_bytes_max,
        tablet_bytes_max: TABLET_BYTES,
        tablet_load_max: f64::INFINITY,
        cache_bytes_max: conditions.cache_bytes,
        ..TableSettings::default()
    }
}

fn mutations(rows: &[Row]) -> Vec<RowMutation> {
    let mutation = |row: &Row| RowMutation {
        key: row.key.as_slice().into(),
        mutations: match row.change {
            Change::Delete => vec![Mutation::DeleteFromRow],
            Change::Put => Vec::from_iter(row.cells.iter().map(|cell| Mutation::SetCell {
                family: cell.family.into(),
                qualifier: cell.qualifier.as_slice().into(),
                timestamp: row.time,
                value: cell.value.as_slice().into(),
            })),
        },
    };
    rows.iter().map(mutation).collect()
}

fn request(rows: Rows<'_>, columns: Columns<'_>) -> ReadRows {
    let rows = match rows {
        Rows::All => RowSet::all(),
        Rows::Prefix(prefix) => RowSet::range(RowRange::prefix(prefix)),
        Rows::One(key) => RowSet { keys: vec![key.into()], ranges: Vec::new() },
    };
    let facet = |name: &&str| RowFilter::ColumnQualifierRegex(format!("[^,]*,[^,]*,{name}").into());
    let filter = match columns {
        Columns::All | Columns::Facets([]) => None,
        Columns::Facets([one]) => Some(facet(one)),
        Columns::Facets(several) => Some(RowFilter::Interleave(several.iter().map(facet).collect())),
        // The names do not contain characters with a special meaning in patterns.
        Columns::One(family, qualifier) => Some(RowFilter::Chain(vec![
            RowFilter::FamilyNameRegex(family.into()),
            RowFilter::ColumnQualifierRegex(qualifier.into()),
            RowFilter::CellsPerColumnLimit(1),
        ])),
        Columns::First(cells) => Some(RowFilter::CellsPerRowLimit(cells as i32)),
    };
    ReadRows { rows, filter, ..ReadRows::default() }
}

fn text(error: Error) -> String {
    format!("Tabletop: {error}")
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
