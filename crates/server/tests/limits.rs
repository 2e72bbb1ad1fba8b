//! Limits on what clients may use: connections, time and memory.

use std::time::Duration;

use bytes::Bytes;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as proto;
use prost::Message;
use proto::bigtable_client::BigtableClient;
use proto::read_modify_write_rule::Rule;
use tabletop_model::TableSpec;
use tabletop_server::grpc::{Api, Listener};
use tabletop_server::{Access, Host, Token, table_settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::codegen::http;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::support::{Server, TABLE, families, refused, request, send, set, write};

/// The time after which a test has failed.
const LONG: Duration = Duration::from_secs(20);

async fn start(access: Access, memory_bytes: usize) -> Server {
    let server = Server::limited(Host::in_memory, access, |api| api.with_memory(memory_bytes)).await;
    server.create(TableSpec {
        families: families(&["f"]),
        initial_splits: vec![],
        settings: table_settings(),
    });
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
    let (silent, mut halting) = (
        TcpStream::connect(&server.address).await.unwrap(),
        TcpStream::connect(&server.address).await.unwrap(),
    );
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
        text.ends_with(
            "the server has 2 connections, the maximum that it serves: close some, or raise its `ulimit -n`"
        ),
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

/// Opens a connection that has begun HTTP/2 and sends nothing. It does not answer the ping that
/// announces the end either.
async fn silent(server: &Server) -> TcpStream {
    let mut silent = TcpStream::connect(&server.address).await.unwrap();
    silent.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    silent
}

/// Writes with a token.
async fn write_as(client: &mut BigtableClient<Channel>, token: &str) -> Result<(), Status> {
    let mutations = vec![set("f", "q", 0, "v")];
    let request = proto::MutateRowRequest {
        table_name: TABLE.into(),
        row_key: b"a".into(),
        mutations,
        ..Default::default()
    };
    let mut request = tonic::Request::new(request);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    client.mutate_row(request).await.map(drop)
}

#[tokio::test]
async fn a_connection_without_a_valid_token_is_closed() {
    let (file, token) = (tempfile::NamedTempFile::new().unwrap(), "correct-horse-battery");
    std::fs::write(file.path(), token).unwrap();
    let mut access = Access::default().with_token(Token::read(file.path()).unwrap());
    access.token_max = Duration::from_millis(500);
    access.connections_max = 2;
    let server = start(access, 64 << 20).await;
    let mut client = server.client().await;
    write_as(&mut client, token).await.unwrap();
    rest(silent(&server).await).await;
    let mut stranger = server.client().await;
    refused(write_as(&mut stranger, "incorrect-horse-battery").await, Code::Unauthenticated, "TOKEN");
    let place = async {
        // Only the connection with the token is left.
        loop {
            let mut next = server.client().await;
            match write_as(&mut next, token).await {
                Ok(()) => break next,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let other = tokio::time::timeout(LONG, place).await.expect("the connection without the token is closed");
    write_as(&mut client, token).await.unwrap();
    drop(other);
}

#[tokio::test]
async fn a_connection_with_a_valid_token_stays() {
    let (file, token) = (tempfile::NamedTempFile::new().unwrap(), "correct-horse-battery");
    std::fs::write(file.path(), token).unwrap();
    let mut access = Access::default().with_token(Token::read(file.path()).unwrap());
    access.token_max = Duration::from_millis(500);
    access.connections_max = 2;
    let server = start(access, 64 << 20).await;
    let mut client = server.client().await;
    write_as(&mut client, token).await.unwrap();
    // This connection is younger, so the first one's time has passed when this one is closed.
    rest(silent(&server).await).await;
    // The client would reconnect, so its place shows that it did not have to.
    let _second = TcpStream::connect(&server.address).await.unwrap();
    let refusal = rest(TcpStream::connect(&server.address).await.unwrap()).await;
    assert!(
        String::from_utf8_lossy(&refusal).contains("has 2 connections"),
        "{}",
        String::from_utf8_lossy(&refusal)
    );
    write_as(&mut client, token).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_socket_has_connections_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let mut access = Access::default();
    access.connections_max = 3;
    let tcp = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    let listener = Listener { tcp: Some(tcp), unix: Some(tokio::net::UnixListener::bind(&path).unwrap()) };
    let api = Api::open(std::sync::Arc::new(Host::in_memory(|| 0))).unwrap();
    let server = tokio::spawn(tabletop_server::grpc::serve(listener, api, access, std::future::pending()));
    let (_one, _two) =
        (TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap());
    let refusal = rest(TcpStream::connect(address).await.unwrap()).await;
    assert!(
        String::from_utf8_lossy(&refusal).contains("has 2 connections"),
        "{}",
        String::from_utf8_lossy(&refusal)
    );
    let endpoint = tonic::transport::Endpoint::try_from(format!("unix:{}", path.display())).unwrap();
    let mut local = BigtableClient::new(endpoint.connect().await.unwrap());
    refused(write(&mut local, "a", vec![set("f", "q", 0, "v")]).await, Code::NotFound, "instance");
    server.abort();
}

#[tokio::test]
async fn what_is_not_grpc_is_refused_in_http() {
    use tonic::client::GrpcService;
    let server = start(Access::default(), 64 << 20).await;
    let channel =
        Channel::from_shared(format!("http://{}", server.address)).unwrap().connect().await.unwrap();
    let answer = async |method: &str, content_type: Option<&str>| {
        let mut channel = channel.clone();
        let uri = format!("http://{}/google.bigtable.v2.Bigtable/ReadRows", server.address);
        let mut request = http::Request::builder().method(method).uri(uri);
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let request = request.body(tonic::body::Body::empty()).unwrap();
        std::future::poll_fn(|context| GrpcService::<tonic::body::Body>::poll_ready(&mut channel, context))
            .await
            .unwrap();
        let (head, body) =
            GrpcService::<tonic::body::Body>::call(&mut channel, request).await.unwrap().into_parts();
        let text = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
        (
            head.status.as_u16(),
            head.headers.contains_key("grpc-status"),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    for content_type in
        ["application/grpc", "application/grpc+proto", "Application/gRPC", "application/grpc; charset=utf-8"]
    {
        assert_eq!(answer("POST", Some(content_type)).await, (200, true, String::new()), "{content_type}");
    }
    for content_type in
        [None, Some(""), Some("text/html"), Some("application/grpc-web"), Some("application/grpc+json")]
    {
        let (status, is_grpc, text) = answer("POST", content_type).await;
        assert_eq!((status, is_grpc), (415, false), "{content_type:?}");
        assert!(text.contains("content-type application/grpc"), "{text}");
    }
    let (status, is_grpc, text) = answer("GET", Some("application/grpc")).await;
    assert_eq!((status, is_grpc), (405, false));
    assert!(text.contains("POST"), "{text}");
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

/// Clients that request rows and do not read them hold memory up to the limit, and release it when
/// they cancel.
#[tokio::test]
async fn answers_that_are_not_read_have_a_common_limit_of_memory() {
    const ROW_BYTES: usize = 3 << 20;
    let server = start(Access::default(), 16 << 20).await;
    let mut client = server.client().await;
    write(&mut client, "r", vec![set("f", "q", 0, vec![b'v'; ROW_BYTES])]).await.unwrap();
    write(&mut client, "s", vec![set("f", "q", 0, "small")]).await.unwrap();
    let endpoint = Channel::from_shared(format!("http://{}", server.address))
        .unwrap()
        .initial_stream_window_size(1 << 10);
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
    let small = proto::ReadRowsRequest {
        rows: Some(proto::RowSet { row_keys: vec!["s".into()], row_ranges: vec![] }),
        ..request()
    };
    assert_eq!(
        super::support::read(&mut client, small).await.unwrap().len(),
        1,
        "small ones have memory of their own"
    );
    drop(unread);
    let mut again = slow.clone();
    while let Err(status) = again.read_rows(request()).await {
        assert_eq!(status.code(), Code::ResourceExhausted);
    }
}

/// Reads a row of a set that has a range `count` times, with a request of this length.
async fn read_ranges(
    server: &Server,
    range: &proto::RowRange,
    count: usize,
    bytes: usize,
) -> Result<Vec<Bytes>, Status> {
    let rows = Some(proto::RowSet { row_keys: vec![], row_ranges: vec![range.clone(); count] });
    let mut message = proto::ReadRowsRequest { rows, rows_limit: 1, ..request() }.encode_to_vec();
    // The rest is a field that is never read, whose head has five bytes.
    let rest = bytes - message.len() - 5;
    prost::encoding::encode_key(100, prost::encoding::WireType::LengthDelimited, &mut message);
    prost::encode_length_delimiter(rest, &mut message).unwrap();
    message.resize(message.len() + rest, 0);
    assert_eq!(message.len(), bytes);
    send(server, "ReadRows", message).await
}

#[tokio::test]
async fn a_read_of_too_many_rows_is_refused_before_it_is_decoded() {
    const BYTES_MAX: usize = 512 << 10;
    let server = start(Access::default(), 64 << 20).await;
    write(&mut server.client().await, "k", vec![set("f", "q", 0, "v")]).await.unwrap();
    let all = proto::RowRange::default();
    assert_eq!(read_ranges(&server, &all, 250_000, BYTES_MAX).await.unwrap().len(), 1);
    let refusal = read_ranges(&server, &all, 250_000, BYTES_MAX + 1).await;
    refused(
        refusal,
        Code::InvalidArgument,
        "524289 bytes, and Bigtable accepts 524288 bytes: read fewer row keys and ranges at a time",
    );
    // Many short ranges take more memory than their encoding.
    let server = start(Access::default(), 8 << 20).await;
    refused(
        read_ranges(&server, &all, 250_000, BYTES_MAX).await,
        Code::ResourceExhausted,
        "the limit of 8 MB",
    );
}

/// Calls a method without a connection.
async fn call(api: &Api, method: &str, message: &impl Message) -> http::Response<tonic::body::Body> {
    let mut framed = vec![0];
    framed.extend_from_slice(&(message.encoded_len() as u32).to_be_bytes());
    message.encode(&mut framed).unwrap();
    let body = tonic::body::Body::new(http_body_util::Full::new(Bytes::from(framed)));
    let uri = format!("/google.bigtable.v2.Bigtable/{method}");
    api.answer(http::Request::post(uri).body(body).unwrap()).await
}

#[tokio::test]
async fn every_answer_that_is_not_read_takes_memory() {
    let (server, row_key) = (start(Access::default(), 8 << 20).await, b"r".to_vec());
    let api = Api::open(server.host.clone()).unwrap().with_memory(8 << 20);
    write(&mut server.client().await, "r", vec![set("f", "q", 0, vec![b'v'; 3 << 20])]).await.unwrap();
    let append = Rule::AppendValue(b"v".to_vec());
    let rule = proto::ReadModifyWriteRule {
        family_name: "f".into(),
        column_qualifier: "q".into(),
        rule: Some(append),
    };
    let append = proto::ReadModifyWriteRowRequest {
        table_name: TABLE.into(),
        row_key,
        rules: vec![rule],
        ..Default::default()
    };
    let status = |answer: &http::Response<tonic::body::Body>| answer.headers().get("grpc-status").cloned();
    let mut unread = Vec::new();
    loop {
        let answer = call(&api, "ReadModifyWriteRow", &append).await;
        if status(&answer).is_some_and(|status| status == "8") {
            break;
        }
        unread.push(answer);
        assert!(unread.len() < 10, "unread answers take no memory");
    }
    // A call whose work is done is answered, even above the limit.
    assert_eq!(unread.len(), 3);
    drop(unread);
    assert_eq!(status(&call(&api, "ReadModifyWriteRow", &append).await), None);
}
