//! The test kit, shared by the case files, the properties and the browser tests.

#![expect(
    clippy::missing_errors_doc,
    reason = "a step of a test fails when the page does not do what its name describes"
)]

pub mod arbitrary;
pub mod browser;
pub mod cases;
pub mod command_line;
pub mod corpus;
mod database;
pub mod faulty;
pub mod page;
pub mod reference;
mod remote;
pub mod script;
pub mod server;
pub mod site_copy;

pub use database::{Database, read_all};
pub use reference::Reference;
pub use remote::Remote;

/// The maximum size in bytes that the early part of the page's program may have, compressed by
/// gzip.
pub const EARLY_GZIP_BYTES_MAX: u64 = 420_000;
