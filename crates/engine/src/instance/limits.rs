//! Limits on what the tables of an instance use together, whatever their number.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;

use tabletop_model::{Error, Result};

use super::{Instance, TableHandle};
use crate::dictionaries::DICTIONARY_BYTES_MAX;
use crate::storage::Storage;
use crate::table::Table;

/// Limits of all tables of an instance together. They hold after each call of [`Instance::advance`]
/// that storage did not refuse; between two calls, writes may exceed them by a fraction. Memtables
/// and logs of a read-only table do not count, because they can neither grow nor shrink. Imports do
/// not count either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all memtables. Above this limit, the memtables with the oldest rows are written as
    /// SSTables.
    pub memtable_bytes_max: u64,
    /// Approximate bytes of all commit logs. Above this limit, the memtables that need the oldest
    /// segments are written.
    pub log_bytes_max: u64,
    /// Bytes of all cached blocks.
    pub cache_bytes_max: u64,
    /// Bytes of the dictionaries of SSTables that stay in memory after they were used. Dictionaries
    /// that reads and compactions are using do not count.
    pub dictionary_bytes_max: u64,
}

/// A log larger than this is removed as soon as no memtable needs it.
const UNNEEDED_LOG_BYTES_MAX: u64 = 1 << 20;
/// Memtables are written in portions of the limit divided by this. A table with less in memory is
/// left to [`Instance::advance`].
const PARTS: u64 = 16;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memtable_bytes_max: 256 << 20,
            log_bytes_max: 1 << 30,
            cache_bytes_max: 256 << 20,
            dictionary_bytes_max: DICTIONARY_BYTES_MAX,
        }
    }
}

impl<S: Storage> Instance<S> {
    /// Changes the limits. Later calls enforce them.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.dictionaries.lock().resize(limits.dictionary_bytes_max);
    }

    /// Returns the bytes of the memtables of all tables except one, leaving out memtables that
    /// cannot be written.
    pub(super) fn memtable_bytes_except(&self, at: usize) -> u64 {
        let others = self.tables.iter().enumerate().filter(|(index, _)| *index != at);
        others.map(|(_, (_, table))| writable(Table::memtable_bytes)(table)).sum()
    }

    /// Writes memtables, ends logs and empties caches until the limits hold. A later call retries
    /// what storage refuses.
    pub(super) fn keep_limits(&mut self) {
        let Limits { memtable_bytes_max, log_bytes_max, cache_bytes_max, .. } = self.limits;
        self.dictionaries.lock().examine(0);
        let used = writable(Table::memtable_bytes);
        let all: u64 = self.tables.iter().map(|(_, table)| used(table)).sum();
        while let Some(table) = largest(&mut self.tables, memtable_bytes_max, &used) {
            let before = table.memtable_bytes();
            let oldest = table.oldest_memtables(part_of(memtable_bytes_max));
            let done = table.flush_some(&mut self.storage, &oldest, is_far_above(all, memtable_bytes_max));
            if done.is_err() || table.memtable_bytes() >= before {
                break;
            }
        }
        while let Some(table) = largest(&mut self.tables, log_bytes_max, writable(Table::log_bytes)) {
            let before = table.log_bytes();
            if table.end_log(&mut self.storage).is_err() || table.log_bytes() >= before {
                break;
            }
        }
        for (_, table) in &mut self.tables {
            if table.needs_no_log() && table.log_bytes() > UNNEEDED_LOG_BYTES_MAX && !table.is_read_only() {
                // Otherwise its last segment would stay until another one begins.
                let _ = table.end_log(&mut self.storage);
            }
        }
        while let Some(table) =
            largest(&mut self.tables, cache_bytes_max, |table| table.reading().cache.lock().bytes())
        {
            let mut cache = table.reading().cache.lock();
            let half = cache.bytes() / 2;
            cache.shrink(half);
        }
    }
}

/// Returns how many bytes of memtables are written at a time.
fn part_of(memtable_bytes_max: u64) -> u64 {
    (memtable_bytes_max / PARTS).max(1)
}

/// Returns whether the memtables are so far above `max` that they are written at once, even where
/// the host runs compactions.
fn is_far_above(bytes: u64, max: u64) -> bool {
    bytes > max.saturating_add(max / 2)
}

/// Counts only tables that can be written to. The memtables and logs of the others stay as they are
/// until the next start.
fn writable(used: fn(&Table) -> u64) -> impl Fn(&Table) -> u64 {
    move |table| if table.is_read_only() { 0 } else { used(table) }
}

/// Returns the table that uses the most, if all together use more than `max`.
fn largest(tables: &mut [(String, Table)], max: u64, used: impl Fn(&Table) -> u64) -> Option<&mut Table> {
    let all: u64 = tables.iter().map(|(_, table)| used(table)).sum();
    let tables = tables.iter_mut().filter(|_| all > max).map(|(_, table)| table);
    tables.max_by_key(|table| used(table))
}

impl TableHandle<'_> {
    /// Enforces the limits before a write: the table writes its oldest memtables, if it has a large
    /// enough share of them.
    ///
    /// # Errors
    /// Errors of storage, when memtables have twice as many bytes as allowed.
    pub(super) fn make_room(&mut self) -> Result<()> {
        let Limits { memtable_bytes_max, log_bytes_max, .. } = self.limits;
        if self.table.log_bytes() > log_bytes_max && !self.table.waits_for_flush() {
            self.table.shorten_log(self.storage, log_bytes_max);
        }
        let own = self.table.memtable_bytes();
        let all = self.memtable_bytes_elsewhere + own;
        if all <= memtable_bytes_max || own < part_of(memtable_bytes_max) {
            return Ok(());
        }
        let is_behind = is_far_above(all, memtable_bytes_max);
        if self.table.waits_for_flush() && !is_behind {
            return Ok(());
        }
        let oldest = self.table.oldest_memtables(part_of(memtable_bytes_max));
        match self.table.flush_some(self.storage, &oldest, is_behind).map_err(Error::from) {
            Err(Error { code, message, .. }) if all > memtable_bytes_max.saturating_mul(2) => {
                Err(Error::new(
                    code,
                    format!(
                        "the memtables are full and could not be written, so nothing has changed: {message}"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}
