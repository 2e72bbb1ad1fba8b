//! One connection: HTTP/2, and the calls that came by it, all on one task. A point read takes a few microseconds, less than another
//! thread takes to wake. What takes longer is cut into slices, or asks for a thread (`rpc::Work`).

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

/// Bytes that a client may send before it must wait for the server to read, of one call and of all.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// Bytes of one HTTP/2 frame at most, in either direction.
const FRAME_BYTES_MAX: u32 = 1 << 20;
/// Bytes of an answer that wait for a client which does not take them.
const SEND_BYTES: usize = 64 << 10;
/// How often a client that says nothing is asked whether it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(60);
/// Calls of a client that are answered at a time; more of them wait with the client.
const CALLS_MAX: u32 = 1_000;
/// Calls that end before their answers are sent. Sending costs as much as a point read, so not each alone; and not all together,
/// for the client has work to do with the first.
const CALLS_PER_FLUSH: usize = 8;

/// Serves a client until it has gone, or `stopping` has ended and what is under way has been answered.
pub(super) async fn serve(stream: TcpStream, api: Api, mut stopping: watch::Receiver<()>) {
    // Without it answers are only later.
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
        // gRPC has no use for it.
        .auto_date_header(false);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
    let mut stopped = pin!(async {
        // It never changes: it ends.
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
            // It reads what has come, which begins calls, and sends what calls have answered. An error is the client's going.
            if connection.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            calls.extend(begun.take());
            let mut ended = 0;
            // A call that panics, as one whose request cannot even be decoded, ends alone.
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

/// A call that is being answered.
type Answering = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Calls that have begun, and that nobody has looked at yet.
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
