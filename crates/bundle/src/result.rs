//! The result of a step.

/// The result of a step; the error is a human-readable message.
pub type Result<T> = std::result::Result<T, String>;
