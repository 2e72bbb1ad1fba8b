//! A client of a Bigtable: requests of `model` become calls of the API. Requests that the API does
//! not have (thresholds, views of tablets, files of tables) are rejected.

pub mod raw;
mod rows;
mod tables;

pub use rows::{mutation_message, read_modify_write_message, read_rows_message, read_stats};
pub use tables::family_message;

use bytes::Bytes;
use prost::Message;
use tabletop_model::{Code, Error, Request, Response, Result, TableRequest};
use tokio::runtime::Runtime;
use tonic::Status;
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Endpoint;

use self::raw::Raw;
use crate::access::Token;
use crate::host::InstanceName;

const DATA: &str = "google.bigtable.v2.Bigtable";
const ADMIN: &str = "google.bigtable.admin.v2.BigtableTableAdmin";

/// A connection to a server and one of its instances. It is opened by the first request, and
/// reopened after it was lost.
pub struct Client {
    runtime: Runtime,
    grpc: Grpc<tonic::transport::Channel>,
    /// `projects/{project}/instances/{instance}`.
    instance: String,
    authorization: Option<MetadataValue<Ascii>>,
}

impl Client {
    /// Creates a client of an instance. `token` is the token that the server requires, if any.
    ///
    /// # Errors
    /// `Unavailable` when no thread can be started.
    pub fn new(endpoint: &Endpoint, instance: &InstanceName, token: Option<&Token>) -> Result<Client> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime
            .map_err(|error| Error::new(Code::Unavailable, format!("no threads can be started: {error}")))?;
        let channel = {
            let _inside = runtime.enter();
            endpoint.connect_lazy()
        };
        let authorization = token.and_then(|token| format!("Bearer {}", token.text()).parse().ok());
        let instance = format!("projects/{}/instances/{}", instance.project, instance.instance);
        Ok(Client {
            runtime,
            grpc: Grpc::new(channel).max_decoding_message_size(usize::MAX),
            instance,
            authorization,
        })
    }

    /// Answers a request. Errors of the server or of the connection are returned in the response.
    pub fn handle(&mut self, request: Request) -> Response {
        self.answer(request).unwrap_or_else(Response::Refused)
    }

    fn answer(&mut self, request: Request) -> Result<Response> {
        match request {
            Request::ListTables => self.list_tables(),
            Request::Table { table, request } => match request {
                TableRequest::Create(_)
                | TableRequest::Delete
                | TableRequest::Describe
                | TableRequest::ModifyFamilies(_)
                | TableRequest::DropRowRange(_) => self.administer(&table, request),
                other => self.use_rows(&table, other),
            },
            Request::ListBackups | Request::DeleteBackup { .. } => {
                Err(unsupported("this request for backups"))
            }
        }
    }

    /// Calls a method that answers with one message or several. Reads messages while `each` returns
    /// true.
    fn call(
        &mut self,
        service: &str,
        method: &str,
        request: Vec<u8>,
        mut each: impl FnMut(Bytes) -> Result<bool>,
    ) -> Result<()> {
        let path = format!("/{service}/{method}").parse().map_err(|_| malformed())?;
        let grpc = &mut self.grpc;
        let mut request = tonic::Request::new(Bytes::from(request));
        if let Some(authorization) = &self.authorization {
            request.metadata_mut().insert("authorization", authorization.clone());
        }
        self.runtime.block_on(async {
            let lost = |error: &dyn std::error::Error| {
                // The errors of the connection say little; their sources say more.
                let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
                Error::new(Code::Unavailable, format!("the server cannot be reached: {error}{source}"))
            };
            grpc.ready().await.map_err(|error| lost(&error))?;
            let failed = |status: Status| match std::error::Error::source(&status) {
                Some(source) => lost(source),
                None => error(status.code(), status.message()),
            };
            let mut stream = grpc.server_streaming(request, path, Raw).await.map_err(failed)?.into_inner();
            while let Some(message) = stream.message().await.map_err(failed)? {
                if !each(message)? {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Calls a method that answers with one message.
    fn ask<A: Message + Default>(
        &mut self,
        service: &str,
        method: &str,
        request: &impl Message,
    ) -> Result<A> {
        self.ask_encoded(service, method, request.encode_to_vec())
    }

    /// Calls a method with an encoded request, and returns its one answer.
    fn ask_encoded<A: Message + Default>(
        &mut self,
        service: &str,
        method: &str,
        request: Vec<u8>,
    ) -> Result<A> {
        let mut answer = None;
        self.call(service, method, request, |message| {
            answer = Some(decoded(&message)?);
            Ok(true)
        })?;
        answer.ok_or_else(malformed)
    }

    fn table_name(&self, table: &str) -> String {
        format!("{}/tables/{table}", self.instance)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("instance", &self.instance).finish_non_exhaustive()
    }
}

fn decoded<M: Message + Default>(message: &[u8]) -> Result<M> {
    M::decode(message).map_err(|_| malformed())
}

fn malformed() -> Error {
    Error::new(Code::Internal, "the server's answer cannot be read: is it a Bigtable?")
}

fn unsupported(what: &str) -> Error {
    Error::new(Code::FailedPrecondition, format!("the Bigtable API has no call for {what}"))
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
