//! The data model of Tabletop: the data that a Bigtable-like engine stores, and its requests and
//! responses. It has values only, not the behaviour of an engine.
//!
//! Names follow Google's protos (`google/bigtable/v2`) and the 2006 paper. Each term has one
//! meaning.
#![no_std]
extern crate alloc;

mod bytes;
pub mod calendar;
mod error;
mod expired;
mod family;
mod filter;
mod inside;
pub mod limits;
mod mutation;
pub mod order;
pub mod pattern;
pub mod protobuf_len;
mod range;
mod read;
mod recovery;
mod request;
mod row;
mod shell_word;
pub mod sketch;
mod sorted_map;
mod suggest;
mod table;
mod text;
mod trace;
mod view;
pub mod wire;

pub use bytes::{Bytes, Qualifier, RowKey, escape, printable, push_hex, unescape};
pub use error::{Code, Error, Result};
pub use expired::{CountExpired, ExpiredCell, ExpiredCells};
pub use family::{Aggregate, ColumnFamily, GcRule, expires_after, is_family_name};
pub use filter::{ColumnRange, NodePlace, RowFilter, ValueRange};
pub use inside::{
    BLOCK_PAGE_BYTES, BLOCKS_MAX, BlockList, BlockPage, BlockPart, BlockView, CompactionView, Inspect,
    Inspected, MemtableView, PartKind, RunView, TabletInside, Touched, TouchedBlock, TouchedRun,
    TouchedTablet,
};
pub use mutation::{AggregateInput, Mutation, RowMutation};
pub use range::{RowRange, RowSet, TimestampRange};
pub use read::{ReadRows, ReadStats, Resume, RowKeySample, RowsChunk};
pub use recovery::{Recovery, TableRecovery};
pub use request::{
    CheckAndMutateRow, DropRowRange, ExportPiece, ExportResume, FamilyModification, ReadModify,
    ReadModifyWriteRow, ReadModifyWriteRule, Request, Response, TableRequest,
};
pub use row::{Cell, Row, SERVER_TIME, Timestamp};
pub use shell_word::shell_word;
pub use sorted_map::{SortedMap, SortedSet};
pub use suggest::did_you_mean;
pub use table::{TableSettings, TableSpec};
pub use text::{Completion, Problem, Span};
pub use trace::{CellPart, NodeCount, PatternMatch, TracedCell, TracedRow};
pub use view::{BackupView, TableCounts, TableView, TableWork, TabletId, TabletMinute, TabletView};
