//! Rows as the file that cbt's `import` reads: two lines that name families and columns, then one
//! line per row, with the timestamp after each value (`timestamp=value-encoded`). Older versions of
//! cells have separate lines.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use tabletop_keys::push_csv;
use tabletop_model::{Qualifier, Row, SortedMap};

/// The maximum number of columns of a file: each line has a field for each column.
const COLUMNS_MAX: usize = 1_000;

/// The columns of a file, each with its field.
#[derive(Default)]
pub struct CsvColumns {
    places: SortedMap<(String, Qualifier), usize>,
}

impl CsvColumns {
    /// Adds the columns of a row. Returns `false` if there are too many.
    pub fn see(&mut self, row: &Row) -> bool {
        for cell in &row.cells {
            *self.places.get_or_default((cell.family.clone(), cell.qualifier.clone())) = 0;
        }
        self.places.len() <= COLUMNS_MAX
    }

    /// Returns the two lines at the top, after all columns were added.
    pub fn head(&mut self) -> Vec<u8> {
        // cbt expects a name in the first field, so a column without a name follows the others.
        let names: Vec<(String, Qualifier)> = self.places.keys().cloned().collect();
        let (unnamed, named): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|(_, qualifier)| qualifier.is_empty());
        let names: Vec<_> = named.into_iter().chain(unnamed).collect();
        let (mut families, mut columns) = (Vec::new(), Vec::new());
        for (place, name) in names.into_iter().enumerate() {
            push_field(&mut families, name.0.as_bytes());
            push_field(&mut columns, &name.1);
            self.places.insert(name, place);
        }
        [families, b"\n".to_vec(), columns, b"\n".to_vec()].concat()
    }

    /// Writes the lines of a row. Returns `None` if it has a column that was not added.
    pub fn push_row(&self, row: &Row, out: &mut Vec<u8>) -> Option<()> {
        // The cells of a row are sorted by column, and the newest cell of a column is first.
        let mut lines: Vec<Vec<Option<Vec<u8>>>> = Vec::new();
        let mut version = 0;
        for (at, cell) in row.cells.iter().enumerate() {
            let is_older = at > 0
                && (&row.cells[at - 1].family, &row.cells[at - 1].qualifier)
                    == (&cell.family, &cell.qualifier);
            version = if is_older { version + 1 } else { 0 };
            if lines.len() == version {
                lines.push(vec![None; self.places.len()]);
            }
            let place = *self.places.get(&(cell.family.clone(), cell.qualifier.clone()))?;
            lines[version][place] =
                Some([&cell.value[..], b"@", cell.timestamp.to_string().as_bytes()].concat());
        }
        for line in lines {
            let start = out.len();
            line.iter().for_each(|field| push_field(out, field.as_deref().unwrap_or_default()));
            let mut key = Vec::new();
            push_field(&mut key, &row.key);
            // The key has no comma before it.
            out.splice(start..start, key.into_iter().skip(1));
            out.push(b'\n');
        }
        Some(())
    }
}

/// Writes a comma and a field.
fn push_field(out: &mut Vec<u8>, field: &[u8]) {
    out.push(b',');
    push_csv(out, field);
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use tabletop_model::{Cell, Mutation, Request, TableRequest};
    use tabletop_shell::{Language, Run, Settings, Step};

    fn row(key: &str, cells: &[(&str, &str, i64, &str)]) -> Row {
        let cell = |&(family, qualifier, timestamp, value): &(&str, &str, i64, &str)| Cell {
            family: family.into(),
            qualifier: qualifier.into(),
            timestamp,
            value: value.into(),
            label: None,
        };
        Row { key: key.into(), cells: cells.iter().map(cell).collect() }
    }

    #[test]
    fn what_is_written_is_what_import_reads() {
        let rows = [
            row(
                "a,1",
                &[
                    ("f", "", 0, "none"),
                    ("f", "q", 5_000, "new, \"er\""),
                    ("f", "q", 2_000, "old@home"),
                    ("g", "q", 1_000, ""),
                ],
            ),
            row("b", &[("g", "q", 7_000, "1\n2")]),
        ];
        let mut columns = CsvColumns::default();
        assert!(rows.iter().all(|row| columns.see(row)));
        let mut file = columns.head();
        rows.iter().for_each(|row| columns.push_row(row, &mut file).expect("its columns are known"));
        assert!(file.starts_with(b",f,g,f\n,q,q,\n\"a,1\","), "{}", String::from_utf8_lossy(&file));
        assert_eq!(columns.push_row(&row("c", &[("h", "q", 0, "")]), &mut file), None);

        let settings =
            Settings { language: Language::Cbt, utc_offset_seconds: |_| 0, now: || 0, read_formats: None };
        let mut run = Run::start(&settings, "import t rows.csv timestamp=value-encoded").expect("a command");
        assert!(matches!(run.step(), Step::Open(name) if name == "rows.csv"));
        run.file(Ok(&file));
        let Step::Request(request) = run.step() else { panic!("{:?}", run.failure()) };
        let Request::Table { request: TableRequest::MutateRows(entries), .. } = *request else {
            panic!("no write")
        };
        let mut found: Vec<_> = entries
            .into_iter()
            .flat_map(|entry| entry.mutations.into_iter().map(move |mutation| (entry.key.clone(), mutation)))
            .collect();
        let mut expected: Vec<_> = rows
            .iter()
            .flat_map(|row| row.cells.iter().map(|cell| (row.key.clone(), cell.clone())))
            .map(|(key, Cell { family, qualifier, timestamp, value, .. })| {
                (key, Mutation::SetCell { family, qualifier, timestamp, value })
            })
            .collect();
        let order =
            |one: &(_, Mutation), other: &(_, Mutation)| format!("{one:?}").cmp(&format!("{other:?}"));
        found.sort_by(order);
        expected.sort_by(order);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_has_a_maximum_of_columns() {
        let mut columns = CsvColumns::default();
        let names: Vec<String> = (0..=COLUMNS_MAX).map(|at| at.to_string()).collect();
        let cells: Vec<_> = names.iter().map(|name| ("f", name.as_str(), 0, "")).collect();
        assert!(columns.see(&row("a", &cells[1..])));
        assert!(!columns.see(&row("a", &cells)));
    }
}
