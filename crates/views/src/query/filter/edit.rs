//! Changes of a tree of filters. A block is identified by its path from the root. A change returns
//! the new tree and the block that then has the focus. A chain or an interleave never keeps fewer
//! than two blocks: the remaining block replaces it.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::RowFilter;
use tabletop_texts::messages;

/// The path to a block: the index of a child at each step. The children of a condition are 0 (if),
/// 1 (then) and 2 (else).
pub type Path = Vec<usize>;

/// The tree after a change, and the path to the block that has the focus.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The new tree; `None` when its last block was removed.
    pub tree: Option<RowFilter>,
    /// The changed block, or its neighbour.
    pub focus: Path,
}

/// An action on a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockAction {
    /// Swaps it with the block before it.
    MoveUp,
    /// Swaps it with the block after it.
    MoveDown,
    /// Inserts a copy after it.
    Duplicate,
    /// Puts it into a new chain, as its first block.
    WrapInChain,
    /// Puts it into a new interleave, as its first block.
    WrapInInterleave,
    /// Puts it into a new condition, as its test.
    WrapInCondition,
    /// Replaces it by its child blocks.
    Unwrap,
    /// Removes it with all its blocks.
    Remove,
}

impl BlockAction {
    /// All actions in the order of the menu.
    pub const ALL: [BlockAction; 8] = [
        BlockAction::MoveUp,
        BlockAction::MoveDown,
        BlockAction::Duplicate,
        BlockAction::WrapInChain,
        BlockAction::WrapInInterleave,
        BlockAction::WrapInCondition,
        BlockAction::Unwrap,
        BlockAction::Remove,
    ];

    /// Returns the displayed name.
    pub fn title(self) -> &'static str {
        let filter = &messages().filter;
        match self {
            BlockAction::MoveUp => filter.move_up,
            BlockAction::MoveDown => filter.move_down,
            BlockAction::Duplicate => filter.duplicate,
            BlockAction::WrapInChain => filter.wrap_in_chain,
            BlockAction::WrapInInterleave => filter.wrap_in_interleave,
            BlockAction::WrapInCondition => filter.wrap_in_condition,
            BlockAction::Unwrap => filter.unwrap,
            BlockAction::Remove => filter.remove,
        }
    }
}

/// Returns the block at `path`.
pub fn get<'a>(tree: &'a RowFilter, path: &[usize]) -> Option<&'a RowFilter> {
    match path.split_first() {
        None => Some(tree),
        Some((&at, rest)) => get(tree.children().get(at).copied().flatten()?, rest),
    }
}

/// Returns the tree with `block` at `path`: instead of a block, as a missing branch of a condition,
/// or after the last block of a chain or an interleave.
pub fn put(mut tree: RowFilter, path: &[usize], block: RowFilter) -> RowFilter {
    let Some((&at, way)) = path.split_last() else { return block };
    if let Some(parent) = get_mut(&mut tree, way) {
        match parent {
            RowFilter::Chain(list) | RowFilter::Interleave(list) if at < list.len() => list[at] = block,
            RowFilter::Chain(list) | RowFilter::Interleave(list) => list.push(block),
            RowFilter::Condition { predicate, .. } if at == 0 => **predicate = block,
            RowFilter::Condition { on_true, .. } if at == 1 => *on_true = Some(Box::new(block)),
            RowFilter::Condition { on_false, .. } => *on_false = Some(Box::new(block)),
            _ => {}
        }
    }
    tree
}

/// Returns whether `action` changes the block at `path`.
pub fn can(tree: &RowFilter, path: &[usize], action: BlockAction) -> bool {
    let place = parent_list(tree, path);
    match action {
        BlockAction::MoveUp => place.is_some_and(|(at, _)| at > 0),
        BlockAction::MoveDown => place.is_some_and(|(at, list)| at + 1 < list.len()),
        BlockAction::Duplicate => place.is_some(),
        BlockAction::Unwrap => get(tree, path).is_some_and(|block| !block.children().is_empty()),
        BlockAction::WrapInChain
        | BlockAction::WrapInInterleave
        | BlockAction::WrapInCondition
        | BlockAction::Remove => true,
    }
}

