//! An instance: tables on nodes. A host is a loop over its two calls, [`Instance::handle`] and [`Instance::advance`].
//!
//! There is one cluster with one node in this version, so an instance is its tables.
#![no_std]
extern crate alloc;

mod instance;

pub use instance::Instance;
pub use tabletop_engine::{Budget, MemoryStorage, Storage};

#[cfg(test)]
mod tests;
