//! A view of a tablet's internals: its memtables, its SSTables down to the bytes of a block, and
//! what a read touches of them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Error, RowKey, TabletId};

/// The maximum number of blocks in one answer.
pub const BLOCKS_MAX: u32 = 500;
/// The maximum number of bytes of a block in one answer.
pub const BLOCK_PAGE_BYTES: u32 = 4 << 10;

/// A request for internals of a table, which changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inspect {
    /// The parts of a tablet. Answer: `Tablet`.
    Tablet(TabletId),
    /// Blocks of an SSTable, at most [`BLOCKS_MAX`]. Answer: `Blocks`.
    Blocks {
        /// The file of the SSTable.
        file: u64,
        /// The number of the first block.
        from: u32,
        /// The number of blocks.
        count: u32,
    },
    /// Bytes of one block, at most [`BLOCK_PAGE_BYTES`]. Answer: `Block`.
    Block {
        /// The file of the SSTable.
        file: u64,
        /// The number of the block.
        block: u32,
        /// The first byte.
        from: u32,
    },
}

/// The answer to an [`Inspect`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inspected {
    /// A tablet.
    Tablet(TabletInside),
    /// Blocks of an SSTable.
    Blocks(BlockList),
    /// Bytes of a block.
    Block(BlockPage),
}

/// The parts of one tablet at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TabletInside {
    /// The tablet.
    pub tablet: TabletId,
    /// The memtable that takes writes, followed by the one that waits to be written, if there is
    /// one.
    pub memtables: Vec<MemtableView>,
    /// The size in bytes above which a memtable is written as SSTables.
    pub memtable_bytes_max: u64,
    /// The tablet's parts of SSTables, newest first.
    pub runs: Vec<RunView>,
    /// The number of SSTables that may overlap before they are merged.
    pub sstables_max: u32,
    /// The compaction in progress in the tablet.
    pub compaction: Option<CompactionView>,
    /// Whether a compaction was requested and has not finished.
    pub compaction_is_due: bool,
    /// Ranges whose SSTables cannot be read, by their first keys, with the damage.
    pub damaged: Vec<(RowKey, Error)>,
}

/// A memtable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemtableView {
    /// Bytes of keys, values and cells.
    pub bytes: u64,
    /// Rows in it.
    pub rows: u64,
    /// Cells in it.
    pub cells: u64,
}

/// A tablet's part of an SSTable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunView {
    /// The file.
    pub file: u64,
    /// Newer SSTables of a table have higher numbers. A merged SSTable has the number of its newest
    /// input.
    pub sequence: u64,
    /// The families of its locality group; empty if the table has one group.
    pub families: Vec<String>,
    /// The number of newer SSTables of its group that overlap it: 0 if no newer SSTable spans any
    /// of its rows.
    pub depth: u32,
    /// The first key that it may have.
    pub first_key: RowKey,
    /// The last key of its file, or the end of the tablet if that is lower.
    pub last_key: RowKey,
    /// Rows that begin in it.
    pub rows: u64,
    /// Cells in it.
    pub cells: u64,
    /// Bytes of its blocks.
    pub bytes: u64,
    /// The number of its first block in the file.
    pub first_block: u32,
    /// The blocks. Tablets that were split may have parts of one block.
    pub blocks: u32,
    /// Deletions in the file; `None` if the file does not record them.
    pub deletions: Option<u64>,
    /// Whether other tablets have other parts of the file.
    pub is_shared: bool,
    /// Bytes of the file: blocks, dictionary, index, Bloom filter.
    pub file_bytes: u64,
    /// Bytes of its dictionary.
    pub dictionary_bytes: u64,
    /// Bytes of its Bloom filter.
    pub bloom_bytes: u64,
}

/// A merging or major compaction in progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactionView {
    /// Files of the SSTables that it merges.
    pub files: Vec<u64>,
    /// Bytes of these SSTables.
    pub bytes: u64,
    /// Bytes written so far; `None` while a step is running.
    pub written: Option<u64>,
    /// Whether it takes all SSTables of the tablet and therefore removes what deletes hide.
    pub is_major: bool,
}

/// Blocks of an SSTable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockList {
    /// The file.
    pub file: u64,
    /// The number of blocks in the file.
    pub total: u32,
    /// Some of the blocks, in key order.
    pub blocks: Vec<BlockView>,
}

/// One block of an SSTable, as described in its index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockView {
    /// The number in the file.
    pub block: u32,
    /// The key of its first row.
    pub first_key: RowKey,
    /// Rows that begin in it.
    pub rows: u32,
    /// Cells in it.
    pub cells: u32,
    /// Bytes in the file, with the checksum.
    pub bytes: u32,
    /// Whether its first row began in the block before.
    pub continues: bool,
}

/// Bytes of a block, with their meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPage {
    /// The file.
    pub file: u64,
    /// The number of the block.
    pub block: u32,
    /// The offset in the file.
    pub offset: u64,
    /// The number of bytes of the block, including the checksum.
    pub total: u32,
    /// The first byte of this page.
    pub from: u32,
    /// The bytes of this page.
    pub bytes: Vec<u8>,
    /// The parts that have a byte in this page, in order. Without damage they cover it without
    /// gaps.
    pub parts: Vec<BlockPart>,
    /// Bytes of keys, columns, times (8 each) and values of the rows in the block; `None` for a
    /// damaged one.
    pub logical_bytes: Option<u64>,
    /// The damage, if the bytes do not match the format. Parts after it are missing.
    pub damage: Option<Error>,
}

