//! The dictionary of an SSTable that is being written. Strings that occur again get an entry; an
//! entry for one that occurs once gains nothing.

use alloc::vec::Vec;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::intern::{Interner, SeenHashes};
use super::words::{
    Pieces, TOKENS_VALUE_BYTES_MAX, Token, TokenWriter, WORD_BYTES_MAX, WORDS_MAX, first_part, name_length,
    next_token, put_tokens,
};
use crate::codec::{put_bytes, put_varint};
use crate::columns::FamilyId;

/// Limits of a dictionary: a read of the file needs all of it in memory.
const WORDS_BYTES_MAX: usize = 2 << 20;
const COLUMNS_MAX: usize = 1 << 16;
const COLUMNS_BYTES_MAX: usize = 2 << 20;
const SHAPES_MAX: usize = 4_096;
const SHAPES_BYTES_MAX: usize = 512 << 10;
/// Rows with more cells list their columns instead of using a shape.
pub(super) const SHAPE_CELLS_MAX: usize = 256;

/// After this many consecutive values without a gain, the search for words in values is suspended
/// for the same number of values.
const VAIN_TRIES_MAX: u32 = 64;

/// The encoding of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Word(u32),
    /// The bytes of the value.
    Raw,
    /// The stream of tokens that was written.
    Tokens,
}

/// When a string gets an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Now, because it is known to be worth one: an input of a compaction has it.
    Now,
    /// When it occurs a second time.
    IfRepeated,
}

/// A word of another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapped<'a> {
    /// The word has an entry here too.
    Word(u32),
    /// The bytes of the word, for which there was no room here.
    Bytes(&'a [u8]),
}

/// The part of the dictionary of an SSTable that is written.
#[derive(Debug, Default)]
pub(super) struct Learner {
    columns: Interner,
    shapes: Interner,
    words: Interner,
    seen_columns: SeenHashes,
    seen_shapes: SeenHashes,
    seen_words: SeenHashes,
    tokens: TokenWriter,
    vain_tries: u32,
    /// A buffer for a column or a shape as bytes.
    scratch: Vec<u8>,
}

impl Learner {
    /// Returns the approximate bytes of the dictionary in the file.
    pub fn bytes(&self) -> usize {
        self.columns.bytes() + self.shapes.bytes() / 2 + self.words.bytes() + self.words.len()
    }

    /// Returns whether this is the column with this number in the dictionary.
    #[inline]
    pub fn is_column(&self, column: u32, family: FamilyId, qualifier: &[u8]) -> bool {
        (column as usize) < self.columns.len()
            && self.columns.get(column).split_first_chunk::<2>() == Some((&family.to_be_bytes(), qualifier))
    }

    /// Returns the bytes that [`name_column`] produces for a column of the dictionary.
    pub fn column_name(&self, column: u32) -> &[u8] {
        self.columns.get(column)
    }

    /// Returns the number of a column, if the dictionary has it.
    pub fn known_column(&mut self, family: FamilyId, qualifier: &[u8]) -> Option<u32> {
        let hash = name_column(&mut self.scratch, family, qualifier);
        self.columns.find(hash, &self.scratch)
    }

    /// Returns the number of a column that has an entry, or gets one.
    pub fn column(&mut self, family: FamilyId, qualifier: &[u8], entry: Entry) -> Option<u32> {
        let hash = name_column(&mut self.scratch, family, qualifier);
        self.columns.find(hash, &self.scratch).or_else(|| {
            let has_room = self.columns.len() < COLUMNS_MAX
                && self.columns.bytes() + self.scratch.len() <= COLUMNS_BYTES_MAX;
            (has_room && (entry == Entry::Now || self.seen_columns.seen_before(hash)))
                .then(|| self.columns.add(hash, &self.scratch))
        })
    }

    /// Returns the number of a shape that has an entry, or gets one.
    pub fn shape(&mut self, columns: impl ExactSizeIterator<Item = u32>, entry: Entry) -> Option<u32> {
        if columns.len() > SHAPE_CELLS_MAX {
            return None;
        }
        self.scratch.clear();
        columns.for_each(|column| self.scratch.extend_from_slice(&column.to_le_bytes()));
        let hash = xxh3_64(&self.scratch) as u32;
        self.shapes.find(hash, &self.scratch).or_else(|| {
            let has_room = self.shapes.len() < SHAPES_MAX
                && self.shapes.bytes() + self.scratch.len() <= SHAPES_BYTES_MAX;
            (has_room && (entry == Entry::Now || self.seen_shapes.seen_before(hash)))
                .then(|| self.shapes.add(hash, &self.scratch))
        })
    }

