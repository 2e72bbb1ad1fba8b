//! Frames: four bytes of request id, little-endian, then the codec's bytes. Id 0 marks a message of
//! the worker that is not an answer.

use tabletop_model::{Result, Timestamp, wire};
use tabletop_protocol::{Answer, Ask, Notice};

use crate::Session;

/// A decoded frame.
pub struct Request {
    id: [u8; 4],
    ask: Result<Ask>,
}

impl Request {
    /// Decodes a frame; `None` if it is too short to contain an id.
    pub fn read(frame: &[u8]) -> Option<Request> {
        let (id, body) = frame.split_first_chunk::<4>()?;
        Some(Request { id: *id, ask: wire::decode(body) })
    }

    /// Returns whether this is a request for a view of a table that is being built.
    pub fn can_wait(&self, session: &Session) -> bool {
        matches!(self.ask, Ok(Ask::View { index, .. }) if session.grows(index))
    }

    /// Answers with one frame. `clock` returns microseconds.
    pub fn answer(self, session: &mut Session, clock: impl Fn() -> Timestamp) -> Vec<u8> {
        let answer = match self.ask {
            Ok(ask) => session.handle(&clock, ask),
            Err(error) => Answer::Failed(error),
        };
        with_id(self.id, wire::encode(&answer))
    }
}

/// Returns a frame that is not an answer to a request.
pub fn notice(notice: &Notice) -> Vec<u8> {
    with_id([0; 4], wire::encode(notice))
}

fn with_id(id: [u8; 4], body: Vec<u8>) -> Vec<u8> {
    let mut frame = id.to_vec();
    frame.extend(body);
    frame
}
