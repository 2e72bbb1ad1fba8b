//! The result of a command.

/// The result of a command. The error is a complete message for people: what failed and what to do.
pub type Result<T> = std::result::Result<T, String>;
