//! The messages of calls on the wire: each has a head of five bytes, a flag and a length. A request
//! is read as it arrives, and an answer is sent in pieces, so that both take only the memory that
//! is counted for them.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::Stream;
use http_body_util::BodyExt;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, HeaderValue, Response, header};
use tonic::{Code, Status};

use super::memory::Held;
use super::rpc::Answer;
use super::status::{fitting, invalid};

/// The flag and the length.
const HEAD_BYTES: usize = 5;
/// The initial size of the buffer of a request that arrives in several frames.
const BUFFER_BYTES: usize = 4 << 10;
/// The pause in the middle of a request after which it is aborted.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The size up to which small messages are sent together, and the size of the pieces of large ones.
const PIECE_BYTES: usize = 64 << 10;
/// Messages above this size are not copied.
const COPIED_BYTES_MAX: usize = 16 << 10;

/// The longest message of a request in bytes, and the error for a longer one.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub bytes_max: usize,
    pub too_long: fn(bytes: usize) -> Status,
}

/// Reads the only message of a request. `held` counts the bytes.
///
/// # Errors
/// The error of `limit` for a longer message, `RESOURCE_EXHAUSTED` without memory for it,
/// `DEADLINE_EXCEEDED` when the rest does not arrive, `UNIMPLEMENTED` when it is compressed.
pub(super) async fn receive(
    headers: &HeaderMap,
    mut body: Body,
    limit: Limit,
    held: &mut Held,
) -> Result<Bytes, Status> {
    if headers.get("grpc-encoding").is_some_and(|encoding| encoding != "identity") {
        return Err(Status::unimplemented(
            "compressed requests are not supported: send them without grpc-encoding",
        ));
    }
    let mut received = Received { limit, held, buffer: Vec::new(), whole: None };
    loop {
        let frame = tokio::time::timeout(PAUSE_MAX, body.frame()).await.map_err(|_| {
            Status::deadline_exceeded(format!(
                "the rest of the request has not arrived for {} seconds",
                PAUSE_MAX.as_secs()
            ))
        })?;
        match frame
            .transpose()
            .map_err(|error| Status::cancelled(format!("the request was not received: {error}")))?
        {
            None => break,
            Some(frame) => frame.into_data().map_or(Ok(()), |data| received.take(data))?,
        }
    }
    received.whole.ok_or_else(|| invalid("the call ended before its request"))
}

/// A request that is being received.
struct Received<'a> {
    limit: Limit,
    held: &'a mut Held,
    /// The beginning, with its head, if the request arrives in several frames.
    buffer: Vec<u8>,
    whole: Option<Bytes>,
}

impl Received<'_> {
    fn take(&mut self, mut data: Bytes) -> Result<(), Status> {
        if data.is_empty() {
            return Ok(());
        }
        if self.whole.is_some() {
            return Err(invalid("the call has more than one request"));
        }
        // Most requests arrive in one frame, which is not copied.
        if self.buffer.is_empty()
            && let Some(length) = self.length(&data)?
            && data.len() == HEAD_BYTES + length
        {
            self.held.set(data.len())?;
            data.advance(HEAD_BYTES);
            self.whole = Some(data);
            return Ok(());
        }
        while !data.is_empty() {
            let length = self.length(&self.buffer)?;
            let end = length.map_or(HEAD_BYTES, |length| HEAD_BYTES + length);
            if self.buffer.len() == end {
                return Err(invalid("the call has more than one request"));
            }
            let part = data.split_to(data.len().min(end - self.buffer.len()));
            self.reserve(part.len(), end)?;
            self.buffer.extend_from_slice(&part);
        }
        if self.length(&self.buffer)?.is_some_and(|length| self.buffer.len() == HEAD_BYTES + length) {
            let mut whole = Bytes::from(std::mem::take(&mut self.buffer));
            whole.advance(HEAD_BYTES);
            self.whole = Some(whole);
        }
        Ok(())
    }

    /// Makes room for bytes that have arrived. A client that announces much and sends little takes
    /// little memory.
    fn reserve(&mut self, more: usize, end: usize) -> Result<(), Status> {
        let (length, capacity) = (self.buffer.len(), self.buffer.capacity());
        if length + more > capacity {
            let wanted = (capacity * 2).max(length + more).max(BUFFER_BYTES).min(end.max(BUFFER_BYTES));
            self.held.set(wanted)?;
            self.buffer.reserve_exact(wanted - length);
        }
        Ok(())
    }

    /// Returns the length in a message's head, if the head is complete.
    fn length(&self, message: &[u8]) -> Result<Option<usize>, Status> {
        let Some(&[flag, ref length @ ..]) = message.first_chunk::<HEAD_BYTES>() else { return Ok(None) };
        if flag != 0 {
            return Err(Status::internal(format!(
                "protocol error: the message has the compression flag {flag}, but the call names no compression"
            )));
        }
        let length = u32::from_be_bytes(*length) as usize;
        if length > self.limit.bytes_max {
            return Err((self.limit.too_long)(length));
        }
        Ok(Some(length))
    }
}

