//! Writes: all of a row's mutations are checked before the first is applied, so that one that fails leaves no trace.

use alloc::format;
use alloc::vec::Vec;

use tabletop_model::limits::{
    MUTATIONS_MAX, QUALIFIER_BYTES_MAX, ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS, VALUE_BYTES_MAX,
};
use tabletop_model::{Error, Mutation, Result, RowMutation, SERVER_TIME, Timestamp, TimestampRange};

use crate::change::{Change, Changes, Op};
use crate::columns::FamilyId;
use crate::families::Families;
use crate::manifest::LogPlace;
use crate::storage::Storage;
use crate::table::Table;

impl Table {
    /// Changes rows: of each all the mutations in order, or none of them. The answer says for each entry why it failed, if it
    /// did; the others are done.
    ///
    /// `now` stamps cells sent with [`SERVER_TIME`], and says when tablets were busy.
    ///
    /// # Errors
    /// Of an entry: `InvalidArgument` for what breaks a limit, `NotFound` for a family that the table does not have,
    /// `Unavailable` when a memtable is full and storage refuses to take it.
    pub fn mutate_rows(&mut self, storage: &mut impl Storage, now: Timestamp, entries: &[RowMutation]) -> Vec<Option<Error>> {
        let mut changes = Changes::with_capacity(entries.iter().map(|entry| entry.mutations.len()).sum());
        let outcomes = entries.iter().map(|entry| {
            let done = resolve(entry, &self.families, now, &mut changes).and_then(|()| self.make_room(storage, &entry.key));
            match done {
                Ok(()) => changes.end_row(&entry.key),
                Err(_) => changes.undo(),
            }
            done.err()
        });
        let mut outcomes: Vec<Option<Error>> = outcomes.collect();
        if let Err(error) = self.commit(storage, now, &changes) {
            outcomes.iter_mut().filter(|outcome| outcome.is_none()).for_each(|outcome| *outcome = Some(error.clone()));
        }
        outcomes
    }

    /// Changes one row.
    ///
    /// # Errors
    /// As those of an entry of [`Table::mutate_rows`]; then nothing has changed.
    pub fn mutate(&mut self, storage: &mut impl Storage, now: Timestamp, row: &RowMutation) -> Result<()> {
        self.mutate_rows(storage, now, core::slice::from_ref(row)).pop().flatten().map_or(Ok(()), Err)
    }

    /// Logs changes, then makes them visible. What is due then is done; what storage refuses of that is tried again later.
    ///
    /// # Errors
    /// `Unavailable`, `ResourceExhausted` and `DataLoss` when they could not be logged: none of them is visible, and the
    /// message says whether they may be found all the same when the table is opened again.
    pub(crate) fn commit(&mut self, storage: &mut impl Storage, now: Timestamp, changes: &Changes<'_>) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let place = self.log(storage, changes)?;
        self.compacts_all = false;
        let mut touched: Vec<usize> = Vec::new();
        for change in changes.iter() {
            let index = self.apply(change, place);
            self.tablets[index].load.count_write(now, change.key);
            if touched.last() != Some(&index) {
                touched.push(index);
            }
        }
        // Not before: a memtable that is written holds all changes up to the end of the log. From the last one on, so that a
        // split moves none that is still to come.
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().rev().for_each(|index| self.maintain(storage, now, index));
        Ok(())
    }

    /// Does to a row what a write says, whose record of the log lies at `place`; the index of its tablet.
    pub(crate) fn apply(&mut self, change: Change<'_>, place: LogPlace) -> usize {
        let index = self.tablet_of(change.key);
        let tablet = &mut self.tablets[index];
        if tablet.memtable.is_empty() {
            tablet.memtable_from = place;
        }
        tablet.memtable.apply(&change);
        index
    }
}

/// Checks a row's mutations and adds what they do to `changes`; of a row that is refused, a part.
fn resolve<'a>(row: &'a RowMutation, families: &Families, now: Timestamp, changes: &mut Changes<'a>) -> Result<()> {
    check_row(row)?;
    let mut finder = FamilyFinder { families, last: None };
    for (index, mutation) in row.mutations.iter().enumerate() {
        let op = resolve_mutation(mutation, &mut finder, now)
            .map_err(|error| Error::new(error.code, format!("Error in mutation #{index} : {}", error.message)))?;
        changes.push(op);
    }
    Ok(())
}

