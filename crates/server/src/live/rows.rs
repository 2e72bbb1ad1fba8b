//! The rows of the current second. Their number and bytes are bounded: when there are too many,
//! rows with few requests are dropped, so that the busiest stay.

use std::collections::HashMap;

use tabletop_heat::{BusyRow, RowId, RowLoad, RowPeak, Touch, busiest};
use tabletop_model::RowKey;

/// The maximum number of rows, and of the bytes of their keys.
const ROWS_MAX: usize = 32_768;
const KEY_BYTES_MAX: usize = 2 << 20;

/// Rows with their loads.
#[derive(Default)]
pub(super) struct Rows {
    loads: HashMap<RowId, (RowKey, RowLoad)>,
    key_bytes: usize,
}

impl Rows {
    /// Adds a request to the load of its row. Returns that load, and whether the row is new.
    pub fn add(&mut self, id: RowId, key: &[u8], second: u32, touch: &Touch) -> (RowLoad, bool) {
        if self.loads.len() >= ROWS_MAX || self.key_bytes >= KEY_BYTES_MAX {
            self.forget_quiet();
        }
        let mut is_new = false;
        let (_, load) = self.loads.entry(id).or_insert_with(|| {
            is_new = true;
            self.key_bytes += key.len();
            // A copy, so that the request's buffer is not kept.
            (RowKey::from(key.to_vec()), RowLoad::default())
        });
        load.add(second, touch);
        (*load, is_new)
    }

    /// Returns the busiest rows, with their names. Among rows with equal loads, the choice depends
    /// only on their keys.
    pub fn busiest(&self) -> Vec<BusyRow> {
        let mut rows: Vec<(&RowId, &(RowKey, RowLoad))> = self.loads.iter().collect();
        rows.sort_unstable_by_key(|(id, _)| id.0);
        let peaks: Vec<RowPeak> = rows.iter().map(|(_, (_, load))| load.peak()).collect();
        busiest(&peaks)
            .into_iter()
            .map(|row| BusyRow { key: rows[row].1.0.clone(), peak: peaks[row] })
            .collect()
    }

    /// Returns the key of a row.
    pub fn key(&self, id: RowId) -> Option<&RowKey> {
        self.loads.get(&id).map(|(key, _)| key)
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        if self.loads.capacity() > 2 * ROWS_MAX {
            self.loads = HashMap::new();
        }
        self.loads.clear();
        self.key_bytes = 0;
    }

    fn forget_quiet(&mut self) {
        let mut least = 1;
        while self.loads.len() > ROWS_MAX / 2 || self.key_bytes > KEY_BYTES_MAX / 2 {
            self.loads.retain(|_, (_, load)| load.requests() > least);
            self.key_bytes = self.loads.values().map(|(key, _)| key.len()).sum();
            least = least.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_rows_are_bounded_and_the_busiest_stay() {
        let mut rows = Rows::default();
        let touch = Touch { bucket: 0, is_write: true, row: None, bytes: 1, nanos: 64, rows: 1 };
        let key = |number: u64| format!("{number:0100}");
        for number in 0..100_000 {
            rows.add(RowId(number), key(number).as_bytes(), 0, &touch);
            rows.add(RowId(7), key(7).as_bytes(), 0, &touch);
        }
        assert!(rows.loads.len() <= ROWS_MAX && rows.key_bytes <= KEY_BYTES_MAX + 100);
        let busiest = rows.busiest();
        let hot = busiest.iter().max_by_key(|row| row.peak.requests).unwrap();
        assert_eq!((hot.key.as_slice(), hot.peak.writes), (key(7).as_bytes(), 100_001));
    }
}
