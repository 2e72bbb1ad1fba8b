//! The name and the arguments of a command.

use alloc::boxed::Box;

use super::options::{Input, InputResult};
use crate::task::Task;

/// One command.
pub(crate) struct CommandForm {
    /// The command's name.
    pub name: &'static str,
    /// The syntax, as an example.
    pub usage: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The names in its hash.
    pub names: &'static [&'static str],
    pub(super) start: Start,
}

/// Starts a command.
pub(super) type Start = fn(Input) -> InputResult<Box<dyn Task>>;

/// The names in the hashes of some commands.
pub(super) const FAMILY: &[&str] = &["NAME", "VERSIONS", "MIN_VERSIONS", "TTL", "METHOD"];
pub(super) const COUNT: &[&str] =
    &["STARTROW", "STOPROW", "ROWPREFIXFILTER", "COLUMNS", "COLUMN", "TIMERANGE", "FILTER", "INTERVAL"];
pub(super) const CREATE: &[&str] = &["NAME", "VERSIONS", "MIN_VERSIONS", "TTL", "SPLITS"];
pub(super) const GET: &[&str] = &["COLUMN", "COLUMNS", "VERSIONS", "TIMESTAMP", "TIMERANGE", "FILTER"];
pub(super) const SCAN: &[&str] = &[
    "STARTROW",
    "STOPROW",
    "ROWPREFIXFILTER",
    "LIMIT",
    "COLUMNS",
    "COLUMN",
    "VERSIONS",
    "TIMESTAMP",
    "TIMERANGE",
    "REVERSED",
    "FILTER",
];
