//! The commit log, and the parts that all files of a table have in common: the file header, and
//! records with checksums.

pub(crate) mod commit_log;
pub(crate) mod file_header;
pub(crate) mod log_space;
pub(crate) mod record;

/// A place in the commit log. All places of a segment come before those of the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPlace {
    pub segment: u64,
    pub offset: u64,
}

impl LogPlace {
    /// A place after all places of all segments.
    pub const MAX: LogPlace = LogPlace { segment: u64::MAX, offset: u64::MAX };
}
