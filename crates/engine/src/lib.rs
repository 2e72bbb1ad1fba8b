//! One table: memtable, SSTables, merge, compaction, tablets, filter evaluation.
//!
//! A [`Table`] is a value: `&mut` writes, `&` reads, and time and storage are given with each call.
//! [`Table::mutate`] writes one row, [`Table::read`] answers a slice of a read, [`Table::scan`] streams rows without
//! making them, [`Table::advance`] does some of the compaction that waits.
#![no_std]
extern crate alloc;

mod codec;
mod columns;
mod compaction;
mod file_header;
mod filter;
mod key_range;
mod load;
mod memtable;
mod merge;
mod middle;
mod mutate;
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
pub use scan::{CellRef, RowVisitor, Scan};
pub use storage::{FileId, MemoryStorage, Storage, StorageError};
pub use table::Table;
