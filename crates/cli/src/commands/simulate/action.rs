//! What a person does with a simulated cluster.

use std::str::FromStr;

use tabletop_cluster::{AutoscaleSettings, Cluster, NodeId};

/// The most nodes of a cluster.
const NODES_MAX: u32 = 100;

/// A change of the cluster at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Action {
    /// Seconds after the start.
    pub at_seconds: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Nodes(u32),
    Fail(NodeId),
}

impl Action {
    /// Does it. A node that does not exist, or no longer, cannot fail.
    pub fn apply(self, cluster: &mut Cluster) {
        match self.kind {
            Kind::Nodes(nodes) => cluster.resize(nodes),
            Kind::Fail(node) => cluster.fail(node),
        }
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        let wrong = || "write SECONDS:nodes=N or SECONDS:fail=NODE, for example 30:fail=B".to_string();
        let (at, action) = text.split_once(':').ok_or_else(wrong)?;
        let (name, value) = action.split_once('=').ok_or_else(wrong)?;
        let at_seconds = at.parse::<u32>().map_err(|_| wrong())?.into();
        let kind = match name {
            "nodes" => Kind::Nodes(nodes(value)?),
            "fail" => Kind::Fail(value.parse().map_err(|error: tabletop_model::Error| error.message)?),
            _ => return Err(wrong()),
        };
        Ok(Action { at_seconds, kind })
    }
}

/// The limits of an autoscaler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Autoscale {
    min: u32,
    max: u32,
}

impl Autoscale {
    pub fn settings(self) -> AutoscaleSettings {
        AutoscaleSettings { nodes_min: self.min, nodes_max: self.max, ..AutoscaleSettings::default() }
    }
}

impl FromStr for Autoscale {
    type Err = String;

    fn from_str(text: &str) -> Result<Autoscale, String> {
        let (min, max) = text.split_once('-').ok_or("write the fewest and the most nodes, for example 1-10")?;
        let (min, max) = (nodes(min)?, nodes(max)?);
        if min > max {
            return Err(format!("the fewest nodes, {min}, are more than the most, {max}"));
        }
        Ok(Autoscale { min, max })
    }
}

fn nodes(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=NODES_MAX).contains(number));
    number.ok_or_else(|| format!("{text} is no number of nodes: 1 to {NODES_MAX}"))
}
