//! Verdicts of a filter on the columns of one block, SSTable or memtable, and on rows that have the
//! same columns.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Filter, Verdict};
use crate::columns::FamilyId;

/// The verdicts by column, decided when they are first needed: a read of one row needs few of many
/// columns.
#[derive(Debug, Default)]
pub(crate) struct ColumnVerdicts {
    /// Pages of [`PAGE_COLUMNS`] columns each: deciding one column of 100,000 takes no memory for
    /// the others.
    pages: Vec<Option<Box<Page>>>,
}

#[derive(Debug)]
struct Page {
    verdicts: [Verdict; PAGE_COLUMNS],
    facts: Vec<u64>,
}

const PAGE_COLUMNS: usize = 64;

impl ColumnVerdicts {
    #[inline]
    pub fn get<'q>(
        &mut self,
        column: u32,
        filter: &mut Filter,
        name: impl FnOnce() -> (FamilyId, &'q [u8]),
    ) -> Verdict {
        let column = column as usize;
        match self.pages.get(column / PAGE_COLUMNS) {
            Some(Some(page)) if page.verdicts[column % PAGE_COLUMNS] != Verdict::Unknown => {
                page.verdicts[column % PAGE_COLUMNS]
            }
            _ => self.ask(column, filter, name()),
        }
    }

    fn ask(&mut self, column: usize, filter: &mut Filter, (family, qualifier): (FamilyId, &[u8])) -> Verdict {
        let words = filter.fact_words();
        let (page, at) = (column / PAGE_COLUMNS, column % PAGE_COLUMNS);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let empty = || Page {
            verdicts: [Verdict::Unknown; PAGE_COLUMNS],
            facts: alloc::vec![0; words * PAGE_COLUMNS],
        };
        let page = self.pages[page].get_or_insert_with(|| Box::new(empty()));
        let verdict = filter.judge_column(family, qualifier, &mut page.facts[words * at..][..words]);
        page.verdicts[at] = verdict;
        verdict
    }

    /// Returns the facts of a column whose verdict was decided.
    pub fn facts(&self, column: u32) -> &[u64] {
        let (page, at) = (column as usize / PAGE_COLUMNS, column as usize % PAGE_COLUMNS);
        let Some(Some(page)) = self.pages.get(page) else { return &[] };
        let words = page.facts.len() / PAGE_COLUMNS;
        &page.facts[words * at..][..words]
    }
}

/// The cells that pass of rows of one shape, by position; decided once for all rows of the shape.
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
    /// The position among the cells of the row.
    pub place: u32,
    pub column: u32,
    pub verdict: Verdict,
}

/// The verdicts on the shapes of one SSTable.
#[derive(Debug, Default)]
pub(crate) struct ShapeVerdicts {
    /// The index in `verdicts` plus 1; 0 for shapes that are not decided yet.
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

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::RowFilter;

    #[test]
    fn a_verdict_on_one_column_takes_no_memory_for_the_others() {
        let pattern = RowFilter::ColumnQualifierRegex("q".into());
        let mut filter = Filter::compile(&pattern, &["f".into()], 0).unwrap();
        let mut verdicts = ColumnVerdicts::default();
        for (column, qualifier, verdict) in [(1_000_000, b"q", Verdict::Keep), (999_999, b"p", Verdict::Drop)]
        {
            assert_eq!(verdicts.get(column, &mut filter, || (0, qualifier)), verdict);
            assert_eq!(verdicts.get(column, &mut filter, || unreachable!("it is known")), verdict);
            assert_eq!(verdicts.facts(column), [u64::from(verdict == Verdict::Keep)]);
        }
        assert!(verdicts.pages.iter().flatten().count() <= 2);
    }
}
