//! Writes: all of a row's mutations are checked before the first is applied, so that a failing one
//! changes nothing.

use alloc::format;
use alloc::vec::Vec;

use tabletop_model::limits::{
    MUTATIONS_MAX, QUALIFIER_BYTES_MAX, ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS, VALUE_BYTES_MAX,
};
use tabletop_model::order::sorted;
use tabletop_model::{
    Aggregate, Error, Mutation, Result, RowKey, RowMutation, SERVER_TIME, Timestamp, TimestampRange,
};

use crate::aggregate;
use crate::change::{Change, Changes, Op};
use crate::columns::FamilyId;
use crate::families::{Families, FamilyKind};
use crate::log::LogPlace;
use crate::storage::Storage;
use crate::table::Table;
use crate::table::split::FlushAttempts;

impl Table {
    /// Changes rows. For each entry, all of its mutations are applied in order, or none of them.
    /// Returns the error of each entry that failed; the others are applied.
    ///
    /// `now` stamps cells sent with [`SERVER_TIME`], and the load of tablets.
    ///
    /// # Errors
    /// For an entry: `InvalidArgument` for a mutation that breaks a limit, `NotFound` for a family
    /// that the table does not have, `Unavailable` and `ResourceExhausted` when a memtable is full
    /// and storage refuses to take it.
    pub fn mutate_rows(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        entries: &[RowMutation],
    ) -> Vec<Option<Error>> {
        let inputs: Vec<Inputs> =
            entries.iter().map(|entry| Inputs::of(&entry.mutations, &self.families)).collect();
        let mut changes = Changes::with_capacity(entries.iter().map(|entry| entry.mutations.len()).sum());
        let mut attempts = FlushAttempts::default();
        let outcomes = entries.iter().zip(&inputs).map(|(entry, inputs)| {
            let done = check_row(&entry.key, &entry.mutations)
                .and_then(|()| resolve(&entry.mutations, inputs, &self.families, now, &mut changes))
                .and_then(|()| self.make_room(storage, &entry.key, &mut attempts));
            match done {
                Ok(()) => changes.end_row(&entry.key),
                Err(_) => changes.undo(),
            }
            done.err()
        });
        let mut outcomes: Vec<Option<Error>> = outcomes.collect();
        if let Err(error) = self.commit(storage, now, &changes) {
            outcomes
                .iter_mut()
                .filter(|outcome| outcome.is_none())
                .for_each(|outcome| *outcome = Some(error.clone()));
        }
        outcomes
    }

    /// Changes one row.
    ///
    /// # Errors
    /// The errors of an entry of [`Table::mutate_rows`]. After an error, nothing has changed.
    pub fn mutate_row(&mut self, storage: &mut dyn Storage, now: Timestamp, row: &RowMutation) -> Result<()> {
        let RowMutation { key, mutations } = row;
        check_row(key, mutations)?;
        let inputs = Inputs::of(mutations, &self.families);
        let mut changes = Changes::with_capacity(mutations.len());
        resolve(mutations, &inputs, &self.families, now, &mut changes)?;
        self.make_room(storage, key, &mut FlushAttempts::default())?;
        changes.end_row(key);
        self.commit(storage, now, &changes)
    }

    /// Logs changes, makes them visible, and does the work that is then due. A later call retries
    /// what storage refuses of that work.
    ///
    /// # Errors
    /// `Unavailable`, `ResourceExhausted` and `DataLoss` when they could not be logged: none of
    /// them is visible, and the message says whether they may still be found when the table is
    /// opened again.
    pub(crate) fn commit(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        changes: &Changes<'_>,
    ) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let place = self.log(storage, changes)?;
        if self.held.is_some() {
            return self.hold(storage, now, changes, place);
        }
        let touched = self.apply_writes(storage, &[(now, place, changes)]);
        self.maintain_touched(storage, now, touched);
        Ok(())
    }

    /// Makes changes visible that are logged, each at its place. Tablets are neither split nor
    /// merged.
    pub(crate) fn apply_writes(
        &mut self,
        storage: &mut dyn Storage,
        writes: &[(Timestamp, LogPlace, &Changes<'_>)],
    ) -> Touched {
        let mut touched: Vec<usize> = Vec::new();
        let mut bytes = 0;
        for (now, place, changes) in writes {
            for change in changes.iter() {
                bytes += change.bytes();
                let index = self.apply(change, *place);
                self.tablets[index].load.lock().count_write(*now, change.key);
                self.keep_uncovered(storage, *now, index);
                if touched.last() != Some(&index) {
                    touched.push(index);
                }
            }
        }
        let mut touched = sorted(touched, usize::cmp);
        touched.dedup();
        self.counts.work.user_bytes += bytes;
        Touched { tablets: touched, bytes }
    }

    /// Does the work that is due after writes to some tablets. A memtable that is written must have
    /// all changes up to the end of the log, so all of them must have been applied.
    pub(crate) fn maintain_touched(&mut self, storage: &mut dyn Storage, now: Timestamp, touched: Touched) {
        let Touched { tablets, bytes } = touched;
        self.refresh_due();
        let owed = tablets.iter().map(|&index| self.owed(index)).max().unwrap_or(0);
        let is_collected = self.families.are_collected();
        for &index in &tablets {
            if is_collected || self.tablets[index].memtable.read().has_deletes {
                self.note_write(now, index);
            }
        }
        // From the last tablet to the first, so that a split does not shift the indices still to
        // come.
        tablets.into_iter().rev().for_each(|index| self.maintain(storage, now, index));
        self.catch_up(storage, owed, bytes);
        self.publish();
    }

    /// Applies a change whose log record is at `place`. Returns the index of the row's tablet.
    pub(crate) fn apply(&mut self, change: Change<'_>, place: LogPlace) -> usize {
        let index = self.tablet_of(change.key);
        let tablet = &mut self.tablets[index];
        let data = tablet.data.clone();
        let mut memtable = data.memtable.write();
        if memtable.is_empty() {
            tablet.memtable_from = place;
            self.pins.add(place.segment);
        }
        memtable.apply(&change);
        drop(memtable);
        self.count_memtable(index);
        index
    }
}

/// Tablets that were written to.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// The indices, ascending.
    pub tablets: Vec<usize>,
    pub bytes: u64,
}

