//! Cells for stores of keys and values. The key is `row 0 family 0 qualifier 0 inverted time`, which sorts like the engine.

use crate::Row;

/// Keys and values, sorted by key because trees are faster with sorted input.
pub type Entries = Vec<(Vec<u8>, Vec<u8>)>;

/// Converts the cells of a batch.
pub fn entries(rows: &[Row]) -> Entries {
    let mut entries = Entries::new();
    for row in rows {
        for cell in &row.cells {
            let time = (!row.time).to_be_bytes();
            let parts = [&row.key[..], &[0], cell.family.as_bytes(), &[0], &cell.qualifier, &[0], &time];
            entries.push((parts.concat(), cell.value.clone()));
        }
    }
    entries.sort_unstable();
    entries
}
