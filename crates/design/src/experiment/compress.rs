//! How well the cells of a layout compress. Tabletop does not compress blocks, but Bigtable does.
//! Its codec is not published, so this uses DEFLATE in its place.

use std::collections::BTreeSet;

use miniz_oxide::deflate::compress_to_vec;
use tabletop_model::Row;
use tabletop_protocol::experiment::Compressed;

/// A block of an SSTable, as in Google's paper.
const BLOCK_BYTES: usize = 64 << 10;
/// A compromise between speed and size.
const LEVEL: u8 = 3;

/// Compresses rows.
pub(super) fn compressed(rows: &[Row]) -> Compressed {
    let mut sum = Compressed::default();
    let mut block = Vec::new();
    for row in rows {
        sum.events += row.cells.iter().map(|cell| cell.timestamp).collect::<BTreeSet<_>>().len() as u64;
        for cell in &row.cells {
            for part in [
                row.key.as_slice(),
                cell.family.as_bytes(),
                &cell.qualifier,
                &cell.timestamp.to_be_bytes(),
                &cell.value,
            ] {
                block.extend_from_slice(part);
            }
            sum.value_bytes += cell.value.len() as u64;
            sum.compressed_value_bytes += compress_to_vec(&cell.value, LEVEL).len() as u64;
        }
        if block.len() >= BLOCK_BYTES {
            end(&mut sum, &mut block);
        }
    }
    end(&mut sum, &mut block);
    sum
}

fn end(sum: &mut Compressed, block: &mut Vec<u8>) {
    sum.plain_bytes += block.len() as u64;
    if !block.is_empty() {
        sum.compressed_bytes += compress_to_vec(block, LEVEL).len() as u64;
    }
    block.clear();
}
