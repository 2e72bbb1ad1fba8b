//! Single requests to the tables of an instance, many at a time. They are not retried: a
//! measurement shows each error.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use gcp_auth::TokenProvider;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as data;
use prost::Message;
use tabletop_cluster::Operation;
use tabletop_model::{Error, ReadStats, Result};
use tabletop_server::client::raw::Raw;
use tabletop_server::client::{mutation_message, read_modify_write_message, read_rows_message, read_stats};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, ClientTlsConfig};
use tonic::{Request, Status};

use super::{CONNECT_TIMEOUT, Target, no_credentials, not_connected, uri};

const DATA: &str = "https://bigtable.googleapis.com";
const SCOPES: [&str; 1] = ["https://www.googleapis.com/auth/bigtable.data"];
/// The interval of pings, which detect lost connections.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The concurrent requests of a channel: production allows no more.
const REQUESTS_PER_CHANNEL: usize = 100;

/// Connections to the tables of an instance. Each is opened by its first request, and reopened
/// after it was lost.
pub(crate) struct DataClient {
    channels: Vec<Channel>,
    next: AtomicUsize,
    tokens: Option<Arc<dyn TokenProvider>>,
}

/// A request that can be sent.
#[derive(Clone, Debug)]
pub(crate) struct Encoded {
    method: PathAndQuery,
    message: Bytes,
    table_name: Arc<str>,
}

/// What a read has returned, and what the server has counted for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Rows in the answer.
    pub(crate) rows: u64,
    /// Cells in the answer.
    pub(crate) cells: u64,
    /// The counts of the server; `None` if it has sent none, as an emulator may.
    pub(crate) stats: Option<ReadStats>,
}

impl Encoded {
    /// Encodes a request to the table with this full name.
    pub(crate) fn new(table_name: &Arc<str>, operation: &Operation) -> Encoded {
        let name = || table_name.to_string();
        let (method, message) = match operation {
            Operation::Read(read) => {
                ("/google.bigtable.v2.Bigtable/ReadRows", read_rows_message(name(), read))
            }
            Operation::Write(row) => {
                let mutations = row.mutations.iter().cloned().map(mutation_message).collect();
                let request = data::MutateRowRequest {
                    table_name: name(),
                    row_key: row.key.to_vec(),
                    mutations,
                    ..Default::default()
                };
                ("/google.bigtable.v2.Bigtable/MutateRow", request.encode_to_vec())
            }
            Operation::ReadModifyWrite(row) => {
                let request = read_modify_write_message(name(), row.clone());
                ("/google.bigtable.v2.Bigtable/ReadModifyWriteRow", request.encode_to_vec())
            }
        };
        Encoded {
            method: PathAndQuery::from_static(method),
            message: message.into(),
            table_name: table_name.clone(),
        }
    }
}

impl DataClient {
    /// Creates a client for this many concurrent requests. For Google Cloud, it uses the default
    /// credentials. Must be called in a runtime.
    ///
    /// # Errors
    /// An invalid address; missing credentials.
    pub(crate) async fn new(target: &Target, parallel: usize) -> Result<DataClient> {
        let (endpoint, tokens) = match &target.emulator {
            Some(host) => (Channel::builder(uri(host)?), None),
            None => {
                let tokens = gcp_auth::provider().await.map_err(no_credentials)?;
                tokens.token(&SCOPES).await.map_err(no_credentials)?;
                let endpoint = Channel::from_static(DATA)
                    .tls_config(ClientTlsConfig::new().with_native_roots())
                    .map_err(|error| not_connected(error.into()))?;
                (endpoint, Some(tokens))
            }
        };
        let endpoint = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .keep_alive_while_idle(true);
        let channels =
            (0..parallel.div_ceil(REQUESTS_PER_CHANNEL).max(1)).map(|_| endpoint.connect_lazy()).collect();
        Ok(DataClient { channels, next: AtomicUsize::new(0), tokens })
    }

    /// Sends a request, and waits for the end of its answer, which is not examined.
    ///
    /// # Errors
    /// The status of the server, or of the connection.
    pub(crate) async fn send(&self, request: Encoded) -> std::result::Result<(), Status> {
        self.call(request, |_| Ok(())).await
    }

    /// Sends a read, and counts what it returns.
    ///
    /// # Errors
    /// The errors of [`DataClient::send`]: the status of the server, or of the connection;
    /// `Internal` for an answer that cannot be read.
    pub(crate) async fn read(&self, request: Encoded) -> std::result::Result<Seen, Status> {
        let mut seen = Seen::default();
        self.call(request, |message| {
            let answer = data::ReadRowsResponse::decode(message)
                .map_err(|error| Status::internal(format!("the answer cannot be read: {error}")))?;
            for chunk in answer.chunks {
                seen.rows += u64::from(matches!(
                    chunk.row_status,
                    Some(data::read_rows_response::cell_chunk::RowStatus::CommitRow(true))
                ));
                // The last chunk of a cell has no size of what follows.
                seen.cells += u64::from(chunk.value_size == 0);
            }
            seen.stats = answer.request_stats.map(read_stats).or(seen.stats);
            Ok(())
        })
        .await?;
        Ok(seen)
    }

    async fn call(
        &self,
        request: Encoded,
        mut each: impl FnMut(Bytes) -> std::result::Result<(), Status>,
    ) -> std::result::Result<(), Status> {
        let Encoded { method, message, table_name } = request;
        let mut request = Request::new(message);
        let invalid = |_| Status::internal("the name of the table cannot be sent");
        let parameters = format!("table_name={}", table_name.replace('/', "%2F"));
        request
            .metadata_mut()
            .insert("x-goog-request-params", MetadataValue::try_from(parameters).map_err(invalid)?);
        if let Some(tokens) = &self.tokens {
            let token =
                tokens.token(&SCOPES).await.map_err(|error| Status::unauthenticated(error.to_string()))?;
            let bearer = MetadataValue::try_from(format!("Bearer {}", token.as_str())).map_err(invalid)?;
            request.metadata_mut().insert("authorization", bearer);
        }
        let channel = self.channels[self.next.fetch_add(1, Ordering::Relaxed) % self.channels.len()].clone();
        let mut grpc = Grpc::new(channel).max_decoding_message_size(usize::MAX);
        grpc.ready().await.map_err(|error| Status::unavailable(with_source(&error)))?;
        let mut stream = grpc.server_streaming(request, method, Raw).await?.into_inner();
        while let Some(message) = stream.message().await? {
            each(message)?;
        }
        Ok(())
    }
}

/// The errors of a connection say little; their sources say more.
fn with_source(error: &dyn std::error::Error) -> String {
    let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}

/// Returns an error about a table, for the user.
pub(crate) fn refused(doing: &str, status: &Status) -> Error {
    let what = std::error::Error::source(status).map_or_else(|| status.message().to_string(), with_source);
    Error::new(tabletop_model::Code::Unavailable, format!("{doing}: {what} ({:?})", status.code()))
}
