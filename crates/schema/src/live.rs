//! Messages between the page and a running server (`tabletop serve --page`): what the server has, what clients do to one of its tables,
//! and requests to it. Each is a job ([`crate::Job`]) of the server: [`WatchServer`], [`WatchTable`] and [`AskInstance`].
//!
//! # The connection
//!
//! The server prints the address of the page, `http://HOST:PORT/#server=TOKEN`: the token is 32 hexadecimal digits, another one in each
//! run of the server. The page opens a WebSocket at [`LIVE_PATH`] of the host that it is from, `ws://HOST:PORT/live`, and offers two
//! subprotocols, [`LIVE_PROTOCOL`] and [`LIVE_TOKEN_PREFIX`] with the token: `new WebSocket(url, ["tabletop", "token.TOKEN"])`. The server
//! selects the first of them. It refuses a handshake with a status of HTTP that the browser keeps from the page (which sees close code 1006)
//! unless `Host` and `Origin` are those of its page. A handshake without the right token, or beyond the limit of connections, is completed, so
//! that the page can tell why it is closed at once: [`LIVE_CLOSE_TOKEN`] or [`LIVE_CLOSE_BUSY`], with a reason in English. When the server is
//! stopped, it closes with 1001.
//!
//! Each message is binary and is a frame as between page and worker: four bytes of request id, little-endian, then the wire encoding of an
//! [`crate::Ask`] to the server, or of an [`crate::Answer`] from it. The first message of the server is [`crate::Notice::Ready`] with id 0.
//! Each request has one answer with its id; answers may come in another order than their requests. Only [`crate::Ask::Job`] is answered
//! with [`crate::Answer::Job`]: other requests, and a frame whose request cannot be decoded, get [`crate::Answer::Failed`]. A message that
//! is text, has no id or the id 0, or is longer than [`LIVE_MESSAGE_BYTES_MAX`] ends the connection (codes 1003, 1002 and 1009). The page may
//! have [`LIVE_REQUESTS_MAX`] requests without an answer; the server does not read further ones until one is answered.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tabletop_model::{Error, Request, Response, TableSpec, TableView, Timestamp};

use crate::{Diagnosis, HeatColumns, HeatMetric, Job, StreamSecond, TabletPlaced};

/// The path of the WebSocket.
pub const LIVE_PATH: &str = "/live";
/// The subprotocol that the page offers first, and the server selects.
pub const LIVE_PROTOCOL: &str = "tabletop";
/// What stands before the token in the second subprotocol that the page offers.
pub const LIVE_TOKEN_PREFIX: &str = "token.";
/// The code with which a connection is closed whose token is not that of this run of the server.
pub const LIVE_CLOSE_TOKEN: u16 = 4_401;
/// The code with which a connection is closed because the server has as many as it allows.
pub const LIVE_CLOSE_BUSY: u16 = 4_429;
/// The longest message, in bytes, in either direction.
pub const LIVE_MESSAGE_BYTES_MAX: usize = 16 << 20;
/// The requests of a connection that are answered at a time.
pub const LIVE_REQUESTS_MAX: usize = 8;

/// Returns what a server has, as often as the page requests a slice.
pub struct WatchServer;

impl Job for WatchServer {
    const NAME: &'static str = "watch_server";
    const OPEN_MAX: usize = 4;
    type Request = ();
    type Order = ();
    type Chunk = LiveServer;
}

/// Returns what clients do to one table, as far as the page does not have it. The server begins to count with the first run, or with
/// the first request of a client.
pub struct WatchTable;

impl Job for WatchTable {
    const NAME: &'static str = "watch_table";
    const OPEN_MAX: usize = 4;
    type Request = LiveTable;
    type Order = LiveHave;
    type Chunk = LiveTableView;
}

/// Sends a request to an instance, as a client would, at the time of the server; one slice. A read always returns slices of rows. It
/// does not count in the heatmap. The chunk is the response, also if the instance refused the request.
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

/// What a server has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveServer {
    /// The address at which clients reach the API: a host with a port, or the path of a socket.
    pub address: String,
    /// The folder of the tables; `None` keeps them in memory.
    pub data: Option<String>,
    /// Its clock, in microseconds since 1970.
    pub now: Timestamp,
    /// Clients that are connected to the API.
    pub clients: u32,
    /// Its instances, by name.
    pub instances: Vec<LiveInstance>,
}

/// An instance of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveInstance {
    /// Its name, as `projects/P/instances/I`.
    pub name: String,
    /// Its tables by id, at most 1,000; none while it is not open.
    pub tables: Vec<LiveFigures>,
    /// Further tables.
    pub tables_left_out: u32,
    /// Whether it is open. A request opens it.
    pub is_open: bool,
    /// The reason why it cannot be read.
    pub trouble: Option<Error>,
}

/// Figures of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveFigures {
    /// Its id.
    pub table: String,
    /// Rows, about.
    pub rows: u64,
    /// Stored bytes, about.
    pub bytes: u64,
    /// Tablets.
    pub tablets: u32,
    /// Rows that clients have read per second, over the last ten seconds.
    pub reads_per_second: f32,
    /// Rows that clients have written per second, over the last ten seconds.
    pub writes_per_second: f32,
}

/// What the page has of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveHave {
    /// The counting that this is from ([`LiveTableView::epoch`]); 0 for none.
    pub epoch: u64,
    /// Seconds of its history: the next one is asked for.
    pub seconds: u32,
    /// Entries of the list of where tablets are.
    pub places: u32,
    /// The metric of the heatmap.
    pub metric: HeatMetric,
    /// The columns of this metric, as [`HeatColumns::revision`]; 0 for none.
    pub heat: u32,
}

/// What clients do to a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveTableView {
    /// Names this counting. It is another one when the table was created again, or when its counts were dropped: the page then drops what it
    /// has, and this is all.
    pub epoch: u64,
    /// The time at which it began, in microseconds since 1970.
    pub began: Timestamp,
    /// Whole seconds that it has lasted.
    pub seconds: u32,
    /// The table and its tablets.
    pub view: TableView,
    /// Its families, in the order of their creation, and its settings.
    pub spec: TableSpec,
    /// The second with which `history` begins: the one that the page has asked for, or the first of the last hour, if that is later.
    pub history_from: u32,
    /// The seconds of the history from there on.
    pub history: Vec<LiveSecond>,
    /// Where tablets are since what the page has. The node of all is 0.
    pub places: Vec<TabletPlaced>,
    /// The heatmap.
    pub heat: HeatColumns,
    /// What is wrong, the most serious first. None has a fix, because the server does not know the design.
    pub diagnoses: Vec<Diagnosis>,
}

/// A second of what clients do to a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSecond {
    /// Rows that were read.
    pub reads: u32,
    /// Rows that were written.
    pub writes: u32,
    /// Bytes that were read and written.
    pub bytes: u64,
    /// The calls that have ended: how many were answered or refused, and how long the answered ones took within the server. Those that their
    /// clients have given up do not count.
    pub calls: StreamSecond,
}