/// The server's time as a cell has it.
fn truncate(now: Timestamp) -> Timestamp {
    now.max(0) / TIMESTAMP_GRANULARITY_MICROS * TIMESTAMP_GRANULARITY_MICROS
}

fn check_row(row: &RowMutation) -> Result<()> {
    let key_bytes = row.key.len();
    if key_bytes == 0 {
        return Err(Error::invalid("row key is empty: a row key has 1 to 4096 bytes"));
    }
    if key_bytes > ROW_KEY_BYTES_MAX {
        return Err(Error::invalid(format!(
            "row key has {key_bytes} bytes, the limit is {ROW_KEY_BYTES_MAX}: shorten it, or keep parts of it in a cell"
        )));
    }
    if row.mutations.is_empty() {
        return Err(Error::invalid(format!("no mutations for row \"{}\": send at least one", row.key)));
    }
    if row.mutations.len() > MUTATIONS_MAX {
        return Err(Error::invalid(format!(
            "{} mutations for row \"{}\", the limit of a request is {MUTATIONS_MAX}: send several",
            row.mutations.len(),
            row.key
        )));
    }
    Ok(())
}

fn resolve_mutation<'a>(mutation: &'a Mutation, finder: &mut FamilyFinder<'a, '_>, now: Timestamp) -> Result<Op<'a>> {
    match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => {
            let family = finder.find(family)?;
            check_qualifier(qualifier)?;
            let timestamp = if *timestamp == SERVER_TIME { truncate(now) } else { *timestamp };
            check_timestamp(timestamp)?;
            if value.len() > VALUE_BYTES_MAX {
                return Err(Error::invalid(format!(
                    "value has {} bytes, the limit is {VALUE_BYTES_MAX}: cut it into several cells",
                    value.len()
                )));
            }
            Ok(Op::Set { family, qualifier, timestamp, value })
        }
        Mutation::DeleteFromColumn { family, qualifier, range } => {
            let family = finder.find(family)?;
            check_qualifier(qualifier)?;
            let TimestampRange { start, end } = *range;
            check_timestamp(start)?;
            check_timestamp(end)?;
            if end != 0 && start >= end {
                return Err(Error::invalid(format!(
                    "time range starts at {start} and ends at {end} microseconds: the end is exclusive and must be greater, \
                     or 0 for no end"
                )));
            }
            Ok(Op::DeleteColumn { family, qualifier, start, end: if end == 0 { Timestamp::MAX } else { end } })
        }
        Mutation::DeleteFromFamily { family } => finder.find(family).map(Op::DeleteFamily),
        Mutation::DeleteFromRow => Ok(Op::DeleteRow),
    }
}

/// Finds families by name. Most mutations of a row name the same one.
struct FamilyFinder<'a, 'f> {
    families: &'f Families,
    last: Option<(&'a str, FamilyId)>,
}

impl<'a> FamilyFinder<'a, '_> {
    fn find(&mut self, name: &'a str) -> Result<FamilyId> {
        if let Some((last, family)) = self.last
            && last == name
        {
            return Ok(family);
        }
        let family = self.families.find(name)?;
        self.last = Some((name, family));
        Ok(family)
    }
}

fn check_qualifier(qualifier: &[u8]) -> Result<()> {
    if qualifier.len() > QUALIFIER_BYTES_MAX {
        return Err(Error::invalid(format!(
            "column qualifier has {} bytes, the limit is {QUALIFIER_BYTES_MAX}: shorten it, or keep the text in the value",
            qualifier.len()
        )));
    }
    Ok(())
}

fn check_timestamp(timestamp: Timestamp) -> Result<()> {
    if timestamp < 0 {
        return Err(Error::invalid(format!(
            "timestamp {timestamp} is negative: send microseconds since 1970, or -1 in a set cell for the server's time"
        )));
    }
    if timestamp % TIMESTAMP_GRANULARITY_MICROS != 0 {
        return Err(Error::invalid(format!(
            "timestamp granularity mismatch: {timestamp} microseconds is no whole number of milliseconds; round it to a \
             multiple of {TIMESTAMP_GRANULARITY_MICROS}"
        )));
    }
    Ok(())
}
