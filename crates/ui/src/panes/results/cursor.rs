//! The position of the keyboard cursor in rows and columns.

/// The keyboard cursor.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Cursor {
    /// Counted from 0.
    pub line: usize,
    /// Counted from 0: key, family, qualifier, time, value.
    pub column: usize,
}
