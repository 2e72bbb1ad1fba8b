//! One HTTP/2 connection and its calls, all on one task. A point read takes a few microseconds,
//! less than it takes to wake another thread. Longer work is cut into slices, or runs on its own
//! thread (`rpc::Work`).

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{HeaderValue, Method, Request, StatusCode, header};

use super::listener::Client;
use super::rpc::Methods;
use super::stream::{Counted, Received};
use super::{Answer, Api, Health};
use crate::access::Access;
use crate::lock::lock;

/// The bytes that a client may send before the server has read them, per call and per connection.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// The largest HTTP/2 frame, in either direction.
const FRAME_BYTES_MAX: u32 = 1 << 20;
/// The bytes of an answer that are buffered for a slow client.
const SEND_BYTES: usize = 64 << 10;
/// The interval of pings to an idle client.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
/// The calls of a client that are answered concurrently. Further calls wait in the client.
const CALLS_MAX: u32 = 1_000;
/// The number of calls that complete before their answers are sent. Sending costs as much as a
/// point read, so answers are not sent one at a time. They are not sent all together either,
/// because the client can work on the first ones.
const CALLS_PER_FLUSH: usize = 8;

/// The time to tell a client that it is rejected.
const REFUSAL_MAX: Duration = Duration::from_secs(1);

/// Serves a client until it disconnects, or until `stopping` has ended and the calls in progress
/// are answered.
pub(super) async fn serve(client: Client, api: Api, access: Access, stopping: watch::Receiver<()>) {
    match client {
        Client::Tcp(stream) => {
            // If this fails, answers are only slower.
            let _ = stream.set_nodelay(true);
            let Some(tls) = access.tls() else { return converse(stream, api, access, stopping).await };
            // A client that does not complete the handshake in time is not served.
            if let Ok(Ok(stream)) = timeout(access.greeting_max, tls.accept(stream)).await {
                converse(stream, api, access, stopping).await;
            }
        }
        #[cfg(unix)]
        Client::Unix(stream) => converse(stream, api, access, stopping).await,
    }
}

/// Tells a client that it is not served, in HTTP/2, and closes the connection.
pub(super) async fn refuse(client: Client, access: Access, connections_max: usize) {
    let why = format!(
        "the server has {connections_max} connections, the maximum that it serves: close some, or raise its `ulimit -n`"
    );
    let _ = timeout(REFUSAL_MAX, async {
        match client {
            // That would take a handshake.
            Client::Tcp(_) if access.tls().is_some() => {}
            Client::Tcp(stream) => say_goodbye(stream, &why).await,
            #[cfg(unix)]
            Client::Unix(stream) => say_goodbye(stream, &why).await,
        }
    })
    .await;
}

/// Sends an empty SETTINGS frame and GOAWAY with a reason.
async fn say_goodbye(mut stream: impl AsyncRead + AsyncWrite + Unpin, why: &str) {
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const GOAWAY: u8 = 7;
    const ENHANCE_YOUR_CALM: u32 = 11;
    let length = (8 + why.len() as u32).to_be_bytes();
    // The stream of the frame is 0, and so is the last stream that was served.
    let head = [&length[1..], &[GOAWAY, 0], &[0; 8], &ENHANCE_YOUR_CALM.to_be_bytes()].concat();
    let _ = stream.write_all(&[&SETTINGS, &head[..], why.as_bytes()].concat()).await;
    let _ = stream.shutdown().await;
    // Bytes that are not read would reset the connection before the client has read the reason.
    let mut unread = [0; 1_024];
    while stream.read(&mut unread).await.is_ok_and(|read| read > 0) {}
}

