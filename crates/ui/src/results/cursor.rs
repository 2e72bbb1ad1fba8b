//! The place of the keyboard in rows and columns.

/// The cursor of the keyboard.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Cursor {
    /// Counted from 0.
    pub line: usize,
    /// Counted from 0: key, family, qualifier, time, value.
    pub column: usize,
}
