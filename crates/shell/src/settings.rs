//! The settings that a host passes to all commands.

use alloc::boxed::Box;
use alloc::string::String;

use tabletop_model::Timestamp;

/// The language of the commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// Google's `cbt`.
    #[default]
    Cbt,
    /// The HBase shell.
    HBase,
}

/// The host's settings for all commands.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The language.
    pub language: Language,
    /// Returns the seconds that local time is ahead of UTC at a given time.
    pub utc_offset_seconds: fn(Timestamp) -> i32,
    /// Returns the current time. cbt uses its own clock for cells to which the server does not add
    /// a timestamp.
    pub now: fn() -> Timestamp,
    /// Reads the files of the option `format-file`; `None` where the option is not available.
    pub read_formats: Option<ReadFormats>,
}

/// Reads a format file of cbt. The error says what is wrong in it.
pub type ReadFormats = fn(&[u8]) -> Result<Box<dyn Formats>, String>;

/// How to display the values of columns.
pub trait Formats {
    /// Returns the text of a value.
    ///
    /// # Errors
    /// The reason why the value cannot be displayed.
    fn value(&self, family: &str, qualifier: &[u8], value: &[u8]) -> Result<String, String>;
}