/// Answers with encoded messages and the status after them.
pub(super) fn send<S>(messages: S) -> Answer
where
    S: Stream<Item = Result<Bytes, Status>> + Send + 'static,
{
    let body = Sending {
        messages: Box::pin(messages),
        ready: BytesMut::new(),
        large: Bytes::new(),
        is_cut: false,
        status: None,
        is_over: false,
    };
    let mut answer = Response::new(Body::new(body));
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    answer
}

/// The body of an answer.
struct Sending<S> {
    messages: Pin<Box<S>>,
    /// Bytes that are sent next.
    ready: BytesMut,
    /// The rest of a large message, which follows.
    large: Bytes,
    /// Whether a piece of it has been sent.
    is_cut: bool,
    /// The status that follows the messages, once it is known.
    status: Option<Status>,
    is_over: bool,
}

type Frame = hyper::body::Frame<Bytes>;

impl<S: Stream<Item = Result<Bytes, Status>>> hyper::body::Body for Sending<S> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame, Status>>> {
        let this = &mut *self;
        loop {
            if this.ready.len() >= PIECE_BYTES
                || !this.ready.is_empty() && (!this.large.is_empty() || this.status.is_some())
            {
                return Poll::Ready(Some(Ok(Frame::data(this.ready.split().freeze()))));
            }
            if !this.large.is_empty() {
                let piece = this.large.split_to(this.large.len().min(PIECE_BYTES));
                // The last pieces wait longest for a slow client, and the next message is read in
                // the meantime. Each piece is copied: otherwise it would keep the whole message in
                // memory, which is no longer counted.
                let is_whole =
                    !std::mem::replace(&mut this.is_cut, !this.large.is_empty()) && this.large.is_empty();
                let is_near_end = this.large.len() <= PIECE_BYTES && !is_whole;
                let piece = if is_near_end { Bytes::copy_from_slice(&piece) } else { piece };
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            if let Some(status) = this.status.take() {
                this.is_over = true;
                let mut trailers = HeaderMap::new();
                return Poll::Ready(Some(
                    fitting(status).add_header(&mut trailers).map(|()| Frame::trailers(trailers)),
                ));
            }
            match this.messages.as_mut().poll_next(context) {
                Poll::Pending if this.ready.is_empty() => return Poll::Pending,
                Poll::Pending => return Poll::Ready(Some(Ok(Frame::data(this.ready.split().freeze())))),
                Poll::Ready(None) => this.status = Some(Status::new(Code::Ok, "")),
                Poll::Ready(Some(Err(status))) => this.status = Some(status),
                Poll::Ready(Some(Ok(message))) => match u32::try_from(message.len()) {
                    Err(_) => {
                        this.status =
                            Some(Status::internal("a message of the answer is longer than gRPC allows"));
                    }
                    Ok(length) => {
                        this.ready.put_u8(0);
                        this.ready.put_u32(length);
                        if message.len() > COPIED_BYTES_MAX {
                            this.large = message;
                        } else {
                            this.ready.put(message);
                        }
                    }
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grpc::memory::Memory;
    use crate::grpc::rpc::Decode;

    /// Receives a request of these frames, and returns it with the bytes that were counted.
    async fn received(frames: Vec<Vec<u8>>, bytes_max: usize) -> Result<(Bytes, String), Status> {
        let frames = frames.into_iter().map(|frame| Ok::<_, Status>(Frame::data(Bytes::from(frame))));
        let body = Body::new(http_body_util::StreamBody::new(futures_util::stream::iter(frames)));
        let mut held = Memory::new(1 << 20).hold();
        let message = receive(&HeaderMap::new(), body, limit(bytes_max), &mut held).await?;
        Ok((message, format!("{held:?}")))
    }

    fn limit(bytes_max: usize) -> Limit {
        Limit { bytes_max, too_long: <() as Decode>::too_long }
    }

    fn framed(message: &[u8]) -> Vec<u8> {
        [&[0][..], &(message.len() as u32).to_be_bytes(), message].concat()
    }

    #[tokio::test]
    async fn a_request_comes_in_any_frames() {
        let message: Vec<u8> = (0..20_000_u32).map(|at| at as u8).collect();
        for size in [1, 4, 5, 6, 1_000, 4_096, 20_004, 20_005] {
            let frames = framed(&message).chunks(size).map(<[u8]>::to_vec).collect();
            assert_eq!(received(frames, 20_000).await.unwrap().0, message, "{size}");
        }
        assert_eq!(received(vec![framed(b"")], 0).await.unwrap().0, b""[..]);
    }

    #[tokio::test]
    async fn a_malformed_request_is_refused() {
        let code = async |frames: &[&[u8]]| {
            received(frames.iter().map(|frame| frame.to_vec()).collect(), 10).await.unwrap_err().code()
        };
        assert_eq!(code(&[]).await, Code::InvalidArgument);
        assert_eq!(code(&[&framed(b"abc")[..6]]).await, Code::InvalidArgument);
        assert_eq!(code(&[&framed(b"abc"), b"x"]).await, Code::InvalidArgument);
        assert_eq!(code(&[&[&framed(b"abc")[..], b"x"].concat()]).await, Code::InvalidArgument);
        assert_eq!(code(&[&framed(&[0; 11])]).await, Code::OutOfRange);
        assert_eq!(code(&[&[0, 255, 255, 255, 255]]).await, Code::OutOfRange);
        assert_eq!(code(&[&[1, 0, 0, 0, 1, 7]]).await, Code::Internal);
    }

    /// A head that announces a large message reserves nothing.
    #[tokio::test]
    async fn memory_is_taken_for_bytes_that_have_arrived() {
        let mut held = Memory::new(1 << 20).hold();
        let mut received =
            Received { limit: limit(1 << 30), held: &mut held, buffer: Vec::new(), whole: None };
        let head = [&[0][..], &(1_u32 << 30).to_be_bytes()].concat();
        received.take(head.into()).unwrap();
        received.take(vec![7; BUFFER_BYTES].into()).unwrap();
        assert_eq!(received.buffer.capacity(), 2 * BUFFER_BYTES);
        let refusal = received.take(vec![7; 1 << 20].into()).unwrap_err();
        assert_eq!(refusal.code(), Code::ResourceExhausted);
    }

    /// A piece that waits in HTTP/2 for the client does not keep its message in memory.
    #[tokio::test]
    async fn the_last_pieces_of_a_message_do_not_keep_it() {
        for bytes in [PIECE_BYTES + 1, 2 * PIECE_BYTES, 3 * PIECE_BYTES - 1, 50 * PIECE_BYTES] {
            let message = Bytes::from(vec![7; bytes]);
            let begin = message.clone();
            let mut body =
                send(futures_util::stream::iter([Ok(message), Ok(Bytes::from(vec![8; bytes]))])).into_body();
            let (mut sent, mut last) = (0, Vec::new());
            while sent < HEAD_BYTES + bytes {
                let piece = body.frame().await.unwrap().unwrap().into_data().unwrap();
                sent += piece.len();
                last.push(piece);
            }
            last.drain(..last.len() - 2);
            assert!(begin.is_unique(), "{bytes}");
        }
    }

    #[tokio::test]
    async fn an_answer_is_sent_in_pieces() {
        let messages = [b"abc".to_vec(), vec![7; 200_000], b"de".to_vec()];
        let stream = futures_util::stream::iter(messages.clone().map(|message| Ok(Bytes::from(message))));
        let mut body = send(stream).into_body();
        let (mut bytes, mut status) = (Vec::new(), None);
        while let Some(frame) = body.frame().await {
            match frame.unwrap().into_data() {
                Ok(data) => {
                    assert!(data.len() <= PIECE_BYTES);
                    bytes.extend_from_slice(&data);
                }
                Err(frame) => status = frame.into_trailers().ok(),
            }
        }
        assert_eq!(bytes, messages.map(|message| framed(&message)).concat());
        assert_eq!(status.unwrap()["grpc-status"], "0");
    }
}
