//! The bytes of a block, part by part, as specified in `mod.rs` and `row.rs`, for display to users.
//! It reads a block on its own, from the first byte to the last, and never beyond the first damage.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::limits::TIMESTAMP_GRANULARITY_MICROS;
use tabletop_model::{BlockPart, PartKind, escape};

use super::block::{RESTART_ROWS, width};
use super::dictionary::Dictionary;
use super::row::{ColumnCode, HAS_TOMBSTONES, PACKED, SHAPE_SHIFT, TIMES_DIFFER};
use super::words::{Token, next_token};
use super::{CHECKSUM_BYTES, checked};
use crate::codec::{Damage, Decoder, little_endian, read_varint, unzigzag};
use crate::columns::FamilyId;

/// The maximum number of characters of a part's text.
const TEXT_CHARS_MAX: usize = 200;

/// The parts of a block.
pub(crate) struct Anatomy {
    /// The parts with a byte in the page.
    pub parts: Vec<BlockPart>,
    /// Bytes of keys, columns, times (8 each) and values; 0 after damage.
    pub logical_bytes: u64,
    /// The place where the bytes stop being those of a valid block.
    pub damage: Option<Damage>,
}

impl Anatomy {
    /// Reads a section, and describes the parts with a byte in `page`.
    pub fn of(
        section: &[u8],
        seed: u64,
        dictionary: &Dictionary,
        families: &[String],
        page: Range<usize>,
    ) -> Anatomy {
        let (payload, checksum) = section.split_at(section.len().saturating_sub(CHECKSUM_BYTES));
        let mut walk = Walk {
            decoder: Decoder::new(payload),
            dictionary,
            families,
            page,
            parts: Vec::new(),
            own: Vec::new(),
            logical: 0,
        };
        // A failed checksum is reported first: the rest may decode only by chance.
        let damage = checked(section, seed).err();
        let walked = walk
            .block()
            .map(|()| walk.part(PartKind::Checksum, payload.len()..section.len(), || hex(checksum)))
            .err();
        let damage = damage.or(walked);
        Anatomy { logical_bytes: if damage.is_some() { 0 } else { walk.logical }, parts: walk.parts, damage }
    }
}

struct Walk<'a> {
    decoder: Decoder<'a>,
    dictionary: &'a Dictionary,
    families: &'a [String],
    page: Range<usize>,
    parts: Vec<BlockPart>,
    /// The columns that only this block has.
    own: Vec<(FamilyId, &'a [u8])>,
    logical: u64,
}

/// A column, formatted only when it is shown.
#[derive(Clone, Copy)]
struct ColumnName<'a> {
    family: &'a str,
    qualifier: &'a [u8],
}

impl ColumnName<'_> {
    fn text(self) -> String {
        cut(format!("{}:{}", self.family, escape(self.qualifier)))
    }
}

impl<'a> Walk<'a> {
    fn block(&mut self) -> Result<(), Damage> {
        let rows = self.count(PartKind::RowCount, 2)?;
        let base = self.time(PartKind::BaseTime, 0)?;
        let at = self.decoder.at;
        let keys = self.count(PartKind::KeysLength, 1)?;
        let data = self.count(PartKind::DataLength, 1)?;
        for _ in 0..self.count(PartKind::ColumnCount, 2)? {
            let column = self.column_name()?;
            self.own.push(column);
        }
        let width = width(keys, data);
        let keys_end = self.decoder.at + keys;
        let data_at = keys_end + (rows.div_ceil(RESTART_ROWS) + rows) * width;
        if data_at + data != self.decoder.bytes.len() {
            return Err(Damage::new(at, data_at + data, "lengths that fill the block"));
        }
        self.keys(rows, keys_end)?;
        for _ in 0..rows.div_ceil(RESTART_ROWS) {
            self.offset(PartKind::Restart, width)?;
        }
        let mut ends = Vec::with_capacity(rows);
        for _ in 0..rows {
            ends.push(data_at + self.offset(PartKind::RowEnd, width)?);
        }
        for end in ends {
            let at = self.decoder.at;
            let whole = self.decoder.bytes;
            let Some(row) = whole.get(..end).filter(|_| end > at) else {
                return Err(Damage::new(at, end, "ascending ends of rows in the block"));
            };
            self.decoder.bytes = row;
            self.row(base)?;
            if self.decoder.at != end {
                return Err(Damage::new(self.decoder.at, end, "cells up to the end of the row"));
            }
            self.decoder.bytes = whole;
        }
        Ok(())
    }

