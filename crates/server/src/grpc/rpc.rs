//! Calls of services and methods by name. It replaces the servers that tonic generates.

use std::future::{Future, ready};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes};
use futures_util::Stream;
use prost::Message;
use tokio::sync::Semaphore;
use tonic::body::Body;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http;
use tonic::metadata::MetadataMap;
use tonic::server::Grpc;
use tonic::{Request, Response, Status};

use super::maps;
use super::status::{fitting, invalid};

/// The largest request that writes values: entries of 100 MiB and what surrounds them.
pub(crate) const WRITE_BYTES_MAX: usize = 272 << 20;
/// The largest other request, as in other servers. A message in memory may be much larger than its encoding.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// The long work that runs concurrently, for all connections: enough that one sync of the disk completes many writes, and so
/// little that requests which wait for a blocked disk do not fill the memory.
static LONG: Semaphore = Semaphore::const_new(128);

/// The initial size of a message's buffer.
const BUFFER_BYTES: usize = 512;
/// The size up to which small messages are sent together.
const YIELD_BYTES: usize = 32 << 10;

/// A call.
pub type Call = http::Request<Body>;
/// The answer of a call.
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
    /// Microseconds, or a slice of longer work: less time than it takes to wake another thread. Runs where the call was read.
    Short,
    /// May wait for a disk or for other calls, or take long. Runs on its own thread, and other calls are answered meanwhile.
    Long,
}

/// A request that can be decoded.
pub(crate) trait Decode: Sized + Send {
    /// The largest encoding, in bytes.
    const BYTES_MAX: usize = REQUEST_BYTES_MAX;

    /// Decodes a complete message.
    fn decode(message: &[u8]) -> Result<Self, Status>;
}

impl<M: Message + Default> Decode for M {
    fn decode(message: &[u8]) -> Result<M, Status> {
        <M as Message>::decode(message).map_err(|error| invalid(format!("the request cannot be decoded: {error}")))
    }
}

/// Answers a call with one request and one answer.
pub(crate) fn unary<Q, A>(call: Call, work: Work, act: impl FnOnce(Q) -> Result<A, Status> + Send + 'static) -> Answering
where
    Q: Decode + 'static,
    A: Message + 'static,
{
    let mut act = Some(act);
    let method = Method(move |request: Request<Q>| perform(work, act.take(), |act| act(request.into_inner())));
    Box::pin(async move { grpc(Messages::<Q, A>(PhantomData), Q::BYTES_MAX).unary(method, call).await })
}

/// Answers a call with one request and a stream of encoded messages.
pub(crate) fn streamed<Q, S>(
    call: Call,
    work: Work,
    act: impl FnOnce(Q, &MetadataMap) -> Result<S, Status> + Send + 'static,
) -> Answering
where
    Q: Decode + 'static,
    S: Stream<Item = Result<Bytes, Status>> + Send + 'static,
{
    let mut act = Some(act);
    let method = Method(move |request: Request<Q>| {
        perform(work, act.take(), |act| {
            let (metadata, _, message) = request.into_parts();
            act(message, &metadata)
        })
    });
    Box::pin(async move { grpc(Encoded::<Q>(PhantomData), Q::BYTES_MAX).server_streaming(method, call).await })
}

/// Answers a call of a method that is not supported, with the reason.
pub(crate) fn unimplemented(method: &str, why: &str) -> Answering {
    let answer = Status::unimplemented(format!("{method} is not supported: {why}")).into_http();
    Box::pin(ready(answer))
}

fn grpc<C: Codec>(codec: C, bytes_max: usize) -> Grpc<C> {
    Grpc::new(codec).max_decoding_message_size(bytes_max).max_encoding_message_size(usize::MAX)
}

/// Runs the work where its kind belongs.
async fn perform<F, T>(
    work: Work,
    act: Option<F>,
    with: impl FnOnce(F) -> Result<T, Status> + Send + 'static,
) -> Result<Response<T>, Status>
where
    F: Send + 'static,
    T: Send + 'static,
{
    let Some(act) = act else { return Err(Status::internal("a call is answered once")) };
    match work {
        Work::Short => guarded(|| with(act)),
        Work::Long => {
            let stopped = || Status::unavailable("the server has been stopped: nothing was done");
            // A client that gives up here drops its request, too.
            let room = LONG.acquire().await.map_err(|_| stopped())?;
            let work = tokio::task::spawn_blocking(move || {
                let _room = room;
                guarded(|| with(act))
            });
            work.await.unwrap_or_else(|_| Err(stopped()))
        }
    }
}

/// Runs `act`. A panic becomes a status for the client.
fn guarded<T>(act: impl FnOnce() -> Result<T, Status>) -> Result<Response<T>, Status> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(done) => done.map(Response::new).map_err(fitting),
        Err(_) => Err(Status::internal("this is a bug of Tabletop, please report it: the request made it panic")),
    }
}

