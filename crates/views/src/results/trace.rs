//! The trace of an answer: matches in its cells, and the names of the filter's nodes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::{CellPart, PatternMatch, RowFilter, TracedCell};

use super::marks::push_range;

/// Characters of the text of a node.
const NODE_CHARS: usize = 60;

/// Returns the matches of patterns in a part of a cell.
pub fn matches_of(cell: &TracedCell, part: CellPart) -> Vec<Range<usize>> {
    let mut found: Vec<&PatternMatch> = cell.matches.iter().filter(|found| found.part == part).collect();
    found.sort_by_key(|found| (found.start, found.end));
    let mut ranges = Vec::new();
    found.into_iter().for_each(|found| push_range(&mut ranges, found));
    ranges
}

/// Returns the address and the text of each node, a node before those within it.
pub fn node_names(filter: &RowFilter) -> Vec<String> {
    let mut names = Vec::new();
    name_nodes(filter, "1", &mut names);
    names
}

fn name_nodes(filter: &RowFilter, address: &str, names: &mut Vec<String>) {
    let text = filter.text();
    let children = filter.children();
    let text = if children.is_empty() { text.as_str() } else { text.split('(').next().unwrap_or_default() };
    let cut: String = text.chars().take(NODE_CHARS).collect();
    names.push(format!("{address} {cut}{}", if cut.len() < text.len() { "…" } else { "" }));
    for (at, child) in children.into_iter().enumerate() {
        if let Some(child) = child {
            name_nodes(child, &format!("{address}.{}", at + 1), names);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_addresses_of_their_blocks() {
        let filter = RowFilter::parse(
            "chain(value_regex(\"a\"), condition(pass_all, else=sink), cells_per_row_limit(3))",
        )
        .0
        .unwrap();
        assert_eq!(
            node_names(&filter),
            [
                "1 chain",
                "1.1 value_regex(\"a\")",
                "1.2 condition",
                "1.2.1 pass_all",
                "1.2.3 sink",
                "1.3 cells_per_row_limit(3)"
            ]
        );
    }
}