    fn keys(&mut self, rows: usize, end: usize) -> Result<(), Damage> {
        let mut key: Vec<u8> = Vec::new();
        for row in 0..rows {
            if row.is_multiple_of(RESTART_ROWS) {
                key.clear();
            }
            let start = self.decoder.at;
            let shared = self.number(PartKind::SharedLength)?;
            let length = self.count(PartKind::RestLength, 1)?;
            if shared > key.len() as u64 {
                return Err(Damage::new(start, shared, "bytes that the key before has"));
            }
            key.truncate(shared as usize);
            let (at, rest) = (self.decoder.at, self.decoder.slice(length)?);
            key.extend_from_slice(rest);
            self.logical += key.len() as u64;
            self.part(PartKind::Key, at..at + length, || text(&key));
        }
        if self.decoder.at == end {
            Ok(())
        } else {
            Err(Damage::new(self.decoder.at, end, "keys up to the directory"))
        }
    }

    fn row(&mut self, base: i64) -> Result<(), Damage> {
        let start = self.decoder.at;
        let head = self.decoder.varint()?;
        let (is_packed, times_differ) = (head & PACKED != 0, head & TIMES_DIFFER != 0);
        let shape = match (head >> SHAPE_SHIFT).checked_sub(1) {
            None => None,
            Some(shape) => {
                let columns = u32::try_from(shape).ok().and_then(|shape| self.dictionary.shape(shape));
                Some((shape, columns.ok_or_else(|| Damage::new(start, shape, "the number of a shape"))?))
            }
        };
        let end = self.decoder.at;
        self.part(PartKind::RowHead, start..end, || {
            let mut says =
                shape.map_or_else(|| "list of columns".into(), |(shape, _)| format!("shape {shape}"));
            let flags = [
                (is_packed, ", packed"),
                (times_differ, ", times differ"),
                (head & HAS_TOMBSTONES != 0, ", deletions"),
            ];
            flags.iter().filter(|flag| flag.0).for_each(|flag| says.push_str(flag.1));
            says
        });
        if head & HAS_TOMBSTONES != 0 {
            self.deletes()?;
        }
        let cells = match shape {
            Some((_, columns)) => columns.len(),
            None => self.count(PartKind::CellCount, 2)?,
        };
        if is_packed && (shape.is_none() || times_differ) {
            return Err(Damage::new(start, head, "a packed row with a shape and one time"));
        }
        let mut time = base;
        if !times_differ && cells > 0 {
            time = self.time(PartKind::Time, base)?;
        }
        for cell in 0..cells {
            let (family, qualifier) = match shape {
                Some((_, columns)) => self.dictionary.column(columns[cell]),
                None => self.column()?,
            };
            if times_differ {
                time = self.time(PartKind::Time, time)?;
            }
            let column = ColumnName { family: self.family(family), qualifier };
            self.logical += (column.family.len() + qualifier.len()) as u64 + 8;
            if is_packed {
                let at = self.decoder.at;
                let word = little_endian(self.decoder.slice(2)?) as u32;
                self.word(at, word, column)?;
            } else {
                self.value(column)?;
            }
        }
        Ok(())
    }

    fn value(&mut self, column: ColumnName<'_>) -> Result<(), Damage> {
        let at = self.decoder.at;
        let code = self.decoder.varint()?;
        if code & 1 != 0 {
            let word =
                u32::try_from(code / 2).map_err(|_| Damage::new(at, code / 2, "a word of the dictionary"))?;
            return self.word(at, word, column);
        }
        let length = code / 4;
        let start = self.decoder.at;
        if length > (self.decoder.bytes.len() - start) as u64 {
            return Err(Damage::new(at, length, "a value that ends in the row"));
        }
        self.cell_part(PartKind::ValueLength, at..start, || length.to_string(), column);
        let bytes = self.decoder.slice(length as usize)?;
        if code & 2 == 0 {
            self.logical += length;
            self.cell_part(PartKind::Value, start..start + bytes.len(), || text(bytes), column);
        } else {
            let value = detokenized(bytes, self.dictionary)
                .ok_or_else(|| Damage::new(start, text(bytes), "words and pieces"))?;
            self.logical += value.len() as u64;
            self.cell_part(PartKind::Tokens, start..start + bytes.len(), || text(&value), column);
        }
        Ok(())
    }

    /// Reads a value that is a word, whose number begins at `at`.
    fn word(&mut self, at: usize, word: u32, column: ColumnName<'_>) -> Result<(), Damage> {
        let dictionary = self.dictionary;
        let bytes = dictionary.word(word).ok_or_else(|| Damage::new(at, word, "a word of the dictionary"))?;
        self.logical += bytes.len() as u64;
        let end = self.decoder.at;
        self.cell_part(PartKind::Word, at..end, || text(bytes), column);
        Ok(())
    }

    fn deletes(&mut self) -> Result<(), Damage> {
        let start = self.decoder.at;
        let row = self.decoder.varint()? != 0;
        let families = self.decoder.count(1)?;
        for _ in 0..families {
            self.decoder.varint()?;
        }
        let columns = self.decoder.count(3)?;
        for _ in 0..columns * 3 {
            self.decoder.varint()?;
        }
        let end = self.decoder.at;
        let says = || if row { "row".into() } else { format!("families {families}, columns {columns}") };
        self.part(PartKind::Deletes, start..end, says);
        Ok(())
    }

