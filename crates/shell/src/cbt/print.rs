//! The output of the commands.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use tabletop_model::order::sorted;
use tabletop_model::{Aggregate, Cell, Error, ReadStats, Response, Result, Row, Timestamp};

use super::arguments::{Input, InputResult};
use super::policy;
use super::quote::quote;
use crate::place::{WRITTEN, problem};
use crate::read::Printer;
use crate::settings::{Formats, Settings};
use crate::task::{Show, unexpected};
use crate::time::write_local;

/// The printer of `read` and `lookup`.
pub(super) struct Rows {
    utc_offset_seconds: fn(i64) -> i32,
    /// The start of a read whose statistics are printed after its rows.
    stats_since: Option<Timestamp>,
    now: fn() -> Timestamp,
    /// Whether a missing row is printed too, without a key.
    pub is_lookup: bool,
    /// How to print values, if not in quotes.
    pub formats: Option<Box<dyn Formats>>,
}

impl Rows {
    pub fn new(input: &Input) -> InputResult<Rows> {
        let stats = match input.option("include-stats") {
            Some(word) if word.bytes != b"full" => {
                return Err(alloc::boxed::Box::new(problem(word.span(), "include-stats must be full")));
            }
            stats => stats.is_some(),
        };
        let Settings { utc_offset_seconds, now, .. } = input.settings;
        Ok(Rows { utc_offset_seconds, stats_since: stats.then(now), now, is_lookup: false, formats: None })
    }
}

impl Printer for Rows {
    fn row(&mut self, row: &Row, out: &mut String) -> Result<()> {
        write_row(out, row, self.utc_offset_seconds, self.formats.as_deref())
    }

    fn footer(&mut self, stats: &ReadStats, out: &mut String) {
        if self.is_lookup && stats.rows_returned == 0 {
            // The row has no value, so this cannot fail.
            let _ = write_row(out, &Row::default(), self.utc_offset_seconds, None);
        }
        if let Some(since) = self.stats_since {
            let ReadStats { rows_seen, rows_returned, cells_seen, cells_returned, .. } = stats;
            let millis = (self.now)().saturating_sub(since).max(0) / 1_000;
            write!(
                out,
                "Summary Stats\n====================\nrows_seen_count: {rows_seen}\nrows_returned_count: {rows_returned}\n\
                 cells_seen_count: {cells_seen}\ncells_returned_count: {cells_returned}\nfrontend_server_latency: {millis}ms\n\n"
            )
            .expect(WRITTEN);
        }
    }
}

/// Writes a row and an empty line after it, sorted by family name and qualifier.
fn write_row(
    out: &mut String,
    row: &Row,
    utc_offset_seconds: fn(i64) -> i32,
    formats: Option<&dyn Formats>,
) -> Result<()> {
    writeln!(out, "----------------------------------------\n{}", quote(&row.key)).expect(WRITTEN);
    let by_column =
        |one: &&Cell, other: &&Cell| (&one.family, &one.qualifier).cmp(&(&other.family, &other.qualifier));
    let cells = sorted(row.cells.iter().collect(), by_column);
    for cell in cells {
        let column = quote(&[cell.family.as_bytes(), b":", &cell.qualifier].concat());
        write!(out, "  {column:40} @ ").expect(WRITTEN);
        write_local(out, cell.timestamp, utc_offset_seconds(cell.timestamp));
        let text = match formats {
            None => quote(&cell.value),
            Some(formats) => {
                let text = formats.value(&cell.family, &cell.qualifier, &cell.value);
                let why = |why: String| {
                    Error::invalid(format!("the value of {column} in row {}: {why}", quote(&row.key)))
                };
                text.map_err(why)?.replace('\n', "\n    ")
            }
        };
        // A text that ends with a newline is not followed by blanks.
        writeln!(out, "\n    {}", text.strip_suffix("    ").unwrap_or(&text)).expect(WRITTEN);
    }
    out.push('\n');
    Ok(())
}

