//! Encodes rows as `ReadRowsResponse`s, directly from the table's blocks.
//!
//! A chunk is a cell, or a piece of one. Row key, family and qualifier are left out when they equal
//! those of the previous chunk. The last chunk of a row marks the row as complete.
//!
//! A message ends where a row ends: Google's client for Go, and with it cbt, cannot read a row that
//! continues in the next message. But Google's client for Python, when it uses an emulator, accepts
//! only messages of up to 4 MiB, as all gRPC clients do by default. Larger rows are therefore cut,
//! except for clients in Go.

use std::collections::VecDeque;

use bytes::Bytes;
use tabletop_engine::{CellRef, RowVisitor};
use tabletop_model::protobuf_len::{field, tag, varint};

use super::super::wire::{put_head, put_varint};

/// The size at which a message is complete after a row: large enough to keep the overhead per
/// message small, and small enough to send the first message soon.
const MESSAGE_BYTES: usize = 64 << 10;
/// The largest message of several rows. A row that would make it larger becomes a message by
/// itself.
const SHARED_BYTES_MAX: usize = 1 << 20;
/// The largest message that all clients accept.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// The largest piece of a value in one chunk, if the row is cut.
const PIECE_BYTES: usize = 1 << 20;
/// An upper bound of what a chunk takes without its value: key, family, qualifier, time and label.
const HEAD_BYTES: usize = 24 << 10;
/// The bytes that are encoded before the client has read the previous ones.
const SLICE_BYTES: usize = 256 << 10;
/// `commit_row: true`.
const COMMIT: [u8; 2] = [9 << 3, 1];

/// An encoder of rows.
#[derive(Debug)]
pub(crate) struct Chunks {
    /// Larger rows are cut.
    message_bytes_max: usize,
    /// Complete messages.
    ready: VecDeque<Bytes>,
    ready_bytes: usize,
    /// The chunks of the message in progress.
    message: Vec<u8>,
    /// The offset in `message` of the last chunk's content, if that chunk may complete its row.
    open: Option<usize>,
    /// The number of complete messages before the last row.
    row_message: usize,
    /// The offset of the last row in its message. It is 0 if the row is cut.
    row_start: usize,
    /// The key of the last row.
    key: Vec<u8>,
    /// Whether no cell of the row has been written.
    is_first: bool,
    family: String,
    qualifier: Vec<u8>,
}

impl Chunks {
    /// Creates an encoder for a client with this user agent.
    pub fn for_client(user_agent: &str) -> Chunks {
        let message_bytes_max = if user_agent.contains("grpc-go") { usize::MAX } else { MESSAGE_BYTES_MAX };
        Chunks {
            message_bytes_max,
            ready: VecDeque::new(),
            ready_bytes: 0,
            message: Vec::new(),
            open: None,
            row_message: 0,
            row_start: 0,
            key: Vec::new(),
            is_first: false,
            family: String::new(),
            qualifier: Vec::new(),
        }
    }

    /// Takes the next complete message.
    pub fn pop(&mut self) -> Option<Bytes> {
        let message = self.ready.pop_front()?;
        self.ready_bytes -= message.len();
        Some(message)
    }

    /// Returns whether there is no complete message.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Returns the bytes of the complete messages.
    pub fn ready_bytes(&self) -> usize {
        self.ready_bytes
    }

    /// Drops all messages.
    pub fn clear(&mut self) {
        self.ready.clear();
        self.ready_bytes = 0;
        self.message = Vec::new();
        self.open = None;
        (self.row_message, self.row_start) = (0, 0);
    }

    /// Completes the last row and its message.
    pub fn finish(&mut self) {
        self.commit();
        self.flush();
        (self.row_message, self.row_start) = (self.ready.len(), 0);
    }

    /// Drops the last row, which may be incomplete, and completes the message before it.
    pub fn abandon_row(&mut self) {
        self.open = None;
        // The messages of a row that is cut have no other rows.
        self.ready.truncate(self.row_message);
        self.ready_bytes = self.ready.iter().map(Bytes::len).sum();
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
        if !self.message.is_empty() {
            let message = std::mem::take(&mut self.message);
            self.push(message);
        }
    }

    /// Begins a chunk of `length` bytes. This may move the row in progress into a new message.
    fn begin(&mut self, length: usize) {
        if self.row_start > 0 && self.message.len() + length > SHARED_BYTES_MAX {
            let row = self.message.split_off(self.row_start);
            self.flush();
            self.message = row;
            (self.row_message, self.row_start) = (self.ready.len(), 0);
        }
        if self.message.len() + HEAD_BYTES.max(length + 16) > self.message_bytes_max {
            self.flush();
        }
        // Reserving its space means that a large value is copied only once.
        self.message.reserve(field(1, length + COMMIT.len()) + COMMIT.len());
        put_head(&mut self.message, 1, length);
    }

    /// Writes a chunk with the head of a cell and a piece of its value. `total` is the value's size
    /// if more of it follows.
    fn chunk(&mut self, cell: &CellRef<'_>, piece: &[u8], total: usize) {
        let with_family = self.is_first || self.family != cell.family;
        let with_qualifier = with_family || self.qualifier != cell.qualifier;
        let boxed = |text: &[u8]| if text.is_empty() { 0 } else { field(1, text.len()) };
        let mut length = value_bytes(piece, total);
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
        put_value(out, piece, total);
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
        (self.row_message, self.row_start) = (self.ready.len(), self.message.len());
        self.key.clear();
        self.key.extend_from_slice(key);
        self.is_first = true;
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        let row_bytes = self.message.len() - self.row_start;
        let is_cut = row_bytes + HEAD_BYTES + cell.value.len() > self.message_bytes_max;
        if !is_cut || cell.value.len() <= PIECE_BYTES {
            return self.chunk(&cell, cell.value, 0);
        }
        let (first, mut rest) = cell.value.split_at(PIECE_BYTES);
        self.chunk(&cell, first, cell.value.len());
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(rest.len().min(PIECE_BYTES));
            let total = if tail.is_empty() { 0 } else { cell.value.len() };
            self.begin(value_bytes(piece, total));
            self.open = Some(self.message.len());
            put_value(&mut self.message, piece, total);
            rest = tail;
        }
    }

    fn is_full(&self) -> bool {
        self.ready_bytes + self.message.len() >= SLICE_BYTES
    }
}

/// Returns the encoded size of the fields `value` and `value_size`.
fn value_bytes(piece: &[u8], total: usize) -> usize {
    let value = if piece.is_empty() { 0 } else { field(6, piece.len()) };
    value + if total == 0 { 0 } else { tag(7) + varint(total as u64) }
}

fn put_value(out: &mut Vec<u8>, piece: &[u8], total: usize) {
    put_bytes(out, 6, piece);
    if total > 0 {
        out.push(7 << 3);
        put_varint(out, total as u64);
    }
}

/// Writes a field of bytes, unless it is empty.
fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    if !bytes.is_empty() {
        put_head(out, number, bytes.len());
        out.extend_from_slice(bytes);
    }
}
