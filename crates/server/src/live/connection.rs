//! One WebSocket to a page. Requests are answered on threads that may wait, so the connection stays
//! alive. Answers in memory are bounded: a slow reader gets no further ones, and is disconnected if
//! it accepts none for too long.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tabletop_model::{Code, Error, wire};
use tabletop_protocol::{Answer, LIVE_MESSAGE_BYTES_MAX, LIVE_REQUESTS_MAX, Notice};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error as SocketError, Message};

use super::answer::LiveHost;
use super::session::LiveSession;

/// The time between two pings, and the silence after which a page counts as disconnected.
const PING: Duration = Duration::from_secs(20);
const SILENCE_MAX: Duration = Duration::from_secs(60);
/// The time within which a page must accept a message.
const SEND_MAX: Duration = Duration::from_secs(30);
/// The time that a page has to respond when it is told why it is disconnected.
const GOODBYE_MAX: Duration = Duration::from_secs(2);
/// The bytes of a request id.
const ID_BYTES: usize = 4;

/// The reason why a connection ends.
pub(super) struct Goodbye {
    pub code: u16,
    pub why: &'static str,
}

/// Makes a WebSocket from a connection that was upgraded.
pub(super) async fn open<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> WebSocketStream<S> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LIVE_MESSAGE_BYTES_MAX))
        .max_frame_size(Some(LIVE_MESSAGE_BYTES_MAX));
    WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await
}

/// Ends a connection with a reason.
pub(super) async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: WebSocketStream<S>,
    goodbye: Goodbye,
) {
    say_goodbye(&mut socket, &goodbye).await;
}

/// Runs the jobs of a page until it disconnects, or `stopping` changes. `answers` limits the
/// answers in memory of all pages.
pub(super) async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: WebSocketStream<S>,
    host: LiveHost,
    answers: Arc<Semaphore>,
    mut stopping: watch::Receiver<()>,
) {
    let session = Arc::new(LiveSession::new(host));
    if let Some(goodbye) = answer_all(&mut socket, &session, &answers, &mut stopping).await {
        say_goodbye(&mut socket, &goodbye).await;
    }
}

/// Answers requests. Returns why the connection ends, if the page can be told.
async fn answer_all<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    session: &Arc<LiveSession>,
    answers: &Arc<Semaphore>,
    stopping: &mut watch::Receiver<()>,
) -> Option<Goodbye> {
    let ready = frame(0, &wire::encode(&Notice::Ready));
    send(socket, ready).await?;
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    let mut working = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some((answer, _room)) = working.next() => send(socket, answer).await?,
            received = socket.next(), if working.len() < LIVE_REQUESTS_MAX => {
                heard = Instant::now();
                match received?.map_err(|error| goodbye_of(&error)) {
                    Ok(Message::Binary(request)) => match request_id(&request) {
                        Some(id) => working.push(answer(id, request, session.clone(), answers.clone())),
                        None => return Some(Goodbye { code: CloseCode::Protocol.into(), why: "a message has no request id" }),
                    },
                    Ok(Message::Text(_)) => {
                        return Some(Goodbye { code: CloseCode::Unsupported.into(), why: "messages are binary" });
                    }
                    Ok(Message::Close(_)) => return None,
                    Ok(_) => {}
                    Err(goodbye) => return goodbye,
                }
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENCE_MAX && working.len() < LIVE_REQUESTS_MAX {
                    return None;
                }
                send(socket, Message::Ping(Bytes::new())).await?;
            }
            _ = stopping.changed() => return Some(Goodbye { code: CloseCode::Away.into(), why: "the server is being stopped" }),
        }
    }
}

/// Prepares an answer where it may wait.
async fn answer(
    id: u32,
    request: Bytes,
    session: Arc<LiveSession>,
    answers: Arc<Semaphore>,
) -> (Message, Option<OwnedSemaphorePermit>) {
    let room = answers.acquire_owned().await.ok();
    let work = tokio::task::spawn_blocking(move || session.answer(&request[ID_BYTES..]));
    let answer = work.await.unwrap_or_else(|_| {
        let bug = Error::new(
            Code::Internal,
            "this is a bug of Tabletop, please report it: the request made it panic",
        );
        wire::encode(&Answer::Failed(bug))
    });
    (frame(id, &answer), room)
}

fn request_id(request: &[u8]) -> Option<u32> {
    request.first_chunk().map(|id| u32::from_le_bytes(*id)).filter(|id| *id != 0)
}

fn frame(id: u32, bytes: &[u8]) -> Message {
    Message::Binary([&id.to_le_bytes(), bytes].concat().into())
}

/// Sends a message. Returns `None` if the page has disconnected or does not accept it.
async fn send(
    socket: &mut (impl Sink<Message, Error = SocketError> + Unpin),
    message: Message,
) -> Option<()> {
    timeout(SEND_MAX, socket.send(message)).await.ok()?.ok()
}

/// Returns what to tell a page that has sent something invalid, or `None` if it has disconnected.
fn goodbye_of(error: &SocketError) -> Option<Goodbye> {
    match error {
        SocketError::Capacity(_) => {
            Some(Goodbye { code: CloseCode::Size.into(), why: "the message is too long" })
        }
        SocketError::Protocol(_) => {
            Some(Goodbye { code: CloseCode::Protocol.into(), why: "this is not a WebSocket frame" })
        }
        SocketError::Utf8(_) => {
            Some(Goodbye { code: CloseCode::Unsupported.into(), why: "messages are binary" })
        }
        _ => None,
    }
}

async fn say_goodbye<S>(socket: &mut S, goodbye: &Goodbye)
where
    S: Sink<Message, Error = SocketError> + Stream<Item = Result<Message, SocketError>> + Unpin,
{
    let close = Message::Close(Some(CloseFrame { code: goodbye.code.into(), reason: goodbye.why.into() }));
    let _ = timeout(GOODBYE_MAX, async {
        if socket.send(close).await.is_ok() {
            // Bytes that are not read would reset the connection before the page has read the
            // reason.
            while socket.next().await.is_some_and(|received| received.is_ok()) {}
        }
    })
    .await;
}
