//! Long values as references to words: cut behind separators, pieces that occurred before are two bytes each.
//!
//! ```text
//! tokens = decoded_length token*
//! token  = word:2                         below 0xff00
//!        | 0xff00 + length - 1:2 bytes    1 to 256 bytes that are in no dictionary
//! ```
//! To decode is to copy short strings, which a browser does at the speed of memory; LZ4 costs it four times as much.

use alloc::vec::Vec;

use super::dictionary::Dictionary;
use crate::codec::{put_varint, read_varint};

/// Words have fewer bytes than this, plus one: so a copy of one has a fixed length mostly.
pub(super) const WORD_BYTES_MAX: usize = 64;
/// Numbers of words are below; those above are literals in a stream of tokens.
pub(super) const WORDS_MAX: usize = 0xff00;
/// Longer values are stored as they are: what is decoded has to be kept for the cells of a whole row.
pub(super) const TOKENS_VALUE_BYTES_MAX: usize = 16 << 10;
const LITERAL_BYTES_MAX: usize = 256;

/// The pieces of a text: each ends behind a separator, and has 4 to 64 bytes unless it is the last one.
pub(super) fn pieces(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    core::iter::from_fn(move || {
        if text.is_empty() {
            return None;
        }
        let (piece, rest) = text.split_at(piece_length(text));
        text = rest;
        Some(piece)
    })
}

#[inline]
fn piece_length(text: &[u8]) -> usize {
    const PIECE_BYTES_MIN: usize = 4;
    let window = &text[..text.len().min(WORD_BYTES_MAX)];
    let ends = |&byte: &u8| matches!(byte, b',' | b';' | b' ' | b'\n' | b'&' | b'|');
    match window.iter().skip(PIECE_BYTES_MIN - 1).position(ends) {
        Some(at) => at + PIECE_BYTES_MIN,
        None => window.len(),
    }
}

/// Where a piece that is no word may be cut once more: behind the name of a field whose value is new.
pub(super) fn name_length(piece: &[u8]) -> Option<usize> {
    let at = piece.iter().position(|byte| matches!(byte, b':' | b'='))?;
    (at >= 3 && at + 1 < piece.len()).then_some(at + 1)
}

/// Writes tokens behind each other; literals that meet become one.
#[derive(Debug, Default)]
pub(super) struct TokenWriter {
    tokens: Vec<u8>,
    /// Where the literal that is open has its token.
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

/// The next token; `None` at the end, and where the bytes make no sense.
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

/// Texts that were decoded, behind each other; they stay where they are until all are forgotten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoded {
    /// Longer than what is used: a copy of a fixed length may write beyond its end.
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

    /// Decodes a stream, and gives where its text lies; `None` when it makes no sense.
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
        fn pieces_are_the_text(text in prop::collection::vec(prop_oneof![Just(b','), Just(b'"'), any::<u8>()], 0..300)) {
            prop_assert_eq!(pieces(&text).collect::<Vec<_>>().concat(), text.clone());
            prop_assert!(pieces(&text).all(|piece| (1..=WORD_BYTES_MAX).contains(&piece.len())));
            // A piece is cut the same when what was before it is missing, so that literals are cut again as they were.
            let mut at = 0;
            for piece in pieces(&text) {
                prop_assert_eq!(pieces(&text[at..]).next(), Some(piece));
                at += piece.len();
            }
        }

        #[test]
        fn literals_come_back(parts in prop::collection::vec((any::<bool>(), 1usize..600), 0..6)) {
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
        let text = br#"{"plan":"free","tags":["a","b"],"n":1}"#;
        let shown: Vec<_> = pieces(text).map(|piece| core::str::from_utf8(piece).unwrap()).collect();
        assert_eq!(shown, [r#"{"plan":"free","#, r#""tags":["a","#, r#""b"],"#, r#""n":1}"#]);
        assert_eq!(name_length(br#""n":1}"#), Some(4));
        assert_eq!(name_length(b"abc:"), None);
    }
}
