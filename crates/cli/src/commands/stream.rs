//! Files of any length, read in pieces, with a progress bar.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use crate::{interrupt, progress};
use indicatif::ProgressBar;
use tabletop_model::limits::MUTATIONS_MAX;
use tabletop_model::{Mutation, RowMutation};

use super::instance::OpenedInstance;
use super::style::tell;
use super::{Failure, Result};

/// The maximum number of rows of one request, and their bytes.
pub(crate) const ROWS_MAX: usize = 1_000;
pub(crate) const BYTES_MAX: usize = 4 << 20;

/// The name of standard input and output.
const STANDARD: &str = "-";

/// Opens a file, or standard input for `-`, with a progress bar.
pub(crate) fn open(path: &Path) -> Result<(Box<dyn Read>, ProgressBar)> {
    if path == Path::new(STANDARD) {
        let bar = progress::bar(None, "{spinner} {bytes} read, {bytes_per_sec}");
        return Ok((Box::new(bar.wrap_read(io::stdin())), bar));
    }
    let failed = |error| Failure::of(format!("{} cannot be read", path.display()), &error);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let bar = progress::bar(Some(length), "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left");
    Ok((Box::new(bar.wrap_read(file)), bar))
}

/// Creates a file, or returns standard output for `-`.
pub(crate) fn create(path: &Path) -> Result<Box<dyn Write>> {
    if path == Path::new(STANDARD) {
        return Ok(Box::new(io::stdout()));
    }
    let file = File::create(path)
        .map_err(|error| Failure::of(format!("{} cannot be written", path.display()), &error))?;
    Ok(Box::new(file))
}

/// A position in a file: `line 7`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// The unit that is counted.
    pub(crate) what: &'static str,
    /// The number, starting at 1.
    pub(crate) number: u64,
}

impl Spot {
    /// Adds this position to a failure that is an error in the file.
    pub(crate) fn named(self, failure: Failure) -> Failure {
        match failure {
            Failure::Wrong(message) => Failure::Wrong(format!("{self}: {message}")),
            other => other,
        }
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.number)
    }
}

/// The part of a row in an entry: a row with very many cells is written in several entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Beginning,
    End,
}

/// Rows that are written to a table, many in one request.
pub(crate) struct Batch<'a> {
    opened: &'a OpenedInstance,
    table: &'a str,
    /// Whether rejected rows are reported and left out.
    keep_going: bool,
    entries: Vec<RowMutation>,
    /// The position of each entry's row.
    spots: Vec<(Spot, Part)>,
    mutations: usize,
    bytes: usize,
    /// The number of rows that were written.
    pub(crate) written: u64,
    /// The number of rows that were rejected.
    pub(crate) left_out: u64,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(opened: &'a OpenedInstance, table: &'a str, keep_going: bool) -> Batch<'a> {
        let (entries, spots) = (Vec::new(), Vec::new());
        Batch { opened, table, keep_going, entries, spots, mutations: 0, bytes: 0, written: 0, left_out: 0 }
    }

    /// Adds a row. Writes the rows before it if it does not fit in their request.
    pub(crate) fn add(&mut self, mut row: RowMutation, spot: Spot) -> Result<()> {
        while row.mutations.len() > MUTATIONS_MAX {
            let rest = row.mutations.split_off(MUTATIONS_MAX);
            self.add_entry(
                RowMutation { key: row.key.clone(), mutations: row.mutations },
                (spot, Part::Beginning),
            )?;
            row.mutations = rest;
        }
        self.add_entry(row, (spot, Part::End))
    }

    fn add_entry(&mut self, row: RowMutation, spot: (Spot, Part)) -> Result<()> {
        let bytes = row.key.len() + row.mutations.iter().map(bytes_of).sum::<usize>();
        let full = self.entries.len() == ROWS_MAX
            || self.bytes + bytes > BYTES_MAX
            || self.mutations + row.mutations.len() > MUTATIONS_MAX;
        if full {
            self.write()?;
        }
        self.mutations += row.mutations.len();
        self.bytes += bytes;
        self.entries.push(row);
        self.spots.push(spot);
        Ok(())
    }

    /// Writes the buffered rows.
    pub(crate) fn write(&mut self) -> Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let (entries, spots) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.spots));
        (self.mutations, self.bytes) = (0, 0);
        let outcomes =
            self.opened.with(|instance, now| instance.table(self.table)?.mutate_rows(now, &entries))?;
        for ((RowMutation { key, .. }, (spot, part)), outcome) in entries.iter().zip(spots).zip(outcomes) {
            match outcome {
                None => {
                    let is_whole = u64::from(part == Part::End);
                    self.written += is_whole;
                    interrupt::count(is_whole);
                }
                Some(error) if self.keep_going => {
                    tell(format!("{spot}: row \"{key}\" is rejected: {error}"));
                    self.left_out += 1;
                }
                Some(error) => {
                    let before = super::counted(self.written, "row before it was", "rows before it were");
                    let message = format!("row \"{key}\" is rejected, {before} written: {error}");
                    return Err(spot.named(Failure::Wrong(message)));
                }
            }
        }
        Ok(())
    }
}

/// Returns the bytes of a mutation.
pub(crate) fn bytes_of(mutation: &Mutation) -> usize {
    match mutation {
        Mutation::SetCell { qualifier, value, .. } => qualifier.len() + value.len(),
        Mutation::MergeToCell { qualifier, input, .. } => qualifier.len() + input.len(),
        _ => 0,
    }
}
