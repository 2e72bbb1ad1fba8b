//! The heatmap of the requests to the rows of a table, second by second, and the problems that it
//! shows. A simulation fills it with the requests of a traffic, and a server with the requests of
//! its clients.

#![no_std]

extern crate alloc;

mod bounds;
mod diagnose;
mod growth;
mod heat;
mod latencies;
mod recent;

pub use bounds::{FirstSeen, Sample};
pub use diagnose::{Busiest, Evidence, KeyGrowth, Thresholds, busiest_peak, diagnose};
pub use growth::Growth;
pub use heat::{
    BUCKETS_MAX, BusyRow, COLUMNS_MAX, Cell, Column, Heat, Peak, RowId, RowLoad, RowPeak, Touch, busiest,
};
pub use latencies::Latencies;
pub use recent::Recent;