/// A function in the form that tonic expects.
struct Method<F>(F);

impl<F, W, Q, A> tonic::codegen::Service<Request<Q>> for Method<F>
where
    F: FnMut(Request<Q>) -> W,
    W: Future<Output = Result<Response<A>, Status>>,
{
    type Response = Response<A>;
    type Error = Status;
    type Future = W;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Q>) -> W {
        (self.0)(request)
    }
}

/// The settings of the buffer that is made for each message, in both directions. Most messages are small; the buffer grows for
/// large ones.
fn buffers() -> BufferSettings {
    BufferSettings::new(BUFFER_BYTES, YIELD_BYTES)
}

/// The codec of typed requests and answers. A request that cannot be decoded is an invalid argument.
struct Messages<Q, A>(PhantomData<fn(Q) -> A>);

/// The codec of typed requests and encoded answers.
struct Encoded<Q>(PhantomData<fn(Q)>);

struct MessageDecoder<Q>(PhantomData<fn() -> Q>);

struct MessageEncoder<A>(PhantomData<fn(A)>);

struct BytesEncoder;

impl<Q: Decode + 'static, A: Message + 'static> Codec for Messages<Q, A> {
    type Encode = A;
    type Decode = Q;
    type Encoder = MessageEncoder<A>;
    type Decoder = MessageDecoder<Q>;

    fn encoder(&mut self) -> Self::Encoder {
        MessageEncoder(PhantomData)
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder(PhantomData)
    }
}

impl<Q: Decode + 'static> Codec for Encoded<Q> {
    type Encode = Bytes;
    type Decode = Q;
    type Encoder = BytesEncoder;
    type Decoder = MessageDecoder<Q>;

    fn encoder(&mut self) -> Self::Encoder {
        BytesEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        MessageDecoder(PhantomData)
    }
}

impl<Q: Decode> Decoder for MessageDecoder<Q> {
    type Item = Q;
    type Error = Status;

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Q>, Status> {
        let length = source.remaining();
        // The message is contiguous, so nothing is copied.
        let decoded = match source.chunk() {
            chunk if chunk.len() == length => Q::decode(chunk),
            _ => return Q::decode(&source.copy_to_bytes(length)).map(Some),
        };
        source.advance(length);
        decoded.map(Some)
    }
}

impl<A: Message + 'static> Encoder for MessageEncoder<A> {
    type Item = A;
    type Error = Status;

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }

    fn encode(&mut self, item: A, target: &mut EncodeBuf<'_>) -> Result<(), Status> {
        match maps::encoded(&item) {
            Some(bytes) => target.put_slice(&bytes),
            None => item.encode(target).map_err(|error| Status::internal(error.to_string()))?,
        }
        Ok(())
    }
}

impl Encoder for BytesEncoder {
    type Item = Bytes;
    type Error = Status;

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }

    fn encode(&mut self, item: Bytes, target: &mut EncodeBuf<'_>) -> Result<(), Status> {
        target.put(item);
        Ok(())
    }
}
