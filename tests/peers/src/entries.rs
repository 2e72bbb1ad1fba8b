//! Cells for stores of keys and values. The key is `row 0 family 0 qualifier 0 inverted time`,
//! which sorts like the engine. The time is 0 where only the newest version is kept, so that each
//! write replaces the one before.

use crate::{Change, Row, Versions};

/// Keys and values, sorted by key because trees are faster with sorted input. An entry without a
/// value is deleted.
pub type Entries = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// Converts the cells of a batch.
pub fn entries(rows: &[Row], versions: Versions) -> Entries {
    let mut entries = Entries::new();
    for row in rows {
        let time = if versions == Versions::All { row.time } else { 0 };
        for cell in &row.cells {
            let value = (row.change == Change::Put).then(|| cell.value.clone());
            entries.push((key(&row.key, cell.family, &cell.qualifier, time), value));
        }
    }
    entries.sort_unstable();
    entries
}

/// Returns the key of a cell.
pub fn key(row: &[u8], family: &str, qualifier: &[u8], time: i64) -> Vec<u8> {
    [row, &[0], family.as_bytes(), &[0], qualifier, &[0], &(!time).to_be_bytes()].concat()
}
