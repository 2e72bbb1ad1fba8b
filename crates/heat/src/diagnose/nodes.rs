//! Nodes that cannot keep up, and nodes that have failed.

use alloc::vec::Vec;

use tabletop_advice::{Diagnosis, Symptom};
use tabletop_protocol::{NodeSecond, SimulationSecond, node_letters};

use super::{Evidence, Sums};

/// For how many seconds the failure of a node is a diagnosis: until another one replaces it.
const FAILURE_SECONDS: u32 = 60;
/// There are too few nodes if each uses this share of its cores, and all of them use the second
/// share on average.
const BUSY: [f32; 2] = [0.7, 0.8];
/// The number of seconds over which the load of nodes is averaged, and the number of the last of
/// them that show whether the nodes keep up now.
const SECONDS: usize = 10;
const SECONDS_NOW: usize = 3;
/// The number of seconds in which a moved tablet shows that tablets are moving.
const MOVING_SECONDS: usize = 60;

/// The share of the seconds of a wave that are not its peak.
const BELOW_PEAK: f64 = 0.95;

/// What explains that nodes cannot keep up, other than their number.
#[derive(Clone, Copy)]
pub(super) struct Explained {
    /// Whether the keys of the requests do.
    pub by_keys: bool,
    /// Whether a node has failed.
    pub by_failure: bool,
    /// The share of all requests that one node gets, however tablets are split.
    pub undivided: f64,
}

/// The load of a node, averaged over some seconds.
struct NodeLoad {
    id: u32,
    cpu: f64,
}

pub(super) fn failed_node(evidence: &Evidence) -> Option<Diagnosis> {
    let (node, seconds_ago) = evidence.failure.clone().filter(|(_, ago)| *ago < FAILURE_SECONDS)?;
    let since = &evidence.seconds[evidence.seconds.len().saturating_sub(seconds_ago as usize + 1)..];
    let waiting = since.iter().map(|second| second.waiting()).max().unwrap_or(0);
    let expired: u64 = since.iter().map(|second| u64::from(second.all.expired)).sum();
    let symptom = Symptom::FailedNode { node, seconds_ago, waiting, expired };
    Some(symptom.diagnosis(expired > 0, (0, 0), Vec::new()))
}

