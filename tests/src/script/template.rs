//! Commands about row keys: they ask no table.

use super::Said;

/// The fields, the event and the template that the commands so far have named.
#[derive(Default)]
pub(super) struct Bench {}

impl Bench {
    /// What a command answers, if it is one of these.
    pub(super) fn command(&mut self, _verb: &str, _rest: &str) -> Option<Said> {
        None
    }
}
