//! Writes one SSTable from rows in ascending order.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use super::block::BlockBuilder;
use super::copy::Maps;
use super::index::IndexBuilder;
use super::learn::{Entry, Learner};
use super::row::{ColumnCode, RowBuilder};
use super::{CHECKSUM_BYTES, Counter, FOOTER_BYTES, SsTable, bloom, finish, seed};
use crate::columns::FamilyId;
use crate::log::file_header::{FileHeader, FileKind};
use crate::storage::{FileId, Storage, StorageError};
use crate::tombstones::Tombstones;

/// Larger blocks gain nothing, and with a value of 100 MiB their lengths must still fit in 32 bits.
const BLOCK_BYTES_MAX: u32 = 64 << 20;

/// A writer of one SSTable. For each row call `begin_row`, add cells, then call `end_row`. A row
/// without cells and tombstones is left out.
#[derive(Debug)]
pub(crate) struct Writer {
    file: FileId,
    header: FileHeader,
    offset: u64,
    /// Finished sections that are not in the file yet: the storage cannot be read and written at
    /// the same time.
    sections: Vec<Vec<u8>>,
    block_bytes: usize,
    pub(super) learner: Learner,
    pub(super) block: BlockBuilder,
    pub(super) row: RowBuilder,
    /// Maps from the dictionaries of the files that rows were copied from.
    pub(super) maps: Vec<Maps>,
    /// The dictionary columns of the previous row: consecutive rows are usually alike.
    before: Vec<u32>,
    /// The first key of the open block. If the block continues the last row of the previous one,
    /// also its first cell.
    block_first: Vec<u8>,
    block_first_cell: Option<(ColumnCode, i64)>,
    block_rows: u32,
    block_cells: u32,
    key: Vec<u8>,
    /// Whether a part of the row is in the previous block.
    row_has_begun: bool,
    pub(super) last_column: LastColumn,
    pub(super) counter: Counter,
    index: IndexBuilder,
    hashes: Vec<u64>,
}

/// The column of the row's last cell. Cells of the same column that follow are its older versions.
#[derive(Debug, Default)]
pub(super) struct LastColumn {
    code: Option<ColumnCode>,
    /// The column's name, used instead of a number that only the previous block knows.
    name: Option<(FamilyId, Vec<u8>)>,
}

impl LastColumn {
    /// Returns whether the next cell has the same column, and records its column.
    #[inline]
    pub fn is_again(&mut self, column: ColumnCode, family: FamilyId, qualifier: &[u8]) -> bool {
        match self.code.replace(column) {
            Some(last) => last == column,
            None => self.name.take().is_some_and(|(of, last)| of == family && last == qualifier),
        }
    }
}

impl Writer {
    /// Creates a writer of a new file with this number of the table `uid`, with blocks of about
    /// `block_bytes`.
    pub fn new(
        storage: &mut dyn Storage,
        block_bytes: u32,
        uid: u64,
        number: u64,
    ) -> Result<Writer, StorageError> {
        let header = FileHeader::new(FileKind::SsTable, uid, number);
        let mut row = RowBuilder::default();
        row.clear();
        Ok(Writer {
            file: storage.create()?,
            header,
            offset: header.bytes(),
            sections: alloc::vec![header.encode()],
            block_bytes: block_bytes.clamp(1, BLOCK_BYTES_MAX) as usize,
            learner: Learner::default(),
            block: BlockBuilder::default(),
            row,
            maps: Vec::new(),
            before: Vec::new(),
            block_first: Vec::new(),
            block_first_cell: None,
            block_rows: 0,
            block_cells: 0,
            key: Vec::new(),
            row_has_begun: false,
            last_column: LastColumn::default(),
            counter: Counter::default(),
            index: IndexBuilder::default(),
            hashes: Vec::new(),
        })
    }

    /// Returns the file, which must be removed if it is not finished.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Returns the bytes written and buffered so far.
    pub fn bytes(&self) -> u64 {
        self.offset + (self.block.bytes() + self.learner.bytes()) as u64
    }

    /// Returns the key of the row that was begun last; the next one must follow it in order.
    pub fn last_key(&self) -> &[u8] {
        &self.key
    }

    pub fn begin_row(&mut self, key: &[u8], tombstones: Option<&Tombstones>) {
        debug_assert!(self.hashes.is_empty() || self.key.as_slice() < key, "rows come in ascending order");
        self.key.clear();
        self.key.extend_from_slice(key);
        self.row_has_begun = false;
        self.last_column = LastColumn::default();
        if let Some(tombstones) = tombstones.filter(|tombstones| !tombstones.is_empty()) {
            let Writer { row, learner, block, counter, .. } = self;
            counter.tombstones(tombstones);
            row.tombstones(tombstones, |family, qualifier| number(learner, block, family, qualifier));
        }
    }

    #[inline]
    pub fn cell(&mut self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp, value: &[u8]) {
        self.leave_full_block();
        let Writer { row, learner, block, before, last_column, counter, .. } = self;
        let at = row.cell_count();
        let column = match before.get(at) {
            Some(&column) if learner.is_column(column, family, qualifier) => ColumnCode::of_file(column),
            _ => {
                let column = number(learner, block, family, qualifier);
                if let Some(column) = column.in_file() {
                    before.truncate(at);
                    if before.len() == at {
                        before.push(column);
                    }
                }
                column
            }
        };
        counter.cell(family, last_column.is_again(column, family, qualifier), timestamp);
        row.cell(learner, column, timestamp, value);
    }

