//! The criteria that decide between designs.

use super::Total;
use crate::{Figure, Flaw};

/// A criterion of the ranking, in descending order of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Criterion {
    /// How much of a flaw the design has.
    Flaw(Flaw),
    /// The number of access patterns that meet their limits.
    Limits,
    /// [`Total::blocks`].
    Blocks,
    /// [`Total::with_older_rows`].
    OlderRows,
    /// [`Total::cells`].
    Cells,
}

impl Criterion {
    /// The criteria that decide before the cost.
    pub(super) const SOUNDNESS: usize = Flaw::ALL.len() + 1;

    pub(super) const ALL: [Criterion; 11] = {
        let [a, b, c, d, e, f, g] = Flaw::ALL;
        [
            Criterion::Flaw(a),
            Criterion::Flaw(b),
            Criterion::Flaw(c),
            Criterion::Flaw(d),
            Criterion::Flaw(e),
            Criterion::Flaw(f),
            Criterion::Flaw(g),
            Criterion::Limits,
            Criterion::Blocks,
            Criterion::OlderRows,
            Criterion::Cells,
        ]
    };

    /// Returns the value of a design. A lower one is better.
    pub(super) fn of(self, total: &Total) -> f64 {
        match self {
            Criterion::Flaw(flaw) => total.standing.amount(flaw).into(),
            Criterion::Limits => total.missed.into(),
            Criterion::Blocks => total.blocks,
            Criterion::OlderRows => total.with_older_rows.into(),
            Criterion::Cells => total.cells,
        }
    }

    pub(super) fn is_same(self, one: &Total, other: &Total) -> bool {
        Figure::are_same(self.of(one), self.of(other))
    }
}
