//! Events to design for: sample sets, a person's own CSV and JSON lines, and a seeded generator. This crate does not depend on
//! the engine.

mod events;

pub use events::{Events, Generator, Reader, Sample, random, sample, samples};
