//! What a filter says of the columns of one block or memtable.

use alloc::vec;
use alloc::vec::Vec;

use super::{Filter, Verdict};
use crate::columns::FamilyId;

/// The verdicts by column, asked for when they are first needed.
#[derive(Debug)]
pub(crate) struct ColumnVerdicts {
    verdicts: Vec<Verdict>,
    facts: Vec<u64>,
    /// Whether it drops all of them, once that was asked.
    drops_all: Option<bool>,
}

/// Columns of a block up to which it is worth asking for all of them before its first cell.
const COLUMNS_ASKED: usize = 64;

impl ColumnVerdicts {
    /// Of so many columns, none asked for yet.
    pub fn new(columns: usize) -> Self {
        ColumnVerdicts { verdicts: vec![Verdict::Unknown; columns], facts: Vec::new(), drops_all: None }
    }

    #[inline]
    pub fn get<'q>(&mut self, column: u32, filter: &mut Filter, name: impl FnOnce() -> (FamilyId, &'q [u8])) -> Verdict {
        match self.verdicts[column as usize] {
            Verdict::Unknown => self.ask(column, filter, name()),
            known => known,
        }
    }

    /// Whether no cell of any column can come out of the filter.
    pub fn drops_all<'b>(&mut self, filter: &mut Filter, name: impl Fn(u32) -> (FamilyId, &'b [u8])) -> bool {
        if let Some(known) = self.drops_all {
            return known;
        }
        let columns = self.verdicts.len();
        let drops_all = columns <= COLUMNS_ASKED
            && (0..columns as u32).all(|column| self.get(column, filter, || name(column)) == Verdict::Drop);
        self.drops_all = Some(drops_all);
        drops_all
    }

    fn ask(&mut self, column: u32, filter: &mut Filter, (family, qualifier): (FamilyId, &[u8])) -> Verdict {
        let words = filter.fact_words();
        if self.facts.is_empty() {
            self.facts = vec![0; words * self.verdicts.len()];
        }
        let verdict = filter.judge_column(family, qualifier, &mut self.facts[words * column as usize..][..words]);
        self.verdicts[column as usize] = verdict;
        verdict
    }

    /// The facts of a column whose verdict was asked for.
    pub fn facts(&self, column: u32) -> &[u64] {
        let words = self.facts.len() / self.verdicts.len();
        &self.facts[words * column as usize..][..words]
    }
}
