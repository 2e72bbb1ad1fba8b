//! Jobs that read the tables of designs: a query, its trace, the blocks that it touches, its cost
//! on every design, row keys, expired cells, and the state of all tables.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_advice::{Measurements, ReadCost};
use tabletop_keys::Query;
use tabletop_model::{Error, ExpiredCells, NodeCount, ReadStats, Row, RowKey, Touched, TracedRow};

use crate::{DesignView, Job};

/// Reads the rows of a query, in logical order.
pub struct ReadQuery;

impl Job for ReadQuery {
    const NAME: &'static str = "read";
    const OPEN_MAX: usize = 64;
    type Request = QueryOnDesign;
    type Order = ();
    type Chunk = QueryChunk;
}

/// A query on the table of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryOnDesign {
    /// Index of the design.
    pub index: u32,
    /// The query.
    pub query: Query,
}

/// Counts what the nodes of a query's filter do with the cells.
pub struct TraceQuery;

impl Job for TraceQuery {
    const NAME: &'static str = "trace";
    const OPEN_MAX: usize = 4;
    type Request = TraceRequest;
    type Order = ();
    type Chunk = TraceChunk;
}

/// The request that begins a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRequest {
    /// Index of the design.
    pub index: u32,
    /// The query.
    pub query: Query,
    /// Whether the rows are returned with the nodes that dropped their cells.
    pub cells: bool,
}

/// Records which parts of the SSTables a query touches, without changing the block cache.
pub struct TouchQuery;

impl Job for TouchQuery {
    const NAME: &'static str = "touch";
    const OPEN_MAX: usize = 4;
    type Request = QueryOnDesign;
    type Order = ();
    type Chunk = TouchChunk;
}

/// Measures the access patterns of the workspace on all designs. Patterns are measured only while
/// such a run is open.
pub struct MeasurePatterns;

impl Job for MeasurePatterns {
    const NAME: &'static str = "measure";
    type Request = ();
    type Order = ();
    type Chunk = Measurements;
}

/// Runs a query on every design, one design after another, to measure its cost. The rows are
/// dropped.
pub struct ReadOnAllDesigns;

impl Job for ReadOnAllDesigns {
    const NAME: &'static str = "read_on_all_designs";
    type Request = Query;
    type Order = ();
    type Chunk = ReadOnDesign;
}

/// The cost of a query on a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadOnDesign {
    /// Index of the design.
    pub index: u32,
    /// The cost so far, or why the design cannot answer the query.
    pub cost: Result<ReadCost, Error>,
    /// Whether the query has read all its rows on this design.
    pub complete: bool,
}

/// Counts the cells of a table that its GC rules would collect now.
pub struct ExpiredCount;

impl Job for ExpiredCount {
    const NAME: &'static str = "count_expired";
    const OPEN_MAX: usize = 4;
    type Request = ExpiredRequest;
    type Order = ();
    type Chunk = ExpiredCells;
}

/// The request that begins a count of expired cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpiredRequest {
    /// Index of the design.
    pub index: u32,
    /// The row whose cells are counted and listed; `None` to count the cells of all rows.
    pub row: Option<RowKey>,
}

/// Reads row keys of a table, all or a random sample. The reads do not count as load of the
/// tablets.
pub struct SampleKeys;

impl Job for SampleKeys {
    const NAME: &'static str = "sample_keys";
    const OPEN_MAX: usize = 4;
    type Request = KeysRequest;
    type Order = ();
    type Chunk = Vec<RowKey>;
}

/// The request that begins a sample of row keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeysRequest {
    /// Index of the design.
    pub index: u32,
    /// The share of the rows to return, from 0 to 1.
    pub share: f64,
}

/// Collects what a report shows of each table of the workspace: one slice or more per table.
pub struct Gather;

impl Job for Gather {
    const NAME: &'static str = "gather";
    type Request = ();
    type Order = ();
    type Chunk = Option<GatheredTable>;
}

/// What a report shows of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GatheredTable {
    /// The state of the design, with the advice on it.
    pub view: DesignView,
    /// At most 5,000 keys of the table; empty unless its key has a Z-order.
    pub keys: Vec<RowKey>,
}

/// Rows of one slice of a read, in logical order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryChunk {
    /// The rows of this slice.
    pub rows: Vec<Row>,
    /// Statistics of all slices so far.
    pub stats: ReadStats,
    /// Number of row ranges and keys of the query: N for a salted template, N + 1 across its
    /// cut-over.
    pub ranges: u32,
    /// Whether more rows are scanned than requested, because the template cannot serve the query by
    /// ranges alone.
    pub scans_more: bool,
    /// Microseconds that the worker has spent on the query so far.
    pub elapsed_micros: u64,
    /// Whether no more rows follow.
    pub complete: bool,
}

/// A slice of a query that records what it touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TouchChunk {
    /// What the query has touched so far.
    pub touched: Touched,
    /// Whether the query is complete.
    pub complete: bool,
}

/// A slice of a traced query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceChunk {
    /// The counts of each node of the query's filter so far. A node comes before the nodes nested
    /// in it.
    pub nodes: Vec<NodeCount>,
    /// All rows of this slice in logical order, if they were requested. `dropped_by` names a node
    /// of the query's filter; `None` if the choice of rows dropped the cell.
    pub rows: Vec<TracedRow>,
    /// Whether no more rows follow.
    pub complete: bool,
}
