//! Frames: four bytes of request id, little-endian, then the codec's bytes. Id 0 marks a message of the worker that answers no
//! request.

use tabletop_model::{Timestamp, wire};
use tabletop_schema::{Answer, Ask, Notice};

use crate::Session;

/// Answers one frame with one frame, and adds the elapsed time to the cost of the read. A frame too short to hold an id gets no
/// answer.
pub fn answer(session: &mut Session, clock: impl Fn() -> Timestamp, frame: &[u8]) -> Option<Vec<u8>> {
    let (id, body) = frame.split_first_chunk::<4>()?;
    let begun = clock();
    let mut answer = match wire::decode::<Ask>(body) {
        Ok(ask) => session.handle(begun, ask),
        Err(error) => Answer::Failed(error),
    };
    session.charge(&mut answer, clock() - begun);
    Some(with_id(*id, wire::encode(&answer)))
}

/// A frame that answers no request.
pub fn notice(notice: &Notice) -> Vec<u8> {
    with_id([0; 4], wire::encode(notice))
}

fn with_id(id: [u8; 4], body: Vec<u8>) -> Vec<u8> {
    let mut frame = id.to_vec();
    frame.extend(body);
    frame
}
