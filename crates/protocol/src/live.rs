//! Messages between the page and a running server (`tabletop serve --page`): the content of the
//! server, the load that clients put on one of its tables, and requests to the server. Each is a
//! job ([`crate::Job`]) of the server: [`WatchServer`], [`WatchTable`] and [`AskInstance`].
//!
//! # The connection
//!
//! The server prints the address of the page, `http://HOST:PORT/#server=TOKEN`: the token has 32
//! hexadecimal digits, and changes with every run of the server. The page opens a WebSocket at
//! [`LIVE_PATH`] of the host that has served it, `ws://HOST:PORT/live`, and offers two
//! subprotocols, [`LIVE_PROTOCOL`] and [`LIVE_TOKEN_PREFIX`] with the token: `new WebSocket(url,
//! ["tabletop", "token.TOKEN"])`. The server selects the first of them. Unless `Host` and `Origin`
//! match its own page, the server refuses the handshake with an HTTP status, which the browser
//! hides from the page (the page sees close code 1006). A handshake without the right token, or
//! beyond the limit of connections, is completed and then closed at once, so that the page learns
//! the reason: [`LIVE_CLOSE_TOKEN`] or [`LIVE_CLOSE_BUSY`], with a reason in English. When the
//! server is stopped, it closes with 1001.
//!
//! Each message is binary. It is a frame like those between page and worker: four bytes of request
//! id, little-endian, then the wire encoding of an [`crate::Ask`] to the server, or of an
//! [`crate::Answer`] from it. The first message of the server is [`crate::Notice::Ready`] with id
//! 0. Each request has one answer with its id; answers may arrive in a different order than their
//! requests. Only [`crate::Ask::Job`] is answered with [`crate::Answer::Job`]: other requests, and
//! a frame whose request cannot be decoded, get [`crate::Answer::Failed`]. A message that is text
//! (code 1003), does not have an id or has the id 0 (1002), or is longer than
//! [`LIVE_MESSAGE_BYTES_MAX`] (1009) ends the connection. The page may have [`LIVE_REQUESTS_MAX`]
//! unanswered requests; the server does not read further ones until one of them is answered.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_advice::Diagnosis;
use tabletop_model::{Error, Request, Response, TableSpec, TableView, Timestamp};

use crate::{HeatColumns, HeatMetric, Job, StreamSecond, TabletPlaced};

/// The path of the WebSocket.
pub const LIVE_PATH: &str = "/live";
/// The subprotocol that the page offers first, and that the server selects.
pub const LIVE_PROTOCOL: &str = "tabletop";
/// The text before the token in the second subprotocol that the page offers.
pub const LIVE_TOKEN_PREFIX: &str = "token.";
/// The close code of a connection whose token is not the token of this run of the server.
pub const LIVE_CLOSE_TOKEN: u16 = 4_401;
/// The close code of a connection that exceeds the limit of connections.
pub const LIVE_CLOSE_BUSY: u16 = 4_429;
/// The longest message, in bytes, in either direction.
pub const LIVE_MESSAGE_BYTES_MAX: usize = 16 << 20;
/// The maximum number of requests of a connection that are answered at the same time.
pub const LIVE_REQUESTS_MAX: usize = 8;

/// Returns the content of a server, each time the page requests a slice.
pub struct WatchServer;

impl Job for WatchServer {
    const NAME: &'static str = "watch_server";
    const OPEN_MAX: usize = 4;
    type Request = ();
    type Order = ();
    type Chunk = LiveServer;
}

/// Returns the load that clients put on one table, without the part that the page already has. The
/// server begins to count with the first run, or with the first request of a client.
pub struct WatchTable;

impl Job for WatchTable {
    const NAME: &'static str = "watch_table";
    const OPEN_MAX: usize = 4;
    type Request = LiveTable;
    type Order = LiveHave;
    type Chunk = LiveTableView;
}

/// Sends a request to an instance, as a client would, at the server's time, in a single slice. A
/// read always returns slices of rows, and does not count in the heatmap. The chunk is the
/// response, even if the instance refused the request.
pub struct AskInstance;

