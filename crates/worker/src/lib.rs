//! The engine's host in the browser.
//!
//! A [`Session`] is the host without the browser: a value that answers requests and gets slices of time for longer work. It has
//! no clock and no network. [`host`] runs it in a Web Worker.
//!
//! ```text
//! Ask --> Session --> Load:  a generator, a sample or a person's file become events
//!                 --> OwnDataStore:  stores a person's own events in StoredSets after they are loaded, and reads them back
//!                 --> DesignTable:  one per design; writes the events that have arrived to its own instance
//!                 --> OpenRead: a query on one design, answered slice by slice
//!                 --> OpenMigration: a migration beside a stream, in tables beside StoredSets
//!                 --> Tables: requests by table name, for the tables of designs and for other tables
//! ```

mod arrival;
mod event_clock;
pub mod frame;
pub mod host;
mod load;
pub mod opfs;
mod own_data_store;
mod session;
mod shared_storage;
mod stored_sets;
mod tab_lock;
mod tables;

pub use load::Fetch;
pub use own_data_store::StorageEvent;
pub use session::{Next, Session};
pub use shared_storage::SharedStorage;
