//! The columns of rows, and which of them a pivot shows.

use std::collections::BTreeMap;

use tabletop_model::{Bytes, Row, escape};

/// Columns that are shown unless a person chooses others: those with most rows.
pub const SHOWN: usize = 50;
/// Columns that can be shown at a time.
pub const SHOWN_MAX: usize = 200;
/// Columns that are counted. A table whose qualifiers are times has as many as cells.
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
    /// Returns the name on the screen, by which it is also stored.
    pub fn name(&self) -> String {
        format!("{}:{}", self.family, escape(&self.qualifier))
    }
}

/// The columns of the rows so far.
#[derive(Clone, Debug, Default)]
pub struct ColumnCounts {
    /// The families in the order of their first cells, which is that of the table as far as they occur.
    families: Vec<String>,
    columns: Vec<Column>,
    known: BTreeMap<(usize, Bytes), usize>,
    /// There are more columns than are counted.
    pub cut: bool,
}

impl ColumnCounts {
    /// Counts the columns of one more row.
    pub fn add(&mut self, row: &Row) {
        // Rows mostly have the columns of the row before, in one order.
        let mut guess = 0;
        let mut last = None;
        for cell in &row.cells {
            let is_here = |column: &Column| column.family == cell.family && column.qualifier == cell.qualifier;
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
        columns.sort_by_key(|column| std::cmp::Reverse(column.rows));
        columns
    }

    /// Returns the columns that are shown: pinned ones first, then by family and qualifier.
    pub fn shown(&self, choice: &Choice) -> Vec<&Column> {
        let mut names: Vec<String> = Vec::new();
        for (at, column) in self.by_rows().into_iter().enumerate() {
            let name = column.name();
            if names.len() < SHOWN_MAX && choice.shows(&name, at) {
                names.push(name);
            }
        }
        let mut shown: Vec<&Column> =
            self.known.values().map(|at| &self.columns[*at]).filter(|column| names.contains(&column.name())).collect();
        // The sort is stable.
        shown.sort_by_key(|column| !choice.pinned.contains(&column.name()));
        shown
    }
}

/// What a person has chosen for columns, by their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// Not shown, though they are among the most frequent ones.
    pub hidden: Vec<String>,
    /// Shown, though they are not.
    pub added: Vec<String>,
    /// Beside the key.
    pub pinned: Vec<String>,
    /// px.
    pub widths: Vec<(String, f64)>,
}

/// The name of the column of keys in [`Choice::widths`]: no column has it.
pub const KEY: &str = "";

impl Choice {
    /// Returns whether a column is shown that has the rank `at` by its rows.
    pub fn shows(&self, name: &str, at: usize) -> bool {
        let is_in = |list: &[String]| list.iter().any(|other| other == name);
        if at < SHOWN { !is_in(&self.hidden) } else { is_in(&self.added) }
    }

    /// Shows a column, or hides it.
    pub fn show(&mut self, name: &str, at: usize, shown: bool) {
        let (list, is_in) = if at < SHOWN { (&mut self.hidden, !shown) } else { (&mut self.added, shown) };
        list.retain(|other| other != name);
        if is_in {
            list.push(name.into());
        }
    }

    /// Pins a column, or unpins it.
    pub fn pin(&mut self, name: &str) {
        let before = self.pinned.len();
        self.pinned.retain(|other| other != name);
        if self.pinned.len() == before {
            self.pinned.push(name.into());
        }
    }

    /// Returns the width of a column.
    pub fn width(&self, name: &str) -> Option<f64> {
        self.widths.iter().find(|(other, _)| other == name).map(|(_, width)| *width)
    }

    /// Sets the width of a column.
    pub fn resize(&mut self, name: &str, width: f64) {
        self.widths.retain(|(other, _)| other != name);
        self.widths.push((name.into(), width));
    }

