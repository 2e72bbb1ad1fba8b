//! Long values as references to words. Values are cut after separators; pieces that occurred before
//! take two bytes each.
//!
//! ```text
//! tokens = decoded_length token*
//! token  = word:2                         below 0xff00
//!        | 0xff00 + length - 1:2 bytes    1 to 256 bytes that are in no dictionary
//! ```
//! Decoding copies short strings, which a browser does at the speed of memory; LZ4 would cost four
//! times as much.

use alloc::vec::Vec;

use super::dictionary::Dictionary;
use crate::codec::{put_varint, read_varint};

/// The maximum number of bytes of a word: few enough that most copies of one have a fixed length.
pub(super) const WORD_BYTES_MAX: usize = 64;
/// The largest number of words. In a stream of tokens, numbers from this one up are literals.
pub(super) const WORDS_MAX: usize = 0xff00;
/// Longer values are stored as they are, because decoded values must be kept for the cells of a
/// whole row.
pub(super) const TOKENS_VALUE_BYTES_MAX: usize = 16 << 10;
const LITERAL_BYTES_MAX: usize = 256;

/// A part of a text that may be a word. It ends with a list or an object, if that ends nearby,
/// otherwise at a separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub bytes: &'a [u8],
    /// Whether it has several parts, which are looked up if it is not a word itself.
    pub is_group: bool,
}

/// Whether a byte ends a piece.
const SEPARATORS: [bool; 256] = {
    let mut table = [false; 256];
    let mut rest: &[u8] = b",; \n&|";
    while let [first, others @ ..] = rest {
        table[*first as usize] = true;
        rest = others;
    }
    table
};

/// Shorter pieces are not cut, except at the end of a text.
const PIECE_BYTES_MIN: usize = 4;

/// The pieces of a text. A piece does not depend on the text before it.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    text: &'a [u8],
    at: usize,
    /// No list or object ends in the text from `at` to here, so each byte is searched only once.
    searched: usize,
}

impl<'a> Pieces<'a> {
    pub fn of(text: &'a [u8]) -> Pieces<'a> {
        Pieces { text, at: 0, searched: 0 }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    #[inline]
    fn next(&mut self) -> Option<Piece<'a>> {
        let start = self.at;
        let window = &self.text[..self.text.len().min(start + WORD_BYTES_MAX)];
        if start == window.len() {
            return None;
        }
        let first = start + PIECE_BYTES_MIN - 1;
        let ends_group = |at: &usize| window[*at] == b',' && matches!(window[at - 1], b']' | b'}' | b')');
        let group_end = (first.max(self.searched)..window.len()).find(ends_group);
        let mut part_ends =
            (first..group_end.unwrap_or(window.len())).filter(|at| SEPARATORS[usize::from(window[*at])]);
        let part_end = part_ends.next();
        self.at = group_end.or(part_end).map_or(window.len(), |at| at + 1);
        self.searched = group_end.map_or(window.len(), |at| at + 1);
        Some(Piece { bytes: &self.text[start..self.at], is_group: group_end.is_some() && part_end.is_some() })
    }
}

/// Returns the first part of a group that is not empty: up to a separator.
#[inline]
pub(super) fn first_part(group: &[u8]) -> &[u8] {
    let ends = group.iter().skip(PIECE_BYTES_MIN - 1).position(|byte| SEPARATORS[usize::from(*byte)]);
    &group[..ends.map_or(group.len(), |at| at + PIECE_BYTES_MIN)]
}

/// Returns where a piece that is not a word may be cut again: after the name of a field whose value
/// is new.
pub(super) fn name_length(piece: &[u8]) -> Option<usize> {
    let at = piece.iter().position(|byte| matches!(byte, b':' | b'='))?;
    (at >= 3 && at + 1 < piece.len()).then_some(at + 1)
}

/// Writes a sequence of tokens; adjacent literals become one.
#[derive(Debug, Default)]
pub(super) struct TokenWriter {
    tokens: Vec<u8>,
    /// The place of the open literal's token.
    literal: Option<usize>,
}

impl TokenWriter {
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.literal = None;
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    #[inline]
    pub fn word(&mut self, word: u32) {
        self.literal = None;
        self.tokens.extend_from_slice(&(word as u16).to_le_bytes());
    }

    pub fn literal(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let at = match self.literal {
                Some(at) if self.tokens.len() - at - 2 < LITERAL_BYTES_MAX => at,
                _ => {
                    let at = self.tokens.len();
                    self.tokens.extend_from_slice(&[0, 0xff]);
                    self.literal = Some(at);
                    at
                }
            };
            let room = LITERAL_BYTES_MAX - (self.tokens.len() - at - 2);
            let (now, rest) = bytes.split_at(room.min(bytes.len()));
            self.tokens.extend_from_slice(now);
            self.tokens[at] = (self.tokens.len() - at - 3) as u8;
            bytes = rest;
        }
    }
}

/// Writes the stream of a value whose tokens are ready.
pub(super) fn put_tokens(out: &mut Vec<u8>, decoded_length: usize, writer: &TokenWriter) {
    put_varint(out, decoded_length as u64);
    out.extend_from_slice(&writer.tokens);
}

