//! Requests that read a row and write it depending on what they have read. No other request runs in
//! between, because a table runs one at a time. The log records the resulting writes, not the
//! request.

use alloc::format;
use alloc::vec::Vec;

use tabletop_model::limits::{FILTER_BYTES_MAX, MUTATIONS_MAX};
use tabletop_model::{
    Cell, CheckAndMutateRow, Code, ColumnRange, Error, ReadModify, ReadModifyWriteRow, ReadRows, Result, Row,
    RowFilter, RowKey, RowSet, Timestamp,
};

use crate::change::{Changes, Op};
use crate::columns::FamilyId;
use crate::families::FamilyKind;
use crate::storage::Storage;
use crate::table::Table;
use crate::table::mutate::{
    Inputs, check_count, check_key, check_qualifier, check_value, not_plain, resolve, truncate,
};
use crate::table::scan::{CellRef, RowVisitor};
use crate::table::split::FlushAttempts;

/// The maximum number of columns that are read by name.
const COLUMNS_ASKED: usize = 16;
/// The maximum number of bytes of their qualifiers: a filter names each of them twice, and its size
/// is limited.
const QUALIFIER_BYTES_ASKED: usize = FILTER_BYTES_MAX / 4;

impl Table {
    /// Changes a row depending on whether a filter matches any of its cells. Returns whether it
    /// did.
    ///
    /// # Errors
    /// The errors of [`Table::scan`] and of an entry of [`Table::mutate_rows`], and
    /// `InvalidArgument` without any mutation. After an error, nothing has changed. Errors in the
    /// mutations that are not applied go unnoticed.
    pub fn check_and_mutate_row(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        request: &CheckAndMutateRow,
    ) -> Result<bool> {
        let CheckAndMutateRow { key, predicate, on_match, otherwise } = request;
        check_key(key)?;
        if on_match.is_empty() && otherwise.is_empty() {
            return Err(Error::invalid(format!(
                "No mutations provided for row \"{key}\": send some for one of the two cases"
            )));
        }
        check_count(key, on_match)?;
        check_count(key, otherwise)?;
        let read = ReadRows { rows: one_row(key), filter: predicate.clone(), ..ReadRows::default() };
        let mut found = AnyCell(false);
        self.scan(storage, &read, &mut found)?;
        let mutations = if found.0 { on_match } else { otherwise };
        let inputs = Inputs::of(mutations, &self.families);
        let mut changes = Changes::with_capacity(mutations.len());
        resolve(mutations, &inputs, &self.families, now, &mut changes)?;
        changes.end_row(key);
        self.make_room(storage, key, &mut FlushAttempts::default())?;
        self.commit(storage, now, &changes)?;
        Ok(found.0)
    }

    /// Appends to cells of a row and increments them. Returns the new cells.
    ///
    /// # Errors
    /// `NotFound` for a family that the table does not have; `InvalidArgument` for an aggregate
    /// family, for a request without rules or for one that breaks a limit; `FailedPrecondition`
    /// when a cell to increment does not hold a number. After an error, nothing has changed.
    pub fn read_modify_write_row(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        request: &ReadModifyWriteRow,
    ) -> Result<Row> {
        let ReadModifyWriteRow { key, rules } = request;
        check_key(key)?;
        if rules.is_empty() || rules.len() > MUTATIONS_MAX {
            return Err(Error::invalid(format!(
                "{} rules for row \"{key}\": send 1 to {MUTATIONS_MAX} of them in a request",
                rules.len()
            )));
        }
        let mut columns = Vec::with_capacity(rules.len());
        for (index, rule) in rules.iter().enumerate() {
            let family = self.families.find(&rule.family).and_then(|id| {
                check_qualifier(&rule.qualifier)?;
                let kind = FamilyKind::of(self.families.kinds(), id);
                if kind == FamilyKind::Plain { Ok(id) } else { Err(not_plain(&rule.family)) }
            });
            columns.push((family.map_err(|error| in_rule(index, error))?, rule.qualifier.as_slice()));
        }
        let mut cells = self.newest_cells(storage, key, &columns)?;
        for (index, (rule, (family, qualifier))) in rules.iter().zip(&columns).enumerate() {
            let place = cells.binary_search_by(|cell| {
                (cell.family, cell.qualifier.as_slice()).cmp(&(*family, *qualifier))
            });
            let place = place.unwrap_or_else(|place| {
                cells.insert(
                    place,
                    NewestCell {
                        family: *family,
                        qualifier: qualifier.to_vec(),
                        value: None,
                        time: 0,
                        is_new: false,
                    },
                );
                place
            });
            cells[place].modify(&rule.modify, truncate(now)).map_err(|error| in_rule(index, error))?;
        }
        cells.retain(|cell| cell.is_new);
        let mut changes = Changes::with_capacity(cells.len());
        for NewestCell { family, qualifier, value, time, .. } in &cells {
            changes.push(Op::Set {
                family: *family,
                qualifier,
                timestamp: *time,
                value: value.as_deref().unwrap_or_default(),
            });
        }
        changes.end_row(key);
        self.make_room(storage, key, &mut FlushAttempts::default())?;
        self.commit(storage, now, &changes)?;
        let shown = |cell: NewestCell| Cell {
            family: self.families.names()[usize::from(cell.family)].clone(),
            qualifier: cell.qualifier.into(),
            timestamp: cell.time,
            value: cell.value.unwrap_or_default().into(),
            label: None,
        };
        Ok(Row { key: key.clone(), cells: cells.into_iter().map(shown).collect() })
    }

