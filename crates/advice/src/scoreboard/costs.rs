//! The measured costs of access patterns on designs.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Error, ReadStats};

use tabletop_keys::{Newest, PlanKind};
use tabletop_workspace::{Design, Miss, NamedQuery};

use super::scale::LargestRow;
use crate::WrongAnswer;

/// The measured cost of a query on a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryCost {
    /// How its rows are found.
    pub kind: PlanKind,
    /// The work of one read that begins with an empty block cache.
    pub stats: ReadStats,
    /// Number of row ranges and keys of the query: N for a salted template, N + 1 across its
    /// cut-over.
    pub ranges: u32,
    /// Whether more rows are scanned than requested, because the template cannot serve the query by
    /// ranges alone.
    pub scans_more: bool,
    /// How the newest rows are found, if the query asks for them.
    #[serde(default)]
    pub newest: Option<Newest>,
    /// For a query for the latest of each, the different beginnings of keys before the time: as many
    /// reads of one row would do.
    #[serde(default)]
    pub entities: Option<u64>,
    /// How the answer differs from a plain filter over all events, for the pattern's values or for
    /// others; `None` if it does not.
    #[serde(default)]
    pub wrong: Option<WrongAnswer>,
    /// The number of timings. Each is the mean of consecutive reads.
    pub timings: u32,
    /// The median of the timings: the microseconds of one read.
    pub elapsed_micros: u64,
}

impl QueryCost {
    /// Returns the number of SSTable blocks that one read needs. Blocks from the cache count as
    /// well, so that other reads of the page during the measurement do not affect it.
    pub fn blocks(&self) -> u64 {
        self.stats.blocks_read + self.stats.cache_hits
    }

    /// Returns the limits of an access pattern that this cost violates.
    pub fn misses(&self, named: &NamedQuery) -> Vec<Miss> {
        named.limits.misses(&self.stats, self.ranges)
    }
}

/// The outcome of a query on a design.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum QueryOutcome {
    /// The query has not been measured yet.
    #[default]
    Waiting,
    /// The design cannot answer the query.
    Refused(Error),
    /// The design answers the query at this cost.
    Answered(QueryCost),
}

/// Whether the table of a design can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableState {
    /// The template has a problem.
    Invalid,
    /// Not all events are in the table, or SSTables are still being merged.
    Growing,
    /// All events are in the table.
    Complete,
}

/// The outcomes of all access patterns on a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignCosts {
    /// The design.
    pub design: Design,
    /// The state of the table. Only a complete table has outcomes.
    pub state: TableState,
    /// Whether a few tablets take most writes: the verdict on the design is [`crate::Tone::Hot`].
    pub is_hot: bool,
    /// The number of events that have no place of their own in its tables: see
    /// [`crate::Losses::lost`].
    #[serde(default)]
    pub lost: u32,
    /// The number of events in its tables.
    #[serde(default)]
    pub events: u32,
    /// The share of live writes that one tablet takes: see [`crate::LiveLoad::heat`]. 0 if this is
    /// not known.
    #[serde(default)]
    pub heat: f64,
    /// The largest row of its tables; `None` until all rows are counted.
    #[serde(default)]
    pub largest_row: Option<LargestRow>,
    /// The number of its tables, each of which gets a write for each event: its own table and its
    /// index tables.
    pub tables: u32,
    /// Number of bytes of their memtables and SSTables.
    pub stored_bytes: u64,
    /// The outcomes, in the order of the access patterns.
    pub outcomes: Vec<QueryOutcome>,
}

/// What has been measured so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurements {
    /// The costs, in the order of the designs.
    pub designs: Vec<DesignCosts>,
    /// Whether more can be measured now. (A table that is still growing is measured later.)
    pub more: bool,
}
