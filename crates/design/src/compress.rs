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
/// The most blocks that an estimate is made of: 1 MB.
const BLOCKS_MAX: usize = 16;

/// Compresses rows.
pub(crate) fn compressed(rows: &[Row]) -> Compressed {
    let mut sum = Compressed::default();
    let mut block = Vec::new();
    for row in rows {
        sum.events += row.cells.iter().map(|cell| cell.timestamp).collect::<BTreeSet<_>>().len() as u64;
        for cell in &row.cells {
            sum.value_bytes += cell.value.len() as u64;
            sum.compressed_value_bytes += compress_to_vec(&cell.value, LEVEL).len() as u64;
        }
        push_row(row, &mut block);
        if block.len() >= BLOCK_BYTES {
            end(&mut sum, &mut block);
        }
    }
    end(&mut sum, &mut block);
    sum
}

fn end(sum: &mut Compressed, block: &mut Vec<u8>) {
    let [plain, compressed] = compressed_block(block);
    sum.plain_bytes += plain;
    sum.compressed_bytes += compressed;
    block.clear();
}

/// Appends the cells of a row, each with its key.
fn push_row(row: &Row, block: &mut Vec<u8>) {
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
    }
}

/// Returns the bytes of a block before and after compression.
fn compressed_block(block: &[u8]) -> [u64; 2] {
    let compressed = if block.is_empty() { 0 } else { compress_to_vec(block, LEVEL).len() };
    [block.len() as u64, compressed as u64]
}

/// Estimates the compressed size of a table from some of its blocks, evenly spread over its keys.
pub(crate) struct BlockSample {
    block: Vec<u8>,
    /// The bytes before and after compression of each block that was chosen.
    chosen: Vec<[u64; 2]>,
    /// One block in `step` is chosen.
    step: usize,
    /// The number of complete blocks.
    blocks: usize,
    /// The bytes of all complete blocks before compression.
    plain_bytes: u64,
}

impl BlockSample {
    /// Creates an estimate of an empty table.
    pub(crate) fn new() -> BlockSample {
        BlockSample { block: Vec::new(), chosen: Vec::new(), step: 1, blocks: 0, plain_bytes: 0 }
    }

    /// Adds the next row in key order.
    pub(crate) fn add(&mut self, row: &Row) {
        push_row(row, &mut self.block);
        if self.block.len() >= BLOCK_BYTES {
            self.end();
        }
    }

    fn end(&mut self) {
        if self.blocks.is_multiple_of(self.step) {
            if self.chosen.len() == BLOCKS_MAX {
                // Keeps the blocks that a step of twice the length would have chosen.
                let mut at = 0;
                self.chosen.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.step *= 2;
            }
            if self.blocks.is_multiple_of(self.step) {
                self.chosen.push(compressed_block(&self.block));
            }
        }
        self.plain_bytes += self.block.len() as u64;
        self.blocks += 1;
        self.block.clear();
    }

    /// Returns the estimate for all rows, once there are no more.
    pub(crate) fn finish(&mut self) -> u64 {
        if !self.block.is_empty() {
            self.end();
        }
        let sum = |of: usize| self.chosen.iter().map(|block| block[of]).sum::<u64>() as f64;
        let share = if self.chosen.is_empty() { 0.0 } else { sum(1) / sum(0).max(1.0) };
        (self.plain_bytes as f64 * share) as u64
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Cell;

    use super::*;

    fn rows(count: usize, value: impl Fn(usize) -> String) -> Vec<Row> {
        let cell = |at: usize| Cell {
            family: "f".into(),
            qualifier: "q".into(),
            timestamp: at as i64,
            value: value(at).into_bytes().into(),
            label: None,
        };
        (0..count).map(|at| Row { key: format!("{at:09}").as_str().into(), cells: vec![cell(at)] }).collect()
    }

    #[test]
    fn an_estimate_from_some_blocks_is_close_to_all_of_them() {
        // The second half of the table compresses worse than the first.
        let noise = |at: usize| {
            (0..8_usize)
                .map(|n| format!("{:x}", tabletop_keys::salt::hash(&(at * 8 + n).to_le_bytes())))
                .collect()
        };
        let rows = rows(60_000, |at| if at < 30_000 { "a".repeat(128) } else { noise(at) });
        let mut sample = BlockSample::new();
        rows.iter().for_each(|row| sample.add(row));
        assert!(sample.chosen.len() <= BLOCKS_MAX);
        let (estimate, all) = (sample.finish() as f64, compressed(&rows).compressed_bytes as f64);
        assert!((0.9..1.1).contains(&(estimate / all)), "{estimate} of {all}");
    }

    #[test]
    fn an_empty_table_takes_nothing() {
        assert_eq!(BlockSample::new().finish(), 0);
    }
}
