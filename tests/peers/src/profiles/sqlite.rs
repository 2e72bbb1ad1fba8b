//! The batch in SQLite, with the settings of `peers/sqlite.rs`.

use std::path::Path;

use rusqlite::{Connection, params};

use super::{Sum, sql};
use crate::Result;
use crate::events::Events;
use crate::work::Clock;

/// Loads all events.
pub fn load(folder: &Path, events: &Events, cache_bytes: u64) -> Result<()> {
    let work = || {
        let mut connection = open(folder, cache_bytes)?;
        connection.execute_batch(sql::SQLITE_TABLES)?;
        let transaction = connection.transaction()?;
        let mut insert_event = transaction.prepare_cached(sql::INSERT_EVENT)?;
        let mut insert_facet = transaction.prepare_cached(sql::INSERT_FACET)?;
        for index in 0..events.count {
            let event = events.event(index);
            let id = index as i64;
            insert_event.execute(params![id, event.user, event.micros, event.kind, event.name])?;
            for (facet, value) in &event.facets {
                insert_facet.execute(params![id, facet, value])?;
            }
        }
        drop((insert_event, insert_facet));
        transaction.commit()?;
        // The planner needs to know which tables are large.
        connection.execute_batch("ANALYZE")?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    work().map_err(text)
}

/// Computes and stores all profiles. Returns the seconds of the last strategy, and the connection
/// for [`sum`].
pub fn batch(folder: &Path, events: &Events, cache_bytes: u64, clock: Clock) -> Result<(f64, Connection)> {
    let work = || {
        let connection = open(folder, cache_bytes)?;
        let job = sql::job(events);
        let mut seconds = 0.0;
        for at in 0..2 {
            connection.execute_batch(&sql::strategy(at))?;
            let start = (clock.now)();
            connection.execute_batch(&job)?;
            seconds = (clock.now)() - start;
        }
        Ok((seconds, connection))
    };
    work().map_err(text)
}

/// Returns the checksum of all stored profiles.
pub fn sum(connection: &Connection) -> Result<u64> {
    let work = || {
        let mut sum = Sum::default();
        let mut statement = connection.prepare(sql::LINES)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            sum.add(&row.get::<_, String>(0)?);
        }
        Ok(sum.value())
    };
    work().map_err(text)
}

fn open(folder: &Path, cache_bytes: u64) -> rusqlite::Result<Connection> {
    let connection = Connection::open(folder.join("profiles.sqlite"))?;
    connection.execute_batch(&format!(
        "PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = OFF;
         PRAGMA cache_size = -{cache};
         PRAGMA mmap_size = {map};",
        cache = cache_bytes >> 10,
        map = 16u64 << 30,
    ))?;
    Ok(connection)
}

fn text(error: rusqlite::Error) -> String {
    format!("SQLite: {error}")
}
