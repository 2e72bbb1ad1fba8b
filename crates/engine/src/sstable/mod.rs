//! Sorted string tables: immutable files of rows.
//!
//! ```text
//! file    = header:40 (log/file_header.rs)  section* of blocks  dictionary section  index section  Bloom section
//!           contents section  footer
//! section = payload, checksum: xxh3-64 of the payload, 8 bytes, seeded with the header's uid and number and the section's
//!           place, so that a copy elsewhere is not valid (version 1: not seeded)
//! footer  = dictionary_offset:8 dictionary_length:4 index_length:4 bloom_length:4 contents_length:4
//!           checksum of these:8, as of a section (version 1: no contents)
//!
//! block   = row_count base_time keys_length data_length
//!           column_count (family qualifier_length qualifier)*          columns that are not in the dictionary
//!           keys restarts ends data
//! keys    = (shared_length rest_length rest)*                          each against the row before, every 16th whole
//! restarts = offset*                                                   of every 16th key in keys
//! ends    = offset*                                                    of each row's end in data
//! data    = row*                                                       row.rs
//!
//! dictionary: dictionary.rs    index: index.rs    Bloom filter: bloom.rs, 10 bits a row in lines of 64 bytes
//! contents: contents.rs
//! ```
//! Numbers are varints where no width is given, else little-endian; offsets in a block have 2 bytes if keys and data are shorter
//! than 64 KiB each, else 4. Times are in units of the table's granularity, 1,000 microseconds; base_time is zigzag. Lengths
//! of sections include their checksums.
//!
//! Many rows are alike, and the file stores once what they share. A row with the same columns as
//! many earlier rows names their **shape**; a value that occurred before is a **word**; a longer
//! text is cut into words. A first occurrence is written in place, because most of those never
//! occur again. A filter on columns is thus decided once per shape and then picks cells by their
//! position, and a value of the dictionary is borrowed from it.
//!
//! A point read searches the index, the restarts of one block and at most 16 keys, then reads the row's data.
//!
//! A row that is too long for one block continues in the next ones. They repeat its key and have
//! `continues` set to 1; its tombstones are in the first block. `rows` counts the rows that begin
//! in a block.
//!
//! Blocks are not compressed: prefixes, deltas and dictionaries remove most of the redundancy
//! already, and in a browser LZ4 would cost four times as much as all other work of reading a block
//! (2.5 GB/s against 10).

mod anatomy;
mod block;
mod bloom;
mod contents;
mod copy;
mod cursor;
mod dictionary;
mod heads;
mod index;
mod intern;
mod learn;
mod place;
mod reader;
mod row;
mod words;
mod writer;

pub(crate) use anatomy::Anatomy;
pub(crate) use block::Block;
pub(crate) use contents::{Contents, Counter, FamilyContents};
pub(crate) use cursor::StoredCursor;
pub(crate) use dictionary::{Dictionary, Loaded};
pub(crate) use index::BlockMeta;
pub(crate) use place::{CellPlace, ValueKind};
pub(crate) use reader::SsTable;
pub(crate) use writer::Writer;

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::codec::{Damage, little_endian};
use crate::log::file_header::FileHeader;

const FOOTER_BYTES: usize = 32;
/// Bytes of a footer in format version 1.
const FOOTER_1_BYTES: usize = 28;
const CHECKSUM_BYTES: usize = 8;

/// Returns the seed of the checksum of a section at `offset`.
fn seed(header: FileHeader, offset: u64) -> u64 {
    if header.version == 1 { 0 } else { header.seed(offset) }
}

/// Appends the checksum of a section's payload to it.
fn finish(payload: &mut Vec<u8>, seed: u64) {
    let checksum = xxh3_64_with_seed(payload, seed);
    payload.extend_from_slice(&checksum.to_le_bytes());
}

/// Returns the length of the payload of a section, if its checksum is right.
fn checked(section: &[u8], seed: u64) -> Result<usize, Damage> {
    let Some(length) = section.len().checked_sub(CHECKSUM_BYTES) else {
        return Err(Damage::new(0, alloc::format!("{} bytes", section.len()), "a section with a checksum"));
    };
    let (payload, stored) = section.split_at(length);
    let computed = xxh3_64_with_seed(payload, seed);
    if stored == computed.to_le_bytes() {
        Ok(length)
    } else {
        let stored = little_endian(stored);
        let found = alloc::format!("{length} bytes of checksum {computed:016x}");
        Err(Damage::new(0, found, alloc::format!("checksum {stored:016x}, as stored after them")))
    }
}
