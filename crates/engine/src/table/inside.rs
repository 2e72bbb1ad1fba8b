//! A view of a table's internals: the parts of a tablet, the blocks of an SSTable, the bytes of a
//! block. Also flushes and compactions of single tablets.

#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{
    BLOCK_PAGE_BYTES, BLOCKS_MAX, BlockList, BlockPage, BlockView, Error, Inspect, Inspected, MemtableView,
    Result, RunView, TabletId, TabletInside,
};

use crate::cache::Blocks;
use crate::columns::FamilyId;
use crate::sstable::{Anatomy, SsTable};
use crate::storage::Storage;
use crate::table::Table;
use crate::table::overlap::Span;
use crate::table::plan::Compaction;
use crate::table::run::Run;

impl Table {
    /// Returns a view of a part of the table.
    ///
    /// # Errors
    /// `NotFound` for a tablet, an SSTable or a block that does not exist, or no longer exists;
    /// `Unavailable` from storage.
    pub(crate) fn inspect(&mut self, storage: &dyn Storage, look: Inspect) -> Result<Inspected> {
        match look {
            Inspect::Tablet(tablet) => self.tablet_inside(storage, tablet).map(Inspected::Tablet),
            Inspect::Blocks { file, from, count } => {
                let table = self.sstable(file)?;
                let blocks = &table.index.blocks;
                let end = from.saturating_add(count.min(BLOCKS_MAX)).min(blocks.len() as u32);
                let blocks = (from.min(end)..end).map(|block| block_view(table, block)).collect();
                Ok(Inspected::Blocks(BlockList { file, total: table.index.blocks.len() as u32, blocks }))
            }
            Inspect::Block { file, block, from } => {
                self.block_page(storage, file, block, from).map(Inspected::Block)
            }
        }
    }

    /// Writes the memtables of a tablet as SSTables.
    ///
    /// # Errors
    /// `NotFound` for a tablet that does not exist; the reason why the table cannot be written to;
    /// errors of storage.
    pub(crate) fn flush_tablet(&mut self, storage: &mut dyn Storage, tablet: TabletId) -> Result<()> {
        self.check_writable()?;
        let index = self.index_of(tablet)?;
        Ok(self.minor_compaction(storage, index)?)
    }

    /// Requests a major compaction of a tablet.
    ///
    /// # Errors
    /// `NotFound` for a tablet that does not exist; the reason why the table cannot be written to.
    pub(crate) fn compact_tablet(&mut self, tablet: TabletId) -> Result<()> {
        self.check_writable()?;
        let index = self.index_of(tablet)?;
        self.want_compaction(index);
        if let Some(compaction) =
            self.background.compaction.as_mut().filter(|compaction| compaction.is_of(tablet))
        {
            compaction.supersede();
        }
        Ok(())
    }

    fn tablet_inside(&mut self, storage: &dyn Storage, id: TabletId) -> Result<TabletInside> {
        self.settle();
        let index = self.index_of(id)?;
        let tablet = &self.tablets[index];
        let memtables = tablet.memtables().map(|memtable| {
            let memtable = memtable.read();
            MemtableView { bytes: memtable.bytes(), rows: memtable.row_count(), cells: memtable.cells() }
        });
        let mut runs: Vec<RunView> = Vec::new();
        for run in &tablet.runs {
            let newer = tablet.runs.iter().zip(&runs).filter(|(newer, _)| newer.group == run.group);
            let over = newer.filter(|(newer, _)| Span::of(newer).overlaps(&Span::of(run)));
            let depth = over.map(|(_, view)| view.depth + 1).max().unwrap_or(0);
            runs.push(RunView { depth, ..self.run_view(storage, index, run)? });
        }
        let compaction = self.background.compaction.as_ref().filter(|compaction| compaction.is_of(id));
        let damaged =
            tablet.damaged.iter().map(|(range, error)| (range.start.clone().into(), error.clone().into()));
        Ok(TabletInside {
            tablet: id,
            memtables: memtables.collect(),
            memtable_bytes_max: self.settings.memtable_bytes_max,
            sstables_max: self.settings.sstables_max,
            compaction: compaction.map(Compaction::view),
            compaction_is_due: tablet.wanted.is_some() || self.compaction_of(index).is_some(),
            damaged: damaged.collect(),
            runs,
        })
    }