    /// Returns, in order, the newest cell of each of the given columns that has one. Cells of other
    /// columns may be among them.
    fn newest_cells(
        &mut self,
        storage: &mut dyn Storage,
        key: &RowKey,
        columns: &[(FamilyId, &[u8])],
    ) -> Result<Vec<NewestCell>> {
        let mut asked: Vec<RowFilter> = Vec::new();
        let qualifier_bytes: usize = columns.iter().map(|(_, qualifier)| qualifier.len()).sum();
        if columns.len() <= COLUMNS_ASKED && qualifier_bytes <= QUALIFIER_BYTES_ASKED {
            for (at, (family, qualifier)) in columns.iter().enumerate() {
                if !columns[..at].contains(&(*family, *qualifier)) {
                    let bound = || core::ops::Bound::Included((*qualifier).into());
                    let family = self.families.names()[usize::from(*family)].clone();
                    asked.push(RowFilter::ColumnRange(ColumnRange { family, start: bound(), end: bound() }));
                }
            }
        }
        let newest = RowFilter::CellsPerColumnLimit(1);
        let filter = match asked.len() {
            0 => newest,
            1 => RowFilter::Chain(asked.into_iter().chain([newest]).collect()),
            _ => RowFilter::Chain(alloc::vec![RowFilter::Interleave(asked), newest]),
        };
        let mut rows: Vec<Row> = Vec::new();
        self.scan(
            storage,
            &ReadRows { rows: one_row(key), filter: Some(filter), ..ReadRows::default() },
            &mut rows,
        )?;
        let mut cells = Vec::new();
        for cell in rows.into_iter().flat_map(|row| row.cells) {
            let family = self.families.find(&cell.family)?;
            let (qualifier, value) = (cell.qualifier.0, Some(cell.value.0));
            cells.push(NewestCell { family, qualifier, value, time: cell.timestamp, is_new: false });
        }
        Ok(cells)
    }
}

/// The newest version of a column, or a place for the first one.
struct NewestCell {
    family: FamilyId,
    qualifier: Vec<u8>,
    value: Option<Vec<u8>>,
    time: Timestamp,
    is_new: bool,
}

impl NewestCell {
    fn modify(&mut self, modify: &ReadModify, now: Timestamp) -> Result<()> {
        match modify {
            ReadModify::Append(bytes) => {
                let value = self.value.get_or_insert_default();
                check_value(value.len() + bytes.len())?;
                value.extend_from_slice(bytes);
            }
            ReadModify::Increment(amount) => {
                let number = match &self.value {
                    None => 0,
                    Some(value) => i64::from_be_bytes(value.as_slice().try_into().map_err(|_| {
                        Error::new(
                            Code::FailedPrecondition,
                            format!(
                                "the cell has {} bytes: only a number of 8 bytes can be incremented",
                                value.len()
                            ),
                        )
                    })?),
                };
                self.value = Some(number.wrapping_add(*amount).to_be_bytes().to_vec());
            }
        }
        self.time = self.time.max(now);
        self.is_new = true;
        Ok(())
    }
}

struct AnyCell(bool);

impl RowVisitor for AnyCell {
    fn row(&mut self, _: &[u8]) {
        self.0 = true;
    }

    fn cell(&mut self, _: CellRef<'_>) {}

    fn has_enough(&self) -> bool {
        self.0
    }
}

fn one_row(key: &RowKey) -> RowSet {
    RowSet { keys: alloc::vec![key.clone()], ranges: Vec::new() }
}

fn in_rule(index: usize, error: Error) -> Error {
    Error::new(error.code, format!("Error in rule #{index} : {}", error.message))
}
