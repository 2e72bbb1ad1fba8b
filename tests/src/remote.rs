//! A database that is reached over a socket: requests become calls of the Bigtable API to a server
//! on another thread.
//!
//! Requests that the API does not have (thresholds, views of tablets, files of tables) are sent to
//! the server's instance directly.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tabletop_model::{Request, Response, TableRequest, Timestamp};
use tabletop_server::{Client, Host, InstanceName, Served};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

use crate::Database;

/// Longest time of a call, so that a hanging server is detected.
const CALL_MAX: Duration = Duration::from_secs(60);

/// A client, and the server unless it runs in another process.
pub struct Remote {
    client: Client,
    /// The server, and the threads that run it.
    served: Option<(Arc<Served>, Runtime)>,
    now: Arc<AtomicI64>,
}

impl Default for Remote {
    fn default() -> Self {
        Remote::new()
    }
}

impl Remote {
    /// An empty instance, in memory.
    ///
    /// # Panics
    /// If the system has no free port.
    pub fn new() -> Remote {
        let now = Arc::new(AtomicI64::new(0));
        let clock = now.clone();
        let host = Arc::new(Host::in_memory(move || clock.load(Ordering::SeqCst)));
        let served = host.instance_or_new(&name()).expect("a name");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("threads");
        let address = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            let api = tabletop_server::grpc::Api::open(host).expect("a host in memory");
            tokio::spawn(tabletop_server::grpc::serve(
                listener,
                api,
                tabletop_server::Access::default(),
                std::future::pending(),
            ));
            address
        });
        let endpoint = Channel::from_shared(format!("http://{address}")).expect("an address");
        Remote { client: client(&endpoint), served: Some((served, runtime)), now }
    }

    /// A server in another process. The connection is opened on the first request, and reopened
    /// after it was lost.
    ///
    /// # Panics
    /// If the address is invalid.
    pub fn to(address: &str) -> Remote {
        let endpoint =
            Channel::from_shared(format!("http://{address}")).expect("an address").timeout(CALL_MAX);
        Remote { client: client(&endpoint), served: None, now: Arc::default() }
    }

    /// Sends requests that the API does not have to the server's instance. There, describing a
    /// table also returns its splits.
    fn answer(&mut self, request: Request) -> Response {
        let Some((served, _)) = &self.served else { return self.client.handle(request) };
        match request {
            Request::Table { table, request: TableRequest::Create(spec) } => {
                let settings = spec.settings.clone();
                match self.client.handle(TableRequest::Create(spec).of(table.clone())) {
                    Response::Done => {}
                    refused => return refused,
                }
                let done = served.handle(TableRequest::UpdateSettings(settings).of(table.clone()));
                if matches!(done, Response::Refused(_)) {
                    self.client.handle(TableRequest::Delete.of(table));
                }
                done
            }
            Request::ListTables
            | Request::Table {
                request:
                    TableRequest::Delete
                    | TableRequest::ModifyFamilies(_)
                    | TableRequest::DropRowRange(_)
                    | TableRequest::MutateRows(_)
                    | TableRequest::CheckAndMutateRow(_)
                    | TableRequest::ReadModifyWriteRow(_)
                    | TableRequest::SampleRowKeys,
                ..
            } => self.client.handle(request),
            // In a single call, because the engine's slices differ from those of a client.
            Request::Table { table, request: TableRequest::ReadRows(mut read) } => {
                read.slice_cells_max = 0;
                self.client.handle(TableRequest::ReadRows(read).of(table))
            }
            other => served.handle(other),
        }
    }
}

impl Database for Remote {
    fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.now.store(now, Ordering::SeqCst);
        self.answer(request)
    }

    fn settle(&mut self, now: Timestamp) {
        self.now.store(now, Ordering::SeqCst);
        // A server in another process settles by itself.
        if let Some((served, _)) = &self.served {
            served.finish_work();
        }
    }
}

fn name() -> InstanceName {
    InstanceName { project: "p".into(), instance: "i".into() }
}

fn client(endpoint: &Endpoint) -> Client {
    Client::new(endpoint, &name(), None).expect("threads")
}
