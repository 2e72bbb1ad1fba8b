//! Throughput against nodes: the traffics that measure it, for the page and for the test that says how straight the line is.

use alloc::vec;

use super::{
    ClusterThresholds, KeyChoice, Schedule, StorageMedium, Stream, StreamKind, TRAFFIC_PER_SECOND_MAX, Traffic, TrafficRun,
};
use crate::SimulationSecond;

/// The numbers of nodes that are measured, ascending.
pub const SCALING_NODES: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Rows of a scan: enough that a million requests a second are more than the most nodes answer, and few beside those of a tablet. A scan of two
/// tablets waits for the slower of two nodes.
const ROWS: u32 = 10;
/// Requests per second that are more than one node answers.
const FIRST_RATE: f64 = 60_000.0;
/// Requests per second, as a multiple of what the nodes can answer: each node is busy, also one with fewer rows.
const OVERLOAD: f64 = 1.6;
/// Seconds of a measurement; the last two count.
const SECONDS: u32 = 4;
const COUNTED: usize = 2;
/// Tablets, at least: enough to balance the most nodes.
const TABLETS: u32 = 256;
/// A load that no tablet has.
const NO_SPLITS: f64 = 1e9;

/// What the requests of a measurement are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingKeys {
    /// Scans from any event on: the work can be divided.
    Even,
    /// Reads of one row, which a single node serves.
    OneRow,
}

impl Traffic {
    /// Returns the traffic that measures how many requests a number of nodes answers: far more than they can. `one` is what one
    /// node answers per second; without it, the rate is one that is too much for one.
    pub fn scaling(keys: ScalingKeys, nodes: u32, one: Option<f64>, storage: StorageMedium) -> Traffic {
        let (what, choice, busy) = match keys {
            ScalingKeys::Even => (StreamKind::Scans { rows: ROWS }, KeyChoice::AsEvents, nodes),
            ScalingKeys::OneRow => (StreamKind::PointReads, KeyChoice::Hot { field: None, value: None, share: 1.0 }, 1),
        };
        let per_second = one.map_or(FIRST_RATE, |one| OVERLOAD * one * f64::from(busy)).clamp(1.0, TRAFFIC_PER_SECOND_MAX);
        let streams = vec![Stream { name: "requests".into(), what, per_second, keys: choice, when: Schedule::Constant }];
        // Splits by load would follow the rate, and scans of more tablets take more time.
        let thresholds = ClusterThresholds { tablet_load_max: Some(NO_SPLITS), ..ClusterThresholds::default() };
        let run = TrafficRun { nodes, seconds: SECONDS, storage, tablets_min: TABLETS, thresholds, ..TrafficRun::default() };
        Traffic { streams, seed: 1, run, ..Traffic::default() }
    }
}

/// Returns the answers per second of such a traffic: the mean of its last seconds.
pub fn scaling_answered(history: &[SimulationSecond]) -> f64 {
    let last = &history[history.len().saturating_sub(COUNTED)..];
    last.iter().map(|second| f64::from(second.all.answered)).sum::<f64>() / last.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StreamSecond;

    #[test]
    fn the_rate_follows_the_nodes_unless_one_of_them_has_all() {
        let rate = |keys, nodes, one| Traffic::scaling(keys, nodes, one, StorageMedium::Ssd).streams[0].per_second;
        assert_eq!(rate(ScalingKeys::Even, 1, None), FIRST_RATE);
        assert_eq!(rate(ScalingKeys::Even, 8, Some(1_000.0)), 8.0 * rate(ScalingKeys::Even, 1, Some(1_000.0)));
        assert_eq!(rate(ScalingKeys::OneRow, 8, Some(1_000.0)), rate(ScalingKeys::OneRow, 1, Some(1_000.0)));
        let most = Traffic::scaling(ScalingKeys::Even, 32, Some(1e9), StorageMedium::Hdd);
        assert!(most.check().is_ok());
    }

    #[test]
    fn the_last_seconds_count() {
        let second =
            |answered| SimulationSecond { all: StreamSecond { answered, ..StreamSecond::default() }, ..Default::default() };
        assert_eq!(scaling_answered(&[second(1), second(10), second(20)]), 15.0);
        assert_eq!(scaling_answered(&[]), 0.0);
    }
}