    /// Ends the block within a row only if that row alone fills one, so that most rows are in one
    /// block.
    #[inline]
    pub(super) fn leave_full_block(&mut self) {
        if self.block.bytes() + self.row.bytes() >= self.block_bytes * 2 && self.row.cell_count() > 0 {
            self.close_row();
            self.finish_block();
        }
    }

    pub fn end_row(&mut self) {
        if !self.row.is_empty() {
            self.close_row();
            if self.block.bytes() >= self.block_bytes {
                self.finish_block();
            }
        }
    }

    /// Ends the open block, so that the next row begins a new one.
    pub fn end_block(&mut self) {
        if !self.block.is_empty() {
            self.finish_block();
        }
    }

    /// Appends the finished sections to the file.
    pub fn flush(&mut self, storage: &mut dyn Storage) -> Result<(), StorageError> {
        self.sections.drain(..).try_for_each(|section| storage.append(self.file, section))
    }

    /// Writes the rest and opens the SSTable. If there were no rows, removes the file.
    pub fn finish(mut self, storage: &mut dyn Storage) -> Result<Option<Arc<SsTable>>, StorageError> {
        if self.hashes.is_empty() {
            storage.remove(self.file)?;
            return Ok(None);
        }
        self.end_block();
        self.flush(storage)?;
        let mut footer = Vec::with_capacity(FOOTER_BYTES);
        footer.extend_from_slice(&self.offset.to_le_bytes());
        let contents = self.counter.finish().encode();
        for mut section in
            [self.learner.encode(), self.index.finish(&self.key), bloom::build(&self.hashes), contents]
        {
            finish(&mut section, seed(self.header, self.offset));
            self.offset += section.len() as u64;
            footer.extend_from_slice(&length_of_part(section.len())?.to_le_bytes());
            storage.append(self.file, section)?;
        }
        finish(&mut footer, seed(self.header, self.offset));
        debug_assert_eq!(footer.len(), FOOTER_BYTES, "{CHECKSUM_BYTES} of these bytes are its checksum");
        storage.append(self.file, footer)?;
        storage.sync(self.file)?;
        SsTable::open(storage, self.file).map(|table| Some(Arc::new(table)))
    }

    /// Adds the row, or the rest of it, to the block.
    fn close_row(&mut self) {
        if self.block.is_empty() {
            self.block_first.clone_from(&self.key);
            self.block_first_cell = if self.row_has_begun { self.row.first() } else { None };
        }
        if !self.row_has_begun {
            self.hashes.push(xxh3_64(&self.key));
            self.block_rows += 1;
        }
        self.block_cells += self.row.cell_count() as u32;
        self.block.row(&self.key, &mut self.row, &mut self.learner);
        self.row_has_begun = true;
    }

    fn finish_block(&mut self) {
        let first = self.block_first_cell.map(|(column, granules)| {
            let (family, qualifier) = column_of(&self.learner, &self.block, column);
            (family, qualifier.to_vec(), granules)
        });
        if let Some(column) = self.last_column.code.take_if(|column| column.in_file().is_none()) {
            let (family, qualifier) = column_of(&self.learner, &self.block, column);
            self.last_column.name = Some((family, qualifier.to_vec()));
        }
        let section = self.block.finish(seed(self.header, self.offset));
        let first =
            first.as_ref().map(|(family, qualifier, granules)| (*family, qualifier.as_slice(), *granules));
        self.index.add(&self.block_first, section.len(), self.block_rows, self.block_cells, first);
        (self.block_rows, self.block_cells) = (0, 0);
        self.offset += section.len() as u64;
        self.sections.push(section);
    }
}

/// Returns the number of a column in the file's dictionary, or in the block's until another block
/// has it too. All versions of a column have the same number, because readers compare the columns
/// of a block by it.
pub(super) fn number(
    learner: &mut Learner,
    block: &mut BlockBuilder,
    family: FamilyId,
    qualifier: &[u8],
) -> ColumnCode {
    let known = learner.known_column(family, qualifier).map(ColumnCode::of_file);
    known
        .or_else(|| block.known_column(family, qualifier))
        .or_else(|| learner.column(family, qualifier, Entry::IfRepeated).map(ColumnCode::of_file))
        .unwrap_or_else(|| block.column(family, qualifier))
}

/// Returns the column with a number that [`number`] returned for the same block.
fn column_of<'a>(learner: &'a Learner, block: &'a BlockBuilder, column: ColumnCode) -> (FamilyId, &'a [u8]) {
    let name = match column.in_file() {
        Some(number) => learner.column_name(number),
        None => block.column_name(column),
    };
    let (family, qualifier) =
        name.split_first_chunk().expect("two bytes of the family are before each qualifier");
    (FamilyId::from_be_bytes(*family), qualifier)
}

fn length_of_part(bytes: usize) -> Result<u32, StorageError> {
    u32::try_from(bytes).map_err(|_| {
        StorageError::NotDone(format!(
            "an SSTable's index or Bloom filter of {bytes} bytes: make blocks larger or tablets smaller"
        ))
    })
}