    /// Returns the number of a word that has an entry, or gets one.
    #[inline]
    pub fn word(&mut self, word: &[u8], entry: Entry) -> Option<u32> {
        // Not the hash of a key, so that the lower bits of the two are independent.
        let hash = xxh3_64_with_seed(word, 1) as u32;
        self.words.find(hash, word).or_else(|| {
            let has_room = self.words.len() < WORDS_MAX && self.words.bytes() + word.len() <= WORDS_BYTES_MAX;
            (has_room && (entry == Entry::Now || self.seen_words.seen_before(hash)))
                .then(|| self.words.add(hash, word))
        })
    }

    /// Decides the encoding of a value, and appends its bytes to the row.
    #[inline]
    pub fn value(&mut self, value: &[u8], out: &mut Vec<u8>) -> Code {
        if value.len() <= WORD_BYTES_MAX {
            if let Some(word) = self.word(value, Entry::IfRepeated) {
                return Code::Word(word);
            }
        } else if value.len() <= TOKENS_VALUE_BYTES_MAX {
            let rests = self.vain_tries >= VAIN_TRIES_MAX;
            self.vain_tries =
                if self.vain_tries >= VAIN_TRIES_MAX * 2 { 0 } else { self.vain_tries + u32::from(rests) };
            if !rests {
                self.tokens.clear();
                self.pieces(value);
                // A stream must save an eighth, because it costs more to read.
                if self.tokens.len() + value.len() / 8 < value.len() {
                    self.vain_tries = 0;
                    put_tokens(out, value.len(), &self.tokens);
                    return Code::Tokens;
                }
                self.vain_tries += 1;
            }
        }
        out.extend_from_slice(value);
        Code::Raw
    }

    /// Adds the tokens of a text.
    fn pieces(&mut self, text: &[u8]) {
        for piece in Pieces::of(text) {
            let mut rest = match self.word(piece.bytes, Entry::IfRepeated) {
                Some(word) => {
                    self.tokens.word(word);
                    continue;
                }
                None => piece.bytes,
            };
            // The list or object as a whole is new, but its parts may be words.
            while piece.is_group && !rest.is_empty() {
                let part = first_part(rest);
                rest = &rest[part.len()..];
                match self.word(part, Entry::IfRepeated) {
                    Some(word) => self.tokens.word(word),
                    None => self.literal(part),
                }
            }
            self.literal(rest);
        }
    }

    /// Adds a piece that is not a word; the field name in it may be one.
    fn literal(&mut self, piece: &[u8]) {
        let (name, rest) = piece.split_at(name_length(piece).unwrap_or(0));
        if !name.is_empty() {
            match self.word(name, Entry::IfRepeated) {
                Some(word) => self.tokens.word(word),
                None => self.tokens.literal(name),
            }
        }
        self.tokens.literal(rest);
    }

    /// Recodes a stream of another file's tokens with this file's words. `map` returns the number
    /// of a word in this file, or its bytes. Returns `None` if the stream is invalid.
    pub fn recode<'a>(
        &mut self,
        decoded_length: usize,
        mut tokens: &'a [u8],
        out: &mut Vec<u8>,
        mut map: impl FnMut(&mut Learner, u32) -> Option<Mapped<'a>>,
    ) -> Option<()> {
        self.tokens.clear();
        while let Some(token) = next_token(&mut tokens) {
            match token {
                Token::Word(word) => match map(self, word)? {
                    Mapped::Word(word) => self.tokens.word(word),
                    Mapped::Bytes(bytes) => self.tokens.literal(bytes),
                },
                Token::Literal(literal) => self.pieces(literal),
            }
        }
        put_tokens(out, decoded_length, &self.tokens);
        tokens.is_empty().then_some(())
    }

    /// Returns the dictionary as it is stored in the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes() + 64);
        put_varint(&mut out, self.columns.len() as u64);
        for column in self.columns.iter() {
            put_column(&mut out, column);
        }
        put_varint(&mut out, self.shapes.len() as u64);
        for shape in self.shapes.iter() {
            let (columns, _) = shape.as_chunks::<4>();
            put_varint(&mut out, columns.len() as u64);
            columns.iter().for_each(|column| put_varint(&mut out, u32::from_le_bytes(*column).into()));
        }
        put_varint(&mut out, self.words.len() as u64);
        out.extend(self.words.iter().map(|word| word.len() as u8));
        self.words.iter().for_each(|word| out.extend_from_slice(word));
        out
    }
}

