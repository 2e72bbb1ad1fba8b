//! Copies rows from one SSTable to another that is being written: dictionary numbers are replaced,
//! and values are not read.

use alloc::vec::Vec;

use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;

use super::dictionary::Dictionary;
use super::learn::{Code, Entry, Learner, Mapped};
use super::row::{ColumnCode, RowCells, StoredValue};
use super::writer::number;
use super::{Block, Writer};
use crate::codec::{Damage, read_varint};
use crate::storage::FileId;

/// A map from numbers in another file's dictionary to numbers in this one, filled as needed.
#[derive(Debug)]
pub(super) struct Maps {
    file: FileId,
    columns: Vec<u32>,
    shapes: Vec<u32>,
    words: Vec<u32>,
}

/// A number that was not looked up yet, and one that was looked up without success because this
/// dictionary is full.
const UNKNOWN: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 1;

impl Maps {
    fn new(file: FileId, from: &Dictionary) -> Maps {
        Maps {
            file,
            columns: alloc::vec![UNKNOWN; from.column_count()],
            shapes: alloc::vec![UNKNOWN; from.shape_count()],
            words: alloc::vec![UNKNOWN; from.word_count()],
        }
    }

    #[inline]
    fn word(&mut self, word: u32, from: &Dictionary, learner: &mut Learner) -> Option<u32> {
        let known = self.words.get_mut(word as usize)?;
        if *known == UNKNOWN {
            // The word was worth an entry in the other file, so it gets one here.
            *known = from.word(word).and_then(|word| learner.word(word, Entry::Now)).unwrap_or(NONE);
        }
        (*known != NONE).then_some(*known)
    }

    fn column(&mut self, column: u32, from: &Dictionary, learner: &mut Learner) -> Option<u32> {
        let known = self.columns.get_mut(column as usize)?;
        if *known == UNKNOWN {
            let (family, qualifier) = from.column(column);
            *known = learner.column(family, qualifier, Entry::Now).unwrap_or(NONE);
        }
        (*known != NONE).then_some(*known)
    }

    fn shape(&mut self, shape: u32, from: &Dictionary, learner: &mut Learner) -> Option<u32> {
        let known = *self.shapes.get(shape as usize)?;
        if known != UNKNOWN {
            return (known != NONE).then_some(known);
        }
        let columns = from.shape(shape)?.iter().map(|&column| self.column(column, from, learner));
        let mapped = columns
            .collect::<Option<Vec<u32>>>()
            .and_then(|columns| learner.shape(columns.into_iter(), Entry::Now));
        self.shapes[shape as usize] = mapped.unwrap_or(NONE);
        mapped
    }
}

impl Writer {
    /// Copies the cells of a row of a file, none of which has been read yet, into the row that was
    /// begun.
    pub(super) fn copy(
        &mut self,
        file: FileId,
        from: &Dictionary,
        block: &Block,
        mut cells: RowCells,
    ) -> Result<(), Damage> {
        let maps = match self.maps.iter().position(|maps| maps.file == file) {
            Some(maps) => maps,
            None => {
                self.maps.push(Maps::new(file, from));
                self.maps.len() - 1
            }
        };
        if self.copy_packed(maps, block, &cells, from) {
            return Ok(());
        }
        while cells.count > 0 {
            self.leave_full_block();
            let cell = cells.next(block, from)?;
            let Writer { maps: all, row, learner, block: to, last_column, counter, .. } = self;
            let maps = &mut all[maps];
            let (family, qualifier) = block.column(cell.column, from);
            let known = if (cell.column as usize) < from.column_count() {
                maps.column(cell.column, from, learner)
            } else {
                None
            };
            let column = match known {
                Some(column) => ColumnCode::of_file(column),
                None => number(learner, to, family, qualifier),
            };
            counter.cell(family, last_column.is_again(column, family, qualifier), cell.timestamp);
            let start = row.values().len();
            let code = match cell.value {
                StoredValue::Word(word) => match maps.word(word, from, learner) {
                    Some(word) => Code::Word(word),
                    None => {
                        row.values().extend_from_slice(from.word(word).unwrap_or_default());
                        Code::Raw
                    }
                },
                StoredValue::Raw { start, length } => {
                    learner.value(&block.bytes()[start..][..length as usize], row.values())
                }
                StoredValue::Tokens { start: at, length } => {
                    let stream = &block.bytes()[at..][..length as usize];
                    let mut after = 0;
                    let decoded = read_varint(stream, &mut after).and_then(|length| {
                        let map = |learner: &mut Learner, word: u32| {
                            let bytes = from.word(word)?;
                            Some(maps.word(word, from, learner).map_or(Mapped::Bytes(bytes), Mapped::Word))
                        };
                        learner.recode(length as usize, &stream[after..], row.values(), map)
                    });
                    decoded.ok_or_else(|| Damage::new(at, "invalid tokens", "the tokens of a value"))?;
                    Code::Tokens
                }
            };
            row.push(column, cell.timestamp / TIMESTAMP_GRANULARITY_MICROS, code, start);
        }
        Ok(())
    }

    /// Copies a row that consists of words only. Returns `false`, and does nothing, if it has other
    /// values or one of its words has no number here.
    fn copy_packed(&mut self, maps: usize, block: &Block, cells: &RowCells, from: &Dictionary) -> bool {
        let (Some(words), Some(shape), Some(granules)) =
            (cells.packed(block), cells.shape(), cells.one_time())
        else {
            return false;
        };
        let Writer { maps: all, row, learner, counter, .. } = self;
        let maps = &mut all[maps];
        let (columns, Some(shape)) =
            (from.shape(shape).unwrap_or_default(), maps.shape(shape, from, learner))
        else {
            return false;
        };
        let is_packed = row.pack(
            shape,
            granules,
            words.iter().map(|word| maps.word(u16::from_le_bytes(*word).into(), from, learner)),
        );
        let mut before = None;
        for &column in columns.iter().filter(|_| is_packed) {
            let time = granules.wrapping_mul(TIMESTAMP_GRANULARITY_MICROS);
            counter.cell(from.column(column).0, before.replace(column) == Some(column), time);
        }
        is_packed
    }
}
