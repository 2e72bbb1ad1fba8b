//! How well the cells of a layout compress. Tabletop does not compress blocks, and Bigtable does; its codec is not published, so DEFLATE
//! stands for it.

use std::collections::BTreeSet;

use miniz_oxide::deflate::compress_to_vec;
use serde::Serialize;
use tabletop_model::Row;

/// A block of an SSTable, as in Google's paper.
const BLOCK_BYTES: usize = 64 << 10;
/// A level between speed and size.
const LEVEL: u8 = 3;

/// Cells as a table stores them (key, column, timestamp, value), and the same in compressed blocks of 64 KB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compressed {
    /// Events that were looked at: cells of one row with one timestamp.
    pub events: u64,
    /// Bytes before.
    pub plain_bytes: u64,
    /// Bytes after.
    pub compressed_bytes: u64,
    /// Bytes of values only, before.
    pub value_bytes: u64,
    /// Bytes of values only, each compressed alone: small ones get larger.
    pub compressed_value_bytes: u64,
}

impl Compressed {
    /// Compresses rows.
    pub fn of(rows: &[Row]) -> Compressed {
        let mut sum = Compressed::default();
        let mut block = Vec::new();
        for row in rows {
            sum.events += row.cells.iter().map(|cell| cell.timestamp).collect::<BTreeSet<_>>().len() as u64;
            for cell in &row.cells {
                for part in
                    [row.key.as_slice(), cell.family.as_bytes(), &cell.qualifier, &cell.timestamp.to_be_bytes(), &cell.value]
                {
                    block.extend_from_slice(part);
                }
                sum.value_bytes += cell.value.len() as u64;
                sum.compressed_value_bytes += compress_to_vec(&cell.value, LEVEL).len() as u64;
            }
            if block.len() >= BLOCK_BYTES {
                sum.end(&mut block);
            }
        }
        sum.end(&mut block);
        sum
    }

    fn end(&mut self, block: &mut Vec<u8>) {
        self.plain_bytes += block.len() as u64;
        if !block.is_empty() {
            self.compressed_bytes += compress_to_vec(block, LEVEL).len() as u64;
        }
        block.clear();
    }
}
