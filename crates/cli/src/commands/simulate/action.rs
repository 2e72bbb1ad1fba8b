//! Actions on a simulated cluster, and diagnoses, parsed from options.

use std::str::FromStr;

use tabletop_advice::DiagnosisKind;
use tabletop_cluster::NodeId;
use tabletop_workspace::{AutoscaleRange, ChangeKind, ClusterChange, NODES_MAX};

use super::Kinds;

/// Parses `SECONDS:nodes=N`, `SECONDS:fail=NODE` or `SECONDS:move=NODE,ROW`.
///
/// # Errors
/// What to write instead.
pub(super) fn change(text: &str) -> Result<ClusterChange, String> {
    let wrong = || {
        "write SECONDS:nodes=N, SECONDS:fail=NODE or SECONDS:move=NODE,ROW, for example 30:fail=B".to_string()
    };
    let (at, action) = text.split_once(':').ok_or_else(wrong)?;
    let (name, value) = action.split_once('=').ok_or_else(wrong)?;
    let what = match name {
        "nodes" => ChangeKind::Nodes(nodes(value)?),
        "fail" => ChangeKind::Fail(node(value)?),
        "move" => {
            let (to, row) = value.split_once(',').ok_or_else(wrong)?;
            ChangeKind::Move { row: row.into(), to: node(to)? }
        }
        _ => return Err(wrong()),
    };
    Ok(ClusterChange { at_seconds: at.parse().map_err(|_| wrong())?, what })
}

/// Parses the limits of an autoscaler, `MIN-MAX`.
///
/// # Errors
/// What to write instead.
pub(super) fn autoscale(text: &str) -> Result<AutoscaleRange, String> {
    let (min, max) =
        text.split_once('-').ok_or("write the minimum and the maximum number of nodes, for example 1-10")?;
    let (nodes_min, nodes_max) = (nodes(min)?, nodes(max)?);
    if nodes_min > nodes_max {
        return Err(format!("the minimum, {nodes_min} nodes, is more than the maximum, {nodes_max}"));
    }
    Ok(AutoscaleRange { nodes_min, nodes_max })
}

/// Parses the name of a diagnosis, or `any`.
///
/// # Errors
/// What to write instead.
pub(super) fn diagnosis(text: &str) -> Result<Kinds, String> {
    if text == "any" {
        return Ok(Kinds::Any);
    }
    let known = DiagnosisKind::NAMES.iter().find(|(name, _)| *name == text);
    known.map(|(_, kind)| Kinds::One(*kind)).ok_or_else(|| {
        let names: Vec<&str> = DiagnosisKind::NAMES.iter().map(|(name, _)| *name).collect();
        format!("{text} is not a diagnosis: write {} or any", names.join(", "))
    })
}

fn node(letters: &str) -> Result<String, String> {
    let node = NodeId::from_str(letters).map_err(|error| error.message)?;
    Ok(node.to_string())
}

fn nodes(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| (1..=NODES_MAX).contains(number));
    number.ok_or_else(|| format!("{text} is not a number of nodes: write 1 to {NODES_MAX}"))
}
