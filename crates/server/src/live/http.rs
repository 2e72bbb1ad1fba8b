//! The page over HTTP/1: its files, and the WebSocket at `/live`.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tabletop_model::Result;
use tabletop_protocol::{LIVE_CLOSE_BUSY, LIVE_CLOSE_TOKEN, LIVE_PATH, LIVE_PROTOCOL};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tonic::codegen::http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header,
};

use super::answer::LiveHost;
use super::connection::{self, Goodbye};
use super::guard::Names;
use super::{Live, PageFiles, PageToken};
use crate::grpc::Api;

/// The maximum number of connections for files at a time. Further ones wait.
const CONNECTIONS_MAX: usize = 64;
/// The maximum number of pages that are connected at a time.
const PAGES_MAX: usize = 16;
/// The maximum number of refused pages that receive the reason at the same time.
const REFUSALS_MAX: usize = 16;
/// The maximum number of answers in memory at a time, for all pages.
const ANSWERS_MAX: usize = 16;
/// The time for the head of a request, and between two requests of a connection.
const HEAD_MAX: Duration = Duration::from_secs(60);
/// The time that ending all connections may take.
const GRACE: Duration = Duration::from_secs(1);
/// The pause after a connection cannot be accepted.
const PAUSE: Duration = Duration::from_millis(100);
/// The time between two checks of the clock.
const TICK: Duration = Duration::from_secs(1);

