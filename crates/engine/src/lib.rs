//! A storage engine for tables: commit log, memtable, SSTables, merge, compaction, tablets and
//! filter evaluation. The crate's `README.md` explains how it works and what it costs.
//!
//! An [`Instance`] is a value that owns its storage; each call passes the time. [`Instance::table`]
//! returns a [`TableHandle`], whose methods read and change a table. [`Instance::advance`] runs
//! some of the compaction that is due. [`Instance::handle`] takes a request as a value, for hosts
//! that receive requests as messages.
#![no_std]
#![cfg_attr(
    any(test, not(feature = "threads")),
    expect(
        clippy::arc_with_non_send_sync,
        reason = "without the feature, and in these tests, an instance belongs to one thread"
    )
)]
extern crate alloc;
#[cfg(any(test, feature = "threads"))]
extern crate std;

mod aggregate;
mod cache;
mod cell_key;
mod change;
mod codec;
mod columns;
mod dictionaries;
mod durable;
mod families;
mod filter;
mod gc;
mod groups;
mod instance;
mod key_range;
mod log;
mod memtable;
mod merge;
mod shared;
mod sstable;
pub mod storage;
mod table;
mod tombstones;

pub use durable::export::Salvage;
pub use filter::{Marker, TraceDetail};
pub use instance::{
    CompactionStep, Instance, Limits, Readers, TableHandle, TableMark, TableReader, check_entries,
};
pub use key_range::divide_rows;
pub use storage::{FileId, MemoryStorage, Storage, StorageError};
pub use table::compaction::Budget;
pub use table::large_write::LargeWrite;
pub use table::scan::{CellRef, RowVisitor, Scan};
pub use table::touch::TouchedChunk;
pub use table::trace::Trace;
