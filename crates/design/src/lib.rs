//! One design at work: a table of its own that fills with the events that have arrived, pictures of it, and questions to it.
//!
//! The page's worker and the command line both build designs with this, so the same workspace gives the same tables, the same
//! load and the same costs in a browser and in a team's CI. Like the engine it knows no clock: events arrive at the pace of the
//! cluster settings, and a host gives it slices of time.

mod design_table;
mod picture;
mod read;
mod scale;

pub use design_table::{DesignTable, Supply};
pub use read::{OpenRead, SLICE_CELLS};
