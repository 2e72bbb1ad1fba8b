//! A database that is reached over a socket: requests become calls of the Bigtable API to a server on another thread.
//!
//! Requests that the API does not have (thresholds, views of tablets, files of tables) are sent to the server's instance
//! directly.

mod admin;
mod rows;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use prost::Message;
use tabletop_engine::Budget;
use tabletop_model::{Code, Error, Request, Response, Result, TableRequest, Timestamp};
use tabletop_server::{Host, InstanceName, Served};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tonic::Status;
use tonic::client::Grpc;
use tonic::transport::Channel;

use crate::Database;
use crate::raw::Raw;

const INSTANCE: &str = "projects/p/instances/i";
const DATA: &str = "google.bigtable.v2.Bigtable";
/// Longest time of a call, so that a hanging server is detected.
const CALL_MAX: Duration = Duration::from_secs(60);
const ADMIN: &str = "google.bigtable.admin.v2.BigtableTableAdmin";

/// A client, and the server unless it runs in another process.
pub struct Remote {
    runtime: Runtime,
    client: Grpc<Channel>,
    served: Option<Arc<Served>>,
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
    /// When the system has no free port.
    pub fn new() -> Remote {
        let now = Arc::new(AtomicI64::new(0));
        let clock = now.clone();
        let host = Arc::new(Host::in_memory(move || clock.load(Ordering::SeqCst)));
        let name = InstanceName { project: "p".into(), instance: "i".into() };
        let served = host.instance_or_new(&name).expect("a name");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
        let client = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            let api = tabletop_server::grpc::Api::open(host).expect("a host in memory");
            tokio::spawn(tabletop_server::grpc::serve(listener, api, tabletop_server::Access::default(), std::future::pending()));
            let channel = Channel::from_shared(format!("http://{address}")).expect("an address");
            Grpc::new(channel.connect().await.expect("a server"))
        });
        Remote { runtime, client, served: Some(served), now }
    }

    /// A server in another process. The connection is opened on the first request, and again after it was lost.
    ///
    /// # Panics
    /// When the address is invalid.
    pub fn to(address: &str) -> Remote {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
        let channel = Channel::from_shared(format!("http://{address}")).expect("an address").timeout(CALL_MAX);
        let channel = {
            let _inside = runtime.enter();
            channel.connect_lazy()
        };
        let client = Grpc::new(channel).max_decoding_message_size(usize::MAX);
        Remote { runtime, client, served: None, now: Arc::default() }
    }

    fn answer(&mut self, request: Request) -> Result<Response> {
        let Request::Table { table, request } = request else {
            return match request {
                Request::ListTables => self.list_tables(),
                other => self.ask_served(other),
            };
        };
        match request {
            TableRequest::Create(_) | TableRequest::Delete | TableRequest::ModifyFamilies(_) | TableRequest::DropRowRange(_) => {
                self.administer(table, request)
            }
            TableRequest::MutateRows(_)
            | TableRequest::CheckAndMutateRow(_)
            | TableRequest::ReadModifyWriteRow(_)
            | TableRequest::ReadRows(_)
            | TableRequest::SampleRowKeys => self.use_rows(&table, request),
            other => self.ask_served(other.of(table)),
        }
    }

    /// Handles requests that the API does not have: views and thresholds. A backup there is a table of another name.
    fn ask_served(&self, request: Request) -> Result<Response> {
        match &self.served {
            Some(served) => Ok(served.handle(request)),
            None => Err(Error::new(Code::Internal, format!("the API has no call for {request:?}"))),
        }
    }

    /// Calls a method that answers with one message or several.
    fn call(&mut self, service: &str, method: &str, request: Vec<u8>) -> Result<Vec<Bytes>> {
        let path = format!("/{service}/{method}").parse().expect("a path");
        let client = &mut self.client;
        let answers = self.runtime.block_on(async {
            client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
            let request = tonic::Request::new(Bytes::from(request));
            let mut stream = client.server_streaming(request, path, Raw).await?.into_inner();
            let mut messages = Vec::new();
            while let Some(message) = stream.message().await? {
                messages.push(message);
            }
            Ok(messages)
        });
        answers.map_err(|status: Status| error(status.code(), status.message()))
    }

    /// Calls a method that answers with one message.
    fn ask<A: Message + Default>(&mut self, service: &str, method: &str, request: &impl Message) -> Result<A> {
        let answers = self.call(service, method, request.encode_to_vec())?;
        Ok(A::decode(&answers[0][..]).expect("an answer"))
    }
}

impl Database for Remote {
    fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.now.store(now, Ordering::SeqCst);
        self.answer(request).unwrap_or_else(Response::Refused)
    }

    fn settle(&mut self, now: Timestamp) {
        self.now.store(now, Ordering::SeqCst);
        let slice = |instance: &mut tabletop_engine::Instance<_>, now| Ok(instance.advance(now, Budget { bytes: 4_096 }));
        // A server in another process works by itself.
        if let Some(served) = &self.served {
            while served.with(slice).expect("an instance") {}
        }
    }
}

fn table_name(table: &str) -> String {
    format!("{INSTANCE}/tables/{table}")
}

/// Converts a status back to an error.
fn error(code: tonic::Code, message: &str) -> Error {
    let code = match code {
        tonic::Code::InvalidArgument => Code::InvalidArgument,
        tonic::Code::NotFound => Code::NotFound,
        tonic::Code::AlreadyExists => Code::AlreadyExists,
        tonic::Code::FailedPrecondition => Code::FailedPrecondition,
        tonic::Code::ResourceExhausted => Code::ResourceExhausted,
        tonic::Code::Cancelled => Code::Cancelled,
        tonic::Code::DataLoss => Code::DataLoss,
        tonic::Code::Unavailable => Code::Unavailable,
        other => return Error::new(Code::Internal, format!("{other:?}: {message}")),
    };
    Error::new(code, message)
}
