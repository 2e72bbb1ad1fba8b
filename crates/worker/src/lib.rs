//! The engine's host in the browser.
//!
//! A [`Session`] is the host without the browser: a value that is asked, answers, and is given slices of time for what takes
//! longer. It knows no clock and no network. [`host`] puts it into a Web Worker.
//!
//! ```text
//! Ask --> Session --> Load:  a generator, a sample or a person's file become events
//!                 --> OwnDataStore:  a person's own events go into StoredSets after they are loaded, and come back from there
//!                 --> DesignTable:  one for each design; writes events that have arrived to its own instance
//!                 --> OpenRead: a question to one design, answered slice by slice
//!                 --> Tables: requests by the names of tables, the designs' and those that people make
//! ```

mod arrival;
mod files;
pub mod frame;
pub mod host;
mod load;
pub mod opfs;
mod own_data_store;
mod session;
mod stored_sets;
mod tab_lock;
mod tables;

pub use files::SharedStorage;
pub use load::Fetch;
pub use own_data_store::StorageEvent;
pub use session::{Next, Session};
