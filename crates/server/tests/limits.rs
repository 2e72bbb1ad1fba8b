//! What clients may take: connections, time and memory.

use std::time::Duration;

use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use proto::bigtable_client::BigtableClient;
use tabletop_model::TableSpec;
use tabletop_server::{Access, Host, table_settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Code;
use tonic::transport::Channel;

use super::support::{Server, families, refused, request, set, write};

/// The time after which a test has failed.
const LONG: Duration = Duration::from_secs(20);

async fn start(access: Access, memory_bytes: usize) -> Server {
    let server = Server::limited(Host::in_memory, access, |api| api.with_memory(memory_bytes)).await;
    server.create(TableSpec { families: families(&["f"]), initial_splits: vec![], settings: table_settings() });
    server
}

/// Reads until the server closes the connection.
async fn rest(mut stream: TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut bytes)).await.expect("the server closes it");
    bytes
}

#[tokio::test]
async fn a_connection_that_does_not_begin_is_closed() {
    let mut access = Access::default();
    access.greeting_max = Duration::from_millis(300);
    let server = start(access, 64 << 20).await;
    let mut client = server.client().await;
    write(&mut client, "a", vec![set("f", "q", 0, "v")]).await.unwrap();
    let (silent, mut halting) =
        (TcpStream::connect(&server.address).await.unwrap(), TcpStream::connect(&server.address).await.unwrap());
    halting.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
    rest(silent).await;
    rest(halting).await;
    // A connection that has begun stays.
    write(&mut client, "a", vec![set("f", "q", 0, "v")]).await.unwrap();
}

#[tokio::test]
async fn too_many_connections_are_told_so() {
    let mut access = Access::default();
    access.connections_max = 2;
    let server = start(access, 64 << 20).await;
    let mut one = server.client().await;
    let two = TcpStream::connect(&server.address).await.unwrap();
    let refusal = rest(TcpStream::connect(&server.address).await.unwrap()).await;
    let text = String::from_utf8_lossy(&refusal);
    assert!(
        text.ends_with("the server has 2 connections, the most that it serves: close some, or raise its `ulimit -n`"),
        "{text}"
    );
    assert_eq!(refusal[..9], [0, 0, 0, 4, 0, 0, 0, 0, 0], "SETTINGS, as HTTP/2 begins");
    write(&mut one, "a", vec![set("f", "q", 0, "v")]).await.unwrap();
    drop(two);
    let mut next = loop {
        let endpoint = Channel::from_shared(format!("http://{}", server.address)).unwrap();
        if let Ok(channel) = endpoint.connect().await {
            let mut client = BigtableClient::new(channel);
            if write(&mut client, "b", vec![set("f", "q", 0, "v")]).await.is_ok() {
                break client;
            }
        }
    };
    write(&mut next, "a", vec![set("f", "q", 0, "v")]).await.unwrap();
}

#[tokio::test]
async fn requests_have_a_common_limit_of_memory() {
    let server = start(Access::default(), 8 << 20).await;
    let mut client = server.client().await;
    let value = |bytes: usize| vec![set("f", "q", 0, vec![b'v'; bytes])];
    refused(write(&mut client, "a", value(9 << 20)).await, Code::ResourceExhausted, "the limit of 8 MB");
    for _ in 0..20 {
        write(&mut client, "a", value(3 << 20)).await.expect("each one returns its memory");
    }
}

/// Clients that request rows and do not read them hold memory up to the limit, and return it when they give up.
#[tokio::test]
async fn answers_that_are_not_read_have_a_common_limit_of_memory() {
    const ROW_BYTES: usize = 3 << 20;
    let server = start(Access::default(), 16 << 20).await;
    let mut client = server.client().await;
    write(&mut client, "r", vec![set("f", "q", 0, vec![b'v'; ROW_BYTES])]).await.unwrap();
    write(&mut client, "s", vec![set("f", "q", 0, "small")]).await.unwrap();
    let endpoint = Channel::from_shared(format!("http://{}", server.address)).unwrap().initial_stream_window_size(1 << 10);
    let slow = BigtableClient::new(endpoint.initial_connection_window_size(1 << 20).connect().await.unwrap());
    let slow = slow.max_decoding_message_size(usize::MAX);
    let (mut unread, mut refusals) = (Vec::new(), 0);
    for _ in 0..12 {
        match slow.clone().read_rows(request()).await {
            Ok(answer) => unread.push(answer),
            Err(status) => {
                assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
                refusals += 1;
            }
        }
    }
    assert_eq!((unread.len(), refusals), (4, 8), "the limit for large answers is 14 MB");
    let small =
        proto::ReadRowsRequest { rows: Some(proto::RowSet { row_keys: vec!["s".into()], row_ranges: vec![] }), ..request() };
    assert_eq!(super::support::read(&mut client, small).await.unwrap().len(), 1, "small ones have memory of their own");
    drop(unread);
    let mut again = slow.clone();
    while let Err(status) = again.read_rows(request()).await {
        assert_eq!(status.code(), Code::ResourceExhausted);
    }
}