/// The headers of all answers. The page cannot be framed by another page, and only its own origin
/// can use its files.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CACHE_CONTROL, "no-cache"),
    (header::VARY, "accept-encoding"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

type Answer = Response<Full<Bytes>>;

/// The page of a server.
pub struct Page {
    host: LiveHost,
    files: PageFiles,
    token: PageToken,
    pages: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl Page {
    /// Creates a page that shows what an API serves at an address, and that counts in `live`.
    /// Anyone who has the token may do what a client may.
    ///
    /// # Errors
    /// The errors of [`PageFiles::check`]: there is no page.
    pub fn new(
        api: Api,
        live: Arc<Live>,
        files: PageFiles,
        token: PageToken,
        address: String,
    ) -> Result<Arc<Page>> {
        files.check()?;
        Ok(Arc::new(Page {
            host: LiveHost::new(api, live, &address),
            files,
            token,
            pages: Arc::new(Semaphore::new(PAGES_MAX)),
            refusals: Arc::new(Semaphore::new(REFUSALS_MAX)),
            answers: Arc::new(Semaphore::new(ANSWERS_MAX)),
        }))
    }

    /// Returns the address of the page at a listener, with the token.
    pub fn url(&self, address: SocketAddr) -> String {
        format!("http://{address}/#server={}", self.token.text())
    }

    async fn answer(
        self: &Arc<Page>,
        mut request: Request<Incoming>,
        names: Names,
        stopping: &watch::Receiver<()>,
    ) -> Answer {
        let host = text_of(request.headers(), &header::HOST);
        if !names.has_host(host) {
            return text(StatusCode::FORBIDDEN, "open the page at the address that the server prints\n");
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are allowed\n");
            refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        if request.uri().path() == LIVE_PATH {
            return self.connect(&mut request, names, stopping.clone());
        }
        self.file(&request).await
    }

    async fn file(self: &Arc<Page>, request: &Request<Incoming>) -> Answer {
        let path = request.uri().path().trim_start_matches('/').to_owned();
        let accepted = text_of(request.headers(), &header::ACCEPT_ENCODING).to_ascii_lowercase();
        let page = self.clone();
        let opened = tokio::task::spawn_blocking(move || page.files.open(&path, &accepted)).await;
        match opened {
            Ok(Ok(Some(file))) => {
                let body = file.body.into_owned();
                let mut answer = text(StatusCode::OK, "");
                *answer.body_mut() = Full::new(body.into());
                answer
                    .headers_mut()
                    .insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
                if let Some(encoding) = file.encoding {
                    answer.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
                }
                answer
            }
            Ok(Ok(None)) => text(StatusCode::NOT_FOUND, "no such file\n"),
            _ => text(StatusCode::INTERNAL_SERVER_ERROR, "the file cannot be read\n"),
        }
    }

    /// Answers a handshake, and begins the conversation, or ends it with a reason.
    fn connect(
        self: &Arc<Page>,
        request: &mut Request<Incoming>,
        names: Names,
        stopping: watch::Receiver<()>,
    ) -> Answer {
        let headers = request.headers();
        let lists = |name: &HeaderName, word: &str| {
            let mut items = headers
                .get_all(name)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .flat_map(|text| text.split(','));
            items.any(|item| item.trim().eq_ignore_ascii_case(word))
        };
        let key = text_of(headers, &header::SEC_WEBSOCKET_KEY);
        let is_handshake = *request.method() == Method::GET
            && lists(&header::CONNECTION, "upgrade")
            && lists(&header::UPGRADE, "websocket")
            && text_of(headers, &header::SEC_WEBSOCKET_VERSION) == "13"
            && !key.is_empty();
        if !is_handshake {
            let mut refusal = text(StatusCode::UPGRADE_REQUIRED, "this is a WebSocket, version 13\n");
            refusal.headers_mut().insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            refusal.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
            return refusal;
        }
        if !names.has_origin(text_of(headers, &header::ORIGIN)) {
            return text(StatusCode::FORBIDDEN, "only the page of this server may connect\n");
        }
        let protocols: Vec<&str> = headers
            .get_all(header::SEC_WEBSOCKET_PROTOCOL)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect();
        let protocols = protocols.join(",");
        let (admitted, refused) = match (
            self.token.is_offered(&protocols),
            self.pages.clone().try_acquire_owned(),
        ) {
            (true, Ok(place)) => (Some(place), None),
            (true, Err(_)) => (
                None,
                Some(Goodbye {
                    code: LIVE_CLOSE_BUSY,
                    why: "too many pages are connected: close some of them",
                }),
            ),
            (false, _) => {
                let why =
                    "the token is from another run of the server: open the address that this run has printed";
                (None, Some(Goodbye { code: LIVE_CLOSE_TOKEN, why }))
            }
        };
        let refusal = match refused.map(|goodbye| (goodbye, self.refusals.clone().try_acquire_owned())) {
            Some((_, Err(_))) => return text(StatusCode::SERVICE_UNAVAILABLE, "too many connections\n"),
            Some((goodbye, Ok(place))) => Some((goodbye, place)),
            None => None,
        };
        let mut answer = text(StatusCode::SWITCHING_PROTOCOLS, "");
        let answered = answer.headers_mut();
        answered.clear();
        answered.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        answered.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&derive_accept_key(key.as_bytes())) {
            answered.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        }
        if protocols.split(',').any(|protocol| protocol.trim() == LIVE_PROTOCOL) {
            answered.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(LIVE_PROTOCOL));
        }
        let upgrading = hyper::upgrade::on(request);
        let (host, answers) = (self.host.clone(), self.answers.clone());
        tokio::spawn(async move {
            let Ok(Ok(upgraded)) = timeout(HEAD_MAX, upgrading).await else { return };
            let socket = connection::open(TokioIo::new(upgraded)).await;
            match refusal {
                Some((goodbye, _place)) => connection::refuse(socket, goodbye).await,
                None => connection::converse(socket, host, answers, stopping).await,
            }
            drop(admitted);
        });
        answer
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("files", &self.files).finish_non_exhaustive()
    }
}

/// Serves the page until `shutdown` is ready, and tells the connected pages that the server is
/// stopping.
pub async fn serve_page(listener: TcpListener, page: Arc<Page>, shutdown: impl Future<Output = ()>) {
    let Ok(address) = listener.local_addr() else { return };
    let (stop, stopping) = watch::channel(());
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let ticking = tokio::spawn(tick(page.host.clone()));
    tokio::pin!(shutdown);
    loop {
        let place = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            place = places.clone().acquire_owned() => place.ok(),
        };
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, page.clone(), Names(address), stopping.clone(), place));
                }
                Err(_) => sleep(PAUSE).await,
            },
        }
    }
    ticking.abort();
    drop((listener, stop));
    // Connected pages are told, and idle connections do not delay stopping.
    let _ = timeout(GRACE, page.pages.acquire_many(PAGES_MAX as u32)).await;
}

async fn tick(host: LiveHost) {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let host = host.clone();
        let _ = tokio::task::spawn_blocking(move || host.tick()).await;
    }
}

async fn serve_connection(
    stream: TcpStream,
    page: Arc<Page>,
    names: Names,
    stopping: watch::Receiver<()>,
    place: Option<OwnedSemaphorePermit>,
) {
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |request| {
        let (page, stopping) = (page.clone(), stopping.clone());
        async move { Ok::<_, Infallible>(page.answer(request, names, &stopping).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX);
    // An error means that the browser has disconnected, or does not speak HTTP.
    let _ = builder.serve_connection(TokioIo::new(stream), answer).with_upgrades().await;
    drop(place);
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn text(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    HEADERS.into_iter().for_each(|(name, value)| drop(headers.insert(name, HeaderValue::from_static(value))));
    answer
}
