//! LMDB, through heed: a B+ tree in a memory map. One database. A batch is one transaction, which
//! is synced at its end unless `NO_SYNC` is set. Then `WRITE_MAP` is set, too, which was up to
//! twice as fast without syncs and slower with them. Values are borrowed from the map, whose pages
//! are in the system's cache: it does not have its own cache. (`APPEND` cannot be used: events are
//! sorted by time, keys by user.)

use std::path::Path;

use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions};

use super::{Cells, Entries, Keys, entries, keys};
use crate::{Columns, Conditions, Result, Row, Rows, Shared, Store, Visitor};

/// The size of the address range, not of the file; more than any run needs.
const MAP_BYTES: usize = 64 << 30;

/// An environment with one database.
pub struct Lmdb {
    environment: Env,
    cells: Database<Bytes, Bytes>,
    conditions: Conditions,
}

impl Lmdb {
    /// Opens or creates the environment.
    pub fn open(folder: &Path, conditions: Conditions) -> Result<Self> {
        // Pages that are written completely are not zeroed first.
        let flags = EnvFlags::NO_MEM_INIT
            | if conditions.synced { EnvFlags::empty() } else { EnvFlags::NO_SYNC | EnvFlags::WRITE_MAP };
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_BYTES);
        #[expect(
            unsafe_code,
            reason = "LMDB's map is sound as long as no other program writes to its file: the folder is ours"
        )]
        let mut open = |folder| unsafe { options.flags(flags).open(folder) };
        let create = |environment: Env| {
            let mut transaction = environment.write_txn()?;
            let cells = environment.create_database(&mut transaction, None)?;
            transaction.commit()?;
            Ok(Lmdb { environment, cells, conditions })
        };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        open(folder).and_then(create).map_err(text)
    }
}

impl Store for Lmdb {
    type Batch = Entries;

    fn batch(&self, rows: &[Row]) -> Entries {
        entries(rows, self.conditions.versions)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let write = || {
            let mut transaction = self.environment.write_txn()?;
            for (key, value) in &entries {
                match value {
                    Some(value) => self.cells.put(&mut transaction, key, value)?,
                    None => drop(self.cells.delete(&mut transaction, key)?),
                }
            }
            transaction.commit()
        };
        write().map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(columns, visitor);
        let mut read = || {
            let transaction = self.environment.read_txn()?;
            match keys(rows, columns, self.conditions.versions) {
                Keys::All => {
                    for entry in self.cells.iter(&transaction)? {
                        let (key, value) = entry?;
                        cells.entry(key, value);
                    }
                }
                Keys::Prefix(prefix) => {
                    for entry in self.cells.prefix_iter(&transaction, &prefix)? {
                        let (key, value) = entry?;
                        if !cells.entry(key, value) {
                            break;
                        }
                    }
                }
                Keys::One(key) => {
                    if let Some(value) = self.cells.get(&transaction, &key)? {
                        cells.entry(&key, value);
                    }
                }
            }
            Ok(())
        };
        read().map_err(text)
    }
}

impl Shared for Lmdb {
    fn another(&self) -> Result<Self> {
        let Lmdb { environment, cells, conditions } = self;
        Ok(Lmdb { environment: environment.clone(), cells: *cells, conditions: *conditions })
    }
}

fn text(error: heed::Error) -> String {
    format!("LMDB: {error}")
}
