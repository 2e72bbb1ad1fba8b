//! The engine's host in the browser.
//!
//! A [`Session`] is the host without the browser: a value that is asked, answers, and is given slices of time for what takes
//! longer. It knows no clock and no network. [`host`] puts it into a Web Worker.
//!
//! ```text
//! Ask --> Session --> Load:  a generator, a sample or a person's file become events
//!                 --> Keep:  a person's own events go into a Store behind their load, and come back from it
//!                 --> DesignTable:  one for each design; writes events that have arrived to its own instance
//!                 --> OpenRead: a question to one design, answered slice by slice
//!                 --> Tables: requests by the names of tables, the designs' and those that people make
//! ```

mod arrival;
mod door;
mod files;
pub mod frame;
pub mod host;
mod keep;
mod load;
pub mod opfs;
mod session;
mod store;
mod tables;

pub use files::SharedStorage;
pub use keep::News;
pub use load::Fetch;
pub use session::{Next, Session};
