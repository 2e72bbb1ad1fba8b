//! The dictionary of an SSTable as it is read: the columns, shapes and words that rows have in
//! common.
//!
//! ```text
//! dictionary = column_count (family qualifier_length qualifier)*
//!              shape_count (cell_count column*)*
//!              word_count length:1* words
//! ```
//! A shape is the list of the columns of a row's cells, in order. A column with several versions is
//! repeated.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;

use super::words::{WORD_BYTES_MAX, WORDS_MAX};
use crate::codec::{Damage, Decoder};
use crate::columns::FamilyId;

/// A dictionary in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    columns: Vec<Column>,
    qualifiers: Vec<u8>,
    /// The end of each shape in `shape_columns`.
    shape_ends: Vec<u32>,
    shape_columns: Vec<u32>,
    /// Start and length of each word, in one number.
    words: Vec<u32>,
    /// The bytes of all words, followed by padding as long as the longest possible word.
    word_bytes: Vec<u8>,
}

/// The dictionary of an open SSTable, while a read, a compaction or
/// [`Dictionaries`](crate::dictionaries::Dictionaries) holds it.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub dictionary: Weak<Dictionary>,
    /// Whether it was used again since it was read, or since it was last examined for eviction.
    pub was_used: bool,
}

impl Loaded {
    /// Returns the dictionary if it is in memory, and marks it as used.
    #[inline]
    pub fn get(&mut self) -> Option<Arc<Dictionary>> {
        self.was_used = true;
        self.dictionary.upgrade()
    }

    /// Sets the dictionary, which was just read.
    pub fn set(&mut self, dictionary: &Arc<Dictionary>) {
        *self = Loaded { dictionary: Arc::downgrade(dictionary), was_used: false };
    }
}

/// A column whose qualifier is stored elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub family: FamilyId,
    pub start: u32,
    pub length: u32,
}

const LENGTH_BITS: u32 = 7;

impl Dictionary {
    pub fn decode(bytes: &[u8]) -> Result<Dictionary, Damage> {
        let mut decoder = Decoder::new(bytes);
        let columns = read_columns(&mut decoder)?;
        let mut dictionary = Dictionary::default();
        for mut column in columns {
            let qualifier = &bytes[column.start as usize..][..column.length as usize];
            column.start = dictionary.qualifiers.len() as u32;
            dictionary.qualifiers.extend_from_slice(qualifier);
            dictionary.columns.push(column);
        }
        for _ in 0..decoder.count(1)? {
            let at = decoder.at;
            let cells = decoder.count(1)?;
            if cells == 0 {
                return Err(Damage::new(at, "a shape of no cells", "the columns of a shape"));
            }
            for _ in 0..cells {
                let at = decoder.at;
                let column = decoder.u32()?;
                if column as usize >= dictionary.columns.len() {
                    return Err(Damage::new(at, column, "a column of the dictionary"));
                }
                dictionary.shape_columns.push(column);
            }
            dictionary.shape_ends.push(dictionary.shape_columns.len() as u32);
        }
        let at = decoder.at;
        let count = decoder.count(1)?;
        if count > WORDS_MAX {
            return Err(Damage::new(at, count, "at most 65,280 words"));
        }
        let at = decoder.at;
        dictionary.words.reserve_exact(count);
        let mut start = 0;
        for &length in decoder.slice(count)? {
            if usize::from(length) > WORD_BYTES_MAX {
                return Err(Damage::new(at, length, "words of at most 64 bytes"));
            }
            dictionary.words.push(start << LENGTH_BITS | u32::from(length));
            start += u32::from(length);
        }
        dictionary.word_bytes.reserve_exact(start as usize + WORD_BYTES_MAX);
        dictionary.word_bytes.extend_from_slice(decoder.slice(start as usize)?);
        dictionary.word_bytes.resize(start as usize + WORD_BYTES_MAX, 0);
        if !decoder.is_at_end() {
            return Err(Damage::new(decoder.at, "more bytes", "the end of the dictionary"));
        }
        Ok(dictionary)
    }

    pub fn column_count(&self) -> usize {
        self.columns.len()
    }

    /// Returns the bytes that the dictionary takes in memory.
    pub fn bytes(&self) -> u64 {
        let Dictionary { columns, qualifiers, shape_ends, shape_columns, words, word_bytes } = self;
        let numbers = shape_ends.capacity() + shape_columns.capacity() + words.capacity();
        let columns = columns.capacity() * size_of::<Column>();
        (size_of::<Dictionary>()
            + columns
            + numbers * size_of::<u32>()
            + qualifiers.capacity()
            + word_bytes.capacity()) as u64
    }

    pub fn shape_count(&self) -> usize {
        self.shape_ends.len()
    }

    pub fn word_count(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub fn column(&self, column: u32) -> (FamilyId, &[u8]) {
        let column = self.columns[column as usize];
        (column.family, &self.qualifiers[column.start as usize..][..column.length as usize])
    }

    /// Returns the columns of a shape's cells.
    #[inline]
    pub fn shape(&self, shape: u32) -> Option<&[u32]> {
        let end = *self.shape_ends.get(shape as usize)? as usize;
        let start = if shape == 0 { 0 } else { self.shape_ends[shape as usize - 1] as usize };
        self.shape_columns.get(start..end)
    }

    #[inline]
    pub fn word(&self, word: u32) -> Option<&[u8]> {
        let (start, length) = self.word_place(word)?;
        self.word_bytes.get(start..)?.get(..length as usize)
    }

    /// Returns the place of a word in the bytes of all words, and its length.
    #[inline]
    pub fn word_place(&self, word: u32) -> Option<(usize, u32)> {
        let place = *self.words.get(word as usize)?;
        Some(((place >> LENGTH_BITS) as usize, place & ((1 << LENGTH_BITS) - 1)))
    }

    /// Returns the bytes of the word at a place.
    #[inline]
    pub fn word_at(&self, start: usize, length: u32) -> &[u8] {
        &self.word_bytes[start..][..length as usize]
    }

    /// Copies a word to the beginning of `out` and returns its length. Bytes after the word are
    /// overwritten: copying a fixed length takes a few instructions, copying a variable length
    /// takes a call.
    #[inline]
    pub fn copy_word(&self, word: u32, out: &mut [u8]) -> Option<usize> {
        const SHORT: usize = WORD_BYTES_MAX / 2;
        let (start, length) = self.word_place(word)?;
        let from = self.word_bytes.get(start..)?.first_chunk::<WORD_BYTES_MAX>()?;
        let out = out.first_chunk_mut::<WORD_BYTES_MAX>()?;
        out[..SHORT].copy_from_slice(&from[..SHORT]);
        if length as usize > SHORT {
            out[SHORT..].copy_from_slice(&from[SHORT..]);
        }
        Some(length as usize)
    }
}

/// Reads a list of columns without copying their qualifiers.
pub(super) fn read_columns(decoder: &mut Decoder<'_>) -> Result<Vec<Column>, Damage> {
    let count = decoder.count(2)?;
    let mut columns = Vec::with_capacity(count);
    for _ in 0..count {
        let at = decoder.at;
        let family = decoder.varint()?;
        let Ok(family) = FamilyId::try_from(family) else {
            return Err(Damage::new(at, family, "the number of a family"));
        };
        let length = decoder.count(1)?;
        columns.push(Column { family, start: decoder.at as u32, length: length as u32 });
        decoder.slice(length)?;
    }
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_cells() {
        let opened = |shape: &[u8]| Dictionary::decode(&[&[1, 0, 0, 1], shape, &[0]].concat()).is_ok();
        assert!(opened(&[1, 0]) && !opened(&[0]));
    }
}
