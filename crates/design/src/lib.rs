//! Designs and their tables: each table is filled with the events that have arrived, and has views and queries.
//!
//! The page's worker and the command line both build designs with this crate, so the same workspace has the same tables, the
//! same load and the same costs in a browser and in CI. Like the engine, it has no clock: events arrive at the pace of the
//! cluster settings, and a host calls it for slices of work.

mod design_table;
mod event_mapping;
mod event_table;
pub mod experiment;
mod hand_writes;
pub mod jobs;
mod measure;
pub mod migration;
pub mod personalization;
mod pictures;
mod read;
mod scale;
mod shared;
mod simulation;
mod size_count;
mod supply;
mod tables;
#[cfg(test)]
mod test_host;
mod timeline;
mod trace;

pub use design_table::{DesignTable, Growth};
pub use hand_writes::HandWrites;
pub use measure::MeasureStage;
pub use pictures::propose;
pub use read::{OpenRead, SLICE_CELLS};
pub use simulation::{Operations, Request, Setting, SimulationReport, SimulationRun, StreamReport};
pub use supply::Supply;
pub use tables::Tables;
pub use tabletop_engine::TraceDetail;
pub use trace::OpenTrace;
