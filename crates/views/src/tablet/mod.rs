//! One tablet from inside: its parts, its SSTables, and what a read did with them.

mod inside;
mod outcome;

pub use inside::{InsideLook, SHOWN_BYTES_MAX, Sample};
pub use outcome::{Outcome, Sums};
