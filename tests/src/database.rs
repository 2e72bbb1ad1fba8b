//! What the tests ask: the engine, or the reference model in its place.

use tabletop_model::{Request, Response, Timestamp};

/// The two entry points of a host.
pub trait Database {
    /// Answers one request at `now`.
    fn handle(&mut self, now: Timestamp, request: Request) -> Response;

    /// Does all work that waits: compactions, splits, merges.
    fn settle(&mut self, now: Timestamp);
}
