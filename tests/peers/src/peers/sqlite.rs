//! SQLite, through rusqlite and compiled with it. The table is `WITHOUT ROWID`, so that a cell is
//! stored once, in the order of its key; write-ahead log; `synchronous` FULL or OFF; a cache as
//! large as the caches of the others, and a memory map of up to 16 GiB of the file; exclusive
//! locking, which saves a lock per statement, unless several threads read, each through its own
//! connection. Statements are prepared once. A batch is one transaction.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, params, params_from_iter};

use super::{Cells, Entries, Keys, entries, keys, prefix_end};
use crate::{Columns, Conditions, Result, Row, Rows, Shared, Store, Visitor};

const ALL: &str = "SELECT key, value FROM cells ORDER BY key";
const RANGE: &str = "SELECT key, value FROM cells WHERE key >= ?1 AND key < ?2 ORDER BY key";
const ONE: &str = "SELECT key, value FROM cells WHERE key = ?1";
const INSERT: &str = "INSERT OR REPLACE INTO cells (key, value) VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM cells WHERE key = ?1";

/// A connection to a file.
pub struct Sqlite {
    connection: Connection,
    folder: PathBuf,
    conditions: Conditions,
}

impl Sqlite {
    /// Opens or creates the database.
    pub fn open(folder: &Path, conditions: Conditions) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let open = || {
            let connection = Connection::open(folder.join("cells.sqlite"))?;
            let locking = if conditions.shared { "NORMAL" } else { "EXCLUSIVE" };
            let synchronous = if conditions.synced { "FULL" } else { "OFF" };
            connection.execute_batch(&format!(
                "PRAGMA locking_mode = {locking};
                 PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = {synchronous};
                 PRAGMA cache_size = -{cache};
                 PRAGMA mmap_size = {map};
                 CREATE TABLE IF NOT EXISTS cells (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;",
                cache = conditions.cache_bytes >> 10,
                map = 16u64 << 30,
            ))?;
            Ok(Sqlite { connection, folder: folder.into(), conditions })
        };
        open().map_err(text)
    }
}

impl Store for Sqlite {
    type Batch = Entries;

    fn batch(&self, rows: &[Row]) -> Entries {
        entries(rows, self.conditions.versions)
    }

    fn write(&mut self, entries: Entries) -> Result<()> {
        let mut write = || {
            let transaction = self.connection.transaction()?;
            let mut insert = transaction.prepare_cached(INSERT)?;
            let mut delete = transaction.prepare_cached(DELETE)?;
            for (key, value) in &entries {
                match value {
                    Some(value) => insert.execute(params![key, value])?,
                    None => delete.execute([key])?,
                };
            }
            drop((insert, delete));
            transaction.commit()
        };
        write().map_err(text)
    }

    fn settle(&mut self) -> Result<()> {
        // The log is copied into the table from time to time. What remains in the log must not
        // count as space.
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(text)
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        let mut cells = Cells::new(columns, visitor);
        let mut read = || {
            let (statement, bounds) = match keys(rows, columns, self.conditions.versions) {
                Keys::All => (ALL, vec![]),
                Keys::Prefix(prefix) => {
                    let end = prefix_end(&prefix);
                    (RANGE, vec![prefix, end])
                }
                Keys::One(key) => (ONE, vec![key]),
            };
            let mut statement = self.connection.prepare_cached(statement)?;
            let mut found = statement.query(params_from_iter(bounds))?;
            while let Some(row) = found.next()? {
                if !cells.entry(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?) {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(text)
    }
}

impl Shared for Sqlite {
    fn another(&self) -> Result<Self> {
        Sqlite::open(&self.folder, self.conditions)
    }
}

fn text(error: rusqlite::Error) -> String {
    format!("SQLite: {error}")
}
