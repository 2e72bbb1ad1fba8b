//! RocksDB, compiled with its crate. Blocks of 16 KiB, as in our engine; Bloom filters of 10 bits
//! for keys and for row keys, which are 65 bytes in all tables; no compression; memtables of 64 MiB
//! and two background threads, its defaults. A batch is one `WriteBatch`, with the write-ahead log,
//! which is synced or not. At the end of a load the memtable is flushed, and the load waits for
//! compactions.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use ::rocksdb::{
    BlockBasedOptions, Cache, DB, DBCompressionType, Options, ReadOptions, SliceTransform, WriteBatch,
    WriteOptions,
};

use super::{Cells, Entries, Keys, entries, keys, prefix_end};
use crate::{Columns, Conditions, Result, Row, Rows, Shared, Store, Visitor};

/// The length of a row key with the 0 after it.
const ROW_BYTES: usize = 66;

/// A database with its default column family.
pub struct Rocks {
    database: Arc<DB>,
    conditions: Conditions,
}

impl Rocks {
    /// Opens or creates the database.
    pub fn open(folder: &Path, conditions: Conditions) -> Result<Self> {
        let mut table = BlockBasedOptions::default();
        table.set_block_cache(&Cache::new_lru_cache(conditions.cache_bytes as usize));
        table.set_block_size(16 << 10);
        table.set_bloom_filter(10.0, false);
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_compression_type(DBCompressionType::None);
        options.set_block_based_table_factory(&table);
        options.set_prefix_extractor(SliceTransform::create_fixed_prefix(ROW_BYTES));
        let database = Arc::new(DB::open(&options, folder).map_err(text)?);
        Ok(Rocks { database, conditions })
    }

    fn is_busy(&self) -> Result<bool> {
        // A compaction that is due is pending until it runs.
        let busy =
            ["rocksdb.compaction-pending", "rocksdb.num-running-compactions", "rocksdb.num-running-flushes"];
        let counts = busy.map(|name| self.database.property_int_value(name));
        counts
            .into_iter()
            .try_fold(false, |busy, count| Ok(busy || count.map_err(text)?.is_some_and(|count| count > 0)))
    }
}

impl Store for Rocks {
    type Batch = Entries;

    fn batch(&self, rows: &[Row]) -> Entries {
        entries(rows, self.conditions.versions)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let mut batch = WriteBatch::default();
        for (key, value) in entries {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        let mut options = WriteOptions::default();
        options.set_sync(self.conditions.synced);
        self.database.write_opt(batch, &options).map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        self.database.flush().map_err(text)?;
        while self.is_busy()? {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(columns, visitor);
        let mut options = ReadOptions::default();
        let start = match keys(rows, columns, self.conditions.versions) {
            Keys::One(key) => {
                if let Some(value) = self.database.get_pinned_opt(&key, &options).map_err(text)? {
                    cells.entry(&key, &value);
                }
                return Ok(());
            }
            Keys::All => Vec::new(),
            Keys::Prefix(prefix) => {
                options.set_iterate_upper_bound(prefix_end(&prefix));
                prefix
            }
        };
        if start.len() < ROW_BYTES {
            options.set_total_order_seek(true);
        } else {
            options.set_prefix_same_as_start(true);
        }
        let mut found = self.database.raw_iterator_opt(options);
        found.seek(&start);
        while let Some((key, value)) = found.item() {
            if !cells.entry(key, value) {
                break;
            }
            found.next();
        }
        found.status().map_err(text)
    }
}

impl Shared for Rocks {
    fn another(&self) -> Result<Self> {
        Ok(Rocks { database: self.database.clone(), conditions: self.conditions })
    }
}

fn text(error: ::rocksdb::Error) -> String {
    format!("RocksDB: {error}")
}