/// The printer of `count`.
pub(super) struct Count(pub u64);

impl Printer for Count {
    fn row(&mut self, _row: &Row, _out: &mut String) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn footer(&mut self, _stats: &ReadStats, out: &mut String) {
        writeln!(out, "{}", self.0).expect(WRITTEN);
    }
}

pub(super) fn matched(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::PredicateMatched(matched) = answer else { return Err(unexpected()) };
    out.push_str(if matched { "matched\n" } else { "not matched\n" });
    Ok(())
}

pub(super) fn new_cells(show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Row(row) = answer else { return Err(unexpected()) };
    write_row(out, &row, show.utc_offset_seconds, None)
}

pub(super) fn tables(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Tables(tables) = answer else { return Err(unexpected()) };
    for table in tables {
        out.extend([table.as_str(), "\n"]);
    }
    Ok(())
}

/// Prints families sorted by name, in columns separated by tabs; types as JSON, in the format of
/// cbt 1.23.
pub(super) fn families(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Spec(mut spec) = answer else { return Err(unexpected()) };
    spec.families = sorted(spec.families, |one, other| one.name.cmp(&other.name));
    let heads = ["Family Name", "GC Policy", "Value Type"];
    let mut lines = alloc::vec![heads.map(String::from), heads.map(|head| "-".repeat(head.len()))];
    for family in &spec.families {
        lines.push([family.name.clone(), policy::shown(&family.gc_rule), value_type(family.aggregate)]);
    }
    write_table(out, &lines);
    Ok(())
}

/// Returns the API's JSON of a family's type. Builds of cbt differ in the blank after its comma.
fn value_type(aggregate: Option<Aggregate>) -> String {
    const INPUT: &str =
        r#"{"aggregateType":{"inputType":{"int64Type":{"encoding":{"bigEndianBytes":{}}}}, ""#;
    let name = match aggregate {
        None => return "{}".into(),
        Some(Aggregate::Sum) => "sum",
        Some(Aggregate::Min) => "min",
        Some(Aggregate::Max) => "max",
        Some(Aggregate::DistinctCount) => "hllppUniqueCount",
    };
    [INPUT, name, "\":{}}}"].concat()
}

/// Writes columns like Go's `tabwriter` with tabs of eight and at least four blanks between
/// columns.
fn write_table<const COLUMNS: usize>(out: &mut String, lines: &[[String; COLUMNS]]) {
    let length = |text: &String| text.chars().count();
    let width = |column: usize| {
        let longest = lines.iter().map(|line| length(&line[column])).max().unwrap_or_default();
        (longest + 4).max(10).next_multiple_of(8)
    };
    let widths: [usize; COLUMNS] = core::array::from_fn(width);
    for line in lines {
        for (column, text) in line.iter().enumerate() {
            out.push_str(text);
            if column + 1 < COLUMNS {
                let tabs = (widths[column] - length(text)).div_ceil(8);
                out.extend(core::iter::repeat_n('\t', tabs));
            }
        }
        out.push('\n');
    }
}

/// Prints the keys, except the end of the table, which clients do not return.
pub(super) fn samples(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::RowKeySamples(samples) = answer else { return Err(unexpected()) };
    for sample in samples.iter().filter(|sample| !sample.key.is_empty()) {
        out.extend([quote(&sample.key).as_str(), "\n"]);
    }
    Ok(())
}

pub(super) fn tablets(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Table(view) = answer else { return Err(unexpected()) };
    let end = |key: &[u8]| if key.is_empty() { String::new() } else { quote(key) };
    for tablet in &view.tablets {
        let (start, end) = (end(&tablet.start), end(&tablet.end));
        let rows = if tablet.rows == 1 { "row" } else { "rows" };
        writeln!(
            out,
            "[{start},{end}) {} {rows}, {} bytes, {} SSTables",
            tablet.rows, tablet.bytes, tablet.sstables
        )
        .expect(WRITTEN);
    }
    Ok(())
}