impl Job for AskInstance {
    const NAME: &'static str = "ask_instance";
    const OPEN_MAX: usize = LIVE_REQUESTS_MAX;
    type Request = InstanceRequest;
    type Order = ();
    type Chunk = Response;
}

/// A request to an instance of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InstanceRequest {
    /// The instance, as `projects/P/instances/I`.
    pub instance: String,
    /// The request.
    pub request: Request,
}

/// The name of a table of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LiveTable {
    /// The instance, as `projects/P/instances/I`.
    pub instance: String,
    /// The id of the table.
    pub table: String,
}

/// The content of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveServer {
    /// The address at which clients reach the API: a host with a port, or the path of a socket.
    pub address: String,
    /// The folder of the tables; `None` if the tables are kept in memory.
    pub data: Option<String>,
    /// The server's clock, in microseconds since 1970.
    pub now: Timestamp,
    /// Number of clients that are connected to the API.
    pub clients: u32,
    /// The instances, by name.
    pub instances: Vec<LiveInstance>,
}

/// An instance of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveInstance {
    /// The name, as `projects/P/instances/I`.
    pub name: String,
    /// The tables by id, at most 1,000; empty while the instance is not open.
    pub tables: Vec<LiveFigures>,
    /// Number of further tables, which are left out.
    pub tables_left_out: u32,
    /// Whether the instance is open. A request opens it.
    pub is_open: bool,
    /// Why the instance cannot be read; `None` if it can.
    pub trouble: Option<Error>,
}

/// Figures of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveFigures {
    /// The table's id.
    pub table: String,
    /// Approximate number of rows.
    pub rows: u64,
    /// Approximate number of stored bytes.
    pub bytes: u64,
    /// Number of tablets.
    pub tablets: u32,
    /// Rows that clients have read per second, over the last ten seconds.
    pub reads_per_second: f32,
    /// Rows that clients have written per second, over the last ten seconds.
    pub writes_per_second: f32,
}

/// What the page already has of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveHave {
    /// Identifies the counts that the page has ([`LiveTableView::epoch`]); 0 for none.
    pub epoch: u64,
    /// Number of seconds of history that the page has. The next one is requested.
    pub seconds: u32,
    /// Number of entries that the page has of the list of tablet moves.
    pub places: u32,
    /// The metric of the heatmap.
    pub metric: HeatMetric,
    /// The version of the heatmap's columns that the page has ([`HeatColumns::revision`]); 0 for
    /// none.
    pub heat: u32,
}

/// The load that clients put on a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveTableView {
    /// Identifies the counts. It changes when the table is created again, or when its counts are
    /// dropped. The page then drops what it has, because this view is complete.
    pub epoch: u64,
    /// When the counts began, in microseconds since 1970.
    pub began: Timestamp,
    /// Number of whole seconds since then.
    pub seconds: u32,
    /// The table and its tablets.
    pub view: TableView,
    /// The families, in the order of their creation, and the settings.
    pub spec: TableSpec,
    /// The second with which `history` begins: the one that the page has requested, or the first
    /// second of the last hour, if that is later.
    pub history_from: u32,
    /// The seconds of the history from there on.
    pub history: Vec<LiveSecond>,
    /// The moves of tablets since those that the page has. The node is always 0.
    pub places: Vec<TabletPlaced>,
    /// The heatmap.
    pub heat: HeatColumns,
    /// The problems, the most serious first. They do not have fixes, because the server does not
    /// know the design.
    pub diagnoses: Vec<Diagnosis>,
}

/// The load of a table in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSecond {
    /// Number of rows that were read.
    pub reads: u32,
    /// Number of rows that were written.
    pub writes: u32,
    /// Number of bytes that were read and written.
    pub bytes: u64,
    /// The calls that have ended: how many were answered or refused, and how long the answered ones
    /// took within the server. Calls that were cancelled by their clients are not counted.
    pub calls: StreamSecond,
}
