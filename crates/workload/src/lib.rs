//! Events to design for: sample sets, the user's own CSV and JSON lines, and a seeded generator;
//! traffic; and the computation of user profiles from events. This crate does not depend on the
//! engine.

mod events;
pub mod personalization;
pub mod stored_events;
mod traffic;

pub use events::{Events, Generator, Reader, Sample, arrival_note, choices, random, sample, samples};
pub use traffic::{Arrival, Arrivals, Population, TRACE_PROBLEMS_MAX, Trace, TraceRequest};
