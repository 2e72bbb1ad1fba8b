//! Where tablets are in time: which node serves a key at a second, and where the borders between
//! tablets are.

use alloc::vec::Vec;

use tabletop_model::{RowKey, SortedMap};
use tabletop_protocol::TabletPlaced;

/// A tablet at a point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// The number among the tablets of that time, from 1.
    pub number: u32,
    /// The first key.
    pub start: RowKey,
    /// The number of its node: 0 is A. `None` if nodes are not distinguished.
    pub node: Option<u32>,
}

/// Whether the nodes of tablets are distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nodes {
    /// Each has its letters.
    #[default]
    Named,
    /// There is one server, so nodes are not named.
    One,
}

/// Returns the tablets at the end of a second, in key order. Before the first second, they are at
/// their initial nodes.
pub fn served(places: &[TabletPlaced], second: u32, nodes: Nodes) -> Vec<Served> {
    let second = second.max(places.iter().map(|placed| placed.second).min().unwrap_or(0));
    let mut last: SortedMap<u32, &TabletPlaced> = SortedMap::new();
    for placed in places.iter().filter(|placed| placed.second <= second) {
        last.insert(placed.tablet, placed);
    }
    let is_there = |placed: &&TabletPlaced| {
        let node = (nodes == Nodes::Named).then_some(placed.node?);
        Some(Served { number: 0, start: placed.start.clone(), node })
    };
    let mut served: Vec<Served> = last.values().filter_map(is_there).collect();
    served.sort_by(|one, other| one.start.cmp(&other.start));
    for (tablet, number) in served.iter_mut().zip(1..) {
        tablet.number = number;
    }
    served
}

/// Returns the tablet that contains a key.
pub fn tablet_of<'s>(served: &'s [Served], key: &[u8]) -> Option<&'s Served> {
    served[..served.partition_point(|tablet| &tablet.start[..] <= key)].last()
}

/// A border between two tablets, for the time that it existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Border {
    /// The first key after it.
    pub key: RowKey,
    /// The second at which it appeared.
    pub from: u32,
    /// The second at which it disappeared; `None` if it still exists.
    pub until: Option<u32>,
}

/// Returns all borders between tablets.
pub fn borders(places: &[TabletPlaced]) -> Vec<Border> {
    let mut open: SortedMap<u32, Border> = SortedMap::new();
    let mut borders = Vec::new();
    for placed in places {
        let is_same = open
            .get(&placed.tablet)
            .is_some_and(|border| placed.node.is_some() && border.key == placed.start);
        if is_same {
            continue;
        }
        if let Some(border) = open.remove(&placed.tablet) {
            borders.push(Border { until: Some(placed.second), ..border });
        }
        if placed.node.is_some() && !placed.start.is_empty() {
            open.insert(
                placed.tablet,
                Border { key: placed.start.clone(), from: placed.second, until: None },
            );
        }
    }
    borders.extend(open.values().cloned());
    borders
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn placed(second: u32, tablet: u32, start: &str, node: Option<u32>) -> TabletPlaced {
        TabletPlaced { second, tablet, start: start.into(), node }
    }

    /// Tablet 0 is split at `m` in second 5, tablet 1 moves in second 7, and they are merged again
    /// in second 9.
    fn story() -> Vec<TabletPlaced> {
        vec![
            placed(1, 0, "", Some(0)),
            placed(5, 1, "m", Some(0)),
            placed(7, 1, "m", Some(1)),
            placed(9, 1, "m", None),
        ]
    }

    #[test]
    fn tablets_are_where_they_were_last_seen() {
        let nodes = |second| {
            let served = served(&story(), second, Nodes::Named);
            served.iter().map(|tablet| (tablet.number, tablet.node.expect("a node"))).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 4].map(nodes), [[(1, 0)], [(1, 0)], [(1, 0)]]);
        assert_eq!(
            (nodes(5), nodes(7), nodes(9)),
            (vec![(1, 0), (2, 0)], vec![(1, 0), (2, 1)], vec![(1, 0)])
        );
        let alone = served(&story(), 8, Nodes::One);
        assert_eq!(
            alone.iter().map(|tablet| tablet.node).collect::<Vec<_>>(),
            [None, None],
            "no word about nodes"
        );
        let served = served(&story(), 8, Nodes::Named);
        assert_eq!((served[1].number, served[1].node), (2, Some(1)));
        let tablet = |key: &str| tablet_of(&served, key.as_bytes()).map(|tablet| tablet.number);
        assert_eq!(["", "lz", "m", "z"].map(tablet), [Some(1), Some(1), Some(2), Some(2)]);
        assert_eq!(tablet_of(&[], b"a"), None);
    }

    #[test]
    fn a_border_lasts_from_the_split_to_the_merge() {
        assert_eq!(borders(&story()), [Border { key: "m".into(), from: 5, until: Some(9) }]);
        let open = borders(&story()[..3]);
        assert_eq!(open, [Border { key: "m".into(), from: 5, until: None }], "a move is no other border");
    }
}
