//! google.bigtable.admin.v2 through a socket: resources are returned as they were created, even
//! after a restart.

mod backups;
mod earlier_builds;
mod families;
mod hot_tablets;
mod instances;
mod tables;
mod views;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as rows;
use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use googleapis_tonic_google_longrunning::google::longrunning::operation::Result as Outcome;
use googleapis_tonic_google_longrunning::google::longrunning::operations_client::OperationsClient;
use prost::Message;
use proto::bigtable_instance_admin_client::BigtableInstanceAdminClient;
use proto::bigtable_table_admin_client::BigtableTableAdminClient;
use rows::bigtable_client::BigtableClient;
use tabletop_server::Host;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

use crate::support::Raw;

const INSTANCE: &str = "projects/p/instances/i";
const TABLE: &str = "projects/p/instances/i/tables/t";
/// The cluster of an instance that was not created by a request.
const CLUSTER: &str = "projects/p/instances/i/clusters/i-c1";
const HOUR: i64 = 3600;

/// A server and clients of all its services.
struct Plane {
    host: Arc<Host>,
    folder: Option<TempDir>,
    clock: Arc<AtomicI64>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    tables: BigtableTableAdminClient<Channel>,
    instances: BigtableInstanceAdminClient<Channel>,
    operations: OperationsClient<Channel>,
    rows: BigtableClient<Channel>,
    channel: Channel,
}

impl Plane {
    async fn in_memory() -> Plane {
        Plane::start(None, Arc::new(AtomicI64::new(1_700_000_000_000_000))).await
    }

    /// Starts a server on an empty data folder.
    async fn in_folder() -> Plane {
        Plane::start(Some(tempfile::tempdir().unwrap()), Arc::new(AtomicI64::new(1_700_000_000_000_000)))
            .await
    }

    async fn start(folder: Option<TempDir>, clock: Arc<AtomicI64>) -> Plane {
        let shared_clock = clock.clone();
        let now = move || shared_clock.load(Ordering::SeqCst);
        let host = Arc::new(match &folder {
            None => Host::in_memory(now),
            Some(folder) => Host::open(folder.path(), now).unwrap(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let api = tabletop_server::grpc::Api::open(host.clone()).unwrap();
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            tabletop_server::grpc::serve(listener, api, tabletop_server::Access::default(), stopped).await;
        });
        let channel = Channel::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap();
        Plane {
            host,
            folder,
            clock,
            stop,
            task,
            tables: BigtableTableAdminClient::new(channel.clone()),
            instances: BigtableInstanceAdminClient::new(channel.clone()),
            operations: OperationsClient::new(channel.clone()),
            rows: BigtableClient::new(channel.clone()),
            channel,
        }
    }

    /// Restarts a server on its folder. A server in memory keeps running.
    async fn restart(self) -> Plane {
        let Plane { host, folder: Some(folder), clock, stop, task, .. } = self else { return self };
        stop.send(()).unwrap();
        task.await.unwrap();
        host.close();
        drop(host);
        Plane::start(Some(folder), clock).await
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
        self.host.close();
    }

    /// Calls a method, and returns the answer as it was sent.
    async fn raw(&mut self, method: &str, request: Vec<u8>) -> Bytes {
        let mut client = Grpc::new(self.channel.clone());
        client.ready().await.unwrap();
        let request = tonic::Request::new(Bytes::from(request));
        done(client.unary(request, format!("/google.bigtable.admin.v2.{method}").parse().unwrap(), Raw).await)
    }

    fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Creates `t` with families that keep all cells.
    async fn create(&mut self, families: &[&str]) {
        let column_families = families.iter().map(|name| (name.to_string(), Default::default())).collect();
        let table = proto::Table { column_families, ..Default::default() };
        done(self.tables.create_table(create("t", table)).await);
    }

    async fn get(&mut self, view: proto::table::View) -> proto::Table {
        done(self.tables.get_table(proto::GetTableRequest { name: TABLE.into(), view: view.into() }).await)
    }

    async fn set(&mut self, key: &str, column: &str, value: &str) -> Result<(), Status> {
        let (family, qualifier) = column.split_once(':').unwrap();
        let cell = rows::mutation::SetCell {
            family_name: family.into(),
            column_qualifier: qualifier.into(),
            timestamp_micros: -1,
            value: value.into(),
        };
        let request = rows::MutateRowRequest {
            table_name: TABLE.into(),
            row_key: key.into(),
            mutations: vec![rows::Mutation { mutation: Some(rows::mutation::Mutation::SetCell(cell)) }],
            ..Default::default()
        };
        self.rows.mutate_row(request).await.map(drop)
    }

    /// Returns each cell of a table as `key qualifier=value`.
    async fn cells(&mut self, table: &str) -> Vec<String> {
        let request = rows::ReadRowsRequest { table_name: table.into(), ..Default::default() };
        self.read(request).await.unwrap()
    }

    async fn read(&mut self, request: rows::ReadRowsRequest) -> Result<Vec<String>, Status> {
        let mut stream = self.rows.read_rows(request).await?.into_inner();
        let (mut cells, mut key, mut qualifier) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(response) = stream.message().await? {
            for chunk in response.chunks {
                if !chunk.row_key.is_empty() {
                    key = chunk.row_key;
                }
                qualifier = chunk.qualifier.unwrap_or(qualifier);
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                cells.push(format!("{} {}={}", text(&key), text(&qualifier), text(&chunk.value)));
            }
        }
        Ok(cells)
    }
}

fn create(id: &str, table: proto::Table) -> proto::CreateTableRequest {
    proto::CreateTableRequest {
        parent: INSTANCE.into(),
        table_id: id.into(),
        table: Some(table),
        ..Default::default()
    }
}

fn mask(paths: &[&str]) -> Option<prost_types::FieldMask> {
    Some(prost_types::FieldMask { paths: paths.iter().map(ToString::to_string).collect() })
}

#[track_caller]
fn done<T>(answer: Result<Response<T>, Status>) -> T {
    answer.unwrap_or_else(|status| panic!("{status:?}")).into_inner()
}

/// Asserts that a call fails with this code and these words.
#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<Response<T>, Status>, code: Code, words: &str) {
    match answer {
        Ok(answer) => panic!("it is not refused: {answer:?}"),
        Err(status) => assert!(status.code() == code && status.message().contains(words), "{status:?}"),
    }
}

/// Returns the response of an operation, which must be complete.
#[track_caller]
fn outcome<M: Message + Default>(answer: Result<Response<Operation>, Status>, name: &str) -> M {
    let operation = done(answer);
    assert!(operation.done && operation.metadata.is_some(), "{operation:?}");
    match operation.result {
        Some(Outcome::Response(any)) => {
            assert_eq!(any.type_url, format!("type.googleapis.com/google.bigtable.admin.v2.{name}"));
            M::decode(&any.value[..]).unwrap()
        }
        other => panic!("{other:?}"),
    }
}
