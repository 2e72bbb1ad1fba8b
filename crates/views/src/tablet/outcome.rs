//! What a read did with an SSTable.

use alloc::format;
use alloc::string::String;

use tabletop_model::{Touched, TouchedRun};
use tabletop_texts::messages;

/// The outcome of the searches of a read in one SSTable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Blocks were read.
    Read {
        /// Blocks from storage.
        stored: u64,
        /// Blocks from the cache.
        cached: u64,
        /// Searches that were skipped.
        skipped: u64,
    },
    /// The Bloom filter does not contain the row.
    Bloom,
    /// The SSTable contains none of the keys.
    Range,
    /// The SSTable contains other families.
    Group,
    /// The read ended before reaching it.
    NotReached,
}

impl Outcome {
    /// Returns the outcome of a read of its tablet.
    pub fn of(run: &TouchedRun) -> Outcome {
        let cached = run.blocks.iter().filter(|block| block.from_cache).count() as u64;
        let stored = run.blocks.len() as u64 - cached;
        let (bloom, range, group) = (run.bloom_skips, run.range_skips, run.group_skips);
        match run {
            _ if stored + cached > 0 => Outcome::Read { stored, cached, skipped: bloom + range + group },
            _ if bloom > 0 => Outcome::Bloom,
            _ if group > 0 => Outcome::Group,
            _ if run.searches == 0 => Outcome::Range,
            _ => Outcome::NotReached,
        }
    }

    /// Returns it in words.
    pub fn text(self) -> String {
        let says = &messages().inside.read;
        match self {
            Outcome::Read { stored, cached, skipped: 0 } => (says.blocks)(stored, cached),
            Outcome::Read { stored, cached, skipped } => {
                format!("{}, {}", (says.blocks)(stored, cached), (says.some_skipped)(skipped))
            }
            Outcome::Bloom => says.bloom.into(),
            Outcome::Range => says.range.into(),
            Outcome::Group => says.group.into(),
            Outcome::NotReached => says.not_reached.into(),
        }
    }

    /// Returns the class of its drawing.
    pub fn class(self) -> &'static str {
        match self {
            Outcome::Read { .. } => "lit",
            Outcome::Bloom => "crossed",
            Outcome::Range | Outcome::Group | Outcome::NotReached => "passed-by",
        }
    }
}

/// Sums over all SSTables of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Blocks from storage.
    pub stored: u64,
    /// Blocks from the cache.
    pub cached: u64,
    /// Bytes of all blocks.
    pub bytes: u64,
    /// Searches that a Bloom filter ended.
    pub bloom: u64,
    /// Searches that the key range ended.
    pub range: u64,
    /// Tablets.
    pub tablets: u64,
}

impl Sums {
    /// Adds up what a read touches.
    pub fn of(touched: &Touched) -> Sums {
        let mut sums = Sums { tablets: touched.tablets.len() as u64, ..Sums::default() };
        for run in touched.tablets.iter().flat_map(|tablet| &tablet.runs) {
            sums.bloom += run.bloom_skips;
            sums.range += run.range_skips;
            for block in &run.blocks {
                *(if block.from_cache { &mut sums.cached } else { &mut sums.stored }) += 1;
                sums.bytes += u64::from(block.bytes);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_model::{TabletId, TouchedBlock, TouchedTablet};

    use super::*;

    #[test]
    fn an_outcome_is_the_most_that_a_read_did() {
        let none = TouchedRun::default();
        let block = |block, from_cache| TouchedBlock { block, bytes: 10, from_cache };
        let read = TouchedRun {
            searches: 1,
            bloom_skips: 2,
            blocks: vec![block(0, true), block(1, false), block(2, true)],
            ..none.clone()
        };
        let runs = [
            read.clone(),
            TouchedRun { bloom_skips: 1, range_skips: 5, ..none.clone() },
            TouchedRun { range_skips: 1, ..none.clone() },
            TouchedRun { group_skips: 1, ..none.clone() },
            TouchedRun { searches: 1, ..none },
        ];
        let outcomes = runs.each_ref().map(Outcome::of);
        let expected = [
            Outcome::Read { stored: 1, cached: 2, skipped: 2 },
            Outcome::Bloom,
            Outcome::Range,
            Outcome::Group,
            Outcome::NotReached,
        ];
        assert_eq!(outcomes, expected);
        assert_eq!(outcomes[0].text(), "3 blocks read, 2 of them from the cache, 2 searches skipped");
        let touched = Touched { tablets: vec![TouchedTablet { tablet: TabletId(1), runs: runs.into() }] };
        let expected = Sums { stored: 1, cached: 2, bytes: 30, bloom: 3, range: 6, tablets: 1 };
        assert_eq!(Sums::of(&touched), expected);
    }
}
