//! `tabletop export`: writes a table of any size as text. The table is read in slices.

use std::io::{BufWriter, Write};
use std::ops::Bound;
use std::path::PathBuf;

use crate::progress;
use clap::ValueEnum;
use tabletop_model::{
    Aggregate, AggregateInput, ColumnFamily, Mutation, Request, RowKey, RowMutation, RowRange, TableRequest,
    TableSpec, unescape,
};
use tabletop_shell::Language;

use super::instance::{OpenedInstance, StoredInstanceOptions};
use super::rows::{Families, HEADER, RowLine};
use super::style::tell;
use super::{Failure, Result, counted, stream};

/// The maximum number of cells that one command sets. A row may have more than a request or a line
/// of a shell may hold.
const CELLS_OF_COMMAND: usize = 1_000;

const EXAMPLES: &str = "\
Examples:
  tabletop export --data shop events > events.jsonl
  tabletop export --data shop events --format csv --prefix user --output users.csv
  tabletop export --data shop events --format cbt > events.cbt

JSON lines hold the families first, then one row per line:
  {\"families\":[{\"name\":\"d\",\"gc_rule\":\"keep_all\",\"aggregate\":null,\"locality_group\":0}]}
  {\"row\":\"user 1\",\"cells\":[{\"family\":\"d\",\"qualifier\":\"name\",\"timestamp\":1000,\"value\":\"Ann\"}]}
CSV has one cell per line, after the header row,family,qualifier,timestamp,value.
Text is written unchanged, other bytes as \\xff, a line feed as \\n, a backslash as \\\\.
Timestamps are in microseconds.";

/// Write a table of a data folder as text: JSON lines, CSV, or commands
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    instance: StoredInstanceOptions,
    /// The table
    #[arg(value_name = "TABLE")]
    table: String,
    /// Format of the rows
    #[arg(long, value_enum, default_value_t = Format::Jsonl)]
    format: Format,
    /// Only rows whose keys have this prefix (\xff for a byte)
    #[arg(long, value_name = "KEY")]
    prefix: Option<String>,
    /// Only rows from this key on, to resume an export
    #[arg(long, value_name = "KEY", conflicts_with = "prefix")]
    from: Option<String>,
    /// File to write; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, one row per line
    Jsonl,
    /// CSV, one cell per line
    Csv,
    /// Commands of cbt that create the table
    Cbt,
    /// Commands of the HBase shell that create the table
    Hbase,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let opened = options.instance.open_damaged()?;
    let table = options.table.as_str();
    let spec = opened.with(|instance, _| Ok(instance.table(table)?.describe()))?;
    let rows = options.rows()?;
    let mut out = BufWriter::with_capacity(256 << 10, stream::create(&options.output)?);
    let bar = progress::bar(None, "{spinner} {human_pos} rows, {per_sec}");
    let mut writer = Writer { format: options.format, table, spec: &spec, unsupported: 0 };
    let failed = |error| Failure::of("the export cannot be written", &error);
    writer.begin(&mut out).map_err(failed)?;
    writer.report_losses();
    let written = each_row(&opened, table, rows, |row| {
        bar.inc(1);
        writer.row(row, &mut out).map_err(failed)
    });
    bar.finish_and_clear();
    let damaged = written?;
    out.flush().map_err(failed)?;
    if damaged > 0 {
        let ranges = counted(damaged, "range", "ranges");
        return Err(Failure::No(format!(
            "the table is damaged: {ranges} of rows, named above, are missing from the file or incomplete"
        )));
    }
    match writer.unsupported {
        0 => Ok(()),
        rows => {
            let rows = counted(rows, "row is", "rows are");
            Err(Failure::No(format!("{rows} not in the file: this format cannot express all of their cells")))
        }
    }
}

impl Options {
    fn rows(&self) -> Result<RowRange> {
        let bytes = |text: &str| {
            let wrong = |at| {
                Failure::Wrong(format!(
                    "\"{text}\": the backslash at byte {at} does not begin an escape: write \\\\ for a backslash"
                ))
            };
            unescape(text).map(RowKey::from).map_err(wrong)
        };
        Ok(match (&self.prefix, &self.from) {
            (Some(prefix), _) => RowRange::prefix(bytes(prefix)?),
            (None, Some(from)) => RowRange { start: Bound::Included(bytes(from)?), ..RowRange::ALL },
            (None, None) => RowRange::ALL,
        })
    }
}

/// Calls `each` with every readable row of a range, in order. Other requests are answered between
/// two slices. Reports the damaged parts of the range, and returns their number.
fn each_row(
    opened: &OpenedInstance,
    table: &str,
    rows: RowRange,
    mut each: impl FnMut(RowLine) -> Result<()>,
) -> Result<u64> {
    let (mut from, end) = match rows {
        RowRange { start: Bound::Included(start), end } => (start, end),
        RowRange { end, .. } => (RowKey::default(), end),
    };
    let start = from.clone();
    let is_within = |key: &RowKey| !matches!(&end, Bound::Excluded(end) if key >= end);
    let mut damaged = 0;
    let mut report = |what: &str, (from, to): (RowKey, RowKey)| {
        damaged += 1;
        let to = if to.is_empty() { "the end of the table".into() } else { format!("\"{to}\"") };
        tell(format!("rows from \"{from}\" up to {to} {what}"));
    };
    loop {
        let part = opened.with(|instance, _| instance.table(table)?.salvage(&from))?;
        for row in part.rows.into_iter().take_while(|row| is_within(&row.key)) {
            each(RowLine::from(row))?;
        }
        if let Some(missing) = part.missing.filter(|(from, _)| is_within(from)) {
            report("are damaged, and not in the file", missing);
        }
        match part.next {
            Some(next) if is_within(&next) => from = next,
            _ => break,
        }
    }
    for (from, to) in opened.with(|instance, _| Ok(instance.table(table)?.outdated()))? {
        if is_within(&from) && (to.is_empty() || to > start) {
            report("are in the file, and may lack their last writes", (from, to));
        }
    }
    Ok(damaged)
}

struct Writer<'a> {
    format: Format,
    table: &'a str,
    spec: &'a TableSpec,
    /// The number of rows that commands cannot express.
    unsupported: u64,
}

