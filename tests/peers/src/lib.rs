//! The engine beside the stores that a user might pick instead, under the workload of a personalization service (Benjamin
//! Baron, "Choosing the best schema to improve Google Bigtable performance", Algolia 2021): `cargo xtask bench engine`.
//!
//! Events of 10,000 users come in the order of time; their keys are sorted by user. [`work`] says what is measured, and
//! does it alike on every [`Store`]; all of them must read the same bytes.

#![expect(clippy::missing_errors_doc, reason = "every error is the store's own text, and ends the benchmark")]

#[cfg(target_arch = "wasm32")]
mod browser;
pub mod entries;
pub mod events;
pub mod fold;
pub mod job;
pub mod ours;
#[cfg(not(target_arch = "wasm32"))]
pub mod peers;
mod store;
pub mod work;

pub use store::{Cell, Layout, Result, Row, Rows, Store, Visitor};

/// Bytes of cache for each store that has one of its own.
pub const CACHE_BYTES: u64 = 256 << 20;
