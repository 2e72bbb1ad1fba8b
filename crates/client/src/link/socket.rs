//! A server as the other end of a connection, over a WebSocket (see `tabletop_protocol::WatchServer`).

use js_sys::Array;
use tabletop_model::Code;
use tabletop_protocol::{LIVE_CLOSE_BUSY, LIVE_CLOSE_TOKEN, LIVE_PROTOCOL, LIVE_TOKEN_PREFIX};
use wasm_bindgen::prelude::*;
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use super::{Line, Says, Transport, text_of};

/// The close code of a server that is being stopped.
const GOING_AWAY: u16 = 1_001;

/// A WebSocket, or nothing if the browser refused to open it.
pub(crate) struct SocketTransport {
    socket: Option<WebSocket>,
    /// The closures must live as long as the socket may call them.
    _message: Closure<dyn FnMut(MessageEvent)>,
    _close: Closure<dyn FnMut(CloseEvent)>,
}

impl SocketTransport {
    /// Opens the socket at `url`.
    pub(crate) fn open(url: &str, token: &str, line: Line) -> (SocketTransport, Option<String>) {
        let protocols = Array::of2(&LIVE_PROTOCOL.into(), &format!("{LIVE_TOKEN_PREFIX}{token}").into());
        let opened = WebSocket::new_with_str_sequence(url, &protocols);
        let (socket, refusal) = match opened {
            Ok(socket) => (Some(socket), None),
            Err(error) => {
                (None, Some(format!("the browser would not connect to {url}: {}", text_of(&error))))
            }
        };
        let received = line.clone();
        let message: Closure<dyn FnMut(MessageEvent)> =
            Closure::new(move |event: MessageEvent| received.receive(&event));
        // An error is always followed by a close event, which has the reason, if there is one.
        let close: Closure<dyn FnMut(CloseEvent)> = Closure::new(move |event: CloseEvent| {
            let (code, reason) = why(event.code(), &event.reason());
            line.break_with(code, reason);
        });
        if let Some(socket) = &socket {
            socket.set_binary_type(BinaryType::Arraybuffer);
            socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
            socket.set_onclose(Some(close.as_ref().unchecked_ref()));
        }
        (SocketTransport { socket, _message: message, _close: close }, refusal)
    }
}

impl Transport for SocketTransport {
    fn post(&self, frame: &[u8]) {
        if let Some(socket) = &self.socket {
            // A socket that is closing accepts frames, and its close event fails the request.
            drop(socket.send_with_u8_array(frame));
        }
    }

    fn end(&self) {
        if let Some(socket) = &self.socket {
            socket.set_onmessage(None);
            socket.set_onclose(None);
            // This only fails for close codes that are not used here.
            drop(socket.close());
        }
    }

    fn says(&self) -> Says {
        Says {
            stopped: "the connection to the server has ended",
            replaced: "the connection to the server was replaced by another one during the request",
        }
    }
}

/// Returns the meaning of a close code: `InvalidArgument` for a wrong token, which a second attempt
/// does not change; `ResourceExhausted` for too many connections; else `Unavailable`.
fn why(code: u16, reason: &str) -> (Code, String) {
    let or = |text: &str| if reason.is_empty() { text.to_owned() } else { reason.to_owned() };
    match code {
        LIVE_CLOSE_TOKEN => {
            (Code::InvalidArgument, or("the token in the address does not belong to the running server"))
        }
        LIVE_CLOSE_BUSY => (Code::ResourceExhausted, or("it has reached its limit of connections")),
        GOING_AWAY => (Code::Unavailable, or("it was stopped")),
        _ => (Code::Unavailable, or("it was stopped, or cannot be reached")),
    }
}
