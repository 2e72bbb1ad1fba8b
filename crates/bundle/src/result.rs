//! The result of a step.

/// The result of a step; the error is a message for people.
pub type Result<T> = std::result::Result<T, String>;
