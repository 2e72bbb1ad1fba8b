//! What the page shows of the data that this browser stores.

use tabletop_protocol::Persistence;

use super::look::Part;

/// The dialog of the stored data, and the notes on it.
#[derive(Clone, Debug)]
pub struct StorageLook {
    /// Whether the dialog was opened.
    pub open: bool,
    /// The stored events that a second press deletes.
    pub deleting: Option<Deleting>,
    /// Whether the browser has refused to protect stored events from eviction.
    pub persist_refused: bool,
    /// The state of the storage whose note was closed.
    pub note_read: Persistence,
}

impl Part for StorageLook {}

impl Default for StorageLook {
    fn default() -> Self {
        StorageLook { open: false, deleting: None, persist_refused: false, note_read: Persistence::Here }
    }
}

/// A part of what this browser stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deleting {
    /// The set with this number.
    Set(u32),
    /// Everything.
    All,
}
