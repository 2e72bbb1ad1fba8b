//! What readers of files report.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// A line that did not parse, or a note on how a file was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadProblem {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The problem and its remedy.
    pub message: String,
    /// Whether the line was lost: else this is a note.
    pub lost: bool,
}
