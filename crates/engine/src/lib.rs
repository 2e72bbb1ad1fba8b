//! One table: commit log, memtable, SSTables, merge, compaction, tablets, filter evaluation. `README.md` beside this explains how
//! it works and what it costs.
//!
//! A [`Table`] is a value; time and storage are given with each call. Reads take `&mut` as writes do, for a memtable is
//! sorted when it is first read. [`Table::mutate_rows`] writes, [`Table::read`] answers a slice of a read, [`Table::scan`]
//! streams rows without making them, [`Table::advance`] does some of the compaction that waits.
#![no_std]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod aggregate;
mod backup;
mod cache;
mod change;
mod codec;
mod columns;
mod commit_log;
mod compaction;
mod drop_range;
mod durable;
mod export;
mod families;
mod file_header;
mod filter;
mod gc;
mod groups;
mod key_range;
mod load;
mod manifest;
mod memtable;
mod merge;
mod middle;
mod mutate;
mod read_write;
mod record;
mod recovery;
mod run;
mod scan;
mod split;
mod sstable;
pub mod storage;
mod table;
mod tablet;
#[cfg(test)]
mod tests;
mod tombstones;

pub use backup::Backup;
pub use compaction::Budget;
pub use export::Import;
pub use recovery::{Opened, open};
pub use scan::{CellRef, RowVisitor, Scan};
pub use storage::{FileId, MemoryStorage, Storage, StorageError};
pub use table::Table;
