//! An instance of tables: commit log, memtable, SSTables, merge, compaction, tablets, filter evaluation. `README.md` beside this
//! explains how it works and what it costs.
//!
//! An [`Instance`] is a value that has a storage; time is given with each call. [`Instance::table`] gives a [`TableHandle`], whose
//! methods read and change a table. [`Instance::advance`] does some of the compaction that waits. [`Instance::handle`] takes what
//! was asked as a value, for hosts that are asked from elsewhere.
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
mod instance;
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

pub use compaction::Budget;
pub use instance::{Instance, TableHandle};
pub use scan::{CellRef, RowVisitor, Scan};
pub use storage::{FileId, MemoryStorage, Storage, StorageError};