/// Applies `action` to the block at `path`. Returns the same tree if it changes nothing.
pub fn act(mut tree: RowFilter, path: &[usize], action: BlockAction) -> Edited {
    if !can(&tree, path, action) {
        return Edited { tree: Some(tree), focus: path.to_vec() };
    }
    let mut focus = path.to_vec();
    match action {
        BlockAction::MoveUp | BlockAction::MoveDown => {
            let step = |at: usize| if action == BlockAction::MoveUp { at - 1 } else { at + 1 };
            if let Some((at, list)) = parent_list_mut(&mut tree, path) {
                list.swap(at, step(at));
                *focus.last_mut().expect("a block with a parent has a way") = step(at);
            }
        }
        BlockAction::Duplicate => {
            if let Some((at, list)) = parent_list_mut(&mut tree, path) {
                list.insert(at + 1, list[at].clone());
                *focus.last_mut().expect("a block with a parent has a way") = at + 1;
            }
        }
        BlockAction::WrapInChain => {
            return wrap(tree, path, |block| RowFilter::Chain(vec![block, RowFilter::PassAll(true)]));
        }
        BlockAction::WrapInInterleave => {
            return wrap(tree, path, |block| RowFilter::Interleave(vec![block, RowFilter::BlockAll(true)]));
        }
        BlockAction::WrapInCondition => {
            return wrap(tree, path, |block| RowFilter::Condition {
                predicate: Box::new(block),
                on_true: Some(Box::new(RowFilter::PassAll(true))),
                on_false: None,
            });
        }
        BlockAction::Unwrap => return unwrap(tree, path),
        BlockAction::Remove => return remove(tree, path),
    }
    Edited { tree: Some(tree), focus }
}

fn wrap(tree: RowFilter, path: &[usize], around: impl FnOnce(RowFilter) -> RowFilter) -> Edited {
    let Some(block) = get(&tree, path).cloned() else {
        return Edited { tree: Some(tree), focus: path.to_vec() };
    };
    Edited { tree: Some(put(tree, path, around(block))), focus: path.to_vec() }
}

/// Replaces a block by its child blocks. Outside a list there is room for one block only: the first
/// that is not a filler.
fn unwrap(mut tree: RowFilter, path: &[usize]) -> Edited {
    let Some(block) = get(&tree, path) else { return Edited { tree: Some(tree), focus: path.to_vec() } };
    let mut inner: Vec<RowFilter> = block.children().into_iter().flatten().cloned().collect();
    if let Some((at, list)) = parent_list_mut(&mut tree, path) {
        list.splice(at..=at, inner);
        return Edited { tree: Some(tree), focus: path.to_vec() };
    }
    let filler = |block: &RowFilter| matches!(block, RowFilter::PassAll(true) | RowFilter::BlockAll(true));
    let first = inner.iter().position(|block| !filler(block)).unwrap_or(0);
    let block = inner.swap_remove(first);
    Edited { tree: Some(put(tree, path, block)), focus: path.to_vec() }
}

fn remove(mut tree: RowFilter, path: &[usize]) -> Edited {
    let Some((&at, way)) = path.split_last() else { return Edited { tree: None, focus: Vec::new() } };
    let Some(parent) = get_mut(&mut tree, way) else {
        return Edited { tree: Some(tree), focus: path.to_vec() };
    };
    let mut focus = way.to_vec();
    match parent {
        RowFilter::Chain(list) | RowFilter::Interleave(list) => {
            if at < list.len() {
                list.remove(at);
            }
            match list.len() {
                0 => return remove(tree, way),
                1 => *parent = list.remove(0),
                len => focus.push(at.min(len - 1)),
            }
        }
        RowFilter::Condition { predicate, .. } if at == 0 => {
            **predicate = RowFilter::PassAll(true);
            focus.push(0);
        }
        RowFilter::Condition { on_true, .. } if at == 1 => *on_true = None,
        RowFilter::Condition { on_false, .. } => *on_false = None,
        _ => {}
    }
    Edited { tree: Some(tree), focus }
}

fn get_mut<'a>(tree: &'a mut RowFilter, path: &[usize]) -> Option<&'a mut RowFilter> {
    let Some((&at, rest)) = path.split_first() else { return Some(tree) };
    let child = match tree {
        RowFilter::Chain(list) | RowFilter::Interleave(list) => list.get_mut(at)?,
        RowFilter::Condition { predicate, on_true, on_false } => match at {
            0 => predicate,
            1 => on_true.as_deref_mut()?,
            _ => on_false.as_deref_mut()?,
        },
        _ => return None,
    };
    get_mut(child, rest)
}

/// Returns the list of the block at `path`, and its index there.
fn parent_list<'a>(tree: &'a RowFilter, path: &[usize]) -> Option<(usize, &'a [RowFilter])> {
    let (&at, way) = path.split_last()?;
    match get(tree, way)? {
        RowFilter::Chain(list) | RowFilter::Interleave(list) => Some((at, list)),
        _ => None,
    }
}

fn parent_list_mut<'a>(tree: &'a mut RowFilter, path: &[usize]) -> Option<(usize, &'a mut Vec<RowFilter>)> {
    let (&at, way) = path.split_last()?;
    match get_mut(tree, way)? {
        RowFilter::Chain(list) | RowFilter::Interleave(list) => Some((at, list)),
        _ => None,
    }
}

