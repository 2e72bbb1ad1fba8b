//! The problems of a file, with their positions.

use tabletop_workspace::LoadProblem;

/// What a user can choose about how a file is read, in the words of problems that this choice
/// solves.
pub mod choices {
    /// The encoding.
    pub const ENCODING: &str = "choose the encoding of the file";
    /// Whether the first line has the names of the columns.
    pub const FIRST_LINE: &str = "choose whether the first line has names";
    /// How numbers are written.
    pub const NUMBERS: &str = "choose how numbers are written";
}

/// The maximum number of problems that are kept as messages. All bad lines are counted.
const PROBLEMS_MAX: usize = 100;

/// A position in a file. Line and column are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePosition {
    pub(super) line: u64,
    pub(super) column: u64,
    /// Whether the byte before was a carriage return. A line feed that follows belongs to the same
    /// line end.
    after_return: bool,
}

impl FilePosition {
    pub(super) const START: FilePosition = FilePosition { line: 1, column: 1, after_return: false };

    /// Returns the position after `bytes`.
    pub(super) fn after(mut self, bytes: &[u8]) -> FilePosition {
        self.advance(bytes);
        self
    }

    /// Advances over `bytes`.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => {
                    self.line += 1;
                    self.column = 1;
                }
                // The second and later bytes of a character.
                0x80..0xc0 => {}
                _ => self.column += 1,
            }
            self.after_return = byte == b'\r';
        }
    }
}

/// The problems so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) problems: Vec<LoadProblem>,
    pub(super) bad_lines: u64,
}

impl Log {
    /// Adds a note that loses no line, unless there are too many messages already.
    pub(super) fn note(&mut self, position: FilePosition, message: impl Into<String>) {
        self.add(position, message.into(), false);
    }

    /// Removes the notes on what follows this position.
    pub(super) fn forget_after(&mut self, position: FilePosition) {
        let end = (position.line, position.column);
        self.problems.retain(|problem| problem.lost || (problem.line, problem.column) <= end);
    }

    /// Adds a message. Messages stay in the order of their positions, although how a field is read
    /// is only reported after many lines have been read.
    pub(super) fn add(
        &mut self,
        FilePosition { line, column, .. }: FilePosition,
        message: String,
        lost: bool,
    ) {
        if self.problems.len() < PROBLEMS_MAX {
            let at = self.problems.partition_point(|other| (other.line, other.column) <= (line, column));
            self.problems.insert(at, LoadProblem { line, column, message, lost });
        }
    }
}
