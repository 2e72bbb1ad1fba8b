//! Statistics and health over HTTP/1: `/metrics` and `/healthz`.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tabletop_model::Result;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{sleep, timeout};
use tonic::codegen::http::{HeaderValue, Method, Request, Response, StatusCode, header};

use super::Stats;
use crate::access::Access;
use crate::grpc::Api;
use crate::host::Host;

/// The maximum number of connections at a time. Further ones wait.
const CONNECTIONS_MAX: usize = 16;
/// The time for the head of a request, and between two requests of a connection.
const HEAD_MAX: Duration = Duration::from_secs(60);
/// The time for an answer: instances may wait for a disk.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// The pause after a connection cannot be accepted.
const PAUSE: Duration = Duration::from_millis(100);

type Answer = Response<Full<Bytes>>;

/// The sources of the answers.
pub(crate) struct Page {
    api: Api,
    stats: Arc<Stats>,
    access: Access,
    /// One answer of each kind is prepared at a time, so that many requests do not block many
    /// threads on a disk that does not respond.
    metrics: Arc<Mutex<()>>,
    health: Arc<Mutex<()>>,
}

impl Page {
    /// Creates the page with the statistics of an API, which counts its calls in `stats`. Anyone
    /// who may connect to the API may read them.
    pub fn new(api: Api, stats: Arc<Stats>, access: Access) -> Arc<Page> {
        Arc::new(Page { api, stats, access, metrics: Arc::default(), health: Arc::default() })
    }

    async fn answer(&self, request: &Request<Incoming>) -> Answer {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut refusal = text(StatusCode::METHOD_NOT_ALLOWED, "use GET\n".into());
            refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return refusal;
        }
        let authorization = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
        let is_permitted = self.access.permits(authorization);
        match request.uri().path() {
            "/healthz" => self.healthz(is_permitted).await,
            "/metrics" if is_permitted => self.metrics().await,
            "/metrics" => {
                let why = "this server requires a token: send \"authorization: Bearer TOKEN\" with the token of its --token-file\n";
                let mut refusal = text(StatusCode::UNAUTHORIZED, why.into());
                refusal.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                refusal
            }
            _ => text(StatusCode::NOT_FOUND, "this server has /metrics and /healthz\n".into()),
        }
    }

    async fn metrics(&self) -> Answer {
        let (stats, call_bytes) = (self.stats.clone(), self.api.call_bytes());
        match self.made(&self.metrics, move |host| stats.text(host, call_bytes)).await {
            Some(metrics) => {
                let mut answer = text(StatusCode::OK, metrics);
                let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
                answer.headers_mut().insert(header::CONTENT_TYPE, kind);
                answer
            }
            None => text(StatusCode::SERVICE_UNAVAILABLE, stuck()),
        }
    }

    /// Probes cannot send a token, and learn only the status.
    async fn healthz(&self, may_know_why: bool) -> Answer {
        let health: Option<Result<()>> = self.made(&self.health, Host::health).await;
        let why = match health {
            Some(Ok(())) => return text(StatusCode::OK, "ok\n".into()),
            Some(Err(error)) => format!("not ok: {}\n", error.message),
            None => format!("not ok: {}", stuck()),
        };
        text(StatusCode::SERVICE_UNAVAILABLE, if may_know_why { why } else { "not ok\n".into() })
    }

    /// Prepares an answer where it may wait. Returns `None` if that takes too long.
    async fn made<T: Send + 'static>(
        &self,
        turn: &Arc<Mutex<()>>,
        make: impl FnOnce(&Host) -> T + Send + 'static,
    ) -> Option<T> {
        let (turn, host) = (turn.clone(), self.api.host().clone());
        let made = async move {
            let turn = turn.lock_owned().await;
            let work = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                make(&host)
            });
            work.await.ok()
        };
        timeout(ANSWER_MAX, made).await.ok().flatten()
    }
}

/// Serves the page until the runtime ends.
pub(crate) fn serve(listener: TcpListener, page: Arc<Page>) -> impl Future<Output = Infallible> {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    async move {
        loop {
            let place = places.clone().acquire_owned().await;
            let Ok((stream, _)) = listener.accept().await else {
                sleep(PAUSE).await;
                continue;
            };
            let page = page.clone();
            tokio::spawn(async move {
                let _place = place;
                let answer = service_fn(move |request| {
                    let page = page.clone();
                    async move { Ok::<_, Infallible>(page.answer(&request).await) }
                });
                let mut builder = http1::Builder::new();
                builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX);
                // An error means that the client has disconnected, or does not speak HTTP.
                let _ = builder.serve_connection(TokioIo::new(stream), answer).await;
            });
        }
    }
}

fn text(status: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

fn stuck() -> String {
    format!("the storage has not answered for {} seconds\n", ANSWER_MAX.as_secs())
}
