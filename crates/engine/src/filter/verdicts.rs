//! Verdicts of a filter on the columns of one block, SSTable or memtable, and on rows that have the same columns.

use alloc::vec::Vec;

use super::{Filter, Verdict};
use crate::columns::FamilyId;

/// The verdicts by column, decided when they are first needed: a read of one row needs few columns of many.
#[derive(Debug, Default)]
pub(crate) struct ColumnVerdicts {
    verdicts: Vec<Verdict>,
    facts: Vec<u64>,
}

impl ColumnVerdicts {
    #[inline]
    pub fn get<'q>(&mut self, column: u32, filter: &mut Filter, name: impl FnOnce() -> (FamilyId, &'q [u8])) -> Verdict {
        match self.verdicts.get(column as usize) {
            None | Some(Verdict::Unknown) => self.ask(column, filter, name()),
            Some(known) => *known,
        }
    }

    fn ask(&mut self, column: u32, filter: &mut Filter, (family, qualifier): (FamilyId, &[u8])) -> Verdict {
        let column = column as usize;
        let words = filter.fact_words();
        if self.verdicts.len() <= column {
            self.verdicts.resize(column + 1, Verdict::Unknown);
            self.facts.resize(words * (column + 1), 0);
        }
        let verdict = filter.judge_column(family, qualifier, &mut self.facts[words * column..][..words]);
        self.verdicts[column] = verdict;
        verdict
    }

    /// Returns the facts of a column whose verdict was decided.
    pub fn facts(&self, column: u32) -> &[u64] {
        let words = self.facts.len() / self.verdicts.len();
        &self.facts[words * column as usize..][..words]
    }
}

/// The cells of rows of one shape that pass, by position: decided once for all rows that have it.
#[derive(Debug, Default)]
pub(crate) struct ShapeVerdict {
    /// The cells that are not dropped, in order.
    pub picks: Vec<Pick>,
    /// Whether any of them needs more than its column to be decided.
    pub needs_test: bool,
}

/// A cell of a shape that passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pick {
    /// Its position among the cells of the row.
    pub place: u32,
    pub column: u32,
    pub verdict: Verdict,
}

/// The verdicts on the shapes of one SSTable.
#[derive(Debug, Default)]
pub(crate) struct ShapeVerdicts {
    /// The index in `verdicts` plus 1; 0 for those that were not decided.
    numbers: Vec<u32>,
    verdicts: Vec<ShapeVerdict>,
}

impl ShapeVerdicts {
    /// Returns the verdict on a shape with these columns, each of which `verdict` judges.
    #[inline]
    pub fn get(&mut self, shape: u32, columns: &[u32], verdict: impl FnMut(u32) -> Verdict) -> &ShapeVerdict {
        let number = match self.numbers.get(shape as usize) {
            None | Some(0) => self.ask(shape, columns, verdict),
            Some(number) => *number,
        };
        &self.verdicts[number as usize - 1]
    }

    fn ask(&mut self, shape: u32, columns: &[u32], mut verdict: impl FnMut(u32) -> Verdict) -> u32 {
        let mut picks = Vec::new();
        for (place, &column) in columns.iter().enumerate() {
            let verdict = verdict(column);
            if verdict != Verdict::Drop {
                picks.push(Pick { place: place as u32, column, verdict });
            }
        }
        let needs_test = picks.iter().any(|pick| pick.verdict == Verdict::Test);
        self.verdicts.push(ShapeVerdict { picks, needs_test });
        if self.numbers.len() <= shape as usize {
            self.numbers.resize(shape as usize + 1, 0);
        }
        self.numbers[shape as usize] = self.verdicts.len() as u32;
        self.verdicts.len() as u32
    }
}
