//! Commands in, text out: a table is told as a story, on any [`Database`].
//!
//! ```text
//! createtable t f g [splits=b,c] [block=N] [memtable=N] [sstables=N] [tablet=N] [load=N] [window=N]
//! use t · deletetable t · createfamilies h · settings block=N … · tables · table
//! families create h [sum|min|max|distinct] [RULE] | update h RULE | drop h
//!                                         RULE: never, maxversions(2), maxage(MICROS), union(RULE,RULE), intersection(RULE,RULE)
//! set r f:q=v@1000 f:q2=w                 one row, all or nothing; without a time it is the server's
//! add r s:q=5@1000 · merge r s:q=VALUE@1000   into cells of aggregate families; what is no number is bytes
//! deletecolumn r f:q [0..2000] · deletefamily r f · deleterow r
//! mutate r: set f:q=v@1000; deletecolumn f:x; deleterow | r2: deletefamily f
//! check r [if FILTER] [then OPERATIONS] [else OPERATIONS]
//! rmw r increment f:q 5; append f:q abc
//! droprows [PREFIX]                       without one all of them
//! fill 100 r f:q=v@1000                   rows r000 … r099
//! read [r r2 [a,c) (d,] prefix=p] [count=N] [reversed] [slice=N] [seed=N] [keys] [stats] [filter=TEXT]
//! samplerowkeys · tablets · now MICROS · settle · compact      (asks for it, and has it done)
//! filter TEXT                             the filter as it was understood, and what is wrong with the text
//! ```
//! Names and values are in the notation of `model::escape`, with `\x20` for a blank, and `{ab*50}` repeats. Indented lines go
//! on with the command above them. Commands without an answer print nothing; errors print `error <code>: <message>`.

mod family;
mod notation;
mod read;
mod row;
mod template;

use std::fmt::Write as _;
use std::ops::Bound;

use tabletop_model::{
    AggregateInput, ColumnFamily, DropRowRange, Error, FamilyModification, Mutation, Request, Response, Row, RowFilter,
    RowMutation, RowRange, SERVER_TIME, TableSettings, TableSpec, Timestamp, TimestampRange,
};

use crate::Database;
pub use notation::{brief, code};
use notation::{bytes, number, text};

/// Runs commands against a database and keeps what they say about themselves: the table in use, the time, the template.
pub struct Script<D> {
    /// What is asked.
    pub database: D,
    table: String,
    now: Timestamp,
    templates: template::Bench,
}

/// A mistake in the script itself, or an answer in text.
type Said = Result<String, String>;

impl<D: Database> Script<D> {
    /// A script at time 0, with no table yet.
    pub fn new(database: D) -> Self {
        Script { database, table: String::new(), now: 0, templates: template::Bench::default() }
    }

