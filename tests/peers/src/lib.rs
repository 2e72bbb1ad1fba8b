//! `cargo xtask bench engine`: compares the engine with other embedded stores under the workload of
//! a personalization service (Benjamin Baron, "Choosing the best schema to improve Google Bigtable
//! performance", Algolia 2021).
//!
//! Events of 10,000 users are written in the order of time; their keys are sorted by user. [`work`]
//! defines the measurements, and runs them in the same way on every [`Store`]. All stores must read
//! the same bytes. [`profiles`] has the profile pipelines, and the same job in SQL. All stores must
//! store the same profiles.

#![expect(clippy::missing_errors_doc, reason = "every error is the store's own text, and ends the benchmark")]

#[cfg(target_arch = "wasm32")]
mod browser;
pub mod entries;
pub mod events;
pub mod fold;
#[cfg(not(target_arch = "wasm32"))]
pub mod histogram;
pub mod job;
pub mod ours;
#[cfg(not(target_arch = "wasm32"))]
pub mod peers;
pub mod profiles;
mod store;
pub mod work;

pub use store::{
    Cell, Change, Columns, Conditions, Layout, Result, Row, Rows, Shared, Store, Versions, Visitor,
};

/// The usual cache size of each store that has its own cache, in bytes.
pub const CACHE_BYTES: u64 = 256 << 20;
