//! What separates the best design from the next one, if that is close, and the additional cost of
//! its index tables.

use super::{Contrast, Criterion, Reason, Scoreboard};
use crate::Figure;

/// A design is close if it needs less than this many times the blocks of the best one.
const CLOSE: f64 = 1.1;

impl Scoreboard<'_> {
    /// Returns how close the next design is, and the pattern that makes the difference. `peers` are
    /// the peers in the ranking; `said` are contrasts that another reason names. `None` if no
    /// design is close, or if a criterion other than blocks separates the two.
    pub(super) fn close_one(&self, design: usize, peers: &[usize], said: &[Contrast]) -> Option<Reason> {
        let own = self.total(design);
        let is_copy = |at: &&usize| Criterion::ALL.iter().all(|each| each.is_same(&own, &self.total(**at)));
        if let Some(copy) = peers.iter().find(is_copy) {
            return Some(Reason::AsGood { other: *copy });
        }
        let next = *peers.first()?;
        let blocks = self.total(next).blocks;
        if Figure::are_same(own.blocks, blocks) || blocks >= own.blocks * CLOSE {
            return None;
        }
        let (wins, _) = self.contrasts(design, &[next]);
        let is_said =
            |win: &&Contrast| said.iter().any(|each| (each.query, each.other) == (win.query, win.other));
        let contrast = wins.first().filter(|win| !is_said(win)).copied();
        Some(Reason::Close { other: next, more: blocks / own.blocks - 1.0, contrast })
    }
}
