//! The page of a server: its files, who may connect, and what it receives.

mod answers;
mod refusals;

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tabletop_model::wire;
use tabletop_protocol::{
    Answer, Ask, Job, JobAnswer, JobAsk, JobError, LiveHave, LiveTable, LiveTableView, Notice, RunId, Slice,
    WatchServer, WatchTable,
};
use tabletop_server::grpc::Api;
use tabletop_server::{Access, Host, Live, Page, PageFiles, PageToken, Stats, serve_page};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::Server;

const SECOND: i64 = 1_000_000;
const WAIT: Duration = Duration::from_secs(20);

/// A server with a page.
struct Served {
    server: Server,
    address: SocketAddr,
    token: PageToken,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    _files: TempDir,
}

type Socket = WebSocketStream<TcpStream>;

impl Served {
    async fn start() -> Served {
        Served::on(Host::in_memory).await
    }

    async fn on(host: impl FnOnce(Box<dyn Fn() -> i64 + Send + Sync>) -> Host) -> Served {
        let live = Arc::new(Live::default());
        let mut api = None;
        let server = Server::limited(host, Access::default(), |opened: Api| {
            let opened = opened.with_live(live.clone()).with_stats(Arc::new(Stats::default()));
            api = Some(opened.clone());
            opened
        })
        .await;
        let files = tempfile::tempdir().unwrap();
        fs::create_dir(files.path().join("data")).unwrap();
        fs::write(files.path().join("index.html"), "<p>page").unwrap();
        fs::write(files.path().join("data/a.csv"), "x,y").unwrap();
        fs::write(files.path().join("data/a.csv.br"), "packed").unwrap();
        let token = PageToken::new().unwrap();
        let folder = PageFiles::Folder(files.path().into());
        let page = Page::new(api.unwrap(), live, folder, token.clone(), server.address.clone()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(page.url(address), format!("http://{address}/#server={}", token.text()));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(serve_page(listener, page, async {
            let _ = stopped.await;
        }));
        Served { server, address, token, stop, task, _files: files }
    }

    /// Returns the handshake of the page.
    fn handshake(&self) -> Request {
        let mut request = format!("ws://{}/live", self.address).into_client_request().unwrap();
        request.headers_mut().insert("origin", format!("http://{}", self.address).parse().unwrap());
        let protocols = format!("tabletop, token.{}", self.token.text());
        request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
        request
    }

    /// Connects as the page does, and waits for the first message.
    async fn connect(&self) -> Socket {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut socket, response) = client_async(self.handshake(), stream).await.unwrap();
        assert_eq!(response.headers()["sec-websocket-protocol"], "tabletop");
        let ready = receive(&mut socket).await;
        assert_eq!((ready.0, wire::decode(&ready.1)), (0, Ok(Notice::Ready)));
        socket
    }

    /// Sends a raw HTTP request, and returns the whole answer.
    async fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        tokio::time::timeout(WAIT, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
        String::from_utf8(answer).unwrap()
    }

    /// Advances the clock of the server.
    fn pass(&self, seconds: i64) {
        self.server.clock.fetch_add(seconds * SECOND, Ordering::SeqCst);
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
        self.server.stop().await;
    }
}

/// Returns the id and the bytes of the next message.
async fn receive(socket: &mut Socket) -> (u32, Vec<u8>) {
    loop {
        let message = tokio::time::timeout(WAIT, socket.next())
            .await
            .expect("an answer")
            .expect("a connection")
            .unwrap();
        if let Message::Binary(bytes) = message {
            let (id, rest) = bytes.split_at(4);
            return (u32::from_le_bytes(id.try_into().unwrap()), rest.to_vec());
        }
    }
}

fn frame(id: u32, ask: &Ask) -> Message {
    Message::Binary([&id.to_le_bytes(), &wire::encode(ask)[..]].concat().into())
}

/// Sends a request, and returns the answer.
async fn ask(socket: &mut Socket, ask: &Ask) -> Answer {
    socket.send(frame(7, ask)).await.unwrap();
    let (id, answer) = receive(socket).await;
    assert_eq!(id, 7);
    wire::decode(&answer).unwrap()
}

/// Sends a request about a run.
async fn job(socket: &mut Socket, asked: JobAsk) -> JobAnswer {
    match ask(socket, &Ask::Job(asked)).await {
        Answer::Job(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Opens a run, and returns its first slice.
async fn begin<J: Job>(socket: &mut Socket, request: &J::Request) -> Result<Slice<J::Chunk>, JobError> {
    job(socket, JobAsk::begin::<J>(request)).await?.decode::<J>()
}

/// Returns the next slice of a run.
async fn next<J: Job>(socket: &mut Socket, run: RunId, order: &J::Order) -> Result<J::Chunk, JobError> {
    Ok(job(socket, JobAsk::next::<J>(run, order)).await?.decode::<J>()?.chunk)
}

/// A table of the tests' instance.
fn named(table: &str) -> LiveTable {
    LiveTable { instance: "projects/p/instances/i".into(), table: table.into() }
}

/// Opens a run that watches the table of the tests.
async fn watch(socket: &mut Socket) -> (RunId, LiveTableView) {
    let slice = begin::<WatchTable>(socket, &named("t")).await.unwrap();
    (slice.run.expect("an open run"), slice.chunk)
}
