//! SQLite, through rusqlite and compiled with it. The table is `WITHOUT ROWID`, so that a cell is stored once, in the order of
//! its key; write-ahead log; `synchronous` FULL or OFF; 256 MiB of cache, and a memory map of the whole file; exclusive locking,
//! which saves a lock per statement. Statements are prepared once. A batch is one transaction.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{Cells, Entries, entries, prefix, prefix_end};
use crate::{CACHE_BYTES, Result, Row, Rows, Store, Visitor};

const ALL: &str = "SELECT key, value FROM cells ORDER BY key";
const RANGE: &str = "SELECT key, value FROM cells WHERE key >= ?1 AND key < ?2 ORDER BY key";
const INSERT: &str = "INSERT OR REPLACE INTO cells (key, value) VALUES (?1, ?2)";

/// A connection to a file.
pub struct Sqlite(Connection);

impl Sqlite {
    /// Opens or creates the database.
    pub fn open(folder: &Path, synced: bool) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let open = || {
            let connection = Connection::open(folder.join("cells.sqlite"))?;
            let synchronous = if synced { "FULL" } else { "OFF" };
            connection.execute_batch(&format!(
                "PRAGMA locking_mode = EXCLUSIVE;
                 PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = {synchronous};
                 PRAGMA cache_size = -{cache};
                 PRAGMA mmap_size = {map};
                 CREATE TABLE IF NOT EXISTS cells (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;",
                cache = CACHE_BYTES >> 10,
                map = 16u64 << 30,
            ))?;
            Ok(Sqlite(connection))
        };
        open().map_err(text)
    }
}

impl Store for Sqlite {
    type Batch = Entries;

    fn batch(rows: &[Row]) -> Entries {
        entries(rows)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let mut write = || {
            let transaction = self.0.transaction()?;
            let mut insert = transaction.prepare_cached(INSERT)?;
            for (key, value) in &entries {
                insert.execute(params![key, value])?;
            }
            drop(insert);
            transaction.commit()
        };
        write().map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        // The log is copied into the table from time to time. The rest of it must not count as space.
        self.0.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(text)
    }

    fn read(&mut self, rows: Rows<'_>, facets: &[&str], visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(facets, visitor);
        let mut read = || {
            let mut statement = self.0.prepare_cached(if matches!(rows, Rows::All) { ALL } else { RANGE })?;
            let mut found = match rows {
                Rows::All => statement.query([])?,
                _ => {
                    let start = prefix(rows);
                    statement.query(params![start, prefix_end(&start)])?
                }
            };
            while let Some(row) = found.next()? {
                cells.entry(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?);
            }
            Ok(())
        };
        read().map_err(text)
    }
}

fn text(error: rusqlite::Error) -> String {
    format!("SQLite: {error}")
}
