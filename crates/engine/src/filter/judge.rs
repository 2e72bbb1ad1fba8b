//! The effect of a filter on a cell of which only the column is known, or on a row of which only
//! the key is known.

use super::{Node, Verdict, fact};

/// The effect of a node on cells of a certain column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    Drops,
    Keeps,
    /// The effect depends on the cell alone, or on other cells of its column.
    Tests,
    /// Seeing the cell affects cells of other columns, or puts the cell into the output.
    Counts,
}

pub(super) fn column(root: &Node, facts: &[u64]) -> Verdict {
    match effect(root, facts) {
        Effect::Drops => Verdict::Drop,
        Effect::Keeps => Verdict::Keep,
        Effect::Tests | Effect::Counts => Verdict::Test,
    }
}

fn effect(node: &Node, facts: &[u64]) -> Effect {
    match node {
        Node::Column(index) if fact(facts, *index) => Effect::Keeps,
        Node::Column(_) | Node::BlockAll => Effect::Drops,
        Node::PassAll => Effect::Keeps,
        Node::Row(_)
        | Node::Value(_)
        | Node::ValueRange(..)
        | Node::ValueBitmask(_)
        | Node::TimestampRange(_)
        | Node::ColumnLimit(..)
        | Node::StripValue
        | Node::Label(_) => Effect::Tests,
        Node::RowOffset(..) | Node::RowLimit(..) | Node::Sink => Effect::Counts,
        Node::Chain(stages) => {
            let mut sum = Effect::Keeps;
            for stage in stages {
                match effect(stage, facts) {
                    // An earlier stage has already seen the cell. In the chain of `row_limit(1)`
                    // and a test for column `a`, a cell of column `b` is dropped, but it uses up
                    // the limit.
                    Effect::Drops if sum == Effect::Counts => return Effect::Counts,
                    Effect::Drops => return Effect::Drops,
                    other => sum = sum.max(other),
                }
            }
            sum
        }
        Node::Interleave(branches) => {
            // If both branches keep the cell, there are two cells.
            let both = |a: Effect, b: Effect| match (a, b) {
                (Effect::Drops, other) | (other, Effect::Drops) => other,
                (a, b) => a.max(b).max(Effect::Tests),
            };
            branches.iter().map(|branch| effect(branch, facts)).fold(Effect::Drops, both)
        }
        Node::Condition { predicate, on_true, on_false } => {
            // If the predicate passes this cell, that decides the branch for the cells of all
            // columns.
            if effect(predicate, facts) != Effect::Drops {
                return Effect::Counts;
            }
            let branches = [on_true, on_false].into_iter().flatten();
            match branches.map(|branch| effect(branch, facts)).max().unwrap_or(Effect::Drops) {
                // Which branch runs is not known from the column alone.
                Effect::Keeps => Effect::Tests,
                other => other,
            }
        }
    }
}

/// Returns whether cells with these results of the column tests have no effect. `None` is an
/// unknown result.
pub(super) fn always_drops(node: &Node, facts: &[Option<bool>]) -> bool {
    match node {
        Node::Column(index) => facts[*index] == Some(false),
        Node::BlockAll => true,
        // A cell counts for the stages before the one that drops it.
        Node::Chain(stages) => {
            let dropping = stages.iter().position(|stage| always_drops(stage, facts));
            dropping.is_some_and(|dropping| !stages[..dropping].iter().any(|stage| may_count(stage, facts)))
        }
        Node::Interleave(branches) => branches.iter().all(|branch| always_drops(branch, facts)),
        Node::Condition { predicate, on_true, on_false } => {
            let mut branches = [on_true, on_false].into_iter().flatten();
            always_drops(predicate, facts) && branches.all(|branch| always_drops(branch, facts))
        }
        _ => false,
    }
}

/// Returns whether [`Effect::Counts`] is possible.
fn may_count(node: &Node, facts: &[Option<bool>]) -> bool {
    match node {
        Node::RowOffset(..) | Node::RowLimit(..) | Node::Sink => true,
        Node::Chain(nodes) | Node::Interleave(nodes) => nodes.iter().any(|node| may_count(node, facts)),
        Node::Condition { predicate, on_true, on_false } => {
            let mut branches = [on_true, on_false].into_iter().flatten();
            !always_drops(predicate, facts) || branches.any(|branch| may_count(branch, facts))
        }
        _ => false,
    }
}

/// Returns whether the row has no output, judging by the results of the row tests on its key.
pub(super) fn drops_row(node: &Node, row_facts: &[bool]) -> bool {
    match node {
        Node::Row(index) => !row_facts[*index],
        Node::BlockAll => true,
        // A sink before the stage that drops the row has already let cells out.
        Node::Chain(stages) => stages
            .iter()
            .take_while(|stage| !has_sink(stage) || drops_row(stage, row_facts))
            .any(|stage| drops_row(stage, row_facts)),
        Node::Interleave(branches) => branches.iter().all(|branch| drops_row(branch, row_facts)),
        Node::Condition { predicate, on_true, on_false } => {
            let drops = |branch: &Option<alloc::boxed::Box<Node>>| {
                branch.as_ref().is_none_or(|branch| drops_row(branch, row_facts))
            };
            // If the predicate drops the row, only `on_false` can have output.
            drops(on_false) && (drops(on_true) || drops_row(predicate, row_facts))
        }
        _ => false,
    }
}

fn has_sink(node: &Node) -> bool {
    match node {
        Node::Sink => true,
        Node::Chain(nodes) | Node::Interleave(nodes) => nodes.iter().any(has_sink),
        // A condition never contains one.
        _ => false,
    }
}
