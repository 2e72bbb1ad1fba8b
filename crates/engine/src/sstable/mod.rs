//! Sorted string tables: immutable files of rows.
//!
//! ```text
//! file    = header(32), section* of blocks, one section with the index, one with the Bloom filter, footer
//! section = payload, checksum: xxh3-64 of the payload, 8 bytes
//! footer  = index_offset:8 index_length:4 bloom_length:4 version:4 "TableTop":8 checksum of these:8
//!
//! block   = heads_length base_time columns heads values
//! columns = count (family qualifier_length qualifier)*                 in the order of their first use
//! heads   = row*
//! row     = shared_length rest_length rest                             the key, against the row before
//!           cell_count * 2 + (1 if tombstones follow)
//!           cells_length values_length                                 to pass the row without looking at its cells
//!           [tombstones] cell*
//! tombstones = row_is_deleted family_count family* count (column start end)*
//! cell    = column  delta of the time, zigzag  value_length            to the cell before; of the first to base_time
//! values  = the values of all cells, one behind the other
//!
//! index   = block_count (shared_length rest_length rest  length rows cells continues)*
//!           last_key_length last_key
//! bloom   = bits, 10 for each row key, whole bytes
//! ```
//! Numbers are varints where no width is given, else little-endian. Times are in units of the table's granularity, 1,000
//! microseconds; base_time is zigzag too, and a tombstone's end of 0 is no end. Lengths of sections include their checksums.
//!
//! A row that is too long for one block goes on in the next ones: those repeat its key, `continues` is 1 and its
//! tombstones are in the first. `rows` counts the rows that begin in a block.
//!
//! Blocks are not compressed: prefixes, deltas and dictionaries take most of the redundancy away already, and LZ4 would
//! cost a browser four times what all the rest of reading a block does (2.5 GB/s against 10).

mod block;
mod bloom;
mod cursor;
mod reader;
mod writer;

pub(crate) use block::{Block, BlockCell};
pub(crate) use cursor::StoredCursor;
pub(crate) use reader::{BlockMeta, SsTable};
pub(crate) use writer::Writer;

#[cfg(test)]
mod tests;

use xxhash_rust::xxh3::xxh3_64;

use crate::codec::Damage;

/// Goes up when the drawing above changes.
const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"TableTop";
const FOOTER_BYTES: usize = 36;
const CHECKSUM_BYTES: usize = 8;

/// The length of the payload of a section whose checksum is right.
fn checked(section: &[u8]) -> Result<usize, Damage> {
    let Some(length) = section.len().checked_sub(CHECKSUM_BYTES) else {
        return Err(Damage::new(0, alloc::format!("{} bytes", section.len()), "a section with a checksum"));
    };
    let (payload, stored) = section.split_at(length);
    let computed = xxh3_64(payload);
    if stored == computed.to_le_bytes() {
        Ok(length)
    } else {
        let stored = stored.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
        let found = alloc::format!("{length} bytes of checksum {computed:016x}");
        Err(Damage::new(0, found, alloc::format!("checksum {stored:016x}, which stands behind them")))
    }
}
