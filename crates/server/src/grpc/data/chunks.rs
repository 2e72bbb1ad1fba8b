//! Encodes rows as `ReadRowsResponse`s, directly from the table's blocks.
//!
//! A chunk is a cell. Row key, family and qualifier are omitted when they are those of the chunk before. The last chunk of a row
//! marks the row as complete. A message ends where a row ends: Google's client for Go reads no row that continues in the next
//! message. A row has at most 256 MiB, and clients accept messages of this size.

use std::collections::VecDeque;

use bytes::Bytes;
use tabletop_engine::{CellRef, RowVisitor};
use tabletop_model::protobuf_len::{field, tag, varint};

use super::super::wire::{put_head, put_varint};

/// The size at which a message is complete after a row: large enough that the overhead per message is small, small enough that
/// the first one is soon sent.
const MESSAGE_BYTES: usize = 64 << 10;
/// The largest message of several rows. A row that would make it larger is a message by itself.
const SHARED_BYTES_MAX: usize = 1 << 20;
/// The bytes that are encoded before the client has read the ones before.
const SLICE_BYTES: usize = 256 << 10;
/// `commit_row: true`.
const COMMIT: [u8; 2] = [9 << 3, 1];

/// An encoder of rows.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    /// Complete messages.
    ready: VecDeque<Bytes>,
    ready_bytes: usize,
    /// The chunks of the message in progress.
    message: Vec<u8>,
    /// The offset in `message` of the last chunk's content, if that chunk may complete its row.
    open: Option<usize>,
    /// The offset in `message` of the last row.
    row_start: usize,
    /// The key of the last row.
    key: Vec<u8>,
    /// No cell of the row has been written.
    is_first: bool,
    family: String,
    qualifier: Vec<u8>,
}

impl Chunks {
    /// Takes the next complete message.
    pub fn pop(&mut self) -> Option<Bytes> {
        let message = self.ready.pop_front()?;
        self.ready_bytes -= message.len();
        Some(message)
    }

    /// Reports whether there is no complete message.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Completes the last row and its message.
    pub fn finish(&mut self) {
        self.commit();
        self.flush();
    }

    /// Drops the last row, which may be incomplete, and completes the message before it.
    pub fn abandon_row(&mut self) {
        self.open = None;
        self.message.truncate(self.row_start);
        self.flush();
    }

    /// Adds an encoded message.
    pub fn push(&mut self, message: Vec<u8>) {
        self.ready_bytes += message.len();
        self.ready.push_back(message.into());
    }

    /// Marks the row of the last chunk as complete.
    fn commit(&mut self) {
        let Some(start) = self.open.take() else { return };
        let length = self.message.len() - start;
        self.message.extend_from_slice(&COMMIT);
        let (before, after) = (varint(length as u64), varint((length + COMMIT.len()) as u64));
        let mut head = Vec::with_capacity(after);
        put_varint(&mut head, (length + COMMIT.len()) as u64);
        if before == after {
            self.message[start - before..start].copy_from_slice(&head);
        } else {
            self.message.splice(start - before..start, head);
        }
    }

    fn flush(&mut self) {
        self.row_start = 0;
        if !self.message.is_empty() {
            let message = std::mem::take(&mut self.message);
            self.push(message);
        }
    }

    /// Begins a chunk of `length` bytes. It may move the row in progress into a new message.
    fn begin(&mut self, length: usize) {
        if self.row_start > 0 && self.message.len() + length > SHARED_BYTES_MAX {
            let row = self.message.split_off(self.row_start);
            self.flush();
            self.message = row;
        }
        // A large value is copied once, because its space is reserved.
        self.message.reserve(field(1, length + COMMIT.len()) + COMMIT.len());
        put_head(&mut self.message, 1, length);
    }

    /// Writes a cell.
    fn chunk(&mut self, cell: &CellRef<'_>) {
        let with_family = self.is_first || self.family != cell.family;
        let with_qualifier = with_family || self.qualifier != cell.qualifier;
        let boxed = |text: &[u8]| if text.is_empty() { 0 } else { field(1, text.len()) };
        let mut length = if cell.value.is_empty() { 0 } else { field(6, cell.value.len()) };
        if self.is_first {
            length += field(1, self.key.len());
        }
        if with_family {
            length += field(2, boxed(cell.family.as_bytes()));
        }
        if with_qualifier {
            length += field(3, boxed(cell.qualifier));
        }
        if cell.timestamp != 0 {
            length += tag(4) + varint(cell.timestamp as u64);
        }
        if let Some(label) = cell.label {
            length += field(5, label.len());
        }
        self.begin(length);
        let out = &mut self.message;
        let start = out.len();
        if self.is_first {
            put_bytes(out, 1, &self.key);
            self.is_first = false;
        }
        if with_family {
            put_head(out, 2, boxed(cell.family.as_bytes()));
            put_bytes(out, 1, cell.family.as_bytes());
            self.family.clear();
            self.family.push_str(cell.family);
        }
        if with_qualifier {
            put_head(out, 3, boxed(cell.qualifier));
            put_bytes(out, 1, cell.qualifier);
            self.qualifier.clear();
            self.qualifier.extend_from_slice(cell.qualifier);
        }
        if cell.timestamp != 0 {
            out.push(4 << 3);
            put_varint(out, cell.timestamp as u64);
        }
        if let Some(label) = cell.label {
            put_head(out, 5, label.len());
            out.extend_from_slice(label.as_bytes());
        }
        put_bytes(out, 6, cell.value);
        debug_assert_eq!(out.len() - start, length, "a chunk has the length of its header");
        self.open = Some(start);
    }
}

impl RowVisitor for Chunks {
    fn row(&mut self, key: &[u8]) {
        self.commit();
        if self.message.len() >= MESSAGE_BYTES {
            self.flush();
            self.message.reserve(MESSAGE_BYTES + MESSAGE_BYTES / 8);
        }
        self.row_start = self.message.len();
        self.key.clear();
        self.key.extend_from_slice(key);
        self.is_first = true;
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        self.chunk(&cell);
    }

    fn is_full(&self) -> bool {
        self.ready_bytes + self.message.len() >= SLICE_BYTES
    }
}

/// Writes a field of bytes, unless it is empty.
fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_head(out, number, bytes.len());
        out.extend_from_slice(bytes);
    }
}
