//! The columns of rows, and which of them a pivot shows.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Cell, Row, escape};
use tabletop_workspace::{ResultColumn, ResultColumns};

/// Columns that are shown unless the user chooses others: the columns with most rows.
pub const SHOWN: usize = 50;
/// Columns that can be shown at a time.
pub const SHOWN_MAX: usize = 200;
/// Columns that are counted. A table whose qualifiers are times has as many columns as cells.
const COUNTED_MAX: usize = 10_000;

/// A column of some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name of the family.
    pub family: String,
    /// The qualifier.
    pub qualifier: Bytes,
    /// Rows that have it.
    pub rows: u64,
}

impl Column {
    /// Returns the displayed name, by which it is also stored.
    pub fn name(&self) -> String {
        format!("{}:{}", self.family, escape(&self.qualifier))
    }

    /// Returns whether a cell is in this column.
    pub fn has(&self, cell: &Cell) -> bool {
        self.family == cell.family && self.qualifier == cell.qualifier
    }
}

/// The columns of the rows so far.
#[derive(Clone, Debug, Default)]
pub struct ColumnCounts {
    /// The families in the order of their first cells, which is their order in the table.
    families: Vec<String>,
    columns: Vec<Column>,
    known: BTreeMap<(usize, Bytes), usize>,
    /// Whether there are more columns than are counted.
    pub cut: bool,
}

impl ColumnCounts {
    /// Counts the columns of one more row.
    pub fn add(&mut self, row: &Row) {
        // Rows mostly have the columns of the previous row, in the same order.
        let mut guess = 0;
        let mut last = None;
        for cell in &row.cells {
            let is_here =
                |column: &Column| column.family == cell.family && column.qualifier == cell.qualifier;
            if last.and_then(|at: usize| self.columns.get(at)).is_some_and(is_here) {
                continue;
            }
            let at = match self.columns.get(guess) {
                Some(column) if is_here(column) => guess,
                _ => match self.find(&cell.family, &cell.qualifier) {
                    Some(at) => at,
                    None => {
                        last = None;
                        continue;
                    }
                },
            };
            self.columns[at].rows += 1;
            last = Some(at);
            guess = at + 1;
        }
    }

    fn find(&mut self, family: &str, qualifier: &Bytes) -> Option<usize> {
        let number = match self.families.iter().position(|known| known == family) {
            Some(number) => number,
            None => {
                self.families.push(family.into());
                self.families.len() - 1
            }
        };
        let key = (number, qualifier.clone());
        if let Some(at) = self.known.get(&key) {
            return Some(*at);
        }
        if self.columns.len() == COUNTED_MAX {
            self.cut = true;
            return None;
        }
        self.known.insert(key, self.columns.len());
        self.columns.push(Column { family: family.into(), qualifier: qualifier.clone(), rows: 0 });
        Some(self.columns.len() - 1)
    }

    /// Returns the columns with most rows first.
    pub fn by_rows(&self) -> Vec<&Column> {
        let mut columns: Vec<&Column> = self.known.values().map(|at| &self.columns[*at]).collect();
        columns.sort_by_key(|column| core::cmp::Reverse(column.rows));
        columns
    }

    /// Returns the columns that are shown: pinned ones first, then by family and qualifier.
    pub fn shown(&self, chosen: &ResultColumns) -> Vec<&Column> {
        let chosen: BTreeMap<&str, &ResultColumn> =
            chosen.columns.iter().map(|column| (column.name.as_str(), column)).collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for (at, column) in self.by_rows().into_iter().enumerate() {
            let name = column.name();
            if names.len() < SHOWN_MAX && shows(chosen.get(name.as_str()).copied(), at) {
                names.insert(name);
            }
        }
        let all = self.known.values().map(|at| &self.columns[*at]);
        let mut shown: Vec<&Column> = all.filter(|column| names.contains(&column.name())).collect();
        // The sort is stable.
        shown.sort_by_cached_key(|column| {
            !chosen.get(column.name().as_str()).is_some_and(|column| column.pinned)
        });
        shown
    }
}

/// Returns whether a column is shown that has the rank `at` by its rows.
pub fn shows(chosen: Option<&ResultColumn>, at: usize) -> bool {
    chosen.and_then(|column| column.shown).unwrap_or(at < SHOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(columns: &[&str]) -> Row {
        let cell = |column: &&str| {
            let (family, qualifier) = column.split_once(':').unwrap();
            Cell {
                family: family.into(),
                qualifier: qualifier.into(),
                timestamp: 0,
                value: "".into(),
                label: None,
            }
        };
        Row { key: "k".into(), cells: columns.iter().map(cell).collect() }
    }

    fn names(columns: &[&Column]) -> String {
        columns
            .iter()
            .map(|column| format!("{}×{}", column.name(), column.rows))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_column_counts_once_per_row() {
        let mut counts = ColumnCounts::default();
        counts.add(&row(&["f:b", "f:b", "g:a"]));
        counts.add(&row(&["f:a", "f:b", "g:a", "g:a"]));
        counts.add(&row(&["g:a"]));
        assert_eq!(names(&counts.by_rows()), "g:a×3 f:b×2 f:a×1");
        assert_eq!(names(&counts.shown(&ResultColumns::default())), "f:a×1 f:b×2 g:a×3");
    }

    #[test]
    fn the_most_frequent_columns_are_shown_unless_the_user_chooses() {
        let mut counts = ColumnCounts::default();
        let many: Vec<String> = (0..SHOWN + 10).map(|at| format!("f:{at:03}")).collect();
        let all: Vec<&str> = many.iter().map(String::as_str).collect();
        counts.add(&row(&all));
        counts.add(&row(&all[10..]));
        let mut chosen = ResultColumns::default();
        let shown = counts.shown(&chosen);
        assert_eq!((shown.len(), shown[0].name().as_str()), (SHOWN, "f:010"));
        for (name, change) in [
            ("f:010", ResultColumn { shown: Some(false), ..ResultColumn::default() }),
            ("f:000", ResultColumn { shown: Some(true), ..ResultColumn::default() }),
            ("f:012", ResultColumn { pinned: true, ..ResultColumn::default() }),
        ] {
            chosen.columns.push(ResultColumn { name: name.into(), ..change });
        }
        let shown = counts.shown(&chosen);
        assert_eq!((shown.len(), shown[0].name(), shown[1].name()), (SHOWN, "f:012".into(), "f:000".into()));
    }

    #[test]
    fn columns_beyond_the_counted_ones_are_not_shown() {
        let mut counts = ColumnCounts::default();
        for at in 0..COUNTED_MAX + 5 {
            counts.add(&row(&[&format!("f:{at}"), "g:x"]));
        }
        assert!(counts.cut && counts.by_rows().len() == COUNTED_MAX);
        assert_eq!(counts.by_rows()[0].rows, (COUNTED_MAX + 5) as u64);
    }
}