/// A part of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPart {
    /// The offset of its first byte in the block.
    pub at: u32,
    /// The length in bytes.
    pub length: u32,
    /// The kind of the part.
    pub kind: PartKind,
    /// The content: a number, a time in microseconds, or a text, escaped and at most 200 characters
    /// long.
    pub text: String,
    /// The column of a value, as family and qualifier, shortened in the same way.
    pub column: Option<String>,
}

/// The kinds of parts of a block, in the order of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The number of rows.
    RowCount,
    /// The base time, relative to which the times of rows are stored.
    BaseTime,
    /// Bytes of all keys.
    KeysLength,
    /// Bytes of all rows without their keys.
    DataLength,
    /// The number of columns that only this block has.
    ColumnCount,
    /// The number of a column family.
    Family,
    /// Bytes of a qualifier.
    QualifierLength,
    /// A qualifier.
    Qualifier,
    /// The number of bytes that a key shares with the one before.
    SharedLength,
    /// The other bytes of a key.
    RestLength,
    /// The bytes that differ from the key before. The text is the whole key.
    Key,
    /// The offset of a key that is stored whole.
    Restart,
    /// The end of a row.
    RowEnd,
    /// The shape of a row, and how its cells are written.
    RowHead,
    /// The deletions of a row, which hide cells in older SSTables.
    Deletes,
    /// The number of cells of a row without a shape.
    CellCount,
    /// The number of a column.
    Column,
    /// A time, as the difference to the one before.
    Time,
    /// The number of a word of the dictionary, which is the value.
    Word,
    /// Bytes of a value, and how it is stored.
    ValueLength,
    /// A value.
    Value,
    /// A value as words of the dictionary with pieces between them. The text is the value.
    Tokens,
    /// The checksum of all bytes before it.
    Checksum,
}

/// What a read touches of the SSTables of the tablets that it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// The tablets, in the order in which they were read. The memtables of each are read, too.
    pub tablets: Vec<TouchedTablet>,
}

/// What a read touches of a tablet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedTablet {
    /// The tablet.
    pub tablet: TabletId,
    /// The SSTables, by file.
    pub runs: Vec<TouchedRun>,
}

/// What a read touches of an SSTable. A single row, or a range of rows, counts as one search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedRun {
    /// The file.
    pub file: u64,
    /// Searches that may find rows in it.
    pub searches: u64,
    /// Searches that its Bloom filter has ended: the row is not there.
    pub bloom_skips: u64,
    /// Searches for keys that are outside of its key range.
    pub range_skips: u64,
    /// Searches for columns of other locality groups.
    pub group_skips: u64,
    /// The blocks that were read, in the order of their numbers.
    pub blocks: Vec<TouchedBlock>,
}

/// A block that a read touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedBlock {
    /// The number in the file.
    pub block: u32,
    /// The size of the block in bytes.
    pub bytes: u32,
    /// Whether it was in the cache when the read began.
    pub from_cache: bool,
}

impl Touched {
    /// Adds what another part of the same read touches. A block that is touched again is counted as
    /// the first time.
    pub fn add(&mut self, other: Touched) {
        for tablet in other.tablets {
            match self.tablets.iter_mut().find(|known| known.tablet == tablet.tablet) {
                Some(known) => tablet.runs.into_iter().for_each(|run| known.add(run)),
                None => self.tablets.push(tablet),
            }
        }
    }

    /// Returns what the read touches of a tablet.
    pub fn of(&self, tablet: TabletId) -> Option<&TouchedTablet> {
        self.tablets.iter().find(|touched| touched.tablet == tablet)
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> usize {
        self.tablets.iter().flat_map(|tablet| &tablet.runs).map(|run| run.blocks.len()).sum()
    }
}

impl TouchedTablet {
    fn add(&mut self, other: TouchedRun) {
        match self.runs.iter_mut().find(|known| known.file == other.file) {
            Some(known) => {
                known.searches += other.searches;
                known.bloom_skips += other.bloom_skips;
                known.range_skips += other.range_skips;
                known.group_skips += other.group_skips;
                for block in other.blocks {
                    if let Err(at) = known.blocks.binary_search_by_key(&block.block, |known| known.block) {
                        known.blocks.insert(at, block);
                    }
                }
            }
            None => self.runs.push(other),
        }
    }

    /// Returns what the read touches of an SSTable.
    pub fn run(&self, file: u64) -> Option<&TouchedRun> {
        self.runs.iter().find(|run| run.file == file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_block_that_is_touched_again_counts_as_before() {
        let run = |block, from_cache| TouchedRun {
            file: 1,
            searches: 1,
            blocks: vec![TouchedBlock { block, bytes: 10, from_cache }],
            ..TouchedRun::default()
        };
        let touched = |run| Touched { tablets: vec![TouchedTablet { tablet: TabletId(1), runs: vec![run] }] };
        let mut all = touched(run(3, false));
        for (block, from_cache) in [(3, true), (1, true)] {
            all.add(touched(run(block, from_cache)));
        }
        let found = all.of(TabletId(1)).and_then(|tablet| tablet.run(1)).unwrap();
        let blocks: Vec<_> = found.blocks.iter().map(|block| (block.block, block.from_cache)).collect();
        assert_eq!((found.searches, blocks, all.blocks()), (3, vec![(1, true), (3, false)], 2));
    }
}
