//! The command `import`: CSV whose first lines name the columns, and whose other lines are rows.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tabletop_model::{Error, Mutation, Response, Result, RowMutation, SERVER_TIME, TableRequest};

use super::arguments::{Input, InputResult};
use super::columns::value_and_time;
use super::csv::{Csv, Record};
use super::failure::status;
use crate::place::{WRITTEN, problem};
use crate::task::{Next, Task, unexpected};

/// The default number of rows per request.
const BATCH_ROWS: usize = 500;

/// A running import. Rows are parsed when their batch is sent, so the rows before a mistake in the
/// file are written, as in cbt.
pub(super) struct Import {
    table: String,
    file: String,
    /// The family of all columns, if one was given.
    family: Option<String>,
    batch_rows: usize,
    /// Whether the values contain times.
    has_times: bool,
    csv: Option<Csv>,
    /// The family and the qualifier of each field of a row.
    columns: Vec<(String, Vec<u8>)>,
    /// The rows to send; empty at the end.
    batch: Vec<RowMutation>,
    /// The output that precedes the batch, such as notes on skipped rows.
    notes: String,
    failure: Option<Error>,
    rows: usize,
}

impl Import {
    pub fn task(input: &Input) -> InputResult<Box<dyn Task>> {
        let batch_rows = match input.number("batch-size")? {
            None => BATCH_ROWS,
            Some(rows @ 1..100_000) => rows as usize,
            Some(_) => {
                let place = input.option("batch-size").map_or(input.line, super::words::Word::span);
                return Err(Box::new(problem(place, "batch-size must be a number from 1 to 99999")));
            }
        };
        let has_times = match input.option("timestamp") {
            None => false,
            Some(word) if word.bytes == b"now" => false,
            Some(word) if word.bytes == b"value-encoded" => true,
            Some(word) => {
                return Err(Box::new(problem(word.span(), "timestamp must be now or value-encoded")));
            }
        };
        let family =
            input.option("column-family").map(super::words::Word::text).transpose().map_err(Box::new)?;
        Ok(Box::new(Import {
            table: input.text(0)?,
            file: input.text(1)?,
            family,
            batch_rows,
            has_times,
            csv: None,
            columns: Vec::new(),
            batch: Vec::new(),
            notes: String::new(),
            failure: None,
            rows: 0,
        }))
    }

    /// Reads the lines that name the columns, and the first batch.
    fn begin(&mut self, bytes: core::result::Result<&[u8], String>) -> Result<()> {
        let (bytes, missing) = match bytes {
            Ok(bytes) => (bytes, None),
            Err(why) => (&[][..], Some(Error::not_found(format!("couldn't open the csv file: {why}")))),
        };
        let csv = self.csv.insert(Csv::new(bytes.to_vec()));
        missing.map_or(Ok(()), Err)?;
        let wrong = |message: &str| Error::invalid(format!("error parsing headers: {message}"));
        let mut header = |what: &str| match csv.record() {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(wrong(&format!("{what} header reader error:EOF"))),
            Err(why) => Err(wrong(&format!("{what} header reader error:{why}"))),
        };
        let mut families = if self.family.is_none() { header("family")? } else { Vec::new() };
        let columns = header("columns")?;
        if let Some(family) = &self.family {
            families = vec![Vec::new(); columns.len()];
            families.iter_mut().skip(1).for_each(|place| *place = family.clone().into_bytes());
        }
        if columns.len() < 2 {
            return Err(wrong("at least 2 columns are required (rowkey + data)"));
        }
        if !families[0].is_empty() || !columns[0].is_empty() {
            return Err(wrong("the first column must be empty for column-family and column name rows"));
        }
        if families[1].is_empty() || columns[1].is_empty() {
            return Err(wrong(
                "the second column (first data column) must have values for column family and column name rows if present",
            ));
        }
        let mut family = String::new();
        for (name, column) in families.into_iter().zip(columns) {
            if !name.is_empty() {
                family =
                    String::from_utf8(name).map_err(|_| wrong("the name of a column family is not UTF-8"))?;
            }
            self.columns.push((family.clone(), column));
        }
        self.fill()
    }

    /// Reads the next batch, and records which rows it skips.
    fn fill(&mut self) -> Result<()> {
        while self.batch.len() < self.batch_rows
            && let Some(csv) = &mut self.csv
            && let Some(record) = csv.record().map_err(Error::invalid)?
        {
            let row = self.row(record);
            self.batch.extend(row);
        }
        if let (Some(first), Some(last)) = (self.batch.first(), self.batch.last()) {
            let key = |row: &RowMutation| String::from_utf8_lossy(&row.key).to_string();
            let (count, first, last) = (self.batch.len(), key(first), key(last));
            writeln!(
                self.notes,
                "[0] Writing batch:: size: {count}, firstRowKey: {first}, lastRowKey: {last}"
            )
            .expect(WRITTEN);
        }
        Ok(())
    }

    fn row(&mut self, record: Record) -> Option<RowMutation> {
        let mut mutations = Vec::new();
        for ((family, qualifier), value) in
            self.columns.iter().zip(&record).skip(1).filter(|(_, value)| !value.is_empty())
        {
            let (value, time) = if self.has_times { value_and_time(value) } else { (value.as_slice(), None) };
            mutations.push(Mutation::SetCell {
                family: family.clone(),
                qualifier: qualifier.as_slice().into(),
                timestamp: time.unwrap_or(SERVER_TIME),
                value: value.into(),
            });
        }
        let key = record.into_iter().next().unwrap_or_default();
        if mutations.is_empty() {
            let key = String::from_utf8_lossy(&key);
            writeln!(self.notes, "[0] RowKey '{key}' has no mutations, skipping").expect(WRITTEN);
            return None;
        }
        if key.is_empty() {
            self.notes.push_str("[0] RowKey not present, skipping line\n");
            return None;
        }
        Some(RowMutation { key: key.into(), mutations })
    }
}

impl Task for Import {
    fn notes(&mut self) -> String {
        core::mem::take(&mut self.notes)
    }

    fn next(&mut self, out: &mut String) -> Next {
        if self.csv.is_none() {
            return Next::Open(self.file.clone());
        }
        if let Some(failure) = self.failure.take() {
            return Next::Fail(failure);
        }
        if self.batch.is_empty() {
            writeln!(out, "Done importing {} rows.", self.rows).expect(WRITTEN);
            return Next::Done;
        }
        Next::Request(Box::new(TableRequest::MutateRows(self.batch.clone()).of(self.table.clone())))
    }

    fn take(&mut self, answer: Response, _out: &mut String) -> Result<()> {
        let Response::Mutated(results) = answer else { return Err(unexpected()) };
        let count = results.iter().flatten().count();
        self.failure = match results.into_iter().flatten().next() {
            Some(error) => {
                let message =
                    format!("error: applying bulk mutations had {count} errors, first:{}", status(&error));
                Some(Error { message, ..error })
            }
            None => {
                self.rows += self.batch.len();
                self.batch.clear();
                self.fill().err()
            }
        };
        Ok(())
    }

    fn file(&mut self, bytes: core::result::Result<&[u8], String>) {
        self.failure = self.begin(bytes).err();
    }

    fn doing(&self) -> &'static str {
        "error: applying bulk mutations process error"
    }

    fn changes(&self) -> bool {
        true
    }
}
