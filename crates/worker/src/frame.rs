//! Frames: four bytes of request id, little-endian, then the codec's bytes. Id 0 is what the worker says without a request.

use tabletop_model::{Timestamp, wire};
use tabletop_schema::{Answer, Ask, Notice};

use crate::Session;

/// Answers one frame with one frame, and puts the time it took on the bill of the read it belongs to. What is too short to have
/// an id gets no answer.
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

/// A frame without a request.
pub fn notice(notice: &Notice) -> Vec<u8> {
    with_id([0; 4], wire::encode(notice))
}

fn with_id(id: [u8; 4], body: Vec<u8>) -> Vec<u8> {
    let mut frame = id.to_vec();
    frame.extend(body);
    frame
}
