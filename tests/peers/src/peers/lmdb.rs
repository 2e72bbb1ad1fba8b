//! LMDB, through heed: a B+ tree in a memory map. One database. A batch is one transaction, which is synced at its end unless
//! `NO_SYNC` is set. Then `WRITE_MAP` is set, too, which was up to twice as fast without syncs and slower with them. Values are
//! borrowed from the map. (`APPEND` cannot be used: events are sorted by time, keys by user.)

use std::path::Path;

use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions};

use super::{Cells, Entries, entries, prefix};
use crate::{Result, Row, Rows, Store, Visitor};

/// The size of the address range, not of the file; more than any run needs.
const MAP_BYTES: usize = 64 << 30;

/// An environment with one database.
pub struct Lmdb {
    environment: Env,
    cells: Database<Bytes, Bytes>,
}

impl Lmdb {
    /// Opens or creates the environment.
    pub fn open(folder: &Path, synced: bool) -> Result<Self> {
        // Pages that are written completely are not zeroed first.
        let flags = EnvFlags::NO_MEM_INIT | if synced { EnvFlags::empty() } else { EnvFlags::NO_SYNC | EnvFlags::WRITE_MAP };
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_BYTES);
        #[expect(unsafe_code, reason = "LMDB's map is sound as long as no other program writes to its file: the folder is ours")]
        let mut open = |folder| unsafe { options.flags(flags).open(folder) };
        let create = |environment: Env| {
            let mut transaction = environment.write_txn()?;
            let cells = environment.create_database(&mut transaction, None)?;
            transaction.commit()?;
            Ok(Lmdb { environment, cells })
        };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        open(folder).and_then(create).map_err(text)
    }
}

impl Store for Lmdb {
    type Batch = Entries;

    fn batch(rows: &[Row]) -> Entries {
        entries(rows)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let write = || {
            let mut transaction = self.environment.write_txn()?;
            for (key, value) in &entries {
                self.cells.put(&mut transaction, key, value)?;
            }
            transaction.commit()
        };
        write().map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, facets: &[&str], visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(facets, visitor);
        let mut read = || {
            let transaction = self.environment.read_txn()?;
            match rows {
                Rows::All => {
                    for entry in self.cells.iter(&transaction)? {
                        let (key, value) = entry?;
                        cells.entry(key, value);
                    }
                }
                _ => {
                    for entry in self.cells.prefix_iter(&transaction, &prefix(rows))? {
                        let (key, value) = entry?;
                        cells.entry(key, value);
                    }
                }
            }
            Ok(())
        };
        read().map_err(text)
    }
}

fn text(error: heed::Error) -> String {
    format!("LMDB: {error}")
}
