//! The work of a minor compaction: it writes memtables that take no more writes as SSTables. It
//! needs nothing else of the table, so a host can run it concurrently with writes.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::families::Families;
use crate::key_range::KeyRange;
use crate::memtable::{MemCell, Memtable};
use crate::shared::Guarded;
use crate::sstable::{SsTable, Writer};
use crate::storage::{Storage, StorageError};
use crate::table::run::{Run, may_hold};
use crate::table::tablet::settled;

/// Memtables that are written as SSTables that their tablets share: one for each locality group
/// with data in it.
#[derive(Debug)]
pub(crate) struct Flushing {
    /// The memtables, in key order.
    pub parts: Vec<Part>,
    /// The sequence of the new runs; runs with lower sequences are older.
    pub sequence: u64,
    pub families: Arc<Families>,
    pub block_bytes: u32,
    /// The UID of the table, for the headers of the files.
    pub uid: u64,
}

/// The frozen memtable of a tablet.
#[derive(Debug)]
pub(crate) struct Part {
    /// The first key of the tablet.
    pub start: Vec<u8>,
    pub memtable: Arc<Guarded<Memtable>>,
    /// The runs of the tablet in which deletes hide rows.
    pub older: Vec<Run>,
}

/// The SSTables that were written, each with its locality group.
pub(crate) type Written = Vec<(u8, Arc<SsTable>)>;

impl Flushing {
    /// Writes the SSTables; all of them, or none.
    ///
    /// # Errors
    /// Errors of storage.
    pub fn run(&self, storage: &mut dyn Storage) -> Result<Written, StorageError> {
        let mut written = Vec::new();
        for &group in self.families.groups().used() {
            match self.write_group(storage, group) {
                Ok(table) => written.extend(table.map(|table| (group, table))),
                Err(error) => {
                    written.iter().for_each(|(_, table)| drop(storage.remove(table.file)));
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    fn write_group(
        &self,
        storage: &mut dyn Storage,
        group: u8,
    ) -> Result<Option<Arc<SsTable>>, StorageError> {
        let mut writer: Option<Writer> = None;
        let mut done = Ok(());
        for part in &self.parts {
            if let Some(writer) = &mut writer {
                // The parts of two tablets do not share a block.
                writer.end_block();
                done = done.and_then(|()| writer.flush(storage));
            }
            done = done.and_then(|()| self.write_part(storage, part, group, &mut writer));
        }
        let Some(writer) = writer else { return done.map(|()| None) };
        let file = writer.file();
        done.and_then(|()| writer.finish(storage)).inspect_err(|_| {
            let _ = storage.remove(file);
        })
    }

    /// Writes the rows of a locality group. Creates the writer at the first row.
    fn write_part(
        &self,
        storage: &mut dyn Storage,
        part: &Part,
        group: u8,
        writer: &mut Option<Writer>,
    ) -> Result<(), StorageError> {
        let groups = self.families.groups();
        let memtable = &*settled(&part.memtable, |memtable| memtable.settle(self.families.kinds()));
        let older: Vec<&Run> = part.older.iter().filter(|run| run.group == group).collect();
        for row in memtable.range(&KeyRange::all()) {
            let key = memtable.key(row);
            // Few rows have tombstones, so the older runs are asked last.
            let tombstones = memtable.tombstones(row).filter(|_| may_hold(&older, key));
            let tombstones = tombstones.as_ref().map(|tombstones| groups.part(group, tombstones));
            let is_of_group = |cell: &&MemCell| groups.holds(group, memtable.columns().get(cell.column).0);
            let mut cells = memtable.cells_of(row).filter(is_of_group).peekable();
            if cells.peek().is_none() && tombstones.as_ref().is_none_or(|tombstones| tombstones.is_empty()) {
                continue;
            }
            let writer = match &mut *writer {
                Some(writer) => writer,
                none => none.insert(Writer::new(
                    storage,
                    self.block_bytes,
                    self.uid,
                    self.sequence << 8 | u64::from(group),
                )?),
            };
            writer.begin_row(key, tombstones.as_deref());
            for cell in cells {
                let (family, qualifier) = memtable.columns().get(cell.column);
                writer.cell(
                    family,
                    qualifier,
                    cell.timestamp,
                    memtable.value(cell.value_start, cell.value_length),
                );
            }
            writer.end_row();
        }
        Ok(())
    }
}
