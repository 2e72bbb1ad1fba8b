//! The rows that a table has when counting begins: all rows of a small table, and neighbouring rows
//! at many places of a large one.

use tabletop_engine::{CellRef, RowVisitor};
use tabletop_model::{ReadRows, Result, RowFilter, RowKey, RowRange, RowSet};

use crate::host::Served;

/// The maximum number of keys.
const KEYS_MAX: usize = 4_096;
/// The maximum number of places of a large table.
const PLACES_MAX: usize = 256;
/// The maximum number of cells that are examined for all keys, and for the keys of one place.
const CELLS_MAX: u64 = 100_000;
const PLACE_CELLS_MAX: u64 = 1_000;

/// Collects keys.
#[derive(Default)]
struct Keys(Vec<RowKey>);

impl RowVisitor for Keys {
    fn row(&mut self, key: &[u8]) {
        self.0.push(RowKey::from(key.to_vec()));
    }

    fn cell(&mut self, _: CellRef<'_>) {}

    fn has_enough(&self) -> bool {
        true
    }

    fn takes_long_rows(&self) -> bool {
        true
    }
}

/// Returns keys of a table.
///
/// # Errors
/// The errors of [`Served::read_into`] and [`Served::sample_row_keys`].
pub(super) fn keys(served: &Served, table: &str) -> Result<Vec<RowKey>> {
    let read = |rows: RowSet, rows_limit: usize, cells_max: u64, keys: &mut Keys| {
        let filter = Some(RowFilter::CellsPerRowLimit(1));
        let rows_limit = rows_limit as u64;
        let read = ReadRows {
            rows,
            filter,
            rows_limit,
            unmetered: true,
            slice_cells_max: cells_max,
            ..ReadRows::default()
        };
        served.read_into(table, &read, keys)
    };
    let mut all = Keys::default();
    let scan = read(RowSet::default(), KEYS_MAX, CELLS_MAX, &mut all)?;
    if scan.resume.is_none() && all.0.len() < KEYS_MAX {
        return Ok(all.0);
    }
    let mut starts = vec![RowKey::default()];
    starts.extend(
        served.sample_row_keys(table)?.into_iter().map(|sample| sample.key).filter(|key| !key.is_empty()),
    );
    let places = starts.len().min(PLACES_MAX);
    let mut some = Keys::default();
    for place in 0..places {
        let start = starts[place * starts.len() / places].clone();
        let rows = RowSet { keys: Vec::new(), ranges: vec![RowRange::closed_open(start, RowKey::default())] };
        read(rows, KEYS_MAX / places, PLACE_CELLS_MAX, &mut some)?;
    }
    Ok(some.0)
}
