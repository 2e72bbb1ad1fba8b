//! fjall: an LSM tree in Rust. One keyspace; blocks of 16 KiB, as its documentation recommends for
//! space and as in our engine; no compression, because its feature for LZ4 is off; memtables of 64
//! MiB; the default number of background threads. A batch is one `WriteBatch`, synced with
//! `SyncData`. At the end of a load the memtable is flushed, so that its journal does not count as
//! space.

use std::path::Path;
use std::thread;
use std::time::Duration;

use ::fjall::config::BlockSizePolicy;
use ::fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};

use super::{Cells, Entries, Keys, entries, keys};
use crate::{Columns, Conditions, Result, Row, Rows, Shared, Store, Visitor};

/// A database with one keyspace.
pub struct Fjall {
    database: Database,
    cells: Keyspace,
    conditions: Conditions,
}

impl Fjall {
    /// Opens or creates the database.
    pub fn open(folder: &Path, conditions: Conditions) -> Result<Self> {
        let open = || {
            let database = Database::builder(folder).cache_size(conditions.cache_bytes).open()?;
            let options =
                || KeyspaceCreateOptions::default().data_block_size_policy(BlockSizePolicy::all(16 << 10));
            let cells = database.keyspace("cells", options)?;
            Ok(Fjall { database, cells, conditions })
        };
        open().map_err(text)
    }

    fn is_busy(&self) -> bool {
        self.database.outstanding_flushes() > 0 || self.database.active_compactions() > 0
    }
}

impl Store for Fjall {
    type Batch = Entries;

    fn batch(&self, rows: &[Row]) -> Entries {
        entries(rows, self.conditions.versions)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let mut batch =
            self.database.batch().durability(self.conditions.synced.then_some(PersistMode::SyncData));
        for (key, value) in entries {
            match value {
                Some(value) => batch.insert(&self.cells, key, value),
                None => batch.remove(&self.cells, key),
            }
        }
        batch.commit().map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        self.cells.rotate_memtable_and_wait().map_err(text)?;
        // A compaction may cause another one. They are complete once none has begun for a while.
        const QUIET: u32 = 20;
        let mut quiet = 0;
        while quiet < QUIET {
            quiet = if self.is_busy() { 0 } else { quiet + 1 };
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(columns, visitor);
        let found = match keys(rows, columns, self.conditions.versions) {
            Keys::All => self.cells.iter(),
            Keys::Prefix(prefix) => self.cells.prefix(prefix),
            Keys::One(key) => {
                if let Some(value) = self.cells.get(&key).map_err(text)? {
                    cells.entry(&key, &value);
                }
                return Ok(());
            }
        };
        for entry in found {
            let (key, value) = entry.into_inner().map_err(text)?;
            if !cells.entry(&key, &value) {
                break;
            }
        }
        Ok(())
    }
}

impl Shared for Fjall {
    fn another(&self) -> Result<Self> {
        let Fjall { database, cells, conditions } = self;
        Ok(Fjall { database: database.clone(), cells: cells.clone(), conditions: *conditions })
    }
}

fn text(error: ::fjall::Error) -> String {
    format!("fjall: {error}")
}
