//! Bytes as characters that need no escape in an address: base64url (RFC 4648, section 5) without padding.

use alloc::string::String;
use alloc::vec::Vec;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Why a text is not base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It has a character that is no digit.
    Character(char),
    /// A number of characters that no bytes have, or bits after the last byte.
    Length,
}

/// Appends bytes: three are four digits, and one or two at the end are two or three.
pub fn push(out: &mut String, bytes: &[u8]) {
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            out.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
        }
    }
}

/// Returns the bytes of a text.
pub fn bytes(text: &str) -> Result<Vec<u8>, Wrong> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut count) = (0u32, 0);
    for character in text.chars() {
        let digit = DIGITS.iter().position(|digit| char::from(*digit) == character).ok_or(Wrong::Character(character))?;
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    if count == 6 || bits != 0 { Err(Wrong::Length) } else { Ok(bytes) }
}
