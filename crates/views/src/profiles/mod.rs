//! Profiles of users: what the pipelines and a migration do next.

pub mod migration;
mod plan;
mod samples;

pub use plan::Plan;
pub use samples::Samples;
