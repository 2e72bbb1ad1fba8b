//! Divides a file into the pieces that have checksums. The engine documents the formats in
//! `file_header.rs`, `record.rs` and `sstable/mod.rs`.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The bytes that one checksum covers.
#[derive(Clone, Debug)]
pub struct Piece {
    kind: Kind,
    pub payload: Vec<u8>,
    /// The synced length in a record's head.
    pub synced: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The header of a file.
    Header,
    /// A section of an SSTable, or its footer.
    Section,
    Record,
    /// Bytes without a known checksum.
    Rest,
}

const CHECKSUM_BYTES: usize = 8;
const HEADER_BYTES: usize = 24;
const NUMBER_BYTES: usize = 8;
const RECORD_HEAD_BYTES: usize = 16;
/// The kinds of files that consist of records.
const RECORD_FILES: [u8; 2] = [1, 2];

/// Divides a complete file.
pub fn cut(bytes: &[u8]) -> Vec<Piece> {
    let piece = |kind, payload: &[u8], synced| Piece { kind, payload: payload.to_vec(), synced };
    let (header, mut rest) = bytes.split_at(HEADER_BYTES + CHECKSUM_BYTES + NUMBER_BYTES);
    let mut pieces = vec![piece(Kind::Header, header, 0)];
    while !rest.is_empty() {
        let taken = if RECORD_FILES.contains(&bytes[8]) {
            let length = u32::from_le_bytes(rest[..4].try_into().expect("four bytes")) as usize;
            let synced = u64::from_le_bytes(rest[4..12].try_into().expect("eight bytes"));
            pieces.push(piece(Kind::Record, &rest[RECORD_HEAD_BYTES..][..length], synced));
            RECORD_HEAD_BYTES + length + CHECKSUM_BYTES
        } else {
            let seed = seed(bytes, bytes.len() - rest.len());
            let is_end = |end: &usize| {
                rest[*end..][..CHECKSUM_BYTES] == xxh3_64_with_seed(&rest[..*end], seed).to_le_bytes()
            };
            let end = (1..=rest.len().saturating_sub(CHECKSUM_BYTES)).find(is_end);
            pieces.push(match end {
                Some(end) => piece(Kind::Section, &rest[..end], 0),
                None => piece(Kind::Rest, rest, 0),
            });
            end.map_or(rest.len(), |end| end + CHECKSUM_BYTES)
        };
        rest = &rest[taken..];
    }
    assert_eq!(assemble(&pieces), bytes, "the format has changed: change this module, too");
    pieces
}

/// Joins pieces to a file with correct checksums.
pub fn assemble(pieces: &[Piece]) -> Vec<u8> {
    let mut file: Vec<u8> = Vec::new();
    for piece in pieces {
        let seed = seed(&file, file.len());
        match piece.kind {
            Kind::Header => {
                let mut payload = piece.payload.clone();
                payload.resize(HEADER_BYTES + CHECKSUM_BYTES + NUMBER_BYTES, 0);
                let checksum = xxh3_64(&payload[..HEADER_BYTES]).to_le_bytes();
                payload[HEADER_BYTES..][..CHECKSUM_BYTES].copy_from_slice(&checksum);
                file.extend(payload);
            }
            Kind::Section => {
                file.extend(&piece.payload);
                file.extend(xxh3_64_with_seed(&piece.payload, seed).to_le_bytes());
            }
            Kind::Record => {
                let mut head = (piece.payload.len() as u32).to_le_bytes().to_vec();
                head.extend(piece.synced.to_le_bytes());
                head.extend((xxh3_64_with_seed(&head, seed) as u32).to_le_bytes());
                file.extend(head);
                file.extend(&piece.payload);
                file.extend(xxh3_64_with_seed(&piece.payload, seed).to_le_bytes());
            }
            Kind::Rest => file.extend(&piece.payload),
        }
    }
    file
}

/// Returns the seed of the checksum of bytes at an offset, from the uid and the number in the
/// header.
fn seed(file: &[u8], offset: usize) -> u64 {
    let field = |at: usize| {
        file.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    };
    field(16).rotate_left(32) ^ field(32).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ offset as u64
}