/// One token of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(u32),
    Literal(&'a [u8]),
}

/// Reads the next token. Returns `None` at the end and where the bytes are invalid.
#[inline]
pub(super) fn next_token<'a>(tokens: &mut &'a [u8]) -> Option<Token<'a>> {
    let (&[low, high], rest) = tokens.split_first_chunk::<2>()?;
    if high != 0xff {
        *tokens = rest;
        return Some(Token::Word(u16::from_le_bytes([low, high]).into()));
    }
    let (literal, rest) = rest.split_at_checked(usize::from(low) + 1)?;
    *tokens = rest;
    Some(Token::Literal(literal))
}

/// Decoded texts, one after another. They do not move until all are discarded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoded {
    /// The buffer, longer than the used part: a copy of a fixed length may write beyond its text's
    /// end.
    bytes: Vec<u8>,
    used: usize,
}

impl Decoded {
    pub fn clear(&mut self) {
        self.used = 0;
    }

    #[inline]
    pub fn get(&self, start: usize, length: u32) -> &[u8] {
        &self.bytes[start..][..length as usize]
    }

    /// Decodes a stream and returns the place of its text, or `None` if it is invalid.
    #[inline]
    pub fn decode(&mut self, stream: &[u8], dictionary: &Dictionary) -> Option<(usize, u32)> {
        let mut at = 0;
        let length = read_varint(stream, &mut at)?;
        if length > TOKENS_VALUE_BYTES_MAX as u64 {
            return None;
        }
        let (start, end) = (self.used, self.used + length as usize);
        if self.bytes.len() < end + WORD_BYTES_MAX {
            self.bytes.resize((end + WORD_BYTES_MAX).next_power_of_two(), 0);
        }
        let out = &mut self.bytes[..end + WORD_BYTES_MAX];
        let mut to = start;
        let mut tokens = &stream[at..];
        while let Some(token) = next_token(&mut tokens) {
            match token {
                Token::Word(word) => to += dictionary.copy_word(word, out.get_mut(to..)?)?,
                Token::Literal(literal) => {
                    out.get_mut(to..)?.get_mut(..literal.len())?.copy_from_slice(literal);
                    to += literal.len();
                }
            }
            if to > end {
                return None;
            }
        }
        self.used = end;
        (to == end && tokens.is_empty()).then_some((start, length as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_agree_with_a_search_of_each_one(text in prop::collection::vec(prop_oneof![Just(b','), Just(b']'), any::<u8>()], 0..300)) {
            let (mut rest, mut pieces) = (text.as_slice(), Pieces::of(&text));
            while !rest.is_empty() {
                let window = &rest[..rest.len().min(WORD_BYTES_MAX)];
                let end_of = |ends: &dyn Fn(usize) -> bool| (3..window.len()).find(|at| ends(*at)).map(|at| at + 1);
                let group = end_of(&|at| window[at] == b',' && b"]})".contains(&window[at - 1]));
                let part = end_of(&|at| b",; \n&|".contains(&window[at]));
                let bytes = &window[..group.or(part).unwrap_or(window.len())];
                prop_assert_eq!(pieces.next(), Some(Piece { bytes, is_group: group.is_some() && part < group }));
                prop_assert_eq!(first_part(bytes), &bytes[..part.unwrap_or(bytes.len()).min(bytes.len())]);
                rest = &rest[bytes.len()..];
            }
            prop_assert_eq!(pieces.next(), None);
        }

        #[test]
        fn literals_survive_encoding(parts in prop::collection::vec((any::<bool>(), 1usize..600), 0..6)) {
            let mut writer = TokenWriter::default();
            let mut expected = Vec::new();
            for (index, &(word, length)) in parts.iter().enumerate() {
                if word {
                    writer.word(index as u32);
                } else {
                    expected.extend(core::iter::repeat_n(index as u8, length));
                    writer.literal(&alloc::vec![index as u8; length]);
                }
            }
            let mut tokens = writer.tokens.as_slice();
            let (mut words, mut literals) = (Vec::new(), Vec::new());
            while let Some(token) = next_token(&mut tokens) {
                match token {
                    Token::Word(word) => words.push(word),
                    Token::Literal(bytes) => literals.extend_from_slice(bytes),
                }
            }
            prop_assert!(tokens.is_empty());
            prop_assert_eq!(literals, expected);
            prop_assert_eq!(words.len(), parts.iter().filter(|part| part.0).count());
        }
    }

    #[test]
    fn json_is_cut_between_its_fields() {
        let text = br#""tags":["a","b"],"n":1,"m":2}"#;
        let pieces: Vec<_> = Pieces::of(text)
            .map(|piece| (core::str::from_utf8(piece.bytes).unwrap(), piece.is_group))
            .collect();
        assert_eq!(pieces, [(r#""tags":["a","b"],"#, true), (r#""n":1,"#, false), (r#""m":2}"#, false)]);
        assert_eq!(first_part(text), br#""tags":["a","#);
        assert_eq!(name_length(br#""n":1}"#), Some(4));
        assert_eq!(name_length(b"abc:"), None);
    }
}
