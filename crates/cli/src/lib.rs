//! The native host: the engine's storage on files of a folder.

mod files;

pub use files::{FileStorage, OpenError};
