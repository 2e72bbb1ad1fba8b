//! One HTTP/2 connection and its calls, all on one task. A point read takes a few microseconds, less than it takes to wake
//! another thread. Longer work is cut into slices, or runs on its own thread (`rpc::Work`).

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tonic::body::Body;
use tonic::codegen::http::Request;

use super::Api;
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
/// The calls that end before their answers are sent. Sending costs as much as a point read, so answers are not sent one by one.
/// They are not sent all together either, because the client can work on the first ones.
const CALLS_PER_FLUSH: usize = 8;

/// Serves a client until it disconnects, or until `stopping` has ended and the calls in progress are answered.
pub(super) async fn serve(stream: TcpStream, api: Api, mut stopping: watch::Receiver<()>) {
    // If this fails, answers are only slower.
    let _ = stream.set_nodelay(true);
    let begun = Begun::default();
    let answer = service_fn(move |call: Request<Incoming>| {
        let answer = api.answer(call.map(Body::new));
        async { Ok::<_, Infallible>(answer.await) }
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
        loop {
            // Reads requests, which begins calls, and sends answers. An error means that the client has disconnected.
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
