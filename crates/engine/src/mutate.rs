//! Writes: all of a row's mutations are checked before the first is applied, so that one that fails leaves no trace.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::limits::{
    MUTATIONS_MAX, QUALIFIER_BYTES_MAX, ROW_KEY_BYTES_MAX, TIMESTAMP_GRANULARITY_MICROS, VALUE_BYTES_MAX,
};
use tabletop_model::order::sorted;
use tabletop_model::{Error, Mutation, Result, RowMutation, SERVER_TIME, Timestamp, TimestampRange};

use crate::columns::FamilyId;
use crate::storage::Storage;
use crate::table::{Families, Table};
use crate::tombstones::ColumnTombstone;

impl Table {
    /// Changes one row: all of the mutations in order, or none of them.
    ///
    /// `now` stamps cells sent with [`SERVER_TIME`], and says when the tablet was busy.
    ///
    /// # Errors
    /// `InvalidArgument` for what breaks a limit, `NotFound` for a family that the table does not have; then nothing has
    /// changed. `Unavailable` when the memtable is full and storage refuses to take it; then nothing has changed either.
    pub fn mutate(&mut self, storage: &mut impl Storage, now: Timestamp, row: RowMutation) -> Result<()> {
        let mut families = core::mem::take(&mut self.scratch);
        let checked = check(&row, &self.family_ids, &mut families);
        let done = checked.and_then(|()| self.apply(storage, now, row, &families));
        self.scratch = families;
        done
    }

    fn apply(&mut self, storage: &mut impl Storage, now: Timestamp, row: RowMutation, families: &[FamilyId]) -> Result<()> {
        let index = self.tablet_of(&row.key);
        self.make_room(storage, index)?;
        self.compacts_all = false;
        let tablet = &mut self.tablets[index];
        tablet.load.count_write(now, &row.key);
        let mut writer = tablet.memtable.row(row.key.0);
        writer.reserve(row.mutations.len());
        for (mutation, &family) in row.mutations.iter().zip(families) {
            match mutation {
                Mutation::SetCell { qualifier, timestamp, value, .. } => {
                    let timestamp = if *timestamp == SERVER_TIME { truncate(now) } else { *timestamp };
                    writer.set(family, qualifier, timestamp, value);
                }
                Mutation::DeleteFromColumn { qualifier, range, .. } => writer.delete_column(ColumnTombstone {
                    family,
                    qualifier: qualifier.0.clone(),
                    start: range.start,
                    end: if range.end == 0 { Timestamp::MAX } else { range.end },
                }),
                Mutation::DeleteFromFamily { .. } => writer.delete_family(family),
                Mutation::DeleteFromRow => writer.delete_row(),
            }
        }
        self.maintain(storage, now, index);
        Ok(())
    }
}

/// The server's time as a cell has it.
fn truncate(now: Timestamp) -> Timestamp {
    now.max(0) / TIMESTAMP_GRANULARITY_MICROS * TIMESTAMP_GRANULARITY_MICROS
}

/// Checks everything, and finds the family of each mutation (0 for one that names none).
fn check(row: &RowMutation, families: &Families, found: &mut Vec<FamilyId>) -> Result<()> {
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
    found.clear();
    for (index, mutation) in row.mutations.iter().enumerate() {
        let family = check_mutation(mutation, families)
            .map_err(|error| Error::new(error.code, format!("Error in mutation #{index} : {}", error.message)))?;
        found.push(family);
    }
    Ok(())
}

fn check_mutation(mutation: &Mutation, families: &Families) -> Result<FamilyId> {
    match mutation {
        Mutation::SetCell { family, qualifier, timestamp, value } => {
            let family = find_family(family, families)?;
            check_qualifier(qualifier)?;
            if *timestamp != SERVER_TIME {
                check_timestamp(*timestamp)?;
            }
            if value.len() > VALUE_BYTES_MAX {
                return Err(Error::invalid(format!(
                    "value has {} bytes, the limit is {VALUE_BYTES_MAX}: cut it into several cells",
                    value.len()
                )));
            }
            Ok(family)
        }
        Mutation::DeleteFromColumn { family, qualifier, range } => {
            let family = find_family(family, families)?;
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
            Ok(family)
        }
        Mutation::DeleteFromFamily { family } => find_family(family, families),
        Mutation::DeleteFromRow => Ok(0),
    }
}

fn find_family(name: &str, families: &Families) -> Result<FamilyId> {
    families.get(name).copied().ok_or_else(|| {
        Error::not_found(format!("unknown family \"{name}\": the table {}; create the family first", known(families)))
    })
}

/// The families that there are, in the order of their creation; of many the first ten.
fn known(families: &Families) -> String {
    let names: Vec<(FamilyId, &str)> = families.iter().map(|(name, &id)| (id, name.as_str())).collect();
    let names = sorted(names, Ord::cmp);
    let listed = names.iter().take(10).map(|&(_, name)| name).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "has no families".into(),
        1..=10 => format!("has {listed}"),
        count => format!("has {listed} and {} more", count - 10),
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
