//! Traffic that arrives: the requests of a [`tabletop_workspace::Traffic`] at their times, and a trace
//! of real requests.
//!
//! [`Population`] is what the choices of keys need to know about the loaded events, [`Arrivals`]
//! generates the requests, and [`Trace`] reads real ones. All form an open loop: requests arrive at
//! their times, whether or not earlier ones are answered.

mod arrivals;
mod choice;
mod population;
mod ranks;
mod trace;

pub use arrivals::{Arrival, Arrivals};
pub use population::Population;
pub use trace::{TRACE_PROBLEMS_MAX, Trace, TraceRequest};

#[cfg(test)]
mod tests;