    /// Runs each command and gives all that they answer.
    ///
    /// # Panics
    /// When a command is not in the notation above.
    pub fn run(&mut self, commands: &str) -> String {
        let mut joined: Vec<String> = Vec::new();
        for line in commands.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            match joined.last_mut().filter(|_| line.starts_with(' ')) {
                Some(command) => write!(command, " {}", line.trim()).expect("a string takes all"),
                None => joined.push(line.trim_end().into()),
            }
        }
        let run = |command: String| match self.command(&command) {
            Ok(said) => said,
            Err(mistake) => panic!("{mistake}\nin the command: {command}"),
        };
        joined.into_iter().map(run).collect()
    }

    fn command(&mut self, command: &str) -> Said {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        match verb {
            "createtable" => self.create_table(&words),
            "use" => {
                self.table = text(first(&words)?)?;
                Ok(String::new())
            }
            "deletetable" => {
                let table = text(first(&words)?)?;
                self.ask(Request::DeleteTable { table })
            }
            "createfamilies" => {
                let modifications = families(&words)?.into_iter().map(FamilyModification::Create).collect();
                self.ask(Request::ModifyFamilies { table: self.table.clone(), modifications })
            }
            "settings" => {
                let settings = settings(&words)?;
                self.ask(Request::UpdateSettings { table: self.table.clone(), settings })
            }
            "families" => {
                let modifications = rest.split(" | ").map(family::modification).collect::<Result<_, _>>()?;
                self.ask(Request::ModifyFamilies { table: self.table.clone(), modifications })
            }
            "tables" => self.tables(),
            "table" => self.describe(),
            "set" | "add" | "merge" | "deletecolumn" | "deletefamily" | "deleterow" => {
                let (row, operation) = rest.split_once(' ').unwrap_or((rest, ""));
                let entry = RowMutation { key: bytes(row)?.into(), mutations: mutations(&format!("{verb} {operation}"))? };
                self.mutate(vec![entry])
            }
            "mutate" => {
                let entries = rest.split(" | ").map(entry).collect::<Result<_, _>>()?;
                self.mutate(entries)
            }
            "check" => self.check_and_mutate(rest),
            "rmw" => self.read_modify_write(rest),
            "droprows" => {
                let prefix = words.first().map(|prefix| bytes(prefix)).transpose()?;
                let range = prefix.map_or(DropRowRange::All, |prefix| DropRowRange::Prefix(prefix.into()));
                self.ask(Request::DropRowRange { table: self.table.clone(), range })
            }
            "compact" => {
                let said = self.ask(Request::CompactTable { table: self.table.clone() })?;
                self.database.settle(self.now);
                Ok(said)
            }
            "fill" => self.fill(&words),
            "read" => self.read(rest),
            "samplerowkeys" => self.sample_row_keys(),
            "tablets" => self.tablets(),
            "now" => {
                self.now = number(first(&words)?)?;
                Ok(String::new())
            }
            "settle" => {
                self.database.settle(self.now);
                Ok(String::new())
            }
            "filter" => Ok(understood(rest)),
            verb => self.templates.command(verb, rest).unwrap_or_else(|| Err(format!("there is no command {verb}"))),
        }
    }

    /// For requests that are answered with "done".
    fn ask(&mut self, request: Request) -> Said {
        match self.database.handle(self.now, request) {
            Response::Done => Ok(String::new()),
            Response::Refused(error) => Ok(said(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    fn create_table(&mut self, words: &[&str]) -> Said {
        let (options, names): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.contains('='));
        self.table = text(first(&names)?)?;
        let mut spec = TableSpec { families: families(&names[1..])?, ..TableSpec::default() };
        let (splits, sizes): (Vec<&str>, Vec<&str>) = options.iter().partition(|option| option.starts_with("splits="));
        for splits in splits {
            for key in splits["splits=".len()..].split(',') {
                spec.initial_splits.push(bytes(key)?.into());
            }
        }
        spec.settings = settings(&sizes)?;
        self.ask(Request::CreateTable { table: self.table.clone(), spec })
    }

    fn mutate(&mut self, entries: Vec<RowMutation>) -> Said {
        let keys: Vec<_> = entries.iter().map(|entry| brief(&entry.key)).collect();
        match self.database.handle(self.now, Request::MutateRows { table: self.table.clone(), entries }) {
            Response::Mutated(results) if results.len() == keys.len() => {
                let mut out = String::new();
                for (key, result) in keys.iter().zip(&results) {
                    let Some(error) = result else { continue };
                    // Which row it is says itself if there is but one.
                    let row = if keys.len() > 1 { format!("{key}: ") } else { String::new() };
                    write!(out, "{row}{}", said(error)).expect("a string takes all");
                }
                Ok(out)
            }
            Response::Refused(error) => Ok(said(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    fn fill(&mut self, words: &[&str]) -> Said {
        let [count, prefix, cells @ ..] = words else { return Err("fill COUNT PREFIX cell…".into()) };
        let (count, prefix) = (number::<usize>(count)?, text(prefix)?);
        let width = (count - 1).to_string().len();
        let mutations = mutations(&format!("set {}", cells.join(" ")))?;
        let key = |index| format!("{prefix}{index:0width$}").into();
        self.mutate((0..count).map(|index| RowMutation { key: key(index), mutations: mutations.clone() }).collect())
    }

    fn sample_row_keys(&mut self) -> Said {
        match self.database.handle(self.now, Request::SampleRowKeys { table: self.table.clone() }) {
            Response::RowKeySamples(samples) => {
                assert!(samples.is_sorted_by_key(|sample| sample.offset_bytes), "offsets go down: {samples:?}");
                let name = |key: &[u8]| if key.is_empty() { "the end".into() } else { brief(key) };
                Ok(samples.iter().map(|sample| name(&sample.key) + "\n").collect())
            }
            Response::Refused(error) => Ok(said(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    fn tablets(&mut self) -> Said {
        match self.database.handle(self.now, Request::ViewTable { table: self.table.clone() }) {
            Response::Table(view) => {
                let mut out = String::new();
                for tablet in view.tablets {
                    let (start, end) = (brief(&tablet.start), brief(&tablet.end));
                    let plural = if tablet.rows == 1 { "row" } else { "rows" };
                    writeln!(out, "[{start},{end}) {} {plural}", tablet.rows).expect("a string takes all");
                }
                Ok(out)
            }
            Response::Refused(error) => Ok(said(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }
}

fn first<'a>(words: &[&'a str]) -> Result<&'a str, String> {
    words.first().copied().ok_or_else(|| "a word is missing".into())
}

fn said(error: &Error) -> String {
    format!("error {}: {}\n", code(error), error.message)
}

fn families(names: &[&str]) -> Result<Vec<ColumnFamily>, String> {
    names.iter().map(|name| Ok(ColumnFamily::new(text(name)?))).collect()
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
    let (family, qualifier) = column.split_once(':').ok_or_else(|| format!("{column} is no family:qualifier"))?;
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

/// `family:qualifier=value@micros`, split at the last `@`.
fn named_cell(cell: &str) -> Result<(String, Vec<u8>, Vec<u8>, Timestamp), String> {
    let (name, value) = cell.split_once('=').ok_or_else(|| format!("{cell} is no family:qualifier=value"))?;
    let (family, qualifier) = column(name)?;
    let (value, timestamp) = match value.rsplit_once('@') {
        Some((value, timestamp)) => (value, number(timestamp)?),
        None => (value, SERVER_TIME),
    };
    Ok((family, qualifier, bytes(value)?, timestamp))
}

/// `[a,b)`: square includes the end, round does not; nothing is no end.
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

/// A row as a case file shows it.
fn shown(row: &Row) -> String {
    let mut out = format!("{}\n", brief(&row.key));
    for cell in &row.cells {
        let label = cell.label.as_ref().map_or(String::new(), |label| format!(" [{label}]"));
        let column = format!("{}:{}", cell.family, brief(&cell.qualifier));
        // No blank at the end of a line: editors like to remove those.
        let value = if cell.value.is_empty() { String::new() } else { format!(" {}", brief(&cell.value)) };
        writeln!(out, "  {column} @{}{value}{label}", cell.timestamp).expect("a string takes all");
    }
    out
}

fn understood(filter: &str) -> String {
    let (parsed, problems) = RowFilter::parse(filter);
    let mut out = String::new();
    for problem in problems {
        writeln!(out, "{}..{}: {}", problem.span.start, problem.span.end, problem.message).expect("a string takes all");
    }
    out + &parsed.map_or("no filter".into(), |filter| filter.text()) + "\n"
}
