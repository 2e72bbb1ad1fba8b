//! What separates the best design from the next one, if that is close, and the additional cost of
//! its index tables.

use alloc::string::String;

use super::{Contrast, Criterion, Scoreboard};
use crate::Figure;
use crate::texts::{Price, texts};

/// A design is close if it needs less than this many times the blocks of the best one.
const CLOSE: f64 = 1.1;

impl Scoreboard<'_> {
    /// Returns how close the next design is, and the pattern that makes the difference. `peers` are
    /// the peers of the ranking; `said` are contrasts that another sentence already mentions.
    /// `None` if no design is close, or if another criterion than blocks separates the two.
    pub(super) fn close_one(&self, design: usize, peers: &[usize], said: &[Contrast]) -> Option<String> {
        let (says, own) = (&texts().scoreboards, self.total(design));
        let is_copy = |at: &&usize| Criterion::ALL.iter().all(|each| each.is_same(&own, &self.total(**at)));
        if let Some(copy) = peers.iter().find(is_copy) {
            return Some((says.as_good)(self.name(*copy)));
        }
        let next = *peers.first()?;
        let blocks = self.total(next).blocks;
        if Figure::are_same(own.blocks, blocks) || blocks >= own.blocks * CLOSE {
            return None;
        }
        let (wins, _) = self.contrasts(design, &[next]);
        let is_said = |win: &&Contrast| said.iter().any(|each| (each.query, each.other) == (win.query, win.other));
        let most = wins.first().filter(|win| !is_said(win)).map(|win| self.contrast(design, win));
        Some((says.close)(self.name(next), blocks / own.blocks - 1.0, most.as_deref()))
    }

    /// Returns the cost of the best design's index tables compared with the next design; `None` if
    /// it does not have more of them.
    pub(super) fn price(&self, design: usize, next: usize) -> Option<String> {
        let of = |at: usize| {
            let costs = &self.designs[at];
            Price { tables: costs.tables, stored_bytes: costs.stored_bytes }
        };
        let (own, other) = (of(design), of(next));
        (own.tables > other.tables).then(|| (texts().scoreboards.price)(own, self.name(next), other))
    }
}
