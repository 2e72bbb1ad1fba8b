//! The profiles of all users: the batch after a change of the strategy, in the pipeline of
//! `tabletop_design` and in SQL.
//!
//! Each store has the same events. It computes all profiles by one strategy, and then by another
//! one, which is measured: it reads the events of the window, adds scores up, and replaces all
//! stored profiles. The checksum of the profiles must be the same in all stores.
//!
//! This engine has the events in the wide layout, and writes its state after each slice, so that a
//! job that was killed can resume. The other stores have a table of events and a table of their
//! facets, without JSON, and do the job in one transaction.

pub mod sql;
#[cfg(not(target_arch = "wasm32"))]
pub mod sqlite;

use tabletop_keys::salt::hash;
use tabletop_model::Timestamp;
use tabletop_workspace::{EventScore, FacetScore, Strategy};

use crate::events::{Events, NAMES};
use crate::work::STRATEGY;

/// Number of events that stream in after the batch.
pub const STREAMED: u64 = 2_000;
/// The scores of types of events.
const TYPE_SCORES: [(&str, u32); 3] = [("click", 3), ("conversion", 10), ("view", 1)];
/// Number of event names that count, for each type: fifteen kinds of events, two thirds of all
/// events.
const NAMES_COUNTED: usize = 5;

/// Returns the strategies in the order in which they are used. The last one is measured.
pub fn strategies() -> [Strategy; 2] {
    let of = |scores: [u32; 3]| {
        let names = NAMES.into_iter().take(NAMES_COUNTED);
        let events =
            names.flat_map(|name| TYPE_SCORES.map(|(kind, score)| EventScore::new(kind, name, score)));
        let facets = STRATEGY.into_iter().zip(scores).map(|(facet, score)| FacetScore::new(facet, score));
        Strategy::new(events.collect(), facets.collect())
    };
    [of([1, 2, 3]), of([6, 5, 4])]
}

/// Returns the time of the newest event, at which profiles are computed.
pub fn now(events: &Events) -> Timestamp {
    events.event(events.count - 1).micros
}

/// A checksum of profiles, which does not depend on their order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum(u64);

impl Sum {
    /// Adds a score as text: user, facet and value, score, as in `u|color:Red|12`.
    pub fn add(&mut self, line: &str) {
        self.0 = self.0.wrapping_add(hash(line.as_bytes()));
    }

    /// Returns the checksum of all scores so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Returns the 99th percentile of the staleness of profiles in seconds: the time from the arrival
/// of an event to the profile with it. Events arrive evenly, at half the rate that the pipeline can
/// sustain, and wait for earlier events. `seconds` is the time that each of them took.
pub fn staleness_p99(seconds: &[f64]) -> f64 {
    let gap = 2.0 * seconds.iter().sum::<f64>() / seconds.len() as f64;
    let mut free_at = 0.0f64;
    let staleness = seconds.iter().enumerate().map(|(at, took)| {
        let arrived = at as f64 * gap;
        free_at = free_at.max(arrived) + took;
        free_at - arrived
    });
    let mut sorted: Vec<f64> = staleness.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_event_makes_those_after_it_wait() {
        let even = vec![1.0; 1_000];
        assert!((staleness_p99(&even) - 1.0).abs() < 1e-6);
        // One event of a thousand takes 100 times as long. The 99th percentile alone would hide it,
        // but about 90 events wait for it.
        let mut slow = even;
        slow[500] = 100.0;
        assert!(staleness_p99(&slow) > 50.0);
    }

    #[test]
    fn strategies_are_valid_and_differ() {
        let [first, second] = strategies();
        assert!(first.check().is_ok() && second.check().is_ok() && first != second);
        assert_eq!(first.event_score("click", NAMES[0]), 3);
    }
}
