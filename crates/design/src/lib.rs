//! Builds the tables of designs from events, and measures them: views, queries, costs, simulated
//! traffic, profiles and migrations.
//!
//! A *design* is a row-key template and a layout. A [`DesignTable`] writes the events of a
//! workspace into an engine's table as its design says, and keeps what is known about that table.
//! The page's worker and the command line both build designs with this crate, so the same workspace
//! has the same tables, the same load and the same costs in a browser and in CI.
//!
//! This crate is not a host: it has no clock, no threads and no storage of its own. The time of an
//! event comes from the pace of the cluster settings. A host calls [`DesignTable::step`], or the
//! runs in [`jobs`], again and again, each time for a small slice of work. It does not know what
//! bytes mean either (that is `tabletop-keys`), and it does not store them (that is
//! `tabletop-engine`).
//!
//! ```
//! use tabletop_design::{DesignTable, Supply};
//! use tabletop_keys::{Layout, LayoutKind};
//! use tabletop_workspace::{ClusterSettings, Design, GeneratorSettings};
//! use tabletop_workload::{Events, Generator};
//!
//! let settings = GeneratorSettings { seed: 1, events: 500, apps: 2, users: 20, user_skew: 0.8 };
//! let mut generator = Generator::new(&settings);
//! let mut events = Events::new(generator.fields());
//! generator.fill(&mut events, generator.left()).expect("memory");
//!
//! let design = Design::new("By user", "{user_token}#{timestamp:iso}", Layout::new(LayoutKind::Narrow));
//! let cluster = ClusterSettings::default();
//! let mut table = DesignTable::new(1, &design, events.fields(), &cluster);
//! let supply = Supply::all(&events, &cluster);
//! while table.step(supply, 100) {}
//! assert_eq!(table.view(supply).events_built, 500);
//! ```
//!
//! Where to begin reading: [`DesignTable`] for the table of one design, [`SimulationRun`] for
//! traffic, [`experiment`], [`migration`] and [`personalization`] for the three long computations
//! of Algolia's articles.

mod answers;
mod compress;
mod design_table;
mod event_mapping;
mod event_table;
pub mod experiment;
mod hand_writes;
pub mod jobs;
mod losses;
mod measure;
pub mod migration;
pub mod personalization;
mod pictures;
mod read;
mod scale;
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
pub use simulation::{
    EventOfRequest, Operations, Request, Setting, SimulationReport, SimulationRun, StreamReport, form_of_log,
};
pub use supply::Supply;
pub use tables::Tables;
pub use tabletop_engine::TraceDetail;
pub use trace::OpenTrace;