impl Writer<'_> {
    /// Writes the lines that precede the rows.
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
                    TableRequest::Create(spec).of(self.table)
                };
                let is_supported =
                    |family: &ColumnFamily| !self.commands_of(&create(vec![family.clone()])).is_empty();
                let (supported, unsupported): (Vec<_>, Vec<_>) =
                    self.spec.families.iter().cloned().partition(is_supported);
                for family in unsupported {
                    tell(format!("family {} is not in the file: this format cannot express it", family.name));
                }
                self.write_commands(&create(supported), out).map(drop)
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
                let RowMutation { key, mut mutations } =
                    row.into_mutation(|family| self.aggregate(family).is_some());
                if self.format == Format::Cbt {
                    mutations.iter_mut().for_each(|mutation| self.add_to_cell(mutation));
                }
                // A row is written completely or not at all.
                let mut lines = Vec::new();
                for part in mutations.chunks(CELLS_OF_COMMAND) {
                    let entries = vec![RowMutation { key: key.clone(), mutations: part.to_vec() }];
                    let commands = self.commands_of(&TableRequest::MutateRows(entries).of(self.table));
                    if commands.is_empty() {
                        self.unsupported += 1;
                        return Ok(());
                    }
                    lines.extend(commands);
                }
                lines.iter().try_for_each(|line| writeln!(out, "{line}"))
            }
        }
    }

    /// Returns the aggregate of a family, if it has one.
    fn aggregate(&self, family: &str) -> Option<Aggregate> {
        self.spec.families.iter().find(|known| known.name == family).and_then(|family| family.aggregate)
    }

    /// Turns a merge into an addition. In a new cell, adding the aggregated number of a sum, min or
    /// max gives the same cell.
    fn add_to_cell(&self, mutation: &mut Mutation) {
        if let Mutation::MergeToCell { family, qualifier, timestamp, input } = mutation
            && let Some(aggregate) =
                self.aggregate(family).filter(|&aggregate| aggregate != Aggregate::DistinctCount)
            && let Some(number) = aggregate.number(input)
        {
            *mutation = Mutation::AddToCell {
                family: std::mem::take(family),
                qualifier: std::mem::take(qualifier),
                timestamp: *timestamp,
                input: AggregateInput::Int(number),
            };
        }
    }

    /// Reports what the format cannot express about the table.
    fn report_losses(&self) {
        let is_special = |family: &ColumnFamily| *family != ColumnFamily::new(family.name.clone());
        if self.format == Format::Csv && self.spec.families.iter().any(is_special) {
            tell("CSV cannot hold GC rules and aggregates of families: they are not in the file");
        }
        if matches!(self.format, Format::Csv | Format::Jsonl) && !self.spec.initial_splits.is_empty() {
            tell("the table's splits are not in the file: only the formats cbt and hbase hold them");
        }
    }

    /// Writes the commands of a request, and returns whether there are any.
    fn write_commands(&self, request: &Request, out: &mut impl Write) -> std::io::Result<bool> {
        let lines = self.commands_of(request);
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        Ok(!lines.is_empty())
    }

    /// Returns the commands of a request.
    fn commands_of(&self, request: &Request) -> Vec<String> {
        let language = if self.format == Format::Hbase { Language::HBase } else { Language::Cbt };
        tabletop_shell::write(language, request)
    }
}
