//! What each node of the last query's filter did with the cells.

use alloc::vec::Vec;

use tabletop_model::{NodeCount, RowFilter};

/// The counts of a filter that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterCounts {
    /// The filter.
    pub filter: RowFilter,
    /// The counts of its nodes, a node before the nodes within it.
    pub nodes: Vec<NodeCount>,
}

/// The displayed count of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownCount {
    /// The cells.
    pub cells: NodeCount,
    /// Whether the filter was edited since.
    pub old: bool,
}

impl FilterCounts {
    /// Returns the count of the node at a path of an edited filter: the number of a child at each
    /// step, including an absent branch of a condition. `None` if the filter has other nodes now.
    pub fn at(&self, filter: &RowFilter, path: &[usize]) -> Option<ShownCount> {
        let old = self.filter != *filter;
        if old && !has_same_nodes(&self.filter, filter) {
            return None;
        }
        let cells = *self.nodes.get(index_of(filter, path)?)?;
        Some(ShownCount { cells, old })
    }
}

/// Returns the index of a node among all nodes, a node before those within it.
fn index_of(filter: &RowFilter, path: &[usize]) -> Option<usize> {
    let Some((&at, rest)) = path.split_first() else { return Some(0) };
    let children = filter.children();
    let before: usize = children.iter().take(at).flatten().map(|node| node.nodes()).sum();
    Some(1 + before + index_of(children.get(at).copied().flatten()?, rest)?)
}

fn has_same_nodes(one: &RowFilter, other: &RowFilter) -> bool {
    let (a, b) = (one.children(), other.children());
    let is_same = |pair: (&Option<&RowFilter>, &Option<&RowFilter>)| match pair {
        (Some(a), Some(b)) => has_same_nodes(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    core::mem::discriminant(one) == core::mem::discriminant(other)
        && a.len() == b.len()
        && a.iter().zip(&b).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(text: &str) -> RowFilter {
        RowFilter::parse(text).0.unwrap()
    }

    #[test]
    fn a_count_belongs_to_the_node_at_its_path() {
        let traced =
            filter("chain(condition(pass_all, else=chain(block_all, sink)), cells_per_row_limit(1))");
        let count = |n| NodeCount { cells_in: n, cells_out: 0 };
        let counts =
            FilterCounts { nodes: (0..traced.nodes() as u64).map(count).collect(), filter: traced.clone() };
        let at = |filter: &RowFilter, path: &[usize]| {
            counts.at(filter, path).map(|count| (count.cells.cells_in, count.old))
        };
        let paths: [&[usize]; 8] = [&[], &[0], &[0, 0], &[0, 1], &[0, 2], &[0, 2, 1], &[1], &[2]];
        let found = paths.map(|path| at(&traced, path).map(|found| found.0));
        assert_eq!(found, [Some(0), Some(1), Some(2), None, Some(3), Some(5), Some(6), None]);
        // A block whose value has changed: its counts are old. For other blocks there are none.
        let edited =
            filter("chain(condition(pass_all, else=chain(block_all, sink)), cells_per_row_limit(2))");
        assert_eq!(at(&edited, &[1]), Some((6, true)));
        let other = filter("chain(condition(pass_all, then=chain(block_all, sink)), cells_per_row_limit(1))");
        assert_eq!(at(&other, &[1]), None);
    }
}
