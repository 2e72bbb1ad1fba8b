//! What a user does to the tree of a filter.

use tabletop_model::RowFilter;

use super::edit::{BlockAction, Edited, Path, act, put};

/// A change of the tree.
pub enum Change {
    /// The tree is replaced.
    Tree(Option<RowFilter>),
    /// An action on the block at a path of this tree. A second click before a drawing does nothing.
    Act(Path, BlockAction, Option<RowFilter>),
    /// An action by a key on the focused block, which is drawn at a path.
    Key(Path, BlockAction),
    /// A block is inserted at a path.
    Put(Path, RowFilter, Focus),
}

impl Change {
    /// Returns the next tree and the new position of the focus; `None` if nothing changes. `now` is
    /// the current tree, which need not be the drawn one: keys can come faster than drawings. The
    /// block at `coming` gets the focus with the next drawing, so a key refers to it.
    pub fn apply(self, now: Option<&RowFilter>, coming: Option<&Path>) -> Option<(Edited, Focus)> {
        let (edited, focus) = match self {
            Change::Tree(tree) => (Edited { tree, focus: Path::new() }, Focus::Actions),
            Change::Act(path, action, drawn) => {
                let tree = drawn.filter(|drawn| Some(drawn) == now)?;
                (act(tree, &path, action), Focus::Actions)
            }
            Change::Key(path, action) => (act(now?.clone(), coming.unwrap_or(&path), action), Focus::Actions),
            Change::Put(path, block, focus) => {
                let tree = match now {
                    Some(tree) => put(tree.clone(), &path, block),
                    None => block,
                };
                (Edited { tree: Some(tree), focus: path }, focus)
            }
        };
        (edited.tree.as_ref() != now).then_some((edited, focus))
    }
}

/// The position of the focus after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The focus stays.
    Stay,
    /// The menu of the block.
    Actions,
    /// The first field of the block.
    Field,
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn a_second_key_moves_the_block_that_the_first_has_moved() {
        let chain =
            |limits: [i32; 3]| Some(RowFilter::Chain(limits.map(RowFilter::CellsPerRowLimit).to_vec()));
        let key = |now: &Option<RowFilter>, coming: Option<&Path>| {
            Change::Key(vec![0], BlockAction::MoveDown).apply(now.as_ref(), coming).map(|(edited, _)| edited)
        };
        let first = key(&chain([1, 2, 3]), None).unwrap();
        assert_eq!((&first.tree, &first.focus), (&chain([2, 1, 3]), &vec![1]));
        let second = key(&first.tree, Some(&first.focus)).unwrap();
        assert_eq!((&second.tree, &second.focus), (&chain([2, 3, 1]), &vec![2]));
        assert_eq!(key(&second.tree, Some(&second.focus)), None, "it is the last");
        assert_eq!(key(&None, None), None, "the tree is gone");
    }
}