/// The inputs of [`Mutation::AddToCell`] as cell values, in order. An input that its family does
/// not take is empty.
pub(crate) struct Inputs(Vec<Vec<u8>>);

impl Inputs {
    pub fn of(mutations: &[Mutation], families: &Families) -> Inputs {
        // Without aggregate families the inputs are not used, so most tables skip this.
        if !families.kinds().iter().any(|kind| matches!(kind, FamilyKind::Aggregate(_))) {
            return Inputs(Vec::new());
        }
        let value = |mutation: &Mutation| match mutation {
            Mutation::AddToCell { family, input, .. } => {
                let kind = families.find(family).map(|id| FamilyKind::of(families.kinds(), id));
                let Ok(FamilyKind::Aggregate(kind)) = kind else { return Some(Vec::new()) };
                Some(aggregate::value_of(kind, input).unwrap_or_default())
            }
            _ => None,
        };
        Inputs(mutations.iter().filter_map(value).collect())
    }
}

/// Checks a row's mutations and adds the resolved ops to `changes`. If the row is rejected, only
/// some are added.
pub(crate) fn resolve<'a>(
    mutations: &'a [Mutation],
    inputs: &'a Inputs,
    families: &Families,
    now: Timestamp,
    changes: &mut Changes<'a>,
) -> Result<()> {
    let mut resolver = Resolver { families, last: None, now, inputs: inputs.0.iter() };
    for (index, mutation) in mutations.iter().enumerate() {
        let op = resolver.resolve(mutation).map_err(|error| {
            Error::new(error.code, format!("Error in mutation #{index} : {}", error.message))
        })?;
        op.into_iter().for_each(|op| changes.push(op));
    }
    Ok(())
}

/// Rounds the server's time down to the granularity of cells.
pub(crate) fn truncate(now: Timestamp) -> Timestamp {
    now.max(0) / TIMESTAMP_GRANULARITY_MICROS * TIMESTAMP_GRANULARITY_MICROS
}

/// Checks a row's key and the number of its mutations.
pub(crate) fn check_row(key: &RowKey, mutations: &[Mutation]) -> Result<()> {
    check_key(key)?;
    if mutations.is_empty() {
        return Err(Error::invalid(format!("No mutations provided for row \"{key}\": send at least one")));
    }
    check_count(key, mutations)
}

/// Checks the limit of mutations in a request, for one row.
pub(crate) fn check_count(key: &RowKey, mutations: &[Mutation]) -> Result<()> {
    if mutations.len() > MUTATIONS_MAX {
        return Err(Error::invalid(format!(
            "{} mutations for row \"{key}\"; the limit of a request is {MUTATIONS_MAX}: send several",
            mutations.len(),
        )));
    }
    Ok(())
}

pub(crate) fn check_key(key: &RowKey) -> Result<()> {
    let key_bytes = key.len();
    if key_bytes == 0 {
        return Err(Error::invalid("Row keys must be non-empty: a row key has 1 to 4096 bytes"));
    }
    if key_bytes > ROW_KEY_BYTES_MAX {
        return Err(Error::invalid(format!(
            "row key has {key_bytes} bytes; the limit is {ROW_KEY_BYTES_MAX}: shorten it, or keep parts of it in a cell"
        )));
    }
    Ok(())
}

