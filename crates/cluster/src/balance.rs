//! Chooses the tablet that moves next. It decides and changes nothing.

use alloc::vec::Vec;

use crate::settings::BalanceSettings;

/// The load of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeLoad {
    /// The number of the node.
    pub node: u32,
    /// The CPU load of its tablets, in cores: more than the node has, if it is overloaded.
    pub cores: f64,
}

/// The load of a tablet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TabletLoad {
    /// The tablet.
    pub tablet: u32,
    /// The number of the node that serves it.
    pub node: u32,
    /// The CPU load that it causes, in cores.
    pub cores: f64,
}

/// A change that makes the busiest node less busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A tablet moves to another node.
    Move {
        /// The tablet.
        tablet: u32,
        /// The number of the node.
        to: u32,
    },
    /// Two tablets of two nodes swap places.
    Swap {
        /// The tablet of the busiest node.
        tablet: u32,
        /// The tablet of the other node.
        with: u32,
    },
}

impl Choice {
    /// Returns the number of tablets that move.
    pub fn moves(&self) -> u32 {
        match self {
            Choice::Move { .. } => 1,
            Choice::Swap { .. } => 2,
        }
    }
}

/// With more tablets than this on a node, only this many of the busiest are considered for a swap.
const SWAPPED_MAX: usize = 32;
/// The number of cores by which a change must at least lower the load of the busiest node.
const GAIN_MIN: f64 = 1e-6;

/// Returns the change between the busiest node and the least busy one that lowers the load of the
/// busiest the most, if their loads differ by more than the settings allow. Neither load rises
/// above that of the busier node, so changes come to an end. If nothing helps a node, because one
/// tablet causes all of its load, the next busiest is considered.
pub fn choose(settings: &BalanceSettings, nodes: &[NodeLoad], tablets: &[TabletLoad]) -> Option<Choice> {
    let mean = nodes.iter().map(|node| node.cores).sum::<f64>() / nodes.len().max(1) as f64;
    let mut busiest_first = nodes.to_vec();
    busiest_first.sort_by(|a, b| b.cores.total_cmp(&a.cores).then(a.node.cmp(&b.node)));
    let idlest = nodes.iter().min_by(|a, b| a.cores.total_cmp(&b.cores).then(a.node.cmp(&b.node)))?;
    let theirs = tablets_of(idlest.node, tablets);
    let uneven =
        busiest_first.iter().take_while(|node| node.cores - idlest.cores > settings.difference_max * mean);
    uneven.filter_map(|busy| choose_between(busy, idlest, &tablets_of(busy.node, tablets), &theirs)).next()
}

/// Returns the tablets of a node, the busiest first.
fn tablets_of(node: u32, tablets: &[TabletLoad]) -> Vec<TabletLoad> {
    let mut of: Vec<TabletLoad> = tablets.iter().filter(|tablet| tablet.node == node).copied().collect();
    of.sort_by(|a, b| b.cores.total_cmp(&a.cores).then(a.tablet.cmp(&b.tablet)));
    of
}

/// Returns the change between two nodes that lowers the load of the busier one the most, if any
/// does.
fn choose_between(
    busy: &NodeLoad,
    idle: &NodeLoad,
    ours: &[TabletLoad],
    theirs: &[TabletLoad],
) -> Option<Choice> {
    // The load of the busier of the two after load of the first has moved to the other.
    let after = |moved: f64| (busy.cores - moved).max(idle.cores + moved);
    let best = |choices: &mut dyn Iterator<Item = (f64, Choice)>| {
        let helpful = choices
            .map(|(moved, choice)| (after(moved), choice))
            .filter(|(after, _)| busy.cores - after > GAIN_MIN);
        helpful.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, choice)| choice)
    };
    let mut moves =
        ours.iter().map(|tablet| (tablet.cores, Choice::Move { tablet: tablet.tablet, to: idle.node }));
    best(&mut moves).or_else(|| {
        let mut swaps = ours.iter().take(SWAPPED_MAX).flat_map(|tablet| {
            let with = theirs.iter().rev().take(SWAPPED_MAX);
            with.map(|with| {
                (tablet.cores - with.cores, Choice::Swap { tablet: tablet.tablet, with: with.tablet })
            })
        });
        best(&mut swaps)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn loads(of: &[&[f64]]) -> (Vec<NodeLoad>, Vec<TabletLoad>) {
        let nodes = of
            .iter()
            .enumerate()
            .map(|(node, tablets)| NodeLoad { node: node as u32, cores: tablets.iter().sum() });
        let mut tablets = Vec::new();
        for (node, of_node) in of.iter().enumerate() {
            for &cores in *of_node {
                tablets.push(TabletLoad { tablet: tablets.len() as u32, node: node as u32, cores });
            }
        }
        (nodes.collect(), tablets)
    }

    fn choice(of: &[&[f64]]) -> Option<Choice> {
        let (nodes, tablets) = loads(of);
        choose(&BalanceSettings::default(), &nodes, &tablets)
    }

    #[test]
    fn the_tablet_that_evens_the_load_most_moves() {
        assert_eq!(choice(&[&[1.0, 0.6, 0.2], &[0.5]]), Some(Choice::Move { tablet: 1, to: 1 }));
        assert_eq!(choice(&[&[1.0], &[0.9], &[0.1, 0.1]]), None, "a single tablet moves nowhere");
        assert_eq!(choice(&[&[0.5, 0.5], &[]]), Some(Choice::Move { tablet: 0, to: 1 }));
        assert_eq!(choice(&[&[0.5, 0.5], &[0.5, 0.5]]), None);
    }

    #[test]
    fn a_hot_tablet_does_not_move_but_the_other_tablets_of_its_node_do() {
        assert_eq!(choice(&[&[2.0, 0.1], &[0.1, 0.1]]), Some(Choice::Move { tablet: 1, to: 1 }));
        assert_eq!(choice(&[&[2.0], &[0.1, 0.1, 0.1]]), None, "nothing helps against one hot tablet");
        assert_eq!(
            choice(&[&[2.0], &[0.3, 0.3, 0.3], &[]]),
            Some(Choice::Move { tablet: 1, to: 2 }),
            "the others are balanced"
        );
    }

    #[test]
    fn two_tablets_change_places_when_no_move_helps() {
        assert_eq!(choice(&[&[1.0, 0.9], &[0.5, 0.5]]), Some(Choice::Swap { tablet: 0, with: 3 }));
    }

    #[test]
    fn moves_end() {
        let mut random = 12_345_u64;
        for count in 1..40 {
            let mut of = vec![Vec::new(); 1 + count % 5];
            for _ in 0..count {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                of[0].push((random >> 40) as f64);
            }
            let mut steps = 0;
            loop {
                let (nodes, tablets) = loads(&of.iter().map(Vec::as_slice).collect::<Vec<_>>());
                let place = |tablet: u32| {
                    let at = tablets[tablet as usize];
                    let first = tablets.iter().position(|other| other.node == at.node).unwrap();
                    (at.node as usize, tablet as usize - first)
                };
                match choose(&BalanceSettings::default(), &nodes, &tablets) {
                    None => break,
                    Some(Choice::Move { tablet, to }) => {
                        let (node, at) = place(tablet);
                        let cores = of[node].remove(at);
                        of[to as usize].push(cores);
                    }
                    Some(Choice::Swap { tablet, with }) => {
                        let ((a, x), (b, y)) = (place(tablet), place(with));
                        (of[a][x], of[b][y]) = (of[b][y], of[a][x]);
                    }
                }
                steps += 1;
                assert!(steps <= 20 * count, "{count} tablets");
            }
        }
    }
}