/// Returns the address of a block: `1` for the root, `1.2` for its second child.
pub fn address(path: &[usize]) -> String {
    let mut name = String::from("1");
    for step in path {
        name.push('.');
        name.push_str(&(step + 1).to_string());
    }
    name
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// Returns a tree as `c[…]`, `i[…]`, `if(a,b,-)`; leaves are the number of their limit, `+` for
    /// pass_all, `0` for block_all.
    fn show(tree: &RowFilter) -> String {
        let list = |list: &[RowFilter]| list.iter().map(show).collect::<Vec<_>>().join(" ");
        let branch = |branch: &Option<Box<RowFilter>>| branch.as_deref().map_or("-".into(), show);
        match tree {
            RowFilter::Chain(blocks) => format!("c[{}]", list(blocks)),
            RowFilter::Interleave(blocks) => format!("i[{}]", list(blocks)),
            RowFilter::Condition { predicate, on_true, on_false } => {
                format!("if({} {} {})", show(predicate), branch(on_true), branch(on_false))
            }
            RowFilter::CellsPerRowLimit(n) => n.to_string(),
            RowFilter::PassAll(_) => "+".into(),
            _ => "0".into(),
        }
    }

    fn leaf(n: i32) -> RowFilter {
        RowFilter::CellsPerRowLimit(n)
    }

    /// c[1 i[2 3] if(4 - 5)]
    fn tree() -> RowFilter {
        RowFilter::Chain(vec![
            leaf(1),
            RowFilter::Interleave(vec![leaf(2), leaf(3)]),
            RowFilter::Condition {
                predicate: Box::new(leaf(4)),
                on_true: None,
                on_false: Some(Box::new(leaf(5))),
            },
        ])
    }

    #[track_caller]
    fn check(action: BlockAction, path: &[usize], expected: &str) {
        let Edited { tree: edited, focus } = act(tree(), path, action);
        let shown = edited.as_ref().map_or("nothing".into(), show);
        assert_eq!(format!("{shown} @{focus:?}"), expected);
        assert!(edited.is_none_or(|edited| get(&edited, &focus).is_some()), "the focus is on a block");
    }

    #[test]
    fn blocks_move_within_their_list() {
        check(BlockAction::MoveUp, &[1], "c[i[2 3] 1 if(4 - 5)] @[0]");
        check(BlockAction::MoveDown, &[1, 0], "c[1 i[3 2] if(4 - 5)] @[1, 1]");
        check(BlockAction::MoveUp, &[0], "c[1 i[2 3] if(4 - 5)] @[0]");
        check(BlockAction::MoveDown, &[2, 0], "c[1 i[2 3] if(4 - 5)] @[2, 0]");
        check(BlockAction::Duplicate, &[1, 1], "c[1 i[2 3 3] if(4 - 5)] @[1, 2]");
    }

    #[test]
    fn blocks_are_wrapped_and_unwrapped() {
        check(BlockAction::WrapInChain, &[1, 0], "c[1 i[c[2 +] 3] if(4 - 5)] @[1, 0]");
        check(BlockAction::WrapInInterleave, &[2, 2], "c[1 i[2 3] if(4 - i[5 0])] @[2, 2]");
        check(BlockAction::WrapInCondition, &[], "if(c[1 i[2 3] if(4 - 5)] + -) @[]");
        check(BlockAction::Unwrap, &[1], "c[1 2 3 if(4 - 5)] @[1]");
        check(BlockAction::Unwrap, &[2], "c[1 i[2 3] 4 5] @[2]");
        check(BlockAction::Unwrap, &[], "1 @[]");
        check(BlockAction::Unwrap, &[0], "c[1 i[2 3] if(4 - 5)] @[0]");
    }

    #[test]
    fn a_list_of_one_becomes_that_one() {
        check(BlockAction::Remove, &[1, 0], "c[1 3 if(4 - 5)] @[1]");
        check(BlockAction::Remove, &[0], "c[i[2 3] if(4 - 5)] @[0]");
        check(BlockAction::Remove, &[2], "c[1 i[2 3]] @[1]");
        check(BlockAction::Remove, &[2, 0], "c[1 i[2 3] if(+ - 5)] @[2, 0]");
        check(BlockAction::Remove, &[2, 2], "c[1 i[2 3] if(4 - -)] @[2]");
        check(BlockAction::Remove, &[], "nothing @[]");
    }

    #[test]
    fn a_block_is_put_where_one_stands_or_may_stand() {
        let put_at = |path: &[usize]| show(&put(tree(), path, leaf(9)));
        assert_eq!(put_at(&[]), "9");
        assert_eq!(put_at(&[1, 0]), "c[1 i[9 3] if(4 - 5)]");
        assert_eq!(put_at(&[1, 2]), "c[1 i[2 3 9] if(4 - 5)]");
        assert_eq!(put_at(&[2, 1]), "c[1 i[2 3] if(4 9 5)]");
        assert_eq!(put_at(&[2, 0]), "c[1 i[2 3] if(9 - 5)]");
    }
}
