//! The distribution of a tablet's bytes, and the row key that halves them.

use alloc::vec::Vec;

use crate::families::FamilyKind;
use crate::key_range::KeyRange;
use crate::storage::{Storage, StorageError};
use crate::table::run::Weight;
use crate::table::tablet::{Tablet, TabletData, settled};
use tabletop_model::order::sorted;

/// The number of parts into which a memtable's rows are divided.
const MEMTABLE_PARTS: u64 = 32;

impl TabletData {
    /// Returns the distribution of the tablet's bytes, in key order: by block of each run, and by
    /// parts of the memtables. It reads nothing.
    pub fn weights(&self, kinds: &[FamilyKind]) -> Vec<Weight> {
        let mut weights: Vec<Weight> = Vec::new();
        for memtable in self.memtables() {
            let (memtable, before) = (settled(memtable, |memtable| memtable.settle(kinds)), weights.len());
            let part = memtable.bytes() / MEMTABLE_PARTS;
            for row in memtable.range(&self.range) {
                let bytes = memtable.row_bytes(row);
                match weights[before..].last_mut() {
                    Some(last) if last.bytes < part => last.bytes += bytes,
                    _ => weights.push(Weight { key: memtable.key(row).to_vec(), bytes }),
                }
            }
        }
        for run in &self.runs {
            weights.extend(run.block_weights());
        }
        sorted(weights, |a, b| a.key.cmp(&b.key))
    }
}

impl Tablet {
    /// Returns the row key that best halves the tablet's bytes, or `None` if it has only one row.
    /// Blocks narrow down between which keys it is, and only the rows between these are read.
    pub fn middle(
        &self,
        storage: &dyn Storage,
        kinds: &[FamilyKind],
    ) -> Result<Option<Vec<u8>>, StorageError> {
        let weights = self.weights(kinds);
        let total: u64 = weights.iter().map(|weight| weight.bytes).sum();
        let mut before = 0;
        // The halving row begins in the block, or part of a memtable, in which the sum of the
        // weights passes half of the total.
        let crossing = weights.iter().find(|weight| {
            before += weight.bytes;
            before * 2 >= total
        });
        let Some(Weight { key: low, .. }) = crossing else { return Ok(None) };
        let below = weights.iter().take_while(|weight| weight.key < *low);
        let high = weights.iter().find(|weight| weight.key > *low).map(|weight| weight.key.clone());
        let before = below.map(|weight| weight.bytes).sum();
        let key = self.halving_key(storage, low, high, before, total)?;
        if key.is_some() {
            return Ok(key);
        }
        // The first block may have only rows of an adjacent tablet; then nothing is before the
        // second.
        self.halving_key(storage, &self.range.start, None, 0, total)
    }

    /// Returns the row key from `low` to `high` that leaves as close as possible to half of `total`
    /// before it. `before` is the bytes below `low`.
    fn halving_key(
        &self,
        storage: &dyn Storage,
        low: &[u8],
        high: Option<Vec<u8>>,
        mut before: u64,
        total: u64,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        let range = KeyRange { start: low.to_vec(), end: high.clone() };
        let mut rows = self.rows_between(storage, &self.range.meet(&range))?;
        rows.extend(high.map(|key| Weight { key, bytes: 0 }));
        let mut best: Option<(u64, Vec<u8>)> = None;
        for Weight { key, bytes } in rows {
            let distance = (before * 2).abs_diff(total);
            // Nothing is before the very first row.
            if before > 0 && best.as_ref().is_none_or(|(least, _)| distance < *least) {
                best = Some((distance, key));
            }
            before += bytes;
        }
        Ok(best.map(|(_, key)| key))
    }

