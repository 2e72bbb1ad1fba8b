//! The test kit: what the case files, the properties and the browser tests share.

pub mod arbitrary;
pub mod browser;
pub mod cases;
mod database;
pub mod faulty;
pub mod page;
mod raw;
mod reference;
mod remote;
pub mod script;
pub mod server;

pub use database::{Database, read_all};
pub use reference::Reference;
pub use remote::Remote;
