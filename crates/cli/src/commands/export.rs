//! `tabletop export`: a table as a file of text, read in slices, so that it may be of any size.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use tabletop_model::{ColumnFamily, ReadRows, Request, Response, RowKey, RowMutation, RowRange, RowSet, TableSpec, unescape};
use tabletop_shell::Language;

use super::place::{Opened, Place};
use super::rows::{Families, HEADER, RowLine};
use super::{Failure, Result, stream};

/// Cells of one slice: some milliseconds.
const SLICE_CELLS: u64 = 20_000;

const EXAMPLES: &str = "\
Examples:
  tabletop export --data shop events > events.jsonl
  tabletop export --data shop events --format csv --prefix user --output users.csv
  tabletop export --data shop events --format cbt > events.cbt

JSON lines have the families first, then a row a line:
  {\"families\":[{\"name\":\"d\",\"gc_rule\":\"keep_all\",\"aggregate\":null,\"locality_group\":0}]}
  {\"row\":\"user 1\",\"cells\":[{\"family\":\"d\",\"qualifier\":\"name\",\"timestamp\":1000,\"value\":\"Ann\"}]}
CSV has a cell a line under the header row,family,qualifier,timestamp,value.
Bytes are text; what is no text is \\xff, a line feed \\n, a backslash \\\\. Timestamps are microseconds.";

/// Write a table of a data folder as text: JSON lines, CSV, or commands
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    place: Place,
    /// The table
    #[arg(value_name = "TABLE")]
    table: String,
    /// How rows are written
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Only rows whose keys begin so (\xff for a byte)
    #[arg(long, value_name = "KEY")]
    prefix: Option<String>,
    /// Only rows from this key on: to go on where an export has ended
    #[arg(long, value_name = "KEY", conflicts_with = "prefix")]
    from: Option<String>,
    /// Where to write; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, one row a line
    Jsonl,
    /// CSV, one cell a line
    Csv,
    /// Commands of cbt that make the table
    Cbt,
    /// Commands of the HBase shell that make the table
    Hbase,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let opened = options.place.open_existing()?;
    let table = options.table.as_str();
    let Response::Spec(spec) = opened.ask(Request::GetTable { table: table.into() })? else { return Ok(()) };
    let rows = options.rows()?;
    let mut out = BufWriter::with_capacity(256 << 10, stream::create(&options.output)?);
    let bar = stream::counting("{spinner} {human_pos} rows, {per_sec}");
    let mut writer = Writer { format: options.format, table, spec: &spec, unsaid: 0 };
    let failed = |error| Failure::of("the export cannot be written", &error);
    writer.begin(&mut out).map_err(failed)?;
    let written = each_row(&opened, table, rows, |row| {
        bar.inc(1);
        writer.row(row, &mut out).map_err(failed)
    });
    bar.finish_and_clear();
    written?;
    out.flush().map_err(failed)?;
    match writer.unsaid {
        0 => Ok(()),
        rows => Err(Failure::No(format!("{rows} rows are not in the file: this format has no words for them"))),
    }
}

impl Options {
    fn rows(&self) -> Result<RowSet> {
        let bytes = |text: &str| {
            let wrong = |at| {
                Failure::Wrong(format!("\"{text}\": the backslash at byte {at} begins no escape: write \\\\ for a backslash"))
            };
            unescape(text).map(RowKey::from).map_err(wrong)
        };
        Ok(match (&self.prefix, &self.from) {
            (Some(prefix), _) => RowSet::range(RowRange::prefix(bytes(prefix)?)),
            (None, Some(from)) => RowSet::range(RowRange { start: std::ops::Bound::Included(bytes(from)?), ..RowRange::ALL }),
            (None, None) => RowSet::all(),
        })
    }
}

/// Calls with each row, in order. Others are answered between two slices.
fn each_row(opened: &Opened, table: &str, rows: RowSet, mut each: impl FnMut(RowLine) -> Result<()>) -> Result<()> {
    let mut read = ReadRows { rows, slice_cells_max: SLICE_CELLS, ..ReadRows::default() };
    loop {
        let request = Request::ReadRows { table: table.into(), read: read.clone() };
        let Response::Rows(chunk) = opened.ask(request)? else { return Ok(()) };
        for row in chunk.rows {
            each(RowLine::from(row))?;
        }
        read.resume = chunk.resume;
        if read.resume.is_none() {
            return Ok(());
        }
    }
}

struct Writer<'a> {
    format: Format,
    table: &'a str,
    spec: &'a TableSpec,
    /// Rows that commands cannot say.
    unsaid: u64,
}

impl Writer<'_> {
    /// What comes before the rows.
    fn begin(&self, out: &mut impl Write) -> std::io::Result<()> {
        match self.format {
            Format::Jsonl => {
                serde_json::to_writer(&mut *out, &Families { families: self.spec.families.clone() })?;
                writeln!(out)
            }
            Format::Csv => writeln!(out, "{}", HEADER.join(",")),
            Format::Cbt | Format::Hbase => {
                let create = |families| {
                    let spec = TableSpec { families, ..self.spec.clone() };
                    Request::CreateTable { table: self.table.into(), spec }
                };
                let can_be_said = |family: &ColumnFamily| !self.said(&create(vec![family.clone()])).is_empty();
                let (said, unsaid): (Vec<_>, Vec<_>) = self.spec.families.iter().cloned().partition(can_be_said);
                for family in unsaid {
                    eprintln!("family {} is not in the file: this format has no words for it", family.name);
                }
                self.commands(&create(said), out).map(drop)
            }
        }
    }

    fn row(&mut self, row: RowLine, out: &mut impl Write) -> std::io::Result<()> {
        match self.format {
            Format::Jsonl => {
                serde_json::to_writer(&mut *out, &row)?;
                writeln!(out)
            }
            Format::Csv => row.write_csv(out),
            Format::Cbt | Format::Hbase => {
                let family = |name: &str| self.spec.families.iter().find(|family| family.name == name);
                let entry: RowMutation = row.into_mutation(|name| family(name).is_some_and(|family| family.aggregate.is_some()));
                let said = self.commands(&Request::MutateRows { table: self.table.into(), entries: vec![entry] }, out)?;
                self.unsaid += u64::from(!said);
                Ok(())
            }
        }
    }

    /// Writes the commands that ask the same, if there are any.
    fn commands(&self, request: &Request, out: &mut impl Write) -> std::io::Result<bool> {
        let lines = self.said(request);
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        Ok(!lines.is_empty())
    }

    /// The commands that ask the same.
    fn said(&self, request: &Request) -> Vec<String> {
        let language = if self.format == Format::Hbase { Language::HBase } else { Language::Cbt };
        tabletop_shell::write(language, request)
    }
}
