//! Three situations from a talk by Google on hotspots in Bigtable: even traffic on two nodes, a hot
//! key on two nodes, and the same hot key on four nodes.

use alloc::vec;

use super::{
    KeyChoice, ScalingKeys, Schedule, StorageMedium, Stream, StreamKind, TRAFFIC_PER_SECOND_MAX, Traffic,
    TrafficRun,
};

/// The share of its cores that the node with the hot key uses: it barely keeps up.
const HOT_NODE: f64 = 0.96;
/// Length of a simulation in seconds. At such a load, a queue needs some time to grow.
const SECONDS: u32 = 30;

/// A number of nodes, with or without a hot key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Situation {
    /// All keys are equally likely, on two nodes.
    Even,
    /// One key is hot, on two nodes.
    Hot,
    /// One key is hot, on four nodes.
    HotWithMoreNodes,
}

impl Situation {
    /// All situations: each differs from the one before in one respect.
    pub const ALL: [Situation; 3] = [Situation::Even, Situation::Hot, Situation::HotWithMoreNodes];

    /// Returns the traffic of the hottest key divided by the traffic of the median key.
    pub fn r(self) -> f64 {
        if self == Situation::Even { 1.0 } else { 37.0 }
    }

    /// Returns the T of the rule of thumb `p99 = T · r / (n - 1 + r)`, in milliseconds: the 99th
    /// percentile with one node.
    pub fn t(self) -> f64 {
        if self == Situation::Even { 20.0 } else { 61.62 }
    }

    /// Returns the number of nodes.
    pub fn nodes(self) -> u32 {
        if self == Situation::HotWithMoreNodes { 4 } else { 2 }
    }

    /// Returns the traffic that measures how many reads of the hot row one node answers.
    pub fn measures_one(storage: StorageMedium) -> Traffic {
        Traffic::scaling(ScalingKeys::OneRow, 1, None, storage)
    }

    /// Returns the reads per second of each situation.
    pub fn reads_per_second(one: f64) -> f64 {
        (HOT_NODE * one / hot_share()).clamp(1.0, TRAFFIC_PER_SECOND_MAX)
    }

    /// Returns its traffic: the same number of reads in all situations, of which the hot row has
    /// the share r / (1 + r). `one` is the number of reads of that row that one node answers per
    /// second.
    pub fn traffic(self, one: f64, storage: StorageMedium) -> Traffic {
        let keys = match self {
            Situation::Even => KeyChoice::AsEvents,
            Situation::Hot | Situation::HotWithMoreNodes => {
                KeyChoice::Hot { field: None, value: None, share: hot_share() }
            }
        };
        let per_second = Situation::reads_per_second(one);
        let streams = vec![Stream {
            name: "reads".into(),
            what: StreamKind::PointReads,
            per_second,
            keys,
            when: Schedule::Constant,
        }];
        let run = TrafficRun { nodes: self.nodes(), seconds: SECONDS, storage, ..TrafficRun::default() };
        Traffic { streams, seed: 1, run, ..Traffic::default() }
    }
}

/// Returns the share of the requests that the hot row has.
fn hot_share() -> f64 {
    let r = Situation::Hot.r();
    r / (1.0 + r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_have_the_same_reads_and_those_of_the_hot_row_are_a_little_less_than_a_node_answers() {
        let of = |situation: Situation| situation.traffic(10_000.0, StorageMedium::Ssd);
        let rates = Situation::ALL.map(|situation| of(situation).streams[0].per_second);
        assert!(rates.iter().all(|rate| *rate == rates[0]));
        assert_eq!(Situation::ALL.map(|situation| of(situation).run.nodes), [2, 2, 4]);
        let KeyChoice::Hot { share, .. } = of(Situation::Hot).streams[0].keys else { panic!("a hot row") };
        assert!((rates[0] * share - 9_600.0).abs() < 1e-6);
        assert!(of(Situation::Hot).check().is_ok());
    }
}