    /// Returns the name of a family; it is empty for a dropped one.
    fn family(&self, family: FamilyId) -> &'a str {
        self.families.get(usize::from(family)).map_or("", String::as_str)
    }

    /// Reads the name of one of the block's own columns.
    fn column_name(&mut self) -> Result<(FamilyId, &'a [u8]), Damage> {
        let start = self.decoder.at;
        let number = self.decoder.varint()?;
        let family =
            FamilyId::try_from(number).map_err(|_| Damage::new(start, number, "the number of a family"))?;
        let name = self.family(family);
        self.part(PartKind::Family, start..self.decoder.at, || name.into());
        let length = self.count(PartKind::QualifierLength, 1)?;
        let (at, qualifier) = (self.decoder.at, self.decoder.slice(length)?);
        self.part(PartKind::Qualifier, at..at + length, || text(qualifier));
        Ok((family, qualifier))
    }

    /// Reads the number of a column.
    fn column(&mut self) -> Result<(FamilyId, &'a [u8]), Damage> {
        let start = self.decoder.at;
        let code = self.decoder.u32()?;
        let dictionary = self.dictionary;
        let found = match ColumnCode(code).in_file() {
            Some(column) => {
                ((column as usize) < dictionary.column_count()).then(|| dictionary.column(column))
            }
            None => self.own.get((code / 2) as usize).copied(),
        };
        let (family, qualifier) =
            found.ok_or_else(|| Damage::new(start, code, "a column of a dictionary"))?;
        let name = ColumnName { family: self.family(family), qualifier };
        self.part(PartKind::Column, start..self.decoder.at, || name.text());
        Ok((family, qualifier))
    }

    /// Reads a time in granules, as the difference to another one.
    fn time(&mut self, kind: PartKind, before: i64) -> Result<i64, Damage> {
        let start = self.decoder.at;
        let granules = before.wrapping_add(unzigzag(self.decoder.varint()?));
        let micros = granules.checked_mul(TIMESTAMP_GRANULARITY_MICROS);
        let micros = micros.ok_or_else(|| Damage::new(start, granules, "a time that fits into 64 bits"))?;
        self.part(kind, start..self.decoder.at, || micros.to_string());
        Ok(granules)
    }

    /// Reads a count of items that take at least `bytes_each` of the following bytes each.
    fn count(&mut self, kind: PartKind, bytes_each: usize) -> Result<usize, Damage> {
        let start = self.decoder.at;
        let count = self.decoder.count(bytes_each)?;
        self.part(kind, start..self.decoder.at, || count.to_string());
        Ok(count)
    }

    fn number(&mut self, kind: PartKind) -> Result<u64, Damage> {
        let start = self.decoder.at;
        let number = self.decoder.varint()?;
        self.part(kind, start..self.decoder.at, || number.to_string());
        Ok(number)
    }

    fn offset(&mut self, kind: PartKind, width: usize) -> Result<usize, Damage> {
        let start = self.decoder.at;
        let offset = little_endian(self.decoder.slice(width)?) as usize;
        self.part(kind, start..start + width, || offset.to_string());
        Ok(offset)
    }

    fn part(&mut self, kind: PartKind, at: Range<usize>, says: impl FnOnce() -> String) {
        if at.start < self.page.end && at.end > self.page.start && !at.is_empty() {
            let (start, length) = (at.start as u32, at.len() as u32);
            self.parts.push(BlockPart { at: start, length, kind, text: says(), column: None });
        }
    }

    fn cell_part(
        &mut self,
        kind: PartKind,
        at: Range<usize>,
        says: impl FnOnce() -> String,
        column: ColumnName<'_>,
    ) {
        let before = self.parts.len();
        self.part(kind, at, says);
        self.parts[before..].iter_mut().for_each(|part| part.column = Some(column.text()));
    }
}

/// Assembles a value from its tokens.
fn detokenized(bytes: &[u8], dictionary: &Dictionary) -> Option<Vec<u8>> {
    let mut at = 0;
    let length = read_varint(bytes, &mut at)?;
    let (mut tokens, mut value) = (&bytes[at..], Vec::new());
    while !tokens.is_empty() {
        match next_token(&mut tokens)? {
            Token::Word(word) => value.extend_from_slice(dictionary.word(word)?),
            Token::Literal(literal) => value.extend_from_slice(literal),
        }
    }
    (value.len() as u64 == length).then_some(value)
}

/// Returns bytes as text of limited length.
fn text(bytes: &[u8]) -> String {
    cut(escape(&bytes[..bytes.len().min(TEXT_CHARS_MAX)]))
}

fn cut(text: String) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => text[..end].into(),
        None => text,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect()
}
