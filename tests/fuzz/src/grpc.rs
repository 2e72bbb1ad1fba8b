//! Fuzzes requests to the server.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use tabletop_model::{Request, Response, Timestamp};
use tabletop_server::{Host, InstanceName, grpc};
use tabletop_tests::Database;
use tokio::runtime::Builder;
use tonic::body::Body;
use tonic::codegen::{Bytes, http};

use crate::table::{NOW, make};

const DATA: &str = "google.bigtable.v2.Bigtable";
const TABLES: &str = "google.bigtable.admin.v2.BigtableTableAdmin";
const INSTANCES: &str = "google.bigtable.admin.v2.BigtableInstanceAdmin";

/// The methods. Seeds name them by their index, so new methods are added at the end.
const METHODS: [(&str, &str); 46] = [
    (DATA, "ReadRows"),
    (DATA, "SampleRowKeys"),
    (DATA, "MutateRow"),
    (DATA, "MutateRows"),
    (DATA, "CheckAndMutateRow"),
    (DATA, "ReadModifyWriteRow"),
    (DATA, "PingAndWarm"),
    (TABLES, "CreateTable"),
    (TABLES, "ListTables"),
    (TABLES, "GetTable"),
    (TABLES, "UpdateTable"),
    (TABLES, "DeleteTable"),
    (TABLES, "UndeleteTable"),
    (TABLES, "ModifyColumnFamilies"),
    (TABLES, "DropRowRange"),
    (TABLES, "GenerateConsistencyToken"),
    (TABLES, "CheckConsistency"),
    (TABLES, "CreateBackup"),
    (TABLES, "GetBackup"),
    (TABLES, "UpdateBackup"),
    (TABLES, "DeleteBackup"),
    (TABLES, "ListBackups"),
    (TABLES, "RestoreTable"),
    (TABLES, "CopyBackup"),
    (TABLES, "CreateAuthorizedView"),
    (TABLES, "ListAuthorizedViews"),
    (TABLES, "GetAuthorizedView"),
    (TABLES, "UpdateAuthorizedView"),
    (TABLES, "DeleteAuthorizedView"),
    (INSTANCES, "CreateInstance"),
    (INSTANCES, "GetInstance"),
    (INSTANCES, "ListInstances"),
    (INSTANCES, "UpdateInstance"),
    (INSTANCES, "PartialUpdateInstance"),
    (INSTANCES, "DeleteInstance"),
    (INSTANCES, "CreateCluster"),
    (INSTANCES, "GetCluster"),
    (INSTANCES, "ListClusters"),
    (INSTANCES, "PartialUpdateCluster"),
    (INSTANCES, "DeleteCluster"),
    (INSTANCES, "CreateAppProfile"),
    (INSTANCES, "GetAppProfile"),
    (INSTANCES, "ListAppProfiles"),
    (INSTANCES, "UpdateAppProfile"),
    (INSTANCES, "DeleteAppProfile"),
    (INSTANCES, "ListHotTablets"),
];

/// Makes calls, one after the other: the method, the length of its message in two bytes, the
/// message. Checks that each is answered with a status.
pub fn requests(mut input: &[u8]) {
    let host = Arc::new(Host::in_memory(|| NOW));
    let name = InstanceName { project: "p".into(), instance: "i".into() };
    make(&mut ServedInstance(&host, name));
    let api = grpc::Api::open(host.clone()).expect("a host in memory");
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    while let [method, low, high, rest @ ..] = input {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (message, rest) = rest.split_at(length);
        input = rest;
        let (service, method) = METHODS[usize::from(*method) % METHODS.len()];
        let path = format!("/{service}/{method}");
        let call = call(&api, &path, message);
        let answered = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(5), call).await });
        assert!(answered.is_ok(), "{method} is answered in time");
    }
    host.close();
}

async fn call(api: &grpc::Api, path: &str, message: &[u8]) {
    let framed = [&[0][..], &(message.len() as u32).to_be_bytes(), message].concat();
    let request = http::Request::post(format!("http://tabletop{path}"));
    let request = request.header("content-type", "application/grpc").header("te", "trailers");
    let request = request.body(Body::new(Full::new(Bytes::from(framed)))).expect("a request");
    let (head, body) = api.answer(request).await.into_parts();
    let body = body.collect().await.expect("a body that ends well");
    // A refusal has its status in the header; other answers have it in the trailer.
    let status = head.headers.get("grpc-status").or_else(|| body.trailers()?.get("grpc-status"));
    let status = status.unwrap_or_else(|| panic!("{path}: without a status"));
    // UNKNOWN makes clients retry forever, and INTERNAL is our bug.
    assert!(!matches!(status.as_bytes(), b"2" | b"13"), "{path}: {status:?}");
}

/// An instance of a host, in which `make` creates the table.
struct ServedInstance<'a>(&'a Host, InstanceName);

impl Database for ServedInstance<'_> {
    fn handle(&mut self, _: Timestamp, request: Request) -> Response {
        self.0.instance_or_new(&self.1).expect("an instance").handle(request)
    }

    fn settle(&mut self, _: Timestamp) {}
}
