//! The rows that a query reads.

use tabletop_keys::RowChoice;

/// The kind of rows that a query reads, to explain why there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedFor {
    /// All rows.
    All,
    /// Rows of a range.
    Range,
    /// Some keys.
    Keys,
    /// An empty list of keys.
    NoKeys,
}

impl AskedFor {
    /// Returns the kind of these rows.
    pub fn of(rows: &RowChoice) -> AskedFor {
        match rows {
            RowChoice::All => AskedFor::All,
            RowChoice::Keys(keys) if keys.is_empty() => AskedFor::NoKeys,
            RowChoice::Keys(_) => AskedFor::Keys,
            _ => AskedFor::Range,
        }
    }
}
