//! Scripts: commands in, text out, on any [`Database`], in the language of `cbt`.
//!
//! Commands that `cbt` does not have begin with `!`, each on its own line:
//!
//! ```text
//! !now MICROS · !settle                    sets the clock; does all pending work (`compact t` is done immediately, too)
//! !settings t block=N memtable=N sstables=N tablet=N load=N window=N
//! !families t create h [sum|min|max|distinct] [RULE] | update h RULE | drop h      in one request
//!                                          RULE: never, maxversions(2), maxage(MICROS), union(RULE,RULE), intersection(RULE,RULE)
//! !mutate t r: set f:q=v@1000; deletecolumn f:x 0..2000; deletefamily f; add s:q=5@0; merge s:q=V@0; deleterow | r2: …
//! !check t r [if FILTER] [then OPERATIONS] [else OPERATIONS]
//! !rmw t r increment f:q 5; append f:q abc
//! !droprows t PREFIX · !fill t 100 r f:q=v@1000        rows r000 … r099
//! !table t · !tablets t                    families and splits, in order; the contents of each tablet
//! ```
//!
//! Words after the table of a `read` or `lookup`:
//!
//! ```text
//! read t ![a,b) ![,c] !row=k               rows to read, in place of the rows of the cbt command
//!        !slice=N !seed=N                  cells per slice (`--` separates slices), and seed of samples
//!        !keys · !raw                      only the row keys; the cells in their order, with their labels
//!        !bytes                            bytes returned, after the stats
//! ```
//!
//! `{ab*50}` repeats, in commands and in answers. Words of the kit are in the notation of
//! `model::escape`, words of `cbt` in the notation of bash. Indented lines continue the command
//! above them. Empty lines of an answer are omitted, because an empty line ends the answer.

mod family;
mod notation;
mod row;
mod template;

use std::fmt::Write as _;
use std::ops::Bound;

use tabletop_model::{
    AggregateInput, DropRowRange, Error, Mutation, ReadRows, Request, Response, Row, RowMutation, RowRange,
    RowSet, SERVER_TIME, TableRequest, TableSettings, Timestamp, TimestampRange,
};
use tabletop_shell::{Language, Run, Settings, Step};

use crate::Database;

use notation::{brief, bytes, number, repeated, shortened, text};

/// Runs commands on a database, and keeps the state that commands set: the time, the template.
pub struct Script<D> {
    /// The database under test.
    pub database: D,
    now: Timestamp,
    templates: template::Bench,
}

/// An answer as text, or a mistake in the script itself.
type Output = Result<String, String>;

const SETTINGS: Settings =
    Settings { language: Language::Cbt, utc_offset_seconds: |_| 0, now: || 0, read_formats: None };

/// The kit's own options of a read.
#[derive(Default)]
struct Reading {
    rows: RowSet,
    slice: u64,
    seed: u64,
    keys: bool,
    raw: bool,
    bytes: bool,
}

impl<D: Database> Script<D> {
    /// A script at time 0.
    pub fn new(database: D) -> Self {
        Script { database, now: 0, templates: template::Bench::default() }
    }

