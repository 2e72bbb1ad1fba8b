//! What the pipelines do next.

use alloc::vec::Vec;

use tabletop_protocol::{ProfilesChunk, ProfilesWork};

/// The maximum number of events that arrive in one slice.
const STREAMED: u32 = 400;

/// The work of the next slices.
#[derive(Default)]
pub struct Plan {
    /// Work that the user has requested, the next first.
    pub asked: Vec<ProfilesWork>,
    /// Whether events arrive.
    pub is_streaming: bool,
    /// Whether the batch recomputes all profiles once no more events arrive.
    pub is_batching: bool,
}

impl Plan {
    /// Takes the work of the next slice; `None` if there is nothing to do.
    pub fn take_next(&mut self) -> Option<ProfilesWork> {
        if !self.asked.is_empty() {
            return Some(self.asked.remove(0));
        }
        match (self.is_streaming, self.is_batching) {
            (true, _) => Some(ProfilesWork::Stream(STREAMED)),
            (false, true) => Some(ProfilesWork::Batch),
            (false, false) => None,
        }
    }

    /// Ends the pipelines that a slice has completed. A complete batch starts again after a change
    /// of the strategy that the slice did not have yet.
    pub fn note(&mut self, chunk: &ProfilesChunk) {
        self.is_streaming &= chunk.events < chunk.events_total;
        self.is_batching &=
            !chunk.batch.as_ref().is_some_and(|batch| batch.is_done) || !self.asked.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_protocol::ProfilesBatch;
    use tabletop_workspace::Strategy;

    use super::*;

    fn chunk(events: u64, is_done: bool) -> ProfilesChunk {
        let batch = ProfilesBatch {
            is_done,
            is_interrupted: false,
            is_resumed: false,
            users: 1,
            cells: 1,
            removed: 0,
            share: None,
            micros: 1,
        };
        ProfilesChunk { events, events_total: 10, batch: Some(batch), ..ProfilesChunk::default() }
    }

    #[test]
    fn what_the_user_asks_for_is_before_the_stream_and_the_batch_after_it() {
        let asked = vec![ProfilesWork::Repeat, ProfilesWork::Nothing];
        let mut plan = Plan { asked, is_streaming: true, is_batching: true };
        let mut next = || plan.take_next();
        assert_eq!([next(), next()], [Some(ProfilesWork::Repeat), Some(ProfilesWork::Nothing)]);
        assert_eq!(
            [next(), next()],
            [Some(ProfilesWork::Stream(STREAMED)), Some(ProfilesWork::Stream(STREAMED))]
        );
        plan.note(&chunk(10, false));
        assert_eq!(plan.take_next(), Some(ProfilesWork::Batch), "all events have arrived");
        plan.note(&chunk(10, true));
        assert_eq!(plan.take_next(), None);
    }

    #[test]
    fn a_batch_begins_again_after_a_change_of_the_strategy() {
        let strategy = || ProfilesWork::Strategy(Strategy::new(Vec::new(), Vec::new()));
        let mut plan = Plan { asked: vec![strategy()], is_batching: true, ..Plan::default() };
        plan.note(&chunk(10, true));
        assert_eq!([plan.take_next(), plan.take_next()], [Some(strategy()), Some(ProfilesWork::Batch)]);
    }
}
