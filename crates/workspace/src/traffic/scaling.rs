//! Throughput against the number of nodes: the traffic that measures it, for the page and for the
//! test that checks how linear it is.

use alloc::vec;

use super::{
    ClusterThresholds, KeyChoice, Schedule, StorageMedium, Stream, StreamKind, TRAFFIC_PER_SECOND_MAX,
    Traffic, TrafficRun,
};

/// The numbers of nodes for which throughput is measured, ascending.
pub const SCALING_NODES: [u32; 6] = [1, 2, 4, 8, 16, 32];
/// Number of rows in a scan. It is large enough that a million requests per second overload the
/// largest cluster, and small compared with the rows of a tablet: a scan of two tablets waits for
/// the slower of two nodes.
const ROWS: u32 = 10;
/// Number of requests per second that overloads a single node.
const FIRST_RATE: f64 = 60_000.0;
/// Number of requests per second, as a multiple of what the nodes can answer. It is large enough to
/// keep every node busy, even a node with fewer rows.
const OVERLOAD: f64 = 1.6;
/// Length of a measurement in seconds. Only its last seconds count.
const SECONDS: u32 = 4;
/// Minimum number of tablets: enough to balance the largest cluster.
const TABLETS: u32 = 256;
/// A load that a tablet never reaches.
const NO_SPLITS: f64 = 1e9;

/// The rows that the requests of a measurement are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingKeys {
    /// Scans that begin at random events, so the work can be divided.
    Even,
    /// Reads of one row, which is always served by a single node.
    OneRow,
}

impl Traffic {
    /// Returns the traffic that measures how many requests a number of nodes can answer, by
    /// overloading them. `one` is the number of answers per second of one node; without it, the
    /// rate overloads a single node.
    pub fn scaling(keys: ScalingKeys, nodes: u32, one: Option<f64>, storage: StorageMedium) -> Traffic {
        let (what, choice, busy) = match keys {
            ScalingKeys::Even => (StreamKind::Scans { rows: ROWS }, KeyChoice::AsEvents, nodes),
            ScalingKeys::OneRow => {
                (StreamKind::PointReads, KeyChoice::Hot { field: None, value: None, share: 1.0 }, 1)
            }
        };
        let per_second =
            one.map_or(FIRST_RATE, |one| OVERLOAD * one * f64::from(busy)).clamp(1.0, TRAFFIC_PER_SECOND_MAX);
        let streams = vec![Stream {
            name: "requests".into(),
            what,
            per_second,
            keys: choice,
            when: Schedule::Constant,
        }];
        // The number of splits by load would depend on the rate, and scans of more tablets take
        // more time.
        let thresholds =
            ClusterThresholds { tablet_load_max: Some(NO_SPLITS), ..ClusterThresholds::default() };
        let run = TrafficRun {
            nodes,
            seconds: SECONDS,
            storage,
            tablets_min: TABLETS,
            thresholds,
            ..TrafficRun::default()
        };
        Traffic { streams, seed: 1, run, ..Traffic::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_follows_the_nodes_unless_one_of_them_has_all() {
        let rate =
            |keys, nodes, one| Traffic::scaling(keys, nodes, one, StorageMedium::Ssd).streams[0].per_second;
        assert_eq!(rate(ScalingKeys::Even, 1, None), FIRST_RATE);
        assert_eq!(
            rate(ScalingKeys::Even, 8, Some(1_000.0)),
            8.0 * rate(ScalingKeys::Even, 1, Some(1_000.0))
        );
        assert_eq!(rate(ScalingKeys::OneRow, 8, Some(1_000.0)), rate(ScalingKeys::OneRow, 1, Some(1_000.0)));
        let most = Traffic::scaling(ScalingKeys::Even, 32, Some(1e9), StorageMedium::Hdd);
        assert!(most.check().is_ok());
    }
}
