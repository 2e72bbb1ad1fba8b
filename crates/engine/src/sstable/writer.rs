//! Writes one SSTable from rows in ascending order.

use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::Timestamp;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{BlockBuilder, put_key};
use super::{FOOTER_BYTES, MAGIC, SsTable, VERSION, bloom};
use crate::codec::put_varint;
use crate::columns::FamilyId;
use crate::file_header::{FileHeader, FileKind, HEADER_BYTES};
use crate::storage::{FileId, Storage, StorageError};
use crate::tombstones::Tombstones;

/// Larger blocks gain nothing, and their lengths must fit into 32 bits with a value of 100 MiB.
const BLOCK_BYTES_MAX: u32 = 64 << 20;

/// Rows go in by `begin_row`, then cells, then `end_row`; a row without cells and tombstones is left away.
#[derive(Debug)]
pub(crate) struct Writer {
    file: FileId,
    offset: u64,
    /// Blocks that are done and not in the file yet: whoever reads the storage to write this cannot write it meanwhile.
    sections: Vec<Vec<u8>>,
    block_bytes: usize,
    block: BlockBuilder,
    /// The first key of the open block, and whether it goes on with the row of the one before.
    block_first: Option<(Vec<u8>, bool)>,
    block_rows: u32,
    block_cells: u32,
    key: Vec<u8>,
    row_is_open: bool,
    row_has_begun: bool,
    index: Vec<u8>,
    index_count: u64,
    index_key: Vec<u8>,
    hashes: Vec<u64>,
}

impl Writer {
    /// A writer of a new file, with blocks of about `block_bytes`.
    pub fn new(storage: &mut impl Storage, block_bytes: u32) -> Result<Writer, StorageError> {
        Ok(Writer {
            file: storage.create()?,
            offset: HEADER_BYTES as u64,
            sections: alloc::vec![FileHeader { kind: FileKind::SsTable, uid: 0 }.encode()],
            block_bytes: block_bytes.clamp(1, BLOCK_BYTES_MAX) as usize,
            block: BlockBuilder::default(),
            block_first: None,
            block_rows: 0,
            block_cells: 0,
            key: Vec::new(),
            row_is_open: false,
            row_has_begun: false,
            index: Vec::new(),
            index_count: 0,
            index_key: Vec::new(),
            hashes: Vec::new(),
        })
    }

    /// The file, to be removed if it is not finished.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Bytes written and gathered so far.
    pub fn bytes(&self) -> u64 {
        self.offset + self.block.bytes() as u64
    }

    pub fn begin_row(&mut self, key: &[u8], tombstones: Option<&Tombstones>) {
        debug_assert!(self.hashes.is_empty() || self.key.as_slice() < key, "rows come in ascending order");
        self.key.clear();
        self.key.extend_from_slice(key);
        (self.row_is_open, self.row_has_begun) = (false, false);
        if let Some(tombstones) = tombstones.filter(|tombstones| !tombstones.is_empty()) {
            self.open_row();
            self.block.tombstones(tombstones);
        }
    }

    #[inline]
    pub fn cell(&mut self, family: FamilyId, qualifier: &[u8], timestamp: Timestamp, value: &[u8]) {
        // A row leaves a block only when it alone fills one: most rows lie in one block.
        if self.row_is_open && self.block.bytes() >= self.block_bytes * 2 {
            self.close_row();
            self.finish_block();
        }
        if !self.row_is_open {
            self.open_row();
        }
        self.block.cell(family, qualifier, timestamp, value);
        self.block_cells += 1;
    }

    pub fn end_row(&mut self) {
        if self.row_is_open {
            self.close_row();
            if self.block.bytes() >= self.block_bytes {
                self.finish_block();
            }
        }
    }

    /// Puts the blocks that are done into the file.
    pub fn flush(&mut self, storage: &mut impl Storage) -> Result<(), StorageError> {
        self.sections.drain(..).try_for_each(|section| storage.append(self.file, section))
    }

    /// Writes what is left and opens the table, or removes the file if no row came.
    pub fn finish(mut self, storage: &mut impl Storage) -> Result<Option<Arc<SsTable>>, StorageError> {
        if self.hashes.is_empty() {
            storage.remove(self.file)?;
            return Ok(None);
        }
        if !self.block.is_empty() {
            self.finish_block();
        }
        self.flush(storage)?;
        let mut tail = Vec::new();
        put_varint(&mut tail, self.index_count);
        tail.extend_from_slice(&self.index);
        put_varint(&mut tail, self.key.len() as u64);
        tail.extend_from_slice(&self.key);
        let checksum = xxh3_64(&tail);
        tail.extend_from_slice(&checksum.to_le_bytes());
        let index_length = tail.len();
        let bloom = bloom::build(&self.hashes);
        tail.extend_from_slice(&bloom);
        tail.extend_from_slice(&xxh3_64(&bloom).to_le_bytes());
        let bloom_length = tail.len() - index_length;

        let mut footer = Vec::with_capacity(FOOTER_BYTES);
        footer.extend_from_slice(&self.offset.to_le_bytes());
        footer.extend_from_slice(&length_of_part(index_length)?.to_le_bytes());
        footer.extend_from_slice(&length_of_part(bloom_length)?.to_le_bytes());
        footer.extend_from_slice(&VERSION.to_le_bytes());
        footer.extend_from_slice(&MAGIC);
        let checksum = xxh3_64(&footer);
        footer.extend_from_slice(&checksum.to_le_bytes());
        tail.extend_from_slice(&footer);
        storage.append(self.file, tail)?;
        storage.sync(self.file)?;
        SsTable::open(storage, self.file).map(|table| Some(Arc::new(table)))
    }

    fn open_row(&mut self) {
        if !self.row_has_begun {
            self.hashes.push(xxh3_64(&self.key));
            self.block_rows += 1;
        }
        if self.block_first.is_none() {
            self.block_first = Some((self.key.clone(), self.row_has_begun));
        }
        (self.row_is_open, self.row_has_begun) = (true, true);
    }

    fn close_row(&mut self) {
        self.block.end_row(&self.key);
        self.row_is_open = false;
    }

    fn finish_block(&mut self) {
        let section = self.block.finish();
        let (key, continues) = self.block_first.take().expect("a block has a first row");
        put_key(&mut self.index, &mut self.index_key, &key);
        put_varint(&mut self.index, section.len() as u64);
        put_varint(&mut self.index, self.block_rows.into());
        put_varint(&mut self.index, self.block_cells.into());
        put_varint(&mut self.index, continues.into());
        self.index_count += 1;
        (self.block_rows, self.block_cells) = (0, 0);
        self.offset += section.len() as u64;
        self.sections.push(section);
    }
}

fn length_of_part(bytes: usize) -> Result<u32, StorageError> {
    u32::try_from(bytes).map_err(|_| {
        StorageError::NotDone(format!(
            "an SSTable's index or Bloom filter of {bytes} bytes: make blocks larger or tablets smaller"
        ))
    })
}
