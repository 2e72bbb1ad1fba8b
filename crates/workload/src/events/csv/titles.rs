//! Lines above the header of a table, as banks, spreadsheets and CRMs export them: a title, the day
//! of the export, an account. The lines of a table have one number of columns, and those above it
//! have fewer, or only their first cell is filled.

use tabletop_keys::Field;

use super::delimiter::{COMMON, Delimiter, cells};
use super::start::{LINES_BYTES_MAX, Line, Lines, Value};

/// The number of lines in which the table is searched.
const LINES: usize = 30;
/// The maximum number of lines of the table, in percent, that have another number of columns.
const OTHERS_PERCENT: usize = 20;

/// Where the table of a file begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// The start of its first line.
    pub(super) start: usize,
    pub(super) delimiter: Delimiter,
    /// The number of lines above it that are not blank.
    pub(super) titles: usize,
    pub(super) fit: HeaderFit,
}

/// How the names of the header belong to the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HeaderFit {
    /// There is a name for each column.
    #[default]
    Same,
    /// The first column has none, as in files that R writes with the names of rows.
    FirstUnnamed,
    /// The last column has none.
    LastUnnamed,
    /// The last column, which is empty, has none: each record ends with a delimiter.
    LastEmpty,
    /// The header ends with a delimiter, and the records do not.
    Longer,
}

impl HeaderFit {
    /// Returns the names of all columns.
    pub(super) fn apply(self, mut names: Vec<(usize, String)>) -> Vec<(usize, String)> {
        match self {
            HeaderFit::Same => {}
            HeaderFit::FirstUnnamed => names.insert(0, (0, String::new())),
            HeaderFit::LastUnnamed | HeaderFit::LastEmpty => {
                let end = names.last().map_or(0, |(at, name)| at + name.len());
                names.push((end, String::new()));
            }
            HeaderFit::Longer => {
                names.pop();
            }
        }
        names
    }

    /// Says how the names belong to the columns, if it is not self-evident.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            HeaderFit::Same => None,
            HeaderFit::FirstUnnamed => Some(
                "The records have one value more than the header has names: the first column is the one without a name, as in files of R.",
            ),
            HeaderFit::LastUnnamed => Some(
                "The records have one value more than the header has names: the last column is the one without a name.",
            ),
            HeaderFit::LastEmpty => Some(
                "Each record ends with a delimiter and the header does not: the last column is empty, and has no name.",
            ),
            HeaderFit::Longer => {
                Some("The header ends with a delimiter and the records do not: it has no name after it.")
            }
        }
    }
}

/// A line, divided by some delimiter.
struct Row<'t> {
    line: Line<'t>,
    cells: Vec<String>,
}

impl Row<'_> {
    fn filled(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.is_empty()).count()
    }

    /// Returns whether only the first of several cells is filled, as spreadsheets write titles, or
    /// none.
    fn is_padded(&self) -> bool {
        let filled = self.filled();
        self.cells.len() > 1 && (filled == 0 || filled == 1 && !self.cells[0].is_empty())
    }

    fn has_values(&self) -> bool {
        self.cells.iter().any(|cell| matches!(Value::of(cell), Value::Number | Value::Time))
    }

    fn has_only_names(&self) -> bool {
        self.cells.iter().all(|cell| Value::of(cell) == Value::Text)
    }
}

/// Finds a table below lines of another form, from `start` on, which is the start of a line.
/// `Some(None)` if the file begins with its table; `None` if more bytes are needed. `usual` is the
/// delimiter that the first line shows.
pub(super) fn find(
    lines: &Lines<'_>,
    start: usize,
    named: Option<Delimiter>,
    usual: Delimiter,
    given: &[Field],
    has_header: bool,
) -> Option<Option<Table>> {
    let first = lines.at(start)?;
    let top = cells(first.text, usual);
    let is_known = |name: &String| given.iter().any(|field| field.name == *name);
    if top.iter().filter(|name| is_known(name)).count() * 2 > top.len() {
        return Some(None);
    }
    let mut taken = vec![first];
    let mut next = first.next;
    while taken.len() < LINES && next < first.next + LINES_BYTES_MAX {
        if next >= lines.text.len() && lines.last {
            break;
        }
        let line = lines.not_blank_at(next)?;
        if line.text.is_empty() {
            break;
        }
        next = line.next;
        taken.push(line);
        if taken.len() == 2 && is_usual(&top, &cells(line.text, usual)) {
            return Some(None);
        }
    }
    let delimiters = named.map_or(COMMON.map(Delimiter::Byte).to_vec(), |named| vec![named]);
    let tables = delimiters.into_iter().filter_map(|delimiter| {
        let divided = taken.iter().map(|line| Row { line: *line, cells: cells(line.text, delimiter) });
        let rows: Vec<Row<'_>> = divided.collect();
        let (first, width, fit_percent) = widest(&rows)?;
        Some((fit_percent, width, delimiter, first, rows))
    });
    // The delimiter that divides most lines alike, and then the one that divides them into more.
    let best = tables.max_by_key(|(percent, width, ..)| (*percent, *width));
    Some(best.and_then(|(_, width, delimiter, first, rows)| {
        table(lines, &rows, first, width, has_header).map(|(first, fit)| Table {
            start: rows[first].line.start,
            delimiter,
            titles: rows[..first].iter().filter(|row| row.filled() > 0).count(),
            fit,
        })
    }))
}

