//! `tabletop serve --page`: counts what clients do to each table, by row and second, and serves the
//! page that shows it.
//!
//! Without the page nothing is counted. With it, each call of a client is counted when it ends, and
//! each row as it is read or written. That costs one lock of the table's counts and a few
//! microseconds. Counts take at most [`TABLES_MAX`] tables and about [`BYTES_MAX`] of memory
//! together; the least recently used table is evicted first.

mod answer;
mod call;
mod connection;
mod counts;
mod files;
mod guard;
mod http;
mod prime;
mod rows;
mod session;
mod tablet_rates;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tabletop_engine::TableMark;
use tabletop_model::{Error, Result, Timestamp};

use crate::host::{Host, InstanceName, Served};
use crate::lock::lock;

pub(crate) use call::{LiveCall, Watched, Written};
use counts::TableCounts;
pub use files::PageFiles;
pub use guard::PageToken;
pub use http::{Page, serve_page};

/// The maximum number of tables that are counted at a time.
const TABLES_MAX: usize = 256;
/// The approximate memory that the counts of tables take together. A table that is in use is
/// counted, whatever it takes: at most about 24 MB.
const BYTES_MAX: usize = 128 << 20;

/// The counts of all tables.
#[derive(Default)]
pub struct Live {
    tables: Mutex<HashMap<(InstanceName, String), Table>>,
    /// The number of the last counter.
    last: Mutex<u64>,
}

/// A table that is counted.
struct Table {
    counts: Arc<Mutex<TableCounts>>,
    mark: TableMark,
}

impl Live {
    /// Returns the counts of a table. Counting begins now if the table is not counted yet, or was
    /// created again.
    ///
    /// # Errors
    /// `NotFound` when there is no such table.
    fn counts(
        &self,
        served: &Served,
        instance: &InstanceName,
        table: &str,
    ) -> Result<Arc<Mutex<TableCounts>>> {
        let now = served.now();
        let reader =
            served.reader(table).ok_or_else(|| Error::not_found(format!("table \"{table}\" not found")))?;
        let name = (instance.clone(), table.to_owned());
        // The lock of all tables is not held while one of them divides its keys again.
        let known = lock(&self.tables)
            .get(&name)
            .filter(|known| reader.is_marked(&known.mark))
            .map(|known| known.counts.clone());
        if let Some(known) = known {
            let mut counts = lock(&known);
            if counts.is_continued(now) {
                counts.use_at(now);
                drop(counts);
                return Ok(known);
            }
        }
        let mut tables = lock(&self.tables);
        if let Some(known) = tables
            .get(&name)
            .filter(|known| reader.is_marked(&known.mark) && lock(&known.counts).is_continued(now))
        {
            // Another call has begun to count since.
            return Ok(known.counts.clone());
        }
        let counts = Arc::new(Mutex::new(TableCounts::new(self.new_epoch(now), now)));
        tables.insert(name, Table { counts: counts.clone(), mark: reader.mark() });
        if tables.len() > TABLES_MAX {
            forget_oldest(&mut tables);
        }
        Ok(counts)
    }

    /// Returns the counts of a table, if it is counted.
    fn known(&self, instance: &InstanceName, table: &str) -> Option<Arc<Mutex<TableCounts>>> {
        lock(&self.tables).get(&(instance.clone(), table.to_owned())).map(|table| table.counts.clone())
    }

    /// Returns a number that no counter had before, not even in an earlier run.
    fn new_epoch(&self, now: Timestamp) -> u64 {
        let mut last = lock(&self.last);
        *last = (*last + 1).max(now.unsigned_abs());
        *last
    }

    /// Completes the seconds that have passed, looks up the rows of new tables, and evicts counts
    /// that take too much memory. Called once a second.
    fn tick(&self, host: &Host) {
        let all: Vec<(InstanceName, String, Arc<Mutex<TableCounts>>)> = {
            let tables = lock(&self.tables);
            tables
                .iter()
                .map(|((instance, table), of)| (instance.clone(), table.clone(), of.counts.clone()))
                .collect()
        };
        let mut bytes = 0;
        for (instance, table, counts) in &all {
            if lock(counts).begin_priming()
                && let Some(served) = host.opened(instance)
            {
                // If the existing rows cannot be read, only the rows that clients use are known.
                let keys = prime::keys(&served, table).unwrap_or_default();
                lock(counts).prime(&keys);
            }
            let mut counts = lock(counts);
            counts.advance(host.now());
            bytes += counts.memory_bytes();
        }
        while bytes > BYTES_MAX {
            let mut tables = lock(&self.tables);
            if tables.len() <= 1 {
                break;
            }
            let Some(counts) = forget_oldest(&mut tables) else { break };
            bytes -= lock(&counts).memory_bytes().min(bytes);
        }
    }
}

/// Drops the least recently used counts, and returns them.
fn forget_oldest(tables: &mut HashMap<(InstanceName, String), Table>) -> Option<Arc<Mutex<TableCounts>>> {
    let oldest =
        tables.iter().min_by_key(|(_, table)| lock(&table.counts).used()).map(|(name, _)| name.clone())?;
    tables.remove(&oldest).map(|table| table.counts)
}

impl std::fmt::Debug for Live {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}
