//! Numbers with words.

use tabletop_keys::thousands;

/// Formats a number with a word: `1 row was`, `2,000 rows were`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}
