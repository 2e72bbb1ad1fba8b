//! The blocks of a tree that production would refuse.

use alloc::vec::Vec;

use tabletop_model::{Error, RowFilter};

use super::edit::Path;

/// Returns the innermost blocks that production would refuse, with its errors. If the parts of a
/// block are valid, but not together (a sink in a condition, two labels in a chain), the error is
/// that of the block.
pub fn faults(tree: &RowFilter) -> Vec<(Path, Error)> {
    let mut found = Vec::new();
    if tree.validate().is_err() {
        collect(tree, &mut Vec::new(), &mut found);
    }
    found
}

fn collect(block: &RowFilter, path: &mut Path, found: &mut Vec<(Path, Error)>) {
    let before = found.len();
    for (at, child) in block.children().into_iter().enumerate() {
        if let Some(child) = child {
            path.push(at);
            collect(child, path, found);
            path.pop();
        }
    }
    if found.len() == before
        && let Err(error) = block.validate()
    {
        found.push((path.clone(), error));
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::String;
    use alloc::{format, vec};

    use super::*;

    /// Returns the paths of the refused blocks.
    fn blamed(tree: RowFilter) -> String {
        faults(&tree).iter().map(|(path, _)| format!("{path:?}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_innermost_block_is_to_blame() {
        let good = RowFilter::PassAll(true);
        let bad = RowFilter::CellsPerRowLimit(0);
        assert_eq!(blamed(good.clone()), "");
        assert_eq!(blamed(bad.clone()), "[]");
        let list = RowFilter::Interleave(vec![good.clone(), bad.clone()]);
        assert_eq!(blamed(RowFilter::Chain(vec![list, bad])), "[0, 1] [1]");
        assert_eq!(blamed(RowFilter::Chain(vec![good])), "[]");
    }

    #[test]
    fn what_is_wrong_only_together_is_blamed_on_what_holds_it() {
        let condition = RowFilter::Condition {
            predicate: Box::new(RowFilter::Sink(true)),
            on_true: Some(Box::new(RowFilter::PassAll(true))),
            on_false: None,
        };
        assert_eq!(blamed(RowFilter::Chain(vec![RowFilter::PassAll(true), condition])), "[1]");
        let label = || RowFilter::ApplyLabel("a".into());
        assert_eq!(blamed(RowFilter::Chain(vec![label(), label()])), "[]");
    }
}
