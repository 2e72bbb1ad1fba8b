//! The cells of a cursor's row: one at a time, a part at a time, or as they are stored.

use tabletop_model::Timestamp;
use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;

use super::{DROPPED_MAX, HeldBlock, StoredCursor, loaded};
use crate::codec::Damage;
use crate::columns::FamilyId;
use crate::filter::{ColumnVerdicts, Filter, Needed, Pick, Verdict};
use crate::gc::Collector;
use crate::sstable::row::{BlockCell, StoredValue};
use crate::sstable::words::Decoded;
use crate::sstable::{Block, Dictionary, Writer};
use crate::sstable::{CellPlace, ValueKind};
use crate::storage::StorageError;

impl StoredCursor<'_> {
    /// Returns the next cell of the row. Blocks without a needed cell are skipped. Its value must
    /// be resolved before it is read.
    #[inline]
    pub fn next_cell(&mut self, needed: Needed<'_>) -> Result<Option<CellPlace>, StorageError> {
        if !self.enter_part(needed)? {
            return Ok(None);
        }
        let held = self.held.len() - 1;
        let dictionary = loaded(&self.dictionary);
        match self.cells.next(&self.held[held].block, dictionary) {
            Ok(cell) => Ok(Some(place(held, cell, dictionary))),
            Err(damage) => Err(self.damage(damage)),
        }
    }

    /// Makes the value of a cell readable, until the cursor moves on.
    pub fn resolve(&mut self, place: &mut CellPlace) -> Result<(), StorageError> {
        let block = &self.held[place.held as usize].block;
        resolve_in(block, loaded(&self.dictionary), &mut self.decoded, place)
            .map_err(|damage| self.damage(damage))
    }

    /// Passes the cells of the part that the filter does not drop to `each`, with their values
    /// resolved. Returns the number of cells that were examined. After many dropped cells, it
    /// leaves the rest of the part.
    pub fn part(
        &mut self,
        mut filter: Option<&mut Filter>,
        mut each: impl FnMut(CellPlace, Verdict),
    ) -> Result<u32, StorageError> {
        let index = self.held.len() - 1;
        let StoredCursor { held, dictionary, cells, verdicts, shapes, decoded, dropped, .. } = self;
        let held = &mut held[index];
        let dictionary = loaded(dictionary);
        let count = cells.count;
        let picks = match (&mut filter, cells.shape()) {
            (Some(filter), Some(shape)) => {
                let columns = dictionary.shape(shape).unwrap_or_default();
                let judge = |column| verdicts.get(column, filter, || dictionary.column(column));
                Some(shapes.get(shape, columns, judge).picks.as_slice())
            }
            _ => None,
        };
        if picks.is_some_and(<[Pick]>::is_empty) {
            self.pass_part();
            return Ok(count);
        }
        let mut picks = picks.map(|picks| picks.iter().peekable());
        let mut passed = Ok(());
        for at in 0..count {
            let cell = match cells.next(&held.block, dictionary) {
                Ok(cell) => cell,
                Err(damage) => {
                    passed = Err(damage);
                    break;
                }
            };
            let verdict = match (&mut picks, &mut filter) {
                (Some(picks), _) => match picks.next_if(|pick| pick.place == at) {
                    Some(pick) => pick.verdict,
                    None => continue,
                },
                (None, Some(filter)) => judge(cell.column, held, dictionary, verdicts, filter),
                (None, None) => Verdict::Keep,
            };
            if verdict == Verdict::Drop {
                *dropped += 1;
                if *dropped >= DROPPED_MAX {
                    break;
                }
                continue;
            }
            *dropped = 0;
            let mut place = place(index, cell, dictionary);
            if let Err(damage) = resolve_in(&held.block, dictionary, decoded, &mut place) {
                passed = Err(damage);
                break;
            }
            each(place, verdict);
        }
        passed.map_err(|damage| self.damage(damage)).map(|()| count - self.cells.count)
    }

    /// Passes the row's cells to `each`, with its key. This is the fast path, for a row of a known
    /// shape with one time whose cells the filter keeps or drops by their columns. Returns the
    /// number of its cells. For other rows, returns `None` and does nothing.
    #[inline]
    pub fn hand_out(
        &mut self,
        filter: Option<&mut Filter>,
        mut each: impl FnMut(&[u8], FamilyId, &[u8], Timestamp, &[u8]),
    ) -> Result<Option<u32>, StorageError> {
        if self.goes_on() {
            return Ok(None);
        }
        let StoredCursor { held, dictionary, cells, verdicts, shapes, decoded, key, .. } = self;
        let (Some(shape), Some(granules), [HeldBlock { block, .. }]) =
            (cells.shape(), cells.one_time(), held.as_slice())
        else {
            return Ok(None);
        };
        let dictionary = loaded(dictionary);
        let columns = dictionary.shape(shape).unwrap_or_default();
        // The time was checked when the row was opened.
        let timestamp = granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS);
        let mut hand = |column: u32, value: &[u8]| {
            let (family, qualifier) = dictionary.column(column);
            each(key, family, qualifier, timestamp, value);
        };
        let count = cells.count;
        let picks = match filter {
            Some(filter) => {
                let judge = |column| verdicts.get(column, filter, || dictionary.column(column));
                let verdict = shapes.get(shape, columns, judge);
                if verdict.needs_test {
                    return Ok(None);
                }
                Some(verdict.picks.as_slice())
            }
            None => None,
        };
        let done = match (cells.packed(block), picks) {
            (Some(words), None) => columns.iter().zip(words).try_for_each(|(&column, word)| {
                hand(column, dictionary.word(u16::from_le_bytes(*word).into())?);
                Some(())
            }),
            (Some(words), Some(picks)) => picks.iter().try_for_each(|pick| {
                let word = words.get(pick.place as usize)?;
                hand(pick.column, dictionary.word(u16::from_le_bytes(*word).into())?);
                Some(())
            }),
            (None, picks) => {
                decoded.clear();
                let mut hand_stored = |column: u32, value: StoredValue| {
                    match value {
                        StoredValue::Word(word) => hand(column, dictionary.word(word)?),
                        StoredValue::Raw { start, length } => {
                            hand(column, &block.bytes()[start..][..length as usize]);
                        }
                        StoredValue::Tokens { start, length } => {
                            let (start, length) = decode(block, dictionary, decoded, start, length)?;
                            hand(column, decoded.get(start, length));
                        }
                    }
                    Some(())
                };
                match picks {
                    None => columns
                        .iter()
                        .zip(cells.values(block))
                        .try_for_each(|(&column, value)| hand_stored(column, value?)),
                    Some([]) => Some(()),
                    Some(picks) => {
                        let mut values = cells.values(block);
                        let mut at = 0;
                        picks.iter().try_for_each(|pick| {
                            let value = values.nth((pick.place - at) as usize)??;
                            at = pick.place + 1;
                            hand_stored(pick.column, value)
                        })
                    }
                }
            }
        };
        if done.is_none() {
            let damage =
                Damage::new(block.row_data(self.row).map_or(0, |data| data.0), "invalid values", "a row");
            return Err(self.damage(damage));
        }
        self.cells.count = 0;
        Ok(Some(count))
    }

    /// Returns whether some of the row's cells may be collected, judged by its shape and time.
    pub fn may_lose(&self, collector: &mut Collector) -> bool {
        let dictionary = self.dictionary();
        let Some(columns) = self.cells.shape().and_then(|shape| dictionary.shape(shape)) else { return true };
        let timestamp =
            self.cells.one_time().map(|granules| granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS));
        // Versions of a column differ in their times.
        let has_versions = timestamp.is_none() && columns.windows(2).any(|pair| pair[0] == pair[1]);
        has_versions
            || columns
                .iter()
                .any(|&column| collector.may_collect_newest(dictionary.column(column).0, timestamp))
    }

    /// Copies the row to an SSTable that is being written, in which it was begun. Returns `false`,
    /// and does nothing, if the row spans several blocks.
    pub fn copy(&mut self, writer: &mut Writer) -> Result<bool, StorageError> {
        let [HeldBlock { block, .. }] = self.held.as_slice() else { return Ok(false) };
        if self.goes_on() {
            return Ok(false);
        }
        let copied = writer.copy(self.table.file, self.dictionary(), block, self.cells);
        self.cells.count = 0;
        copied.map(|()| true).map_err(|damage| self.damage(damage))
    }

    #[inline]
    pub fn column(&self, place: &CellPlace) -> (FamilyId, &[u8]) {
        self.held[place.held as usize].block.column(place.column, self.dictionary())
    }

    /// Returns the value of a cell that is resolved.
    #[inline]
    pub fn value(&self, place: &CellPlace) -> &[u8] {
        let CellPlace { value_start, value_length, .. } = *place;
        match place.kind {
            ValueKind::Word => self.dictionary().word_at(value_start, value_length),
            ValueKind::Decoded => self.decoded.get(value_start, value_length),
            ValueKind::Plain | ValueKind::Tokens => {
                debug_assert!(place.kind == ValueKind::Plain, "the value is resolved");
                &self.held[place.held as usize].block.bytes()[value_start..][..value_length as usize]
            }
        }
    }

    /// Returns the results of the filter's column tests for a cell.
    pub fn facts(&self, place: &CellPlace) -> &[u64] {
        match place.column.checked_sub(self.dictionary().column_count() as u32) {
            None => self.verdicts.facts(place.column),
            Some(own) => self.held[place.held as usize].verdicts.facts(own),
        }
    }

    pub fn verdict(&mut self, place: &CellPlace, filter: &mut Filter) -> Verdict {
        let held = &mut self.held[place.held as usize];
        let verdict = judge(place.column, held, loaded(&self.dictionary), &mut self.verdicts, filter);
        self.dropped = if verdict == Verdict::Drop { self.dropped + 1 } else { 0 };
        verdict
    }
}

