//! A server in this process, and a client that checks the protocol strictly.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use proto::bigtable_client::BigtableClient;
use proto::mutation::{Mutation as Kind, SetCell};
use proto::read_rows_response::cell_chunk::RowStatus;
use proto::row_filter::Filter;
use proto::{Mutation, ReadRowsRequest, ReadRowsResponse, RowFilter};
use tabletop_model::{ColumnFamily, RowKey, TableSettings, TableSpec};
use tabletop_server::grpc::Api;
use tabletop_server::{Access, Host, InstanceName, table_settings};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Status};

pub use tabletop_server::client::raw::Raw;

pub const TABLE: &str = "projects/p/instances/i/tables/t";

/// A server on its own port, whose clock stands still until a test changes it.
pub struct Server {
    pub host: Arc<Host>,
    pub address: String,
    pub clock: Arc<AtomicI64>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server with an empty table `t` of the families f and e, created in this order.
    pub async fn start() -> Server {
        let server = Server::bare(Host::in_memory).await;
        server.create(TableSpec {
            families: families(&["f", "e"]),
            initial_splits: vec![],
            settings: table_settings(),
        });
        server
    }

    /// Starts a server without tables.
    pub async fn bare(host: impl FnOnce(Box<dyn Fn() -> i64 + Send + Sync>) -> Host) -> Server {
        Server::limited(host, Access::default(), |api| api).await
    }

    /// Starts a server without tables, with limits.
    pub async fn limited(
        host: impl FnOnce(Box<dyn Fn() -> i64 + Send + Sync>) -> Host,
        access: Access,
        limit: impl FnOnce(Api) -> Api,
    ) -> Server {
        let clock = Arc::new(AtomicI64::new(1_700_000_000_123_456));
        let shared_clock = clock.clone();
        let host = Arc::new(host(Box::new(move || shared_clock.load(Ordering::SeqCst))));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel();
        let api = limit(Api::open(host.clone()).unwrap());
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            tabletop_server::grpc::serve(listener, api, access, stopped).await;
        });
        Server { host, address, clock, stop: Some(stop), task }
    }

    /// Creates the table.
    pub fn create(&self, spec: TableSpec) {
        let served = self.host.instance_or_new(&instance()).unwrap();
        served.change(|instance, now| instance.create_table(now, "t", spec)).unwrap();
    }

    pub async fn client(&self) -> BigtableClient<Channel> {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).unwrap();
        BigtableClient::new(endpoint.connect().await.unwrap())
    }

    /// Returns a client that calls itself one in Go, and takes messages of any size.
    pub async fn go_client(&self) -> BigtableClient<Channel> {
        let endpoint = Channel::from_shared(format!("http://{}", self.address))
            .unwrap()
            .user_agent("grpc-go/1.71.0")
            .unwrap();
        BigtableClient::new(endpoint.connect().await.unwrap()).max_decoding_message_size(usize::MAX)
    }

    /// Stops it as a signal does.
    pub async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.task.await.unwrap();
        self.host.close();
    }
}

pub fn instance() -> InstanceName {
    InstanceName { project: "p".into(), instance: "i".into() }
}

pub fn families(names: &[&str]) -> Vec<ColumnFamily> {
    names.iter().map(|name| ColumnFamily::new(*name)).collect()
}

/// Thresholds so small that little data makes many SSTables and tablets.
pub fn small() -> TableSettings {
    TableSettings {
        block_bytes: 1_000,
        memtable_bytes_max: 20_000,
        tablet_bytes_max: 200_000,
        ..table_settings()
    }
}

pub fn set(family: &str, qualifier: &str, timestamp: i64, value: impl Into<Vec<u8>>) -> Mutation {
    let cell = SetCell {
        family_name: family.into(),
        column_qualifier: qualifier.into(),
        timestamp_micros: timestamp,
        value: value.into(),
    };
    Mutation { mutation: Some(Kind::SetCell(cell)) }
}

pub async fn write(
    client: &mut BigtableClient<Channel>,
    key: &str,
    mutations: Vec<Mutation>,
) -> Result<(), Status> {
    let request = proto::MutateRowRequest {
        table_name: TABLE.into(),
        row_key: key.into(),
        mutations,
        ..Default::default()
    };
    client.mutate_row(request).await.map(drop)
}

pub fn filter(filter: Filter) -> RowFilter {
    RowFilter { filter: Some(filter) }
}

pub fn request() -> ReadRowsRequest {
    ReadRowsRequest { table_name: TABLE.into(), ..Default::default() }
}

/// Reads all rows, each as a line: `key family:qualifier@time=value {label}`.
pub async fn read(
    client: &mut BigtableClient<Channel>,
    request: ReadRowsRequest,
) -> Result<Vec<String>, Status> {
    let mut stream = client.read_rows(request.clone()).await?.into_inner();
    let mut rows = Rows::new(request.reversed);
    while let Some(response) = stream.message().await? {
        rows.take(response);
    }
    Ok(rows.done())
}

/// Reads the rows that a filter passes, each as a line.
pub async fn filtered(client: &mut BigtableClient<Channel>, kind: Filter) -> Result<Vec<String>, Status> {
    read(client, ReadRowsRequest { filter: Some(filter(kind)), ..request() }).await
}

/// Asserts that a call fails with this code and these words.
pub fn refused<T: std::fmt::Debug>(answer: Result<T, Status>, code: Code, words: &str) {
    match answer {
        Ok(answer) => panic!("it is not refused: {answer:?}"),
        Err(status) => assert!(status.code() == code && status.message().contains(words), "{status:?}"),
    }
}