/// Sets `name` to the bytes under which a column is numbered, and returns their hash.
pub(super) fn name_column(name: &mut Vec<u8>, family: FamilyId, qualifier: &[u8]) -> u32 {
    name.clear();
    name.extend_from_slice(&family.to_be_bytes());
    name.extend_from_slice(qualifier);
    xxh3_64(name) as u32
}

/// Writes a column with such a name in the encoding of dictionaries.
pub(super) fn put_column(out: &mut Vec<u8>, name: &[u8]) {
    let (family, qualifier) =
        name.split_first_chunk().expect("two bytes of the family are before each qualifier");
    put_varint(out, FamilyId::from_be_bytes(*family).into());
    put_bytes(out, qualifier);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sstable::dictionary::Dictionary;
    use crate::sstable::words::Decoded;
    use alloc::format;

    #[test]
    fn repeated_strings_are_in_the_dictionary() {
        let mut learner = Learner::default();
        for round in 0..2 {
            let is_known = round > 0;
            assert_eq!(learner.column(7, b"q", Entry::IfRepeated).is_some(), is_known);
            assert_eq!(learner.word(b"word", Entry::IfRepeated).is_some(), is_known);
            assert_eq!(learner.shape([0, 0].into_iter(), Entry::IfRepeated).is_some(), is_known);
        }
        assert_eq!(learner.column(7, b"p", Entry::Now), Some(1));
        assert!(
            learner.is_column(0, 7, b"q") && !learner.is_column(0, 7, b"p") && !learner.is_column(2, 7, b"q")
        );
        let dictionary = Dictionary::decode(&learner.encode()).unwrap();
        assert_eq!(dictionary.column(0), (7, &b"q"[..]));
        assert_eq!((dictionary.word(0), dictionary.word(1)), (Some(&b"word"[..]), None));
        assert_eq!((dictionary.shape(0), dictionary.shape(1)), (Some(&[0, 0][..]), None));
    }

    #[test]
    fn long_values_are_encoded_as_words_and_decoded() {
        let mut learner = Learner::default();
        let value = |n: usize| {
            format!(
                r#"{{"plan":"p{}","country":"c{}","session":{},"text":"nothing new here"}}"#,
                n % 3,
                n % 5,
                n * 7919
            )
        };
        let mut stored = Vec::new();
        for n in 0..200 {
            let mut out = Vec::new();
            let code = learner.value(value(n).as_bytes(), &mut out);
            stored.push((n, code, out));
        }
        let mut copier = Learner::default();
        let dictionary = Dictionary::decode(&learner.encode()).unwrap();
        let mut copies = Vec::new();
        for (n, code, bytes) in &stored {
            if *code == Code::Raw {
                assert_eq!(bytes, value(*n).as_bytes());
                continue;
            }
            let mut decoded = Decoded::default();
            let (start, length) = decoded.decode(bytes, &dictionary).unwrap();
            assert_eq!(decoded.get(start, length), value(*n).as_bytes());
            assert_eq!(decoded.decode(&bytes[..bytes.len() - 1], &dictionary), None, "a stream that is cut");
            let mut at = 0;
            let length = crate::codec::read_varint(bytes, &mut at).unwrap() as usize;
            let mut out = Vec::new();
            let mut map = |copier: &mut Learner, word| {
                Some(Mapped::Word(copier.word(dictionary.word(word)?, Entry::Now)?))
            };
            assert_eq!(copier.recode(length, &bytes[at..], &mut out, &mut map), Some(()));
            copies.push((n, out));
        }
        assert!(stored.iter().skip(50).all(|(_, code, bytes)| *code == Code::Tokens && bytes.len() < 30));
        let dictionary = Dictionary::decode(&copier.encode()).unwrap();
        for (n, bytes) in copies {
            let mut decoded = Decoded::default();
            let (start, length) = decoded.decode(&bytes, &dictionary).unwrap();
            assert_eq!(decoded.get(start, length), value(*n).as_bytes());
        }
    }
}