async fn converse<S>(stream: S, api: Api, access: Access, mut stopping: watch::Receiver<()>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let received = Received::default();
    let mut too_late = pin!(sleep(access.greeting_max));
    let mut has_begun = false;
    let mut token_timer = pin!(sleep(access.token_max));
    let mut is_ending = false;
    let stream = Counted { stream, received: received.clone() };
    let begun = Begun::default();
    let has_token = Arc::new(AtomicBool::new(access.permits(None)));
    let has_brought_token = has_token.clone();
    let answer = service_fn(move |call: Request<Incoming>| {
        let answer = check_http(&call).and_then(|()| {
            let has_token = check_token(&call, &access)?;
            has_brought_token.fetch_or(has_token, Ordering::Relaxed);
            Ok(api.answer(call.map(Body::new)))
        });
        async {
            let answer: Answer = match answer {
                Ok(answer) => answer.await,
                Err(refusal) => *refusal,
            };
            Ok::<_, Infallible>(answer)
        }
    });
    let mut builder = http2::Builder::new(begun.clone());
    builder
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES_MAX)
        .max_concurrent_streams(CALLS_MAX)
        .max_send_buf_size(SEND_BYTES)
        .keep_alive_interval(KEEP_ALIVE)
        // gRPC does not use it.
        .auto_date_header(false);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let mut stopped = pin!(async {
        // The value never changes; the channel closes.
        let _ = stopping.changed().await;
    });
    let mut is_stopping = false;
    let mut calls = FuturesUnordered::new();
    poll_fn(|context| {
        if !is_stopping && stopped.as_mut().poll(context).is_ready() {
            is_stopping = true;
            connection.as_mut().graceful_shutdown();
        }
        if !has_begun {
            has_begun = received.is_greeting();
            if !has_begun && too_late.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
        }
        if !has_token.load(Ordering::Relaxed) && token_timer.as_mut().poll(context).is_ready() {
            if is_ending {
                return Poll::Ready(());
            }
            is_ending = true;
            connection.as_mut().graceful_shutdown();
            token_timer.as_mut().reset(Instant::now() + REFUSAL_MAX);
            // The timer is polled so that it wakes this task.
            let _ = token_timer.as_mut().poll(context);
        }
        loop {
            // Reads requests, which begins calls, and sends answers. An error means that the client
            // has disconnected.
            if connection.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            calls.extend(begun.take());
            let mut ended = 0;
            // A call that panics, even while its request is decoded, ends alone.
            let mut next = || catch_unwind(AssertUnwindSafe(|| calls.poll_next_unpin(context)));
            while ended < CALLS_PER_FLUSH && matches!(next(), Ok(Poll::Ready(Some(()))) | Err(_)) {
                ended += 1;
            }
            if ended == 0 {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// Checks that a call is a gRPC call. (gRPC over HTTP/2, "Requests": others get an HTTP status.)
fn check_http<B>(call: &Request<B>) -> Result<(), Box<Answer>> {
    if call.method() != Method::POST {
        let mut refusal =
            no_grpc(StatusCode::METHOD_NOT_ALLOWED, "this is a gRPC server, whose calls are POST requests");
        refusal.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Err(refusal);
    }
    let content_type =
        call.headers().get(header::CONTENT_TYPE).and_then(|text| text.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    if ["application/grpc", "application/grpc+proto"].iter().any(|known| essence.eq_ignore_ascii_case(known))
    {
        return Ok(());
    }
    let why = "this is a gRPC server: use a gRPC client, which sends the content-type application/grpc";
    Err(no_grpc(StatusCode::UNSUPPORTED_MEDIA_TYPE, why))
}

fn no_grpc(status: StatusCode, why: &'static str) -> Box<Answer> {
    let mut refusal = Answer::new(Body::new(Full::new(Bytes::from_static(why.as_bytes()))));
    *refusal.status_mut() = status;
    refusal.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Box::new(refusal)
}

/// Checks the token of a call, and returns whether the call has a valid token or needs none.
/// Container probes cannot send one, and learn only that the server answers.
fn check_token(call: &Request<Incoming>, access: &Access) -> Result<bool, Box<Answer>> {
    let authorization = call.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let is_probe = || {
        call.uri()
            .path()
            .strip_prefix('/')
            .and_then(|path| path.strip_prefix(Health::NAME))
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let has_token = access.permits(authorization);
    if has_token || is_probe() {
        return Ok(has_token);
    }
    let why = "this server requires a token: send the metadata \"authorization: Bearer TOKEN\" with the token of its --token-file";
    Err(Box::new(Status::unauthenticated(why).into_http()))
}

/// The future of a call in progress.
type Answering = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Calls that have begun and have not been polled yet.
#[derive(Clone, Default)]
struct Begun(Arc<Mutex<Vec<Answering>>>);

impl Begun {
    fn take(&self) -> Vec<Answering> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Begun {
    fn execute(&self, call: F) {
        lock(&self.0).push(Box::pin(call));
    }
}
