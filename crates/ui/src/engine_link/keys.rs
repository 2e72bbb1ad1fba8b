//! Reads row keys of the design on the screen, all or a share of them.

use tabletop_model::{ReadRows, Row, RowFilter, RowKey};
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use super::EngineLink;

/// A request for row keys.
pub struct KeysRequest {
    /// The share of the rows that is read, from 0 to 1.
    pub share: f64,
    /// Receives the keys in their order, or nothing if the table has changed meanwhile.
    pub then: Callback<Option<Vec<RowKey>>>,
}

/// Cells per slice: a read of keys only has one cell per row.
const SLICE_CELLS: u64 = 5_000;

impl EngineLink {
    /// Reads row keys. It counts as no load of the tablets, because no query of the person needs it.
    #[inline(never)]
    pub fn read_keys(&self, request: KeysRequest) {
        let link = self.clone();
        spawn_local(async move {
            let design = link.sync.borrow().design as usize;
            let keys = link.sampled_keys(design, request.share).await;
            request.then.emit(keys);
        });
    }

    /// Reads row keys of a design's table.
    pub(super) async fn sampled_keys(&self, design: usize, share: f64) -> Option<Vec<RowKey>> {
        let mut tables = self.sync.borrow().desired.table_ids();
        let table = (design < tables.len()).then(|| tables.swap_remove(design))?;
        let mut filters = vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)];
        if share < 1.0 {
            filters.insert(0, RowFilter::RowSample(share));
        }
        let filter = Some(RowFilter::Chain(filters));
        let read = ReadRows { filter, slice_cells_max: SLICE_CELLS, unmetered: true, ..ReadRows::default() };
        let mut keys = Vec::new();
        let mut take = |rows: &[Row]| {
            keys.extend(rows.iter().map(|row| row.key.clone()));
            Ok(())
        };
        self.read_all(&table, read, &mut take).await.ok()?;
        Some(keys)
    }
}
