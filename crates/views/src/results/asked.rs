//! What a query asks for.

use tabletop_schema::RowChoice;

/// The rows of a query, for the reason why there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedFor {
    /// All rows.
    All,
    /// Rows of a range.
    Range,
    /// Some keys.
    Keys,
    /// A list of keys without a key.
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
