//! The engine's host in the browser.
//!
//! A [`Session`] is the host without the browser: a value that answers requests and gets slices of
//! time for longer work. It does not have a clock, a network or threads, so tests run it natively.
//! [`host`] runs it in a Web Worker, and [`opfs`] gives it files. The crate does not draw anything
//! and knows nothing about the page except the messages that they exchange (`tabletop-protocol`).
//!
//! ```text
//! Ask --> Session --> Load:  a generator, a sample or the user's file become events
//!                 --> OwnDataStore:  stores the user's own events in StoredSets after they are loaded, and reads them back
//!                 --> DesignTable:  one per design; writes the events that have arrived to its own instance
//!                 --> Jobs:  the open runs of queries, simulations, profiles and the migration, one slice per request
//!                 --> Tables: requests by table name, for the tables of designs and for other tables
//! ```
//!
//! ```
//! use tabletop_protocol::{Answer, Ask};
//! use tabletop_worker::{Next, Session};
//!
//! let mut session = Session::new();
//! let clock = || 0;
//! // Background work: the host calls this until there is nothing left to do.
//! while matches!(session.advance(clock(), 1_000), Next::Now) {}
//! assert!(matches!(session.handle(&clock, Ask::View { index: 0, first_look: false }), Answer::View(_)));
//! ```
//!
//! Where to begin reading: [`Session::handle`] and [`Session::advance`] are the two entry points,
//! [`frame`] is the form of messages on the wire.

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
