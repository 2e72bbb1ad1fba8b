//! Profiles of users: what the pipelines and a migration do next.

pub mod migration;
mod plan;

pub use plan::Plan;
