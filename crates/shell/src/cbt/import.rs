//! The command `import`: CSV whose first lines name the columns, and whose other lines are rows.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use csv_core::{ReadRecordResult, Reader};
use tabletop_model::{Error, Mutation, Request, Response, Result, RowMutation, SERVER_TIME};

use super::arguments::{Input, Said};
use super::columns::value_and_time;
use super::status;
use crate::problem;
use crate::task::{Next, Task, unexpected};

/// Rows of one request if none is said.
const BATCH_ROWS: usize = 500;

/// An import at work.
#[derive(Debug)]
pub(super) struct Import {
    table: String,
    file: String,
    /// The family of all columns, if it was said.
    family: Option<String>,
    batch_rows: usize,
    /// Times stand in the values.
    has_times: bool,
    is_read: bool,
    batches: VecDeque<Vec<RowMutation>>,
    /// What is said before each batch is sent: rows that were left out.
    notes: String,
    rows: usize,
    /// A batch was taken, but not all of its rows.
    is_partial: bool,
}

impl Import {
    pub fn task(input: &Input) -> Said<Box<dyn Task>> {
        let batch_rows = match input.number("batch-size")? {
            None => BATCH_ROWS,
            Some(rows @ 1..100_000) => rows as usize,
            Some(_) => {
                let place = input.option("batch-size").map_or(input.line, |word| word.span());
                return Err(Box::new(problem(place, "batch-size is a number from 1 to 99999")));
            }
        };
        let has_times = match input.option("timestamp") {
            None => false,
            Some(word) if word.bytes == b"now" => false,
            Some(word) if word.bytes == b"value-encoded" => true,
            Some(word) => return Err(Box::new(problem(word.span(), "timestamp is now or value-encoded"))),
        };
        let family = input.option("column-family").map(|word| word.text()).transpose().map_err(Box::new)?;
        Ok(Box::new(Import {
            table: input.text(0)?,
            file: input.text(1)?,
            family,
            batch_rows,
            has_times,
            is_read: false,
            batches: VecDeque::new(),
            notes: String::new(),
            rows: 0,
            is_partial: false,
        }))
    }

    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let mut records = records(bytes).into_iter().enumerate();
        let mut header = |what: &str| {
            let record = records.next().map(|(_, record)| record);
            record.ok_or_else(|| Error::invalid(format!("error parsing headers: {what} header reader error:EOF")))
        };
        let mut families = if self.family.is_none() { header("family")? } else { Vec::new() };
        let columns = header("columns")?;
        if let Some(family) = &self.family {
            families = vec![Vec::new(); columns.len()];
            families.iter_mut().skip(1).for_each(|place| *place = family.clone().into_bytes());
        }
        let wrong = |message: &str| Err(Error::invalid(format!("error parsing headers: {message}")));
        if families.len() < 2 || columns.len() < 2 {
            return wrong("at least 2 columns are required (rowkey + data)");
        }
        if !families[0].is_empty() || !columns[0].is_empty() {
            return wrong("the first column must be empty for column-family and column name rows");
        }
        if families[1].is_empty() || columns[1].is_empty() {
            return wrong(
                "the second column (first data column) must have values for column family and column name rows if present",
            );
        }
        families.resize(columns.len(), Vec::new());
        let mut family = String::new();
        let mut named = Vec::new();
        for (name, column) in families.into_iter().zip(&columns) {
            if !name.is_empty() {
                let name = String::from_utf8(name);
                family = name.map_err(|_| Error::invalid("error parsing headers: the name of a column family is no UTF-8"))?;
            }
            named.push((family.clone(), column.clone()));
        }
        let mut batch = Vec::new();
        for (index, record) in records {
            if record.len() != named.len() {
                return Err(Error::invalid(format!("error: record on line {}: wrong number of fields", index + 1)));
            }
            let Some(row) = self.row(&named, record) else { continue };
            batch.push(row);
            if batch.len() == self.batch_rows {
                self.batches.push_back(core::mem::take(&mut batch));
            }
        }
        if !batch.is_empty() {
            self.batches.push_back(batch);
        }
        Ok(())
    }

    fn row(&mut self, columns: &[(String, Vec<u8>)], record: Vec<Vec<u8>>) -> Option<RowMutation> {
        let mut mutations = Vec::new();
        for ((family, qualifier), value) in columns.iter().zip(&record).skip(1).filter(|(_, value)| !value.is_empty()) {
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
            let key = String::from_utf8_lossy(&key).to_string();
            writeln!(self.notes, "[0] RowKey '{key}' has no mutations, skipping").expect("a string takes all");
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
    fn next(&mut self, out: &mut String) -> Next {
        if !self.is_read {
            return Next::Open(self.file.clone());
        }
        out.push_str(&core::mem::take(&mut self.notes));
        match self.batches.front() {
            Some(entries) => Next::Ask(Box::new(Request::MutateRows { table: self.table.clone(), entries: entries.clone() })),
            None => {
                writeln!(out, "Done importing {} rows.", self.rows).expect("a string takes all that is written to it");
                Next::Done
            }
        }
    }

    fn take(&mut self, answer: Response, out: &mut String) -> Result<()> {
        let Response::Mutated(results) = answer else { return Err(unexpected()) };
        let Some(batch) = self.batches.pop_front() else { return Err(unexpected()) };
        let key = |row: Option<&RowMutation>| row.map(|row| String::from_utf8_lossy(&row.key).to_string()).unwrap_or_default();
        let (first, last) = (key(batch.first()), key(batch.last()));
        writeln!(out, "[0] Writing batch:: size: {}, firstRowKey: {first}, lastRowKey: {last}", batch.len())
            .expect("a string takes all that is written to it");
        let count = results.iter().flatten().count();
        if let Some(error) = results.into_iter().flatten().next() {
            self.is_partial = true;
            let first = status(&error);
            let message = format!("applying bulk mutations had {count} errors, first:{first}");
            return Err(Error { message, ..error });
        }
        self.rows += batch.len();
        Ok(())
    }

    fn file(&mut self, bytes: core::result::Result<&[u8], String>) -> Result<()> {
        self.is_read = true;
        let bytes = bytes.map_err(|why| Error::not_found(format!("couldn't open the csv file: {why}")))?;
        self.read(bytes)
    }

    fn doing(&self) -> &'static str {
        if self.is_partial { "error" } else { "error: applying bulk mutations process error" }
    }

    fn changes(&self) -> bool {
        true
    }
}

/// The records of a CSV, without empty lines.
pub(super) fn records(mut bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut reader = Reader::new();
    let (mut records, mut fields, mut ends) = (Vec::new(), vec![0; 1 << 10], vec![0; 1 << 6]);
    let (mut written, mut ended) = (0, 0);
    loop {
        let (result, read, filled, found) = reader.read_record(bytes, &mut fields[written..], &mut ends[ended..]);
        bytes = &bytes[read..];
        (written, ended) = (written + filled, ended + found);
        match result {
            ReadRecordResult::InputEmpty => {}
            ReadRecordResult::OutputFull => fields.resize(fields.len() * 2, 0),
            ReadRecordResult::OutputEndsFull => ends.resize(ends.len() * 2, 0),
            ReadRecordResult::Record => {
                let mut start = 0;
                let field = |&end: &usize| fields[core::mem::replace(&mut start, end)..end].to_vec();
                records.push(ends[..ended].iter().map(field).collect());
                (written, ended) = (0, 0);
            }
            ReadRecordResult::End => return records,
        }
    }
}
