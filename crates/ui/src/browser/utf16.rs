//! Positions in a text: browsers count units of UTF-16, Rust counts bytes.

/// Returns the byte at a browser's position, or the end of the text without one.
pub fn byte_at(text: &str, units: Option<u32>) -> usize {
    let units = units.unwrap_or(u32::MAX);
    let mut seen = 0;
    let at = text.char_indices().find(|(_, c)| {
        let here = seen;
        seen += c.len_utf16() as u32;
        here >= units
    });
    at.map_or(text.len(), |(at, _)| at)
}

/// Returns the browser's position of a byte.
pub fn units_at(text: &str, byte: usize) -> u32 {
    text.get(..byte).unwrap_or(text).encode_utf16().count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_the_browser() {
        let text = "a\u{1f642}b";
        for (units, bytes) in [(0, 0), (1, 1), (3, 5), (4, 6), (9, 6)] {
            assert_eq!(byte_at(text, Some(units)), bytes);
        }
        assert_eq!(units_at(text, 5), 3);
    }
}