    fn run_view(&self, storage: &dyn Storage, index: usize, run: &Run) -> Result<RunView> {
        let table = &*run.table;
        let has_part = |other: &Run| Arc::ptr_eq(&other.table, &run.table);
        let mut others = self.tablets.iter().enumerate().filter(|(at, _)| *at != index);
        let (last, end) = (table.index.last_key(), run.range.end.as_deref());
        let blocks = run.blocks();
        Ok(RunView {
            file: table.file.0,
            sequence: run.sequence,
            families: self.families_of(run.group),
            depth: 0,
            first_key: run.start().into(),
            last_key: end.filter(|end| *end <= last).unwrap_or(last).into(),
            rows: run.size.rows,
            cells: run.size.cells,
            bytes: run.size.bytes,
            first_block: blocks.start as u32,
            blocks: blocks.len() as u32,
            deletions: table.contents.as_ref().map(|contents| contents.row_deletes + contents.column_deletes),
            is_shared: others.any(|(_, tablet)| tablet.runs.iter().any(has_part)),
            file_bytes: storage.size(table.file)?,
            dictionary_bytes: table.dictionary_bytes(),
            bloom_bytes: table.bloom_bytes(),
        })
    }

    /// Returns the families of a locality group; empty if there is only one group.
    fn families_of(&self, group: u8) -> Vec<String> {
        let groups = self.families.groups();
        let all = self
            .families
            .names()
            .iter()
            .enumerate()
            .filter(|(_, name)| groups.are_several() && !name.is_empty());
        all.filter(|(family, _)| groups.holds(group, *family as FamilyId))
            .map(|(_, name)| name.clone())
            .collect()
    }

    fn block_page(&self, storage: &dyn Storage, file: u64, block: u32, from: u32) -> Result<BlockPage> {
        let table = self.sstable(file)?;
        let Some(meta) = table.index.blocks.get(block as usize) else {
            let count = table.index.blocks.len();
            return Err(Error::not_found(format!(
                "SSTable {file} has no block {block}: it has {count}, counted from 0"
            )));
        };
        let number = block as usize;
        let section = table.read_section(storage, number)?;
        let from = from.min(section.len() as u32) as usize;
        let page = from..section.len().min(from + BLOCK_PAGE_BYTES as usize);
        let dictionary = Blocks::uncached(storage).dictionary(table);
        let (dictionary, dictionary_error) = match dictionary {
            Ok(dictionary) => (dictionary, None),
            Err(error) => (Arc::default(), Some(error)),
        };
        let anatomy =
            Anatomy::of(&section, table.block_seed(number), &dictionary, self.families.names(), page.clone());
        let damage = dictionary_error.or_else(|| anatomy.damage.map(|damage| table.damage(number, damage)));
        Ok(BlockPage {
            file,
            block,
            offset: meta.offset,
            total: section.len() as u32,
            from: from as u32,
            bytes: section[page].to_vec(),
            parts: anatomy.parts,
            logical_bytes: damage.is_none().then_some(anatomy.logical_bytes),
            damage: damage.map(Error::from),
        })
    }

    fn index_of(&self, id: TabletId) -> Result<usize> {
        let missing = || {
            Error::not_found(format!(
                "there is no tablet {} now: it was split or merged; view the table again",
                id.0
            ))
        };
        self.tablets.iter().position(|tablet| tablet.id == id).ok_or_else(missing)
    }

    fn sstable(&self, file: u64) -> Result<&SsTable> {
        let mut runs = self.tablets.iter().flat_map(|tablet| &tablet.runs);
        let missing = || {
            Error::not_found(format!(
                "the table has no SSTable {file} now: a compaction may have replaced it"
            ))
        };
        runs.find(|run| run.table.file.0 == file).map(|run| &*run.table).ok_or_else(missing)
    }
}

fn block_view(table: &SsTable, block: u32) -> BlockView {
    let meta = &table.index.blocks[block as usize];
    BlockView {
        block,
        first_key: table.index.first_key(block as usize).into(),
        rows: meta.rows,
        cells: meta.cells,
        bytes: meta.length,
        continues: meta.continues,
    }
}