/// Finds nodes that cannot keep up: too few of them, or some that have most of the work while others
/// are idle. If keys or a failure explain it, only a lack of nodes is reported; but no lack is
/// reported that the node in place of the failed one ends, or where keys give one tablet more work than
/// a node can do.
///
/// While requests expire, wait, or a node is above 95%, one of the two is found, or the work is
/// explained.
pub(super) fn nodes_that_lag(evidence: &Evidence, sums: &Sums, explained: Explained) -> Option<Diagnosis> {
    let last = &evidence.seconds[evidence.seconds.len().saturating_sub(SECONDS)..];
    let now = &last[last.len().saturating_sub(SECONDS_NOW)..];
    let is_overloaded = now.iter().any(|second| second.is_overloaded());
    let is_busy = |seconds: &[&SimulationSecond]| {
        let loads = loads(seconds);
        let mean = loads.iter().map(|load| load.cpu).sum::<f64>() / loads.len().max(1) as f64;
        let least = loads.iter().map(|load| load.cpu).fold(1.0, f64::min);
        (least >= f64::from(BUSY[0]) && mean >= f64::from(BUSY[1])).then_some(mean)
    };
    let nodes = last.last()?.nodes.len() as u32;
    // A second in which nodes keep up says nothing about one in which they do not.
    let overloaded: Vec<&SimulationSecond> =
        now.iter().copied().filter(|second| second.is_overloaded()).collect();
    let busy = is_busy(last).or_else(|| is_busy(&overloaded));
    let asked = if is_overloaded {
        sums.cores_most.max(sums.core_seconds / sums.seconds)
    } else {
        sums.core_seconds / sums.seconds
    };
    let enough = libm::ceil(asked / evidence.cores / evidence.cpu_target) as u32;
    let tablet = now.iter().map(|second| f64::from(second.tablet_cores)).sum::<f64>()
        / now.len() as f64
        / evidence.cores;
    let tablet = tablet.max(explained.undivided * asked / evidence.cores);
    let waiting = last.last()?.waiting();
    let everywhere = (0, evidence.starts.len() as u32);
    if let Some(cpu) = busy.or_else(|| {
        (is_overloaded && nodes == 1).then(|| loads(&overloaded).first().map_or(1.0, |load| load.cpu))
    }) {
        let is_serious = last.iter().any(|second| second.all.expired > 0) || cpu > 0.95;
        let (needed, cpu_target) = (enough.max(nodes + 1), evidence.cpu_target);
        let symptom = Symptom::TooFewNodes { nodes, cpu, needed, cpu_target, tablet, waiting };
        let is_explained = explained.by_keys && symptom.tablet_beyond_node().is_some()
            || explained.by_failure && enough <= nodes_before_failure(evidence);
        return (!is_explained).then(|| symptom.diagnosis(is_serious, everywhere, Vec::new()));
    }
    if !is_overloaded || explained.by_keys || explained.by_failure {
        return None;
    }
    let loads = loads(&overloaded);
    let most = loads.iter().max_by(|one, other| one.cpu.total_cmp(&other.cpu))?;
    let least = loads.iter().min_by(|one, other| one.cpu.total_cmp(&other.cpu))?;
    let expired = now.iter().map(|second| f64::from(second.all.expired)).sum::<f64>() / now.len() as f64;
    let symptom = Symptom::Unbalanced {
        busiest: node_letters(most.id),
        cpu_most: most.cpu,
        idlest: node_letters(least.id),
        cpu_least: least.cpu,
        expired,
        waiting,
        is_moving: is_moving(evidence),
        needed: (enough > nodes).then_some(enough),
        tablet,
    };
    Some(symptom.diagnosis(true, everywhere, Vec::new()))
}

/// Returns the largest number of nodes in the time in which a failure is a diagnosis.
fn nodes_before_failure(evidence: &Evidence) -> u32 {
    let last = evidence.seconds.iter().rev().take(FAILURE_SECONDS as usize + 1);
    last.map(|second| second.nodes.len()).max().unwrap_or(0) as u32
}

/// Returns the CPU time that the busiest tablet needs at the peaks of waves of this many seconds, as a
/// share of a node. Earlier waves do not count: tablets have split since.
pub(super) fn tablet_at_peaks(evidence: &Evidence, wave_seconds: f64) -> f64 {
    let last = &evidence.seconds[evidence.seconds.len().saturating_sub(libm::ceil(wave_seconds) as usize)..];
    let mut cores: Vec<f32> = last.iter().map(|second| second.tablet_cores).collect();
    cores.sort_unstable_by(f32::total_cmp);
    let at = (cores.len().saturating_sub(1) as f64 * BELOW_PEAK) as usize;
    cores.get(at).map_or(0.0, |cores| f64::from(*cores) / evidence.cores)
}

/// Returns the mean load of each node that is up in the last of these seconds.
fn loads(seconds: &[&SimulationSecond]) -> Vec<NodeLoad> {
    let up = seconds.last().map(|second| second.nodes.as_slice()).unwrap_or_default();
    let of = |node: &NodeSecond| {
        let same = || seconds.iter().flat_map(|second| &second.nodes).filter(|other| other.id == node.id);
        let cpu = same().map(|node| f64::from(node.cpu)).sum::<f64>() / same().count().max(1) as f64;
        NodeLoad { id: node.id, cpu }
    };
    up.iter().map(of).collect()
}

/// Returns whether the nodes have served different numbers of tablets in the last minute.
fn is_moving(evidence: &Evidence) -> bool {
    let last = &evidence.seconds[evidence.seconds.len().saturating_sub(MOVING_SECONDS)..];
    let tablets = |second: &SimulationSecond| -> Vec<(u32, u32)> {
        second.nodes.iter().map(|node| (node.id, node.tablets)).collect()
    };
    last.windows(2).any(|pair| tablets(pair[0]) != tablets(pair[1]))
}
