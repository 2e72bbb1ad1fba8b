//! The encoding Windows-1252, as far as generated files use it.

/// Encodes a character in Windows-1252.
///
/// # Panics
/// Panics for characters that generated files do not have.
pub(super) fn encode(character: char) -> u8 {
    match character {
        '€' => 0x80,
        _ => u8::try_from(u32::from(character)).expect("a character of Latin-1"),
    }
}
