//! `tabletop import`: reads rows, events or commands from a file of any size into a table.

mod events;
mod replaced;
mod target;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tabletop_keys::{Column, LayoutKind, time::DateFormat};
use tabletop_model::limits::ROW_BYTES_MAX;
use tabletop_shell::Language;
use tabletop_workload::Reader;
use tabletop_workspace::{Format as Writing, OnBadLine, OwnData};

use super::instance::{OpenedInstance, StoredInstanceOptions};
use super::reading::ReadingOptions;
use super::rows::{HEADER, Line, RowLine};
use super::script::Script;
use super::shell::Shell;
use super::stream::Spot;
use super::style::tell;
use super::{Failure, Result, counted, stream};
use crate::interrupt;
use target::Target;

const EXAMPLES: &str = "\
Examples:
  tabletop import --data shop events.jsonl                       rows written by tabletop export
  tabletop import --data shop --table events events.csv
  tabletop import --data shop orders.csv --template '{customer},{date:date}' --layout wide
  tabletop import --data shop orders.csv --template '{customer},{date:date}' --time-format 'date=%d.%m.%Y'
  tabletop import --data shop orders.csv --template '{customer}' --layout columns --column 'o:{date:date}={amount}'
  tabletop import --data shop events.cbt                         commands of cbt
  tabletop import --data shop orders.csv.gz --template '{customer},{date:date}' --encoding windows-1252
  zcat big.jsonl.gz | tabletop import --data shop --table big --format jsonl -

Without --template, a CSV or JSON file must hold rows in the format of tabletop export (see its --help). With it, each record
becomes a row as on the page: the template makes its key, and the layout makes its cells.";

/// The number of bytes of a line that are checked before the rest of it is read.
const LONG_LINE_BYTES: u64 = 16 << 20;
/// The longest line that `tabletop export` writes: the largest row, with each byte escaped.
const LINE_BYTES_MAX: u64 = 5 * ROW_BYTES_MAX + LONG_LINE_BYTES;

/// Read a file into a table of a data folder: rows, events, or commands
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    instance: StoredInstanceOptions,
    /// The file; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The table, created if it does not exist [default: the name of the file without its
    /// extension]
    #[arg(long, value_name = "TABLE")]
    table: Option<String>,
    /// Format of the file [default: by its extension]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Template of row keys, for a file of events: '{user},{time:iso}'
    #[arg(long, value_name = "TEMPLATE")]
    template: Option<String>,
    /// Layout: how an event becomes cells
    #[arg(long, value_enum, default_value_t = Shape::Wide, requires = "template")]
    layout: Shape,
    /// A column that each event writes, for --layout columns, with fields in braces:
    /// 'e:{kind}={price}'; can be repeated [default: one for each field]
    #[arg(long, value_name = "FAMILY:QUALIFIER=VALUE", requires = "template", value_parser = events::column)]
    column: Vec<Column>,
    /// Field of the events whose values name column families
    #[arg(long, value_name = "FIELD", requires = "template", conflicts_with = "column")]
    family_field: Option<String>,
    /// A field of events that holds times, and their format: 'when=%d/%m/%Y %H:%M'; can be repeated
    #[arg(long, value_name = "FIELD=FORMAT", requires = "template", value_parser = events::time_format)]
    time_format: Vec<(String, DateFormat)>,
    #[command(flatten)]
    reading: ReadingOptions,
    /// Skip records that cannot be read, and continue after commands that fail
    #[arg(long)]
    keep_going: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, one record per line or over several lines
    Jsonl,
    /// CSV, with or without a header line
    Csv,
    /// Commands of cbt
    Cbt,
    /// Commands of the HBase shell
    Hbase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// One cell per event
    Narrow,
    /// One cell per field
    Wide,
    /// One row per entity, with one version of its cells per event
    RowPerEntity,
    /// The cells that --column describes
    Columns,
}

