//! The engine's host in the browser.
//!
//! A [`Session`] is the host without the browser: a value that is asked, answers, and is given slices of time for what takes
//! longer. It knows no clock and no network. [`host`] puts it into a Web Worker.
//!
//! ```text
//! Ask --> Session --> Load:  a generator, a sample or a person's file become events
//!                 --> Lane:  one for each design; writes events that have arrived to its own instance
//!                 --> OpenRead: a question to one lane, answered slice by slice
//! ```

mod arrival;
pub mod frame;
pub mod host;
mod lane;
mod load;
mod picture;
mod read;
mod scale;
mod session;

pub use load::Fetch;
pub use session::{Next, Session};

/// This build, as both ends of the handshake know it.
pub const BUILD: &str = env!("BUILD_ID");
