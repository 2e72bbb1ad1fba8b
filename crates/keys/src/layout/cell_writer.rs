//! What all cells of one event share.

use alloc::borrow::Cow;
use alloc::string::String;

use tabletop_model::{Bytes, Mutation, Timestamp};

/// The family and the timestamp, which all cells of one event share.
pub(super) struct CellWriter<'a> {
    pub family: Cow<'a, str>,
    pub timestamp: Timestamp,
}

impl CellWriter<'_> {
    pub fn cell(&self, qualifier: impl Into<Bytes>, value: impl Into<Bytes>) -> Mutation {
        Mutation::SetCell {
            family: String::from(&*self.family),
            qualifier: qualifier.into(),
            timestamp: self.timestamp,
            value: value.into(),
        }
    }
}