    /// Returns the choice as a text, one line per column.
    pub fn text(&self) -> String {
        let list = |kind: char, names: &[String]| names.iter().map(|name| format!("{kind} {name}\n")).collect::<String>();
        let widths = self.widths.iter().map(|(name, width)| format!("w{width} {name}\n"));
        list('h', &self.hidden) + &list('a', &self.added) + &list('p', &self.pinned) + &widths.collect::<String>()
    }

    /// Reads [`Choice::text`]. Lines that it does not write are ignored.
    pub fn parse(text: &str) -> Choice {
        let mut choice = Choice::default();
        for (kind, name) in text.lines().filter_map(|line| line.split_once(' ')) {
            match kind {
                "h" => choice.hidden.push(name.into()),
                "a" => choice.added.push(name.into()),
                "p" => choice.pinned.push(name.into()),
                _ => {
                    let width =
                        kind.strip_prefix('w').and_then(|width| width.parse().ok()).filter(|width: &f64| width.is_finite());
                    choice.widths.extend(width.map(|width| (name.into(), width)));
                }
            }
        }
        choice
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Cell;

    use super::*;

    fn row(columns: &[&str]) -> Row {
        let cell = |column: &&str| {
            let (family, qualifier) = column.split_once(':').unwrap();
            Cell { family: family.into(), qualifier: qualifier.into(), timestamp: 0, value: "".into(), label: None }
        };
        Row { key: "k".into(), cells: columns.iter().map(cell).collect() }
    }

    fn names(columns: &[&Column]) -> String {
        columns.iter().map(|column| format!("{}×{}", column.name(), column.rows)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_column_counts_once_per_row() {
        let mut counts = ColumnCounts::default();
        counts.add(&row(&["f:b", "f:b", "g:a"]));
        counts.add(&row(&["f:a", "f:b", "g:a", "g:a"]));
        counts.add(&row(&["g:a"]));
        assert_eq!(names(&counts.by_rows()), "g:a×3 f:b×2 f:a×1");
        assert_eq!(names(&counts.shown(&Choice::default())), "f:a×1 f:b×2 g:a×3");
    }

    #[test]
    fn the_most_frequent_columns_are_shown_unless_a_person_chooses() {
        let mut counts = ColumnCounts::default();
        let many: Vec<String> = (0..SHOWN + 10).map(|at| format!("f:{at:03}")).collect();
        let all: Vec<&str> = many.iter().map(String::as_str).collect();
        counts.add(&row(&all));
        counts.add(&row(&all[10..]));
        let mut choice = Choice::default();
        let shown = counts.shown(&choice);
        assert_eq!((shown.len(), shown[0].name().as_str()), (SHOWN, "f:010"));
        choice.show("f:010", 0, false);
        choice.show("f:000", SHOWN, true);
        choice.pin("f:012");
        let shown = counts.shown(&choice);
        assert_eq!((shown.len(), shown[0].name(), shown[1].name()), (SHOWN, "f:012".into(), "f:000".into()));
        choice.pin("f:012");
        choice.show("f:010", 0, true);
        assert_eq!((choice.pinned.len(), choice.hidden.len()), (0, 0));
    }

    #[test]
    fn more_columns_than_are_counted_are_no_columns() {
        let mut counts = ColumnCounts::default();
        for at in 0..COUNTED_MAX + 5 {
            counts.add(&row(&[&format!("f:{at}"), "g:x"]));
        }
        assert!(counts.cut && counts.by_rows().len() == COUNTED_MAX);
        assert_eq!(counts.by_rows()[0].rows, (COUNTED_MAX + 5) as u64);
    }

    #[test]
    fn a_choice_is_stored_as_text() {
        let mut choice = Choice { hidden: vec!["f:a b".into()], added: vec!["g:".into()], ..Choice::default() };
        choice.pin("f:x");
        choice.resize(KEY, 300.0);
        choice.resize("f:x", 80.5);
        choice.resize("f:x", 90.5);
        assert_eq!(Choice::parse(&choice.text()), choice);
        assert_eq!(Choice::parse("nonsense\nwNaN f:x\nz f:y\n"), Choice::default());
    }
}