/// Resolves mutations. Most mutations of a row name the same family.
struct Resolver<'a, 'f> {
    families: &'f Families,
    last: Option<(&'a str, FamilyId, FamilyKind)>,
    now: Timestamp,
    inputs: core::slice::Iter<'a, Vec<u8>>,
}

impl<'a> Resolver<'a, '_> {
    /// Resolves a mutation. Returns `None` for one that never changes anything.
    fn resolve(&mut self, mutation: &'a Mutation) -> Result<Option<Op<'a>>> {
        Ok(Some(match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                let family = self.plain(family)?;
                check_qualifier(qualifier)?;
                let timestamp = if *timestamp == SERVER_TIME { truncate(self.now) } else { *timestamp };
                check_timestamp(timestamp)?;
                check_value(value.len())?;
                Op::Set { family, qualifier, timestamp, value }
            }
            Mutation::AddToCell { family, qualifier, timestamp, .. } => {
                // Each mutation takes its input, even if it is rejected, so that the next one finds
                // its own.
                let value = self.inputs.next().map_or(&[][..], Vec::as_slice);
                let (family, kind) = self.aggregate(family)?;
                check_qualifier(qualifier)?;
                check_timestamp(*timestamp)?;
                if value.is_empty() {
                    return Err(Error::invalid(format!(
                        "Error in field 'input' : must use `int_value`: the family aggregates numbers ({kind:?}), found bytes"
                    )));
                }
                Op::Add { family, qualifier, timestamp: *timestamp, input: value }
            }
            Mutation::MergeToCell { family, qualifier, timestamp, input } => {
                let (family, kind) = self.aggregate(family)?;
                check_qualifier(qualifier)?;
                check_timestamp(*timestamp)?;
                if input.is_empty() {
                    return Ok(None);
                }
                if !aggregate::is_value(kind, input) {
                    return Err(Error::invalid(format!(
                        "column family type mismatch: {} bytes are not a value for a cell that aggregates by {kind:?}",
                        input.len()
                    )));
                }
                Op::Add { family, qualifier, timestamp: *timestamp, input }
            }
            Mutation::DeleteFromColumn { family, qualifier, range } => {
                let (family, _) = self.find(family)?;
                check_qualifier(qualifier)?;
                let TimestampRange { start, end } = *range;
                check_timestamp(start)?;
                check_timestamp(end)?;
                if end != 0 && start >= end {
                    return Err(Error::invalid(format!(
                        "time range starts at {start} and ends at {end} microseconds: the end is exclusive and must be \
                         greater, or 0 for no end"
                    )));
                }
                Op::DeleteColumn {
                    family,
                    qualifier,
                    start,
                    end: if end == 0 { Timestamp::MAX } else { end },
                }
            }
            Mutation::DeleteFromFamily { family } => Op::DeleteFamily(self.find(family)?.0),
            Mutation::DeleteFromRow => Op::DeleteRow,
        }))
    }

    fn find(&mut self, name: &'a str) -> Result<(FamilyId, FamilyKind)> {
        if let Some((last, family, kind)) = self.last
            && last == name
        {
            return Ok((family, kind));
        }
        let family = self.families.find(name)?;
        let kind = FamilyKind::of(self.families.kinds(), family);
        self.last = Some((name, family, kind));
        Ok((family, kind))
    }

    fn plain(&mut self, name: &'a str) -> Result<FamilyId> {
        match self.find(name)? {
            (family, FamilyKind::Plain) => Ok(family),
            _ => Err(not_plain(name)),
        }
    }

    fn aggregate(&mut self, name: &'a str) -> Result<(FamilyId, Aggregate)> {
        match self.find(name)? {
            (family, FamilyKind::Aggregate(kind)) => Ok((family, kind)),
            _ => Err(Error::invalid(format!(
                "column family type mismatch: \"{name}\" is not an aggregate family; set its cells, or create a family that aggregates"
            ))),
        }
    }
}

/// Returns the error for a write of cells to an aggregate family.
pub(crate) fn not_plain(family: &str) -> Error {
    Error::invalid(format!(
        "column family type mismatch: \"{family}\" is an aggregate family; add to its cells, or merge into them"
    ))
}

pub(crate) fn check_value(bytes: usize) -> Result<()> {
    if bytes > VALUE_BYTES_MAX {
        return Err(Error::invalid(format!(
            "value has {bytes} bytes; the limit is {VALUE_BYTES_MAX}: cut it into several cells"
        )));
    }
    Ok(())
}

pub(crate) fn check_qualifier(qualifier: &[u8]) -> Result<()> {
    if qualifier.len() > QUALIFIER_BYTES_MAX {
        return Err(Error::invalid(format!(
            "column qualifier has {} bytes; the limit is {QUALIFIER_BYTES_MAX}: shorten it, or keep the text in the value",
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
            "timestamp granularity mismatch: {timestamp} microseconds is not a whole number of milliseconds; round it to a \
             multiple of {TIMESTAMP_GRANULARITY_MICROS}"
        )));
    }
    Ok(())
}