/// Rows, assembled from chunks by the rules of the protocol.
#[derive(Default)]
pub struct Rows {
    is_reversed: bool,
    lines: Vec<String>,
    /// The key of the incomplete row.
    key: Option<RowKey>,
    cells: Vec<String>,
    family: Option<String>,
    qualifier: Option<Vec<u8>>,
    /// The cell's head, its value so far, and the value's announced size.
    value: Option<(String, Vec<u8>, usize)>,
    last_key: Option<RowKey>,
    /// The keys of the messages about the last row that was scanned.
    pub last_scanned: Vec<RowKey>,
    pub stats: Option<proto::RequestStats>,
}

impl Rows {
    pub fn new(is_reversed: bool) -> Rows {
        Rows { is_reversed, ..Rows::default() }
    }

    pub fn take(&mut self, response: ReadRowsResponse) {
        assert!(self.stats.is_none(), "the stats come last");
        let begun = response.chunks.iter().filter(|chunk| !chunk.row_key.is_empty()).count();
        let bytes = response.encoded_len();
        for chunk in response.chunks {
            self.chunk(chunk);
        }
        // Except for a row of more than 4 MiB, which has its own messages.
        assert!(self.key.is_none() || bytes > 1 << 20 && begun <= 1, "a message ends where a row ends");
        if !response.last_scanned_row_key.is_empty() {
            let key = RowKey::from(response.last_scanned_row_key);
            self.pass(key.clone());
            self.last_scanned.push(key);
        }
        self.stats = response.request_stats;
    }

    pub fn done(self) -> Vec<String> {
        assert!(self.key.is_none(), "the last row is not complete");
        self.lines
    }

    fn pass(&mut self, key: RowKey) {
        let ascends = self
            .last_key
            .as_ref()
            .is_none_or(|last| if self.is_reversed { key < *last } else { key > *last });
        assert!(ascends, "{key} after {:?}", self.last_key);
        self.last_key = Some(key);
    }

    fn chunk(&mut self, chunk: proto::read_rows_response::CellChunk) {
        if self.key.is_none() {
            assert!(!chunk.row_key.is_empty(), "a row begins with its key");
            assert!(chunk.family_name.is_some() && chunk.qualifier.is_some(), "and with a column");
            self.pass(chunk.row_key.clone().into());
            self.key = Some(chunk.row_key.into());
            (self.family, self.qualifier) = (None, None);
        } else {
            assert!(chunk.row_key.is_empty(), "a row's key comes once");
        }
        if self.value.is_none() {
            if let Some(family) = chunk.family_name {
                assert_ne!(self.family.as_ref(), Some(&family), "a family comes when it changes");
                assert!(chunk.qualifier.is_some(), "a family comes with a qualifier");
                (self.family, self.qualifier) = (Some(family), None);
            }
            if let Some(qualifier) = chunk.qualifier {
                assert_ne!(self.qualifier.as_ref(), Some(&qualifier), "a qualifier comes when it changes");
                self.qualifier = Some(qualifier);
            }
            let (family, qualifier) = (self.family.as_ref().unwrap(), self.qualifier.clone().unwrap());
            let labels: String = chunk.labels.iter().map(|label| format!(" {{{label}}}")).collect();
            let head = format!("{family}:{}@{}{labels}", RowKey::from(qualifier), chunk.timestamp_micros);
            self.value = Some((head, Vec::new(), chunk.value_size as usize));
        } else {
            assert!(
                chunk.family_name.is_none() && chunk.qualifier.is_none() && chunk.timestamp_micros == 0,
                "in a value"
            );
        }
        let (head, value, size) = self.value.as_mut().unwrap();
        value.extend_from_slice(&chunk.value);
        if chunk.value_size > 0 {
            assert_eq!(chunk.value_size as usize, *size);
            assert!(chunk.row_status.is_none(), "a row is not complete within a value");
            return;
        }
        assert!(*size == 0 || *size == value.len(), "the value has the announced size");
        let shown = if value.len() > 100 {
            format!("({} bytes)", value.len())
        } else {
            RowKey::from(value.clone()).to_string()
        };
        self.cells.push(format!("{head}={shown}"));
        self.value = None;
        match chunk.row_status {
            None => {}
            Some(RowStatus::CommitRow(true)) => {
                let key = self.key.take().unwrap();
                self.lines.push(format!("{key} {}", std::mem::take(&mut self.cells).join(" ")));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Sends an encoded request to a method of the data service.
pub async fn send(server: &Server, method: &str, message: Vec<u8>) -> Result<Vec<Bytes>, Status> {
    send_to(server, &format!("google.bigtable.v2.Bigtable/{method}"), message).await
}

/// Sends an encoded request to a method of any service.
pub async fn send_to(server: &Server, method: &str, message: Vec<u8>) -> Result<Vec<Bytes>, Status> {
    let endpoint = Channel::from_shared(format!("http://{}", server.address)).unwrap();
    let mut client = Grpc::new(endpoint.connect().await.unwrap());
    client.ready().await.unwrap();
    let path = format!("/{method}").parse().unwrap();
    let mut stream =
        client.server_streaming(tonic::Request::new(message.into()), path, Raw).await?.into_inner();
    let mut messages = Vec::new();
    while let Some(message) = stream.message().await? {
        messages.push(message);
    }
    Ok(messages)
}
