//! One tablet from inside: its parts, its SSTables, and what a read did with them.

mod bytes;
mod inside;
mod outcome;

pub use bytes::{BytesLine, ascii_bytes, group_of, hex_bytes, lines_of};
pub use inside::{InsideLook, SHOWN_BYTES_MAX, Sample};
pub use outcome::{Outcome, Sums};
