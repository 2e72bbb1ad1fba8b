//! Calls of services and methods by name. It replaces the servers that tonic generates.

use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use prost::Message;
use tokio::sync::Semaphore;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http;
use tonic::metadata::MetadataMap;

use super::maps;
use super::memory::{Held, Memory};
use super::message::{self, Limit};
use super::status::{fitting, invalid};

/// The largest request that writes values: room for values of 100 MiB, with what surrounds them.
pub(crate) const WRITE_BYTES_MAX: usize = 272 << 20;
/// The largest other request, as in other servers. A message in memory may be much larger than its
/// encoding.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// Limits the long work that runs concurrently, over all connections: enough that one sync of the
/// disk completes many writes, and little enough that requests waiting for a blocked disk do not
/// fill the memory.
static LONG: Semaphore = Semaphore::const_new(128);

/// The size from which a request counts as long work: decoding it takes longer than waking another
/// thread.
const LONG_REQUEST_BYTES: usize = 256 << 10;

/// A gRPC call.
pub type Call = http::Request<Body>;
/// The answer to a call.
pub type Answer = http::Response<Body>;

/// The future of an answer.
pub(crate) type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// The methods of a service.
pub(crate) trait Methods {
    /// The service's name, with the package.
    const NAME: &'static str;

    /// Answers a call of one method.
    fn call(self, method: &str, call: Call) -> Answering;
}

/// The kind of a call's work, which decides where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Microseconds of work, or a slice of longer work: less time than it takes to wake another
    /// thread. It runs where the call was read.
    Short,
    /// Work that may wait for a disk or for other calls, or take long. It runs on its own thread,
    /// and other calls are answered at the same time.
    Long,
}

/// A request that can be decoded.
pub(crate) trait Decode: Sized + Send {
    /// The largest encoding, in bytes.
    const BYTES_MAX: usize = REQUEST_BYTES_MAX;
    /// The memory that a request may take, in multiples of its encoding.
    const EXPANSION: usize = 1;

    /// Returns the error for an encoding that is too long.
    fn too_long(bytes: usize) -> Status {
        Status::out_of_range(format!(
            "the request has {bytes} bytes, and the limit is {} bytes",
            Self::BYTES_MAX
        ))
    }

    /// Decodes a complete message.
    fn decode(message: &[u8]) -> Result<Self, Status>;
}

impl<M: Message + Default> Decode for M {
    fn decode(message: &[u8]) -> Result<M, Status> {
        <M as Message>::decode(message)
            .map_err(|error| invalid(format!("the request cannot be decoded: {error}")))
    }
}

/// Answers a call with one request and one answer.
pub(crate) fn unary<Q, A>(
    call: Call,
    work: Work,
    act: impl FnOnce(Q) -> Result<A, Status> + Send + 'static,
) -> Answering
where
    Q: Decode + 'static,
    A: Message + 'static,
{
    listed(call, work, move |request| {
        let answer = act(request)?;
        let encoded = maps::encoded(&answer).unwrap_or_else(|| answer.encode_to_vec());
        Ok(vec![encoded.into()])
    })
}

/// Answers a call with one request and a list of encoded messages.
pub(crate) fn listed<Q>(
    call: Call,
    work: Work,
    act: impl FnOnce(Q) -> Result<Vec<Bytes>, Status> + Send + 'static,
) -> Answering
where
    Q: Decode + 'static,
{
    streamed(call, work, move |request, _, mut held| {
        let messages = act(request)?;
        held.count(messages.iter().map(Bytes::len).sum());
        Ok(Listed { messages: messages.into_iter(), _held: held })
    })
}

/// Messages that are sent one after another.
struct Listed {
    messages: std::vec::IntoIter<Bytes>,
    /// Accounts for all messages until the last one has been sent.
    _held: Held,
}

impl Stream for Listed {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.messages.next().map(Ok))
    }
}

/// Answers a call with one request and a stream of encoded messages. `act` receives the memory
/// share of the request, which the stream keeps for its messages.
pub(crate) fn streamed<Q, S>(
    call: Call,
    work: Work,
    act: impl FnOnce(Q, &MetadataMap, Held) -> Result<S, Status> + Send + 'static,
) -> Answering
where
    Q: Decode + 'static,
    S: Stream<Item = Result<Bytes, Status>> + Send + 'static,
{
    Box::pin(async move {
        match perform(call, work, act).await {
            Ok(messages) => message::send(messages),
            Err(status) => fitting(status).into_http(),
        }
    })
}

/// Answers a call of a method that is not supported, with the reason.
pub(crate) fn unimplemented(method: &str, why: &str) -> Answering {
    let answer = fitting(Status::unimplemented(format!("{method} is not supported: {why}")));
    Box::pin(ready(answer.into_http()))
}

/// Receives the request, and does the work where its kind belongs.
async fn perform<Q, S>(
    call: Call,
    work: Work,
    act: impl FnOnce(Q, &MetadataMap, Held) -> Result<S, Status> + Send + 'static,
) -> Result<S, Status>
where
    Q: Decode + 'static,
    S: Send + 'static,
{
    let (mut parts, body) = call.into_parts();
    let memory =
        parts.extensions.remove::<Arc<Memory>>().ok_or_else(|| Status::internal("a call has memory"))?;
    let mut held = memory.hold();
    let limit = Limit { bytes_max: Q::BYTES_MAX, too_long: Q::too_long };
    let message = message::receive(&parts.headers, body, limit, &mut held).await?;
    if Q::EXPANSION > 1 {
        held.set(message.len() * Q::EXPANSION)?;
    }
    let work = if message.len() >= LONG_REQUEST_BYTES { Work::Long } else { work };
    let act = move || {
        let request = Q::decode(&message)?;
        drop(message);
        act(request, &MetadataMap::from_headers(parts.headers), held)
    };
    match work {
        Work::Short => guarded(act),
        Work::Long => {
            let stopped = || Status::unavailable("the server has been stopped: nothing was changed");
            // A client that cancels here drops its request, too.
            let room = LONG.acquire().await.map_err(|_| stopped())?;
            let work = tokio::task::spawn_blocking(move || {
                let _room = room;
                guarded(act)
            });
            work.await.unwrap_or_else(|_| Err(stopped()))
        }
    }
}

/// Runs `act`. A panic becomes a status for the client.
fn guarded<T>(act: impl FnOnce() -> Result<T, Status>) -> Result<T, Status> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        Err(Status::internal("this is a bug of Tabletop, please report it: the request made it panic"))
    })
}
