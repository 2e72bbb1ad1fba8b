//! The output of the commands: two columns, the first one 25 characters wide; bytes as HBase
//! displays them, times in milliseconds.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tabletop_model::order::sorted;
use tabletop_model::{Cell, ColumnFamily, ReadStats, Response, Result, Row};

use super::rules;
use crate::place::WRITTEN;
use crate::read::Printer;
use crate::task::{Show, unexpected};

/// Formats bytes as HBase does: ASCII, and `\xHH` for the rest.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => push_hex(&mut out, byte),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => push_hex(&mut out, byte),
        }
    }
    out
}

/// Appends a byte as `\x0F`.
pub(super) fn push_hex(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push_str("\\x");
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

fn header(out: &mut String, first: &str, second: &str) {
    writeln!(out, "{first:25}  {second}").expect(WRITTEN);
}

fn line(out: &mut String, first: &str, second: &str) {
    writeln!(out, " {first:25} {second}").expect(WRITTEN);
}

fn column(cell: &Cell) -> String {
    format!("{}:{}", cell.family, shown(&cell.qualifier))
}

fn footer(out: &mut String, rows: u64) {
    writeln!(out, "{rows} row(s)").expect(WRITTEN);
}

/// The printer of `scan`.
pub(super) struct Scan {
    /// The maximum number of versions to print of each column.
    pub versions: i32,
}

impl Printer for Scan {
    fn header(&mut self, out: &mut String) {
        header(out, "ROW", "COLUMN+CELL");
    }

    fn row(&mut self, row: &Row, out: &mut String) -> Result<()> {
        let key = shown(&row.key);
        for cell in cells(row, self.versions) {
            let time = cell.timestamp / 1_000;
            line(
                out,
                &key,
                &format!("column={}, timestamp={time}, value={}", column(cell), shown(&cell.value)),
            );
        }
        Ok(())
    }

    fn footer(&mut self, stats: &ReadStats, out: &mut String) {
        footer(out, stats.rows_returned);
    }
}

/// The printer of `get`.
pub(super) struct Get {
    /// The maximum number of versions to print of each column.
    pub versions: i32,
}

impl Printer for Get {
    fn header(&mut self, out: &mut String) {
        header(out, "COLUMN", "CELL");
    }

    fn row(&mut self, row: &Row, out: &mut String) -> Result<()> {
        for cell in cells(row, self.versions) {
            line(
                out,
                &column(cell),
                &format!("timestamp={}, value={}", cell.timestamp / 1_000, shown(&cell.value)),
            );
        }
        Ok(())
    }

    fn footer(&mut self, stats: &ReadStats, out: &mut String) {
        footer(out, stats.rows_returned);
    }
}

/// Returns cells in HBase's order: sorted by family and qualifier, newest first, without copies.
fn cells(row: &Row, versions: i32) -> Vec<&Cell> {
    let mut cells: Vec<&Cell> = sorted(row.cells.iter().collect(), |one: &&Cell, other: &&Cell| {
        let columns = (&one.family, &one.qualifier).cmp(&(&other.family, &other.qualifier));
        columns.then(other.timestamp.cmp(&one.timestamp))
    });
    let is_same_column =
        |one: &Cell, other: &Cell| one.family == other.family && one.qualifier == other.qualifier;
    cells.dedup_by(|one, other| one.timestamp == other.timestamp && is_same_column(one, other));
    let (mut last, mut count) = (None, 0);
    cells.retain(|cell| {
        count =
            if last.replace(*cell).is_some_and(|last| is_same_column(last, cell)) { count + 1 } else { 1 };
        count <= versions
    });
    cells
}

/// The printer of `count`.
#[derive(Default)]
pub(super) struct Count(u64);

impl Printer for Count {
    fn row(&mut self, _row: &Row, _out: &mut String) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn footer(&mut self, _stats: &ReadStats, out: &mut String) {
        footer(out, self.0);
        writeln!(out, "=> {}", self.0).expect(WRITTEN);
    }
}

/// The printer of `get_counter`.
#[derive(Default)]
pub(super) struct Counter(bool);

impl Printer for Counter {
    fn row(&mut self, row: &Row, out: &mut String) -> Result<()> {
        self.0 = row.cells.first().is_some_and(|cell| write_counter(out, &cell.value));
        Ok(())
    }

    fn footer(&mut self, _stats: &ReadStats, out: &mut String) {
        if !self.0 {
            out.push_str("No counter found at specified coordinates\n");
        }
    }
}

fn write_counter(out: &mut String, value: &[u8]) -> bool {
    let number = value.try_into().map(i64::from_be_bytes);
    if let Ok(number) = number {
        writeln!(out, "COUNTER VALUE = {number}").expect(WRITTEN);
    }
    number.is_ok()
}

pub(super) fn incremented(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Row(row) = answer else { return Err(unexpected()) };
    row.cells.first().map(|cell| write_counter(out, &cell.value));
    Ok(())
}

pub(super) fn appended(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Row(row) = answer else { return Err(unexpected()) };
    let value = row.cells.first().map_or(String::new(), |cell| shown(&cell.value));
    writeln!(out, "CURRENT VALUE = {value}").expect(WRITTEN);
    Ok(())
}

pub(super) fn created(show: &Show, _answer: Response, out: &mut String) -> Result<()> {
    writeln!(out, "Created table {0}\n=> Hbase::Table - {0}", show.name).expect(WRITTEN);
    Ok(())
}

/// Prints the show's name.
pub(super) fn announce(show: &Show, _answer: Response, out: &mut String) -> Result<()> {
    out.push_str(&show.name);
    Ok(())
}

pub(super) fn tables(_show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Tables(tables) = answer else { return Err(unexpected()) };
    out.push_str("TABLE\n");
    for table in &tables {
        out.extend([table.as_str(), "\n"]);
    }
    footer(out, tables.len() as u64);
    let quoted: Vec<String> = tables.iter().map(|table| format!("\"{table}\"")).collect();
    writeln!(out, "=> [{}]", quoted.join(", ")).expect(WRITTEN);
    Ok(())
}

pub(super) fn exists(show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Tables(tables) = answer else { return Err(unexpected()) };
    let is_there = tables.contains(&show.name);
    let does = if is_there { "does" } else { "does not" };
    writeln!(out, "Table {} {does} exist\n=> {is_there}", show.name).expect(WRITTEN);
    Ok(())
}

pub(super) fn described(show: &Show, answer: Response, out: &mut String) -> Result<()> {
    let Response::Spec(mut spec) = answer else { return Err(unexpected()) };
    spec.families = sorted(spec.families, |one, other| one.name.cmp(&other.name));
    writeln!(out, "Table {0} is ENABLED\n{0}\nCOLUMN FAMILIES DESCRIPTION", show.name).expect(WRITTEN);
    for family in &spec.families {
        writeln!(out, "{}", description(family)).expect(WRITTEN);
    }
    footer(out, spec.families.len() as u64);
    Ok(())
}

fn description(family: &ColumnFamily) -> String {
    let mut out = format!("{{NAME => '{}'", family.name);
    match rules::attributes(&family.gc_rule) {
        Some(attributes) => {
            let ttl = attributes.ttl_seconds.map_or("FOREVER".into(), |seconds| format!("{seconds}"));
            let (versions, least) = (attributes.versions, attributes.min_versions);
            write!(out, ", VERSIONS => '{versions}', MIN_VERSIONS => '{least}', TTL => '{ttl}'")
                .expect(WRITTEN);
        }
        // HBase cannot express all of Bigtable's rules.
        None => {
            let rule = crate::cbt::policy_text(&family.gc_rule, " and ", " or ").unwrap_or_default();
            write!(out, ", GC_RULE => '{rule}'").expect(WRITTEN);
        }
    }
    if let Some(aggregate) = family.aggregate {
        write!(out, ", AGGREGATE => '{aggregate:?}'").expect(WRITTEN);
    }
    out.push('}');
    out
}