/// Returns the place of a cell of the block that is held at this index.
#[inline]
fn place(held: usize, cell: BlockCell, dictionary: &Dictionary) -> CellPlace {
    let (kind, value_start, value_length) = match cell.value {
        StoredValue::Word(word) => {
            let (start, length) = dictionary.word_place(word).unwrap_or_default();
            (ValueKind::Word, start, length)
        }
        StoredValue::Raw { start, length } => (ValueKind::Plain, start, length),
        StoredValue::Tokens { start, length } => (ValueKind::Tokens, start, length),
    };
    CellPlace {
        held: held as u32,
        column: cell.column,
        value_length,
        kind,
        value_start,
        timestamp: cell.timestamp,
    }
}

/// Makes the value of a cell readable.
#[inline]
fn resolve_in(
    block: &Block,
    dictionary: &Dictionary,
    decoded: &mut Decoded,
    place: &mut CellPlace,
) -> Result<(), Damage> {
    if place.kind == ValueKind::Tokens {
        let CellPlace { value_start: at, value_length, .. } = *place;
        let (start, length) = decode(block, dictionary, decoded, at, value_length)
            .ok_or_else(|| Damage::new(at, "invalid tokens", "the tokens of a value"))?;
        (place.kind, place.value_start, place.value_length) = (ValueKind::Decoded, start, length);
    }
    Ok(())
}

/// Decodes tokens of the block, and returns the place of their text; `None` when they are invalid.
#[inline]
fn decode(
    block: &Block,
    dictionary: &Dictionary,
    decoded: &mut Decoded,
    start: usize,
    length: u32,
) -> Option<(usize, u32)> {
    decoded.decode(&block.bytes()[start..][..length as usize], dictionary)
}

/// Returns the filter's verdict on a column of the file, or of the block's own columns.
#[inline]
fn judge(
    column: u32,
    held: &mut HeldBlock<'_>,
    dictionary: &Dictionary,
    verdicts: &mut ColumnVerdicts,
    filter: &mut Filter,
) -> Verdict {
    let HeldBlock { block, verdicts: own_verdicts } = held;
    match column.checked_sub(dictionary.column_count() as u32) {
        None => verdicts.get(column, filter, || dictionary.column(column)),
        Some(own) => own_verdicts.get(own, filter, || block.column(column, dictionary)),
    }
}
