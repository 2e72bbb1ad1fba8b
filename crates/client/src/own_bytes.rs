//! The user's own files, as the page has read them.

use tabletop_workspace::ContentDigest;
use web_sys::Blob;

/// A file that the page has read.
pub(crate) struct OwnBytes {
    pub name: String,
    pub content: ContentDigest,
    pub blob: Blob,
}
