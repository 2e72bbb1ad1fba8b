//! A simulation as its client has received it.

mod simulated;

pub use simulated::{NODE_COLOURS, Placed, Simulated};