impl From<Shape> for LayoutKind {
    fn from(shape: Shape) -> LayoutKind {
        match shape {
            Shape::Narrow => LayoutKind::Narrow,
            Shape::Wide => LayoutKind::Wide,
            Shape::RowPerEntity => LayoutKind::RowPerEntity,
            Shape::Columns => LayoutKind::Columns,
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let format = options.format()?;
    let is_script = matches!(format, Format::Cbt | Format::Hbase);
    if is_script && options.template.is_some() {
        return Err(Failure::Wrong(
            "a script of commands takes no --template: its commands name what they write".into(),
        ));
    }
    if is_script && options.table.is_some() {
        return Err(Failure::Wrong(
            "a script of commands takes no --table: its commands name their tables".into(),
        ));
    }
    if options.layout == Shape::Columns && options.family_field.is_some() {
        return Err(Failure::Wrong(
            "--layout columns takes no --family-field: each --column names its family".into(),
        ));
    }
    if options.layout != Shape::Columns && !options.column.is_empty() {
        return Err(Failure::Wrong("--column needs --layout columns".into()));
    }
    let table = if is_script { String::new() } else { options.table()? };
    let opened = options.instance.open()?;
    interrupt::report(match (is_script, options.template.is_some()) {
        (true, _) => |done| {
            format!("Interrupted: at least {} executed.", counted(done, "command was", "commands were"))
        },
        (_, true) => |done| interrupted(counted(done, "event was", "events were")),
        _ => |done| interrupted(counted(done, "row was", "rows were")),
    });
    match (format, &options.template) {
        (Format::Cbt, _) => run_script(options, &opened, Language::Cbt),
        (Format::Hbase, _) => run_script(options, &opened, Language::HBase),
        (_, Some(template)) => events::import(options, &opened, &table, template, format.into()),
        (Format::Jsonl, None) => json_rows(options, Target::new(&opened, &table, options.keep_going)?),
        (Format::Csv, None) => csv_rows(options, Target::new(&opened, &table, options.keep_going)?),
    }
}

fn interrupted(what: String) -> String {
    format!(
        "Interrupted: at least {what} written. The same import, run again, writes the same cells and then the rest; in \
         families that sum, cells that were written count twice."
    )
}

impl From<Format> for Writing {
    fn from(format: Format) -> Writing {
        if format == Format::Csv { Writing::Csv } else { Writing::JsonLines }
    }
}

impl Options {
    fn format(&self) -> Result<Format> {
        let file = self.unpacked_file();
        let extension = file.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let by_extension = match extension.as_deref() {
            Some("csv" | "tsv" | "psv") => Some(Format::Csv),
            Some("jsonl" | "ndjson" | "json") => Some(Format::Jsonl),
            Some("cbt") => Some(Format::Cbt),
            Some("hbase") => Some(Format::Hbase),
            _ => None,
        };
        let unknown = || {
            Failure::Wrong(format!(
                "the format of {} is unknown: specify it with --format",
                self.file.display()
            ))
        };
        self.format.or(by_extension).ok_or_else(unknown)
    }

    fn table(&self) -> Result<String> {
        let file = self.unpacked_file();
        let stem = file.file_stem().filter(|_| self.file != Path::new("-"));
        let table = self.table.clone().or_else(|| stem.and_then(|stem| stem.to_str()).map(String::from));
        table.ok_or_else(|| Failure::Wrong("no table is specified: name it with --table".into()))
    }

    /// Returns the name that the file has when it is unpacked.
    fn unpacked_file(&self) -> PathBuf {
        let is_packed = self.file.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
        if is_packed { self.file.with_extension("") } else { self.file.clone() }
    }

    fn on_bad_line(&self) -> OnBadLine {
        if self.keep_going { OnBadLine::Skip } else { OnBadLine::Stop }
    }
}

fn run_script(options: &Options, opened: &OpenedInstance, language: Language) -> Result<()> {
    let (source, bar) = stream::open(&options.file)?;
    let script = Script::new(language, BufReader::with_capacity(256 << 10, source));
    let done = Shell::new(language, opened).script(script, options.keep_going);
    bar.finish_and_clear();
    tell(format!("{} executed.", counted(done?, "command was", "commands were")));
    Ok(())
}

/// Imports rows of JSON, one per line.
fn json_rows(options: &Options, mut target: Target) -> Result<()> {
    let (source, bar) = stream::open(&options.file)?;
    let mut source = BufReader::with_capacity(256 << 10, source);
    let (mut text, mut line, mut left_out) = (Vec::new(), 0_u64, 0_u64);
    loop {
        text.clear();
        let is_over = read_line(&mut source, &mut text, line + 1)?;
        if is_over {
            break;
        }
        line += 1;
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let spot = Spot { what: "line", number: line };
        let taken = match serde_json::from_slice::<Line>(&text) {
            Ok(Line::Families(families)) => {
                target.make_families(&families.families).map_err(|failure| spot.named(failure))
            }
            Ok(Line::Row(row)) => target.add(row, spot),
            Err(error) => Err(spot.named(Failure::Wrong(not_a_row(&text, &error)))),
        };
        match taken {
            Err(Failure::Wrong(message)) if options.keep_going => {
                left_out += 1;
                bar.suspend(|| tell(&message));
            }
            Err(Failure::Wrong(message)) => {
                // The rows before it are valid.
                target.write()?;
                return Err(Failure::Wrong(message));
            }
            taken => taken?,
        }
    }
    target.end(&bar, ["row", "rows"], left_out)
}

/// Reads the line of this number, and returns whether there is none. A long line that cannot be a
/// row is not read to its end.
fn read_line(source: &mut impl BufRead, text: &mut Vec<u8>, number: u64) -> Result<bool> {
    let failed = |error: std::io::Error| Failure::of("the file cannot be read", &error);
    let refused = |why: String| Err(Failure::Wrong(format!("line {number}: {why}")));
    let read = source.take(LONG_LINE_BYTES).read_until(b'\n', text).map_err(failed)?;
    if (read as u64) < LONG_LINE_BYTES || text.last() == Some(&b'\n') {
        return Ok(read == 0);
    }
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return refused("this is not JSON: its first megabytes do not begin with {".into());
    }
    let rest = source.take(LINE_BYTES_MAX - LONG_LINE_BYTES).read_until(b'\n', text).map_err(failed)?;
    if rest as u64 == LINE_BYTES_MAX - LONG_LINE_BYTES && text.last() != Some(&b'\n') {
        return refused(format!(
            "it has more than {} MB, which no row needs: is this file JSON lines?",
            LINE_BYTES_MAX >> 20
        ));
    }
    Ok(false)
}

/// Returns why a line is not a row. (The error of an untagged value only says that no variant
/// fits.)
fn not_a_row(text: &[u8], error: &serde_json::Error) -> String {
    let value = serde_json::from_slice::<serde_json::Value>(text);
    let why = match &value {
        Err(error) => format!("this is not JSON, at column {}: {error}", error.column()),
        Ok(value) if value.get("row").is_some() => serde_json::from_slice::<RowLine>(text)
            .err()
            .map_or_else(|| error.to_string(), |error| error.to_string()),
        Ok(_) => "this is not a row: it has no \"row\"; a file of events needs --template".into(),
    };
    format!(
        "{why} (a row is {{\"row\":\"…\",\"cells\":[{{\"family\":\"…\",\"qualifier\":\"…\",\"timestamp\":0,\"value\":\"…\"}}]}})"
    )
}

/// Imports rows of CSV, one cell per line.
fn csv_rows(options: &Options, mut target: Target) -> Result<()> {
    let own = OwnData {
        name: options.file.display().to_string(),
        format: Writing::Csv,
        fields: Vec::new(),
        on_bad_line: options.on_bad_line(),
        reading: options.reading.reading(Default::default()),
        content: None,
    };
    let (source, bar) = stream::open(&options.file)?;
    let mut row: Option<(RowLine, Spot)> = None;
    let mut refused = 0;
    let left_out = events::each_part(source, Reader::new(&own), |events, first| {
        let names: Vec<&str> = events.fields().iter().map(|field| field.name.as_str()).collect();
        if names != HEADER {
            let message = format!(
                "the header is {}; rows have {}: a file of events needs --template",
                names.join(","),
                HEADER.join(",")
            );
            return Err(Failure::Wrong(message));
        }
        let mut values = Vec::new();
        for index in 0..events.len() {
            events.record(index, &mut values);
            let spot = Spot { what: "record", number: first + index as u64 + 1 };
            let (key, cell) = match RowLine::from_csv(&values) {
                Ok(cell) => cell,
                Err(message) => {
                    let message = format!("{spot} below the header: {message}");
                    if !options.keep_going {
                        return Err(Failure::Wrong(message));
                    }
                    refused += 1;
                    bar.suspend(|| tell(&message));
                    continue;
                }
            };
            match &mut row {
                Some((row, _)) if row.row == key => row.cells.push(cell),
                _ => {
                    let before = row.replace((RowLine { row: key, cells: vec![cell] }, spot));
                    before.map_or(Ok(()), |(before, spot)| target.add(before, spot))?;
                }
            }
        }
        Ok(())
    })?;
    row.map_or(Ok(()), |(row, spot)| target.add(row, spot))?;
    target.end(&bar, ["row", "rows"], left_out + refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_length_that_is_looked_at_ends_where_it_ends() {
        let mut source = vec![b' '; LONG_LINE_BYTES as usize];
        source[0] = b'{';
        source[LONG_LINE_BYTES as usize - 1] = b'\n';
        source.extend(b"{}\n");
        let (mut source, mut text) = (source.as_slice(), Vec::new());
        read_line(&mut source, &mut text, 1).map_err(|_| ()).unwrap();
        assert_eq!((text.len() as u64, source), (LONG_LINE_BYTES, &b"{}\n"[..]));
    }
}
