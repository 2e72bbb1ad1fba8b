//! Varints, and a decoder for bytes that may be damaged.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::storage::{FileId, StorageError};

/// Appends `value` in groups of seven bits, lowest first. All bytes but the last have the top bit
/// set.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends the length of `bytes`, then the bytes.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads at most eight bytes as a number, the lowest byte first.
pub(crate) fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Maps small numbers of either sign to small numbers: 0, -1, 1, -2, 2 …
pub(crate) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(crate) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// An error in stored bytes: where it is, what was found and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// Offset in bytes from the beginning of the decoded bytes.
    pub at: usize,
    pub found: String,
    pub expected: String,
}

impl Damage {
    #[cold]
    pub fn new(at: usize, found: impl core::fmt::Display, expected: impl Into<String>) -> Self {
        Damage { at, found: format!("{found}"), expected: expected.into() }
    }

    /// Converts to a storage error, for bytes that begin at `offset` of `file`.
    #[cold]
    pub fn in_file(self, file: FileId, offset: u64) -> StorageError {
        StorageError::Corrupt {
            file,
            offset: offset + self.at as u64,
            found: self.found,
            expected: self.expected,
        }
    }
}

/// Reads a number at `at` and moves `at` after it. Returns `None` when the bytes end within it, or
/// it has more than 64 bits.
#[inline(always)]
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 { Some(first.into()) } else { read_long_varint(bytes, at, first) }
}

#[inline]
fn read_long_varint(bytes: &[u8], at: &mut usize, first: u8) -> Option<u64> {
    let mut value = u64::from(first & 0x7f);
    for shift in (7..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Reads from the front of a slice and never past its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { bytes, at: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    pub fn byte(&mut self) -> Result<u8, Damage> {
        match self.bytes.get(self.at) {
            Some(&byte) => {
                self.at += 1;
                Ok(byte)
            }
            None => Err(Damage::new(self.at, "the end", "another byte")),
        }
    }

    #[inline]
    pub fn varint(&mut self) -> Result<u64, Damage> {
        let start = self.at;
        read_varint(self.bytes, &mut self.at).ok_or_else(|| self.no_number(start))
    }

    #[cold]
    fn no_number(&self, start: usize) -> Damage {
        if self.is_at_end() {
            Damage::new(self.at, "the end", "another byte")
        } else {
            Damage::new(start, "more than 64 bits", "a number")
        }
    }

    /// Reads a count of items that take at least `bytes_each` of the remaining bytes each.
    #[inline]
    pub fn count(&mut self, bytes_each: usize) -> Result<usize, Damage> {
        let start = self.at;
        let count = self.varint()?;
        let room = (self.bytes.len() - self.at) / bytes_each.max(1);
        if count <= room as u64 {
            Ok(count as usize)
        } else {
            Err(Damage::new(start, count, "a count or length that fits into what follows"))
        }
    }

    /// Reads a number that fits in 32 bits.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, Damage> {
        let start = self.at;
        let value = self.varint()?;
        u32::try_from(value).map_err(|_| Damage::new(start, value, "a number of at most 32 bits"))
    }

    /// Reads bytes written by [`put_bytes`].
    #[inline]
    pub fn sized(&mut self) -> Result<&'a [u8], Damage> {
        let length = self.count(1)?;
        self.slice(length)
    }

    /// Reads text written by [`put_bytes`].
    pub fn text(&mut self) -> Result<String, Damage> {
        let at = self.at;
        let bytes = self.sized()?;
        let text = core::str::from_utf8(bytes)
            .map_err(|_| Damage::new(at, bytes.escape_ascii(), "text in UTF-8"))?;
        Ok(text.into())
    }

    pub fn slice(&mut self, length: usize) -> Result<&'a [u8], Damage> {
        match self.bytes.get(self.at..).and_then(|rest| rest.get(..length)) {
            Some(slice) => {
                self.at += length;
                Ok(slice)
            }
            None => Err(Damage::new(self.at, format!("{} bytes", self.bytes.len() - self.at), "more bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_encoding() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                put_varint(&mut bytes, value);
                assert_eq!(Decoder::new(&bytes).varint(), Ok(value));
                assert!(Decoder::new(&bytes[..bytes.len() - 1]).varint().is_err(), "{value} cut short");
                assert_eq!(unzigzag(zigzag(value as i64)), value as i64);
            }
        }
    }

    #[test]
    fn a_length_beyond_the_end_is_damage() {
        assert!(Decoder::new(&[5, 1, 2]).count(1).is_err());
        assert!(Decoder::new(&[0xff; 11]).varint().is_err());
    }
}