/// Returns whether the first two lines are surely a header and a record, as they are in nearly all
/// files. Two texts may be a name and its value above a table.
fn is_usual(top: &[String], next: &[String]) -> bool {
    let filled = top.iter().filter(|cell| !cell.is_empty()).count();
    let is_pair = top.len() == 2 && next.first().is_some_and(|key| Value::of(key) == Value::Text);
    top.len() > 1 && top.len() == next.len() && filled * 2 > top.len() && !is_pair
}

/// Returns the index of the first row of a table with several columns, their number, and the share of the
/// rows from there on that have as many.
fn widest(rows: &[Row<'_>]) -> Option<(usize, usize, usize)> {
    let mut widths: Vec<usize> = rows.iter().map(|row| row.cells.len()).filter(|width| *width > 1).collect();
    widths.sort_unstable();
    let runs = widths.chunk_by(|left, right| left == right);
    let width = runs.max_by_key(|run| run.len())?[0];
    let first = rows.iter().position(|row| row.cells.len() == width && !row.is_padded())?;
    let table = &rows[first..];
    let fitting = table.iter().filter(|row| row.cells.len() == width).count();
    let percent = fitting * 100 / table.len();
    (fitting > 1 && percent >= 100 - OTHERS_PERCENT).then_some((first, width, percent))
}

/// Returns the index of the header, or of the first record, of the table whose first row of full
/// width is at `first`; `None` if the file begins with it.
fn table(
    lines: &Lines<'_>,
    rows: &[Row<'_>],
    first: usize,
    width: usize,
    has_header: bool,
) -> Option<(usize, HeaderFit)> {
    let above = first.checked_sub(1)?;
    let (top, header, table) = (&rows[first], &rows[above], &rows[first..]);
    let is_adjacent = !is_blank_between(lines, &header.line, &top.line);
    let names = &header.cells;
    if has_header && is_adjacent && header.has_only_names() && names.len() + 1 == width && names.len() > 1 {
        let is_last_empty = table.iter().all(|row| row.cells.last().is_some_and(String::is_empty));
        if is_last_empty {
            return Some((above, HeaderFit::LastEmpty));
        }
        if top.has_values() {
            let fit =
                if are_row_names(table, width) { HeaderFit::FirstUnnamed } else { HeaderFit::LastUnnamed };
            return Some((above, fit));
        }
    }
    let is_longer = names.len() == width + 1 && names.last().is_some_and(String::is_empty);
    if has_header && is_adjacent && is_longer {
        return Some((above, HeaderFit::Longer));
    }
    let are_titles = rows[..first].iter().all(|row| row.cells.len() < width || row.is_padded());
    // A line of text above lines of text can be a header whose values contain the delimiter.
    let is_evident = !is_adjacent || table.iter().filter(|row| row.has_values()).count() * 2 > table.len();
    // A single name above the others may be that of the first column.
    let is_padded_header = header.is_padded() && (top.has_values() || !has_header);
    let fitting = table.iter().filter(|row| row.cells.len() == width).count();
    let is_larger = !is_adjacent || fitting > rows[..first].iter().filter(|row| !row.is_padded()).count();
    (are_titles && is_evident && is_larger && !is_padded_header).then_some((first, HeaderFit::Same))
}

/// Returns whether the first column has the names of rows as R writes them: texts, or 1, 2, 3, …
fn are_row_names(table: &[Row<'_>], width: usize) -> bool {
    let mut firsts: Vec<&str> =
        table.iter().filter(|row| row.cells.len() == width).map(|row| row.cells[0].as_str()).collect();
    let is_next = |pair: &[&str]| {
        let numbers: Vec<u64> = pair.iter().filter_map(|text| text.parse().ok()).collect();
        numbers.len() == 2 && numbers[0] + 1 == numbers[1]
    };
    let (are_texts, are_numbered) =
        (firsts.iter().all(|text| Value::of(text) == Value::Text), firsts.windows(2).all(is_next));
    let count = firsts.len();
    firsts.sort_unstable();
    firsts.dedup();
    firsts.len() == count && (are_texts || are_numbered)
}

/// Returns whether there is an empty line between two lines.
fn is_blank_between(lines: &Lines<'_>, above: &Line<'_>, below: &Line<'_>) -> bool {
    let between = &lines.text[above.start + above.text.len()..below.start];
    let returns = between.iter().filter(|byte| **byte == b'\r').count();
    let feeds = between.iter().filter(|byte| **byte == b'\n').count();
    returns.max(feeds) > 1
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
