//! The encoding Windows-1252, as far as generated files use it.

/// Decodes a byte of Windows-1252, of the part that generated files use.
///
/// # Panics
/// Panics for other bytes.
pub(super) fn decode(byte: u8) -> char {
    match byte {
        0x80 => '€',
        0x81..0xa0 => panic!("generated files do not have the byte {byte:#x}"),
        _ => char::from(byte),
    }
}

/// Encodes a character in Windows-1252, like [`decode`] decodes it.
///
/// # Panics
/// Panics for characters that generated files do not have.
pub(super) fn encode(character: char) -> u8 {
    match character {
        '€' => 0x80,
        _ => u8::try_from(u32::from(character)).expect("a character of Latin-1"),
    }
}