    /// Runs the commands and returns their answers.
    ///
    /// # Panics
    /// If a command does not follow the notation above.
    pub fn run(&mut self, commands: &str) -> String {
        let mut joined: Vec<String> = Vec::new();
        for line in commands.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            match joined.last_mut().filter(|_| line.starts_with(' ')) {
                Some(command) => write!(command, " {}", line.trim()).expect("a string takes all"),
                None => joined.push(line.trim_end().into()),
            }
        }
        let mut out = String::new();
        for command in joined {
            let output = self
                .command(&command)
                .unwrap_or_else(|mistake| panic!("{mistake}\nin the command: {command}"));
            for line in output.lines().filter(|line| !line.is_empty()) {
                out += &shortened(line.trim_end());
                out.push('\n');
            }
        }
        out
    }

    fn command(&mut self, command: &str) -> Output {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        if let Some(output) = self.templates.command(verb, rest) {
            return output;
        }
        let Some(verb) = verb.strip_prefix('!') else { return self.cbt(command) };
        let (first, tail) = rest.split_once(' ').unwrap_or((rest, ""));
        let table = first.to_string();
        match verb {
            "now" => {
                self.now = number(first)?;
                Ok(String::new())
            }
            "settle" => {
                self.database.settle(self.now);
                Ok(String::new())
            }
            "settings" => {
                let settings = settings(&tail.split_whitespace().collect::<Vec<_>>())?;
                self.ask(TableRequest::UpdateSettings(settings).of(table))
            }
            "families" => {
                let modifications = tail.split(" | ").map(family::modification).collect::<Result<_, _>>()?;
                self.ask(TableRequest::ModifyFamilies(modifications).of(table))
            }
            "table" => self.describe(table),
            "tablets" => self.tablets(table),
            "mutate" => {
                let entries = tail.split(" | ").map(entry).collect::<Result<_, _>>()?;
                self.mutate(table, entries)
            }
            "check" => self.check_and_mutate(table, tail),
            "rmw" => self.read_modify_write(table, tail),
            "droprows" => {
                let range = DropRowRange::Prefix(bytes(tail)?.into());
                self.ask(TableRequest::DropRowRange(range).of(table))
            }
            "fill" => self.fill(table, tail),
            verb => Err(format!("there is no command !{verb}")),
        }
    }

    /// Runs a command of cbt, with the kit's own words after its table.
    fn cbt(&mut self, command: &str) -> Output {
        let (command, reading) = reading(&repeated(command))?;
        let mut run = Run::start(&SETTINGS, &command).map_err(|problems| format!("{problems:?}"))?;
        let mut out = String::new();
        loop {
            let mut request = match run.step() {
                Step::Request(request) => *request,
                Step::Open(file) => return Err(format!("there is no file {file} here")),
                Step::Done => return Ok(out + &run.take_output()),
            };
            let compacts = matches!(request, Request::Table { request: TableRequest::Compact, .. });
            if let Request::Table { request: TableRequest::ReadRows(read), .. } = &mut request {
                reading.change(read);
            }
            let mut response = self.database.handle(self.now, request);
            match &mut response {
                Response::RowKeySamples(samples) => {
                    assert!(
                        samples.is_sorted_by_key(|sample| sample.offset_bytes),
                        "offsets go down: {samples:?}"
                    );
                    assert!(
                        samples.last().is_some_and(|sample| sample.key.is_empty()),
                        "no end: {samples:?}"
                    );
                }
                Response::Rows(chunk) if reading.keys || reading.raw => {
                    for row in std::mem::take(&mut chunk.rows) {
                        out += &if reading.keys { brief(&row.key) + "\n" } else { shown(&row) };
                    }
                }
                _ => {}
            }
            let read = if let Response::Rows(chunk) = &response {
                Some((chunk.resume.is_some(), chunk.stats))
            } else {
                None
            };
            run.answer(response);
            out += &run.take_output();
            match read {
                Some((true, _)) if reading.slice > 0 => out += "--\n",
                Some((false, stats)) if reading.bytes => {
                    out += &format!("bytes_returned: {}\n", stats.bytes_returned);
                }
                _ => {}
            }
            if compacts {
                self.database.settle(self.now);
            }
        }
    }

    /// Sends a request that is answered with "done".
    fn ask(&mut self, request: Request) -> Output {
        match self.database.handle(self.now, request) {
            Response::Done => Ok(String::new()),
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    fn mutate(&mut self, table: String, entries: Vec<RowMutation>) -> Output {
        let keys: Vec<_> = entries.iter().map(|entry| brief(&entry.key)).collect();
        match self.database.handle(self.now, TableRequest::MutateRows(entries).of(table)) {
            Response::Mutated(results) if results.len() == keys.len() => {
                let mut out = String::new();
                for (key, result) in keys.iter().zip(&results) {
                    let Some(error) = result else { continue };
                    // The row is named only if there are several.
                    let row = if keys.len() > 1 { format!("{key}: ") } else { String::new() };
                    write!(out, "{row}{}", describe_error(error)).expect("a string takes all");
                }
                Ok(out)
            }
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    fn fill(&mut self, table: String, rest: &str) -> Output {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [count, prefix, cells @ ..] = words.as_slice() else {
            return Err("!fill t COUNT PREFIX cell…".into());
        };
        let (count, prefix) = (number::<usize>(count)?, text(prefix)?);
        let width = (count - 1).to_string().len();
        let mutations = mutations(&format!("set {}", cells.join(" ")))?;
        let key = |index| format!("{prefix}{index:0width$}").into();
        self.mutate(
            table,
            (0..count).map(|index| RowMutation { key: key(index), mutations: mutations.clone() }).collect(),
        )
    }

    fn tablets(&mut self, table: String) -> Output {
        match self.database.handle(self.now, TableRequest::View.of(table)) {
            Response::Table(view) => {
                let mut out = String::new();
                for tablet in view.tablets {
                    let (start, end) = (brief(&tablet.start), brief(&tablet.end));
                    let plural = if tablet.rows == 1 { "row" } else { "rows" };
                    writeln!(out, "[{start},{end}) {} {plural}", tablet.rows).expect("a string takes all");
                }
                Ok(out)
            }
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }
}

impl Reading {
    /// Applies the kit's own options to a read.
    fn change(&self, read: &mut ReadRows) {
        if !self.rows.is_all() {
            read.rows = self.rows.clone();
        }
        (read.slice_cells_max, read.sample_seed) = (self.slice, self.seed);
    }
}

/// Splits a command into the cbt command and the kit's own options.
fn reading(command: &str) -> Result<(String, Reading), String> {
    let mut words: Vec<&str> = command.split(' ').collect();
    let mut reading = Reading::default();
    while let Some(word) = words.get(2).and_then(|word| word.strip_prefix('!')) {
        match word.split_once('=') {
            None if word == "keys" => reading.keys = true,
            None if word == "raw" => reading.raw = true,
            None if word == "bytes" => reading.bytes = true,
            Some(("slice", cells)) => reading.slice = number(cells)?,
            Some(("seed", seed)) => reading.seed = number(seed)?,
            Some(("row", key)) => reading.rows.keys.push(bytes(key)?.into()),
            _ => reading.rows.ranges.push(range(word)?),
        }
        words.remove(2);
    }
    Ok((words.join(" "), reading))
}

fn first<'a>(words: &[&'a str]) -> Result<&'a str, String> {
    words.first().copied().ok_or_else(|| "a word is missing".into())
}

/// A refusal as the kit prints it, without the text that cbt would add.
fn describe_error(error: &Error) -> String {
    format!("rpc error: code = {:?} desc = {}\n", error.code, error.message)
}

fn settings(options: &[&str]) -> Result<TableSettings, String> {
    let mut settings = TableSettings::default();
    for option in options {
        match option.split_once('=') {
            Some(("block", value)) => settings.block_bytes = number(value)?,
            Some(("memtable", value)) => settings.memtable_bytes_max = number(value)?,
            Some(("sstables", value)) => settings.sstables_max = number(value)?,
            Some(("tablet", value)) => settings.tablet_bytes_max = number(value)?,
            Some(("load", value)) => settings.tablet_load_max = number(value)?,
            Some(("window", value)) => settings.load_window_seconds = number(value)?,
            _ => return Err(format!("there is no setting {option}")),
        }
    }
    Ok(settings)
}

/// `row: operation; operation`.
fn entry(entry: &str) -> Result<RowMutation, String> {
    let (row, operations) = entry.split_once(':').ok_or("a row ends with a colon")?;
    Ok(RowMutation { key: bytes(row.trim())?.into(), mutations: all_mutations(operations)? })
}

/// `operation; operation`.
fn all_mutations(operations: &str) -> Result<Vec<Mutation>, String> {
    let operations = operations.split(';').map(str::trim).filter(|operation| !operation.is_empty());
    Ok(operations.map(mutations).collect::<Result<Vec<_>, _>>()?.concat())
}

fn mutations(operation: &str) -> Result<Vec<Mutation>, String> {
    let (verb, rest) = operation.split_once(' ').unwrap_or((operation, ""));
    let words: Vec<&str> = rest.split_whitespace().collect();
    Ok(match verb {
        "set" => words.into_iter().map(set_cell).collect::<Result<_, _>>()?,
        "add" => words.into_iter().map(add_to_cell).collect::<Result<_, _>>()?,
        "merge" => words.into_iter().map(merge_to_cell).collect::<Result<_, _>>()?,
        "deletecolumn" => {
            let (family, qualifier) = column(first(&words)?)?;
            let range = match words.get(1).and_then(|range| range.split_once("..")) {
                Some((start, end)) => TimestampRange { start: number(start)?, end: number(end)? },
                None => TimestampRange::ALL,
            };
            vec![Mutation::DeleteFromColumn { family, qualifier: qualifier.into(), range }]
        }
        "deletefamily" => vec![Mutation::DeleteFromFamily { family: text(words.first().unwrap_or(&""))? }],
        "deleterow" => vec![Mutation::DeleteFromRow],
        verb => return Err(format!("there is no mutation {verb}")),
    })
}

fn column(column: &str) -> Result<(String, Vec<u8>), String> {
    let (family, qualifier) =
        column.split_once(':').ok_or_else(|| format!("{column} is not family:qualifier"))?;
    Ok((text(family)?, bytes(qualifier)?))
}

fn set_cell(cell: &str) -> Result<Mutation, String> {
    let (family, qualifier, value, timestamp) = named_cell(cell)?;
    Ok(Mutation::SetCell { family, qualifier: qualifier.into(), timestamp, value: value.into() })
}

fn add_to_cell(cell: &str) -> Result<Mutation, String> {
    let (family, qualifier, value, timestamp) = named_cell(cell)?;
    let number = std::str::from_utf8(&value).ok().and_then(|value| value.parse().ok());
    let input = number.map_or_else(|| AggregateInput::Bytes(value.into()), AggregateInput::Int);
    Ok(Mutation::AddToCell { family, qualifier: qualifier.into(), timestamp, input })
}

fn merge_to_cell(cell: &str) -> Result<Mutation, String> {
    let (family, qualifier, value, timestamp) = named_cell(cell)?;
    Ok(Mutation::MergeToCell { family, qualifier: qualifier.into(), timestamp, input: value.into() })
}

/// Parses `family:qualifier=value@micros`, split at the last `@`.
fn named_cell(cell: &str) -> Result<(String, Vec<u8>, Vec<u8>, Timestamp), String> {
    let (name, value) =
        cell.split_once('=').ok_or_else(|| format!("{cell} is not family:qualifier=value"))?;
    let (family, qualifier) = column(name)?;
    let (value, timestamp) = match value.rsplit_once('@') {
        Some((value, timestamp)) => (value, number(timestamp)?),
        None => (value, SERVER_TIME),
    };
    Ok((family, qualifier, bytes(value)?, timestamp))
}

/// Parses `[a,b)`. A square bracket includes the end, a round one excludes it; an empty end is
/// unbounded.
fn range(range: &str) -> Result<RowRange, String> {
    let inner = range.get(1..range.len().saturating_sub(1)).ok_or("a range is [a,b)")?;
    let (start, end) = inner.split_once(',').ok_or("a range is [a,b)")?;
    let (start, end) = (bytes(start)?, bytes(end)?);
    Ok(RowRange {
        start: match range.as_bytes()[0] {
            _ if start.is_empty() => Bound::Unbounded,
            b'[' => Bound::Included(start.into()),
            _ => Bound::Excluded(start.into()),
        },
        end: match range.as_bytes()[range.len() - 1] {
            _ if end.is_empty() => Bound::Unbounded,
            b']' => Bound::Included(end.into()),
            _ => Bound::Excluded(end.into()),
        },
    })
}

/// A row in the notation of case files.
fn shown(row: &Row) -> String {
    let mut out = format!("{}\n", brief(&row.key));
    for cell in &row.cells {
        let label = cell.label.as_ref().map_or(String::new(), |label| format!(" [{label}]"));
        let column = format!("{}:{}", cell.family, brief(&cell.qualifier));
        // No blank at the end of a line, because editors remove those.
        let value = if cell.value.is_empty() { String::new() } else { format!(" {}", brief(&cell.value)) };
        writeln!(out, "  {column} @{}{value}{label}", cell.timestamp).expect("a string takes all");
    }
    out
}