    /// Returns each row of a range with its bytes, in key order.
    fn rows_between(&self, storage: &dyn Storage, range: &KeyRange) -> Result<Vec<Weight>, StorageError> {
        let mut rows: Vec<Weight> = Vec::new();
        for memtable in self.memtables() {
            let memtable = memtable.read();
            let weight = |row| Weight { key: memtable.key(row).to_vec(), bytes: memtable.row_bytes(row) };
            rows.extend(memtable.range(range).map(weight));
        }
        for run in &self.runs {
            run.row_weights(storage, range, &mut rows)?;
        }
        let mut joined: Vec<Weight> = Vec::with_capacity(rows.len());
        for row in sorted(rows, |a, b| a.key.cmp(&b.key)) {
            match joined.last_mut() {
                Some(last) if last.key == row.key => last.bytes += row.bytes,
                _ => joined.push(row),
            }
        }
        Ok(joined)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;
    use alloc::vec::Vec;
    use core::cell::Cell;
    use tabletop_model::{ColumnFamily, Mutation, RowMutation, TableSettings, TableSpec};
    use xxhash_rust::xxh3::xxh3_64;

    use crate::storage::{FileId, MemoryStorage, Slice, Storage, StorageError};
    use crate::{Budget, Instance};

    /// Counts the bytes that are read.
    #[derive(Default)]
    struct Counting(MemoryStorage, Cell<usize>);

    impl Storage for Counting {
        fn files(&self) -> Result<Vec<FileId>, StorageError> {
            self.0.files()
        }
        fn create(&mut self) -> Result<FileId, StorageError> {
            self.0.create()
        }
        fn append(&mut self, file: FileId, bytes: Vec<u8>) -> Result<(), StorageError> {
            self.0.append(file, bytes)
        }
        fn sync(&mut self, file: FileId) -> Result<(), StorageError> {
            self.0.sync(file)
        }
        fn read(&self, file: FileId, offset: u64, length: usize) -> Result<Slice, StorageError> {
            self.1.set(self.1.get() + length);
            self.0.read(file, offset, length)
        }
        fn size(&self, file: FileId) -> Result<u64, StorageError> {
            self.0.size(file)
        }
        fn remove(&mut self, file: FileId) -> Result<(), StorageError> {
            self.0.remove(file)
        }
    }

    /// Rows of 20 MB, in one cell or in many, lie between others. Their sizes are known without a
    /// read.
    #[test]
    fn a_split_does_not_read_the_rows_that_it_weighs() {
        for cells in [1, 20_000] {
            let mut instance = Instance::on(Counting::default());
            let settings = TableSettings {
                memtable_bytes_max: 30 << 20,
                tablet_bytes_max: 50 << 20,
                ..TableSettings::default()
            };
            let spec = TableSpec { families: vec![ColumnFamily::new("f")], settings, ..TableSpec::default() };
            instance.create_table(0, "t", spec).unwrap();
            for row in 0..40 {
                let (cells, bytes) = if row % 13 == 6 { (cells, (20 << 20) / cells) } else { (1, 100) };
                let byte = |at: usize| xxh3_64(&(row << 26 | at).to_le_bytes()) as u8;
                let set = |cell: usize| Mutation::SetCell {
                    family: "f".into(),
                    qualifier: format!("{cell:06}").as_str().into(),
                    timestamp: 0,
                    value: (cell * bytes..(cell + 1) * bytes).map(byte).collect::<Vec<u8>>().into(),
                };
                let row = RowMutation {
                    key: format!("{row:03}").as_str().into(),
                    mutations: (0..cells).map(set).collect(),
                };
                instance.table("t").unwrap().mutate_row(0, &row).unwrap();
            }
            while instance.advance(0, Budget { bytes: 1 << 20 }) {}
            let read = instance.storage().1.get();
            let view = instance.table("t").unwrap().view(0);
            let rows: Vec<u64> = view.tablets.iter().map(|tablet| tablet.rows).collect();
            assert!(rows.len() == 2 && rows.iter().sum::<u64>() == 40, "{rows:?}");
            assert!(read < 2 << 20, "{read} bytes were read for cells of {cells}");
        }
    }
}
