//! Copies of a table in memory. SSTables do not change and are shared; anything that changes in
//! place is copied.

use alloc::sync::Arc;

use tabletop_model::SortedMap;

use super::Table;
use super::tablet::{Frozen, Tablet, TabletData};
use crate::memtable::Memtable;
use crate::shared::{Guarded, Shared};
use crate::sstable::SsTable;
use crate::storage::FileId;

/// The open SSTables of a copy, by file.
#[derive(Default)]
struct Files(SortedMap<FileId, Arc<SsTable>>);

impl Table {
    /// Returns a copy, for use with a copy of the storage. Returns `None` while a compaction is in
    /// progress, and for a table that survives the process.
    pub(crate) fn fork(&self) -> Option<Table> {
        if self.background.is_running() || self.held.is_some() || self.durable.is_some() {
            return None;
        }
        let mut files = Files::default();
        let mut fork = Table {
            tablets: self.tablets.iter().map(|tablet| tablet.fork(&mut files)).collect(),
            background: self.background.fork(),
            memtable_bytes: self.memtable_bytes,
            pins: self.pins.clone(),
            counts: self.counts,
            tablets_made: self.tablets_made,
            sequences: self.sequences,
            ..Table::stored(self.settings.clone(), (*self.families).clone())
        };
        *fork.reading.counts.lock() = *self.reading.counts.lock();
        fork.publish();
        Some(fork)
    }
}

impl Tablet {
    fn fork(&self, files: &mut Files) -> Tablet {
        let TabletData { memtable, frozen, runs, load, .. } = &*self.data;
        let copied = |memtable: &Guarded<Memtable>| Arc::new(Guarded::new(memtable.read().clone()));
        let mut runs = runs.clone();
        runs.iter_mut().for_each(|run| run.table = files.copy(&run.table));
        let data = TabletData {
            memtable: copied(memtable),
            frozen: frozen.clone().map(|frozen| Frozen { memtable: copied(&frozen.memtable), ..frozen }),
            runs,
            load: Arc::new(Shared::new(load.lock().clone())),
            ..(*self.data).clone()
        };
        Tablet { data: Arc::new(data), ..self.clone() }
    }
}

impl Files {
    /// Returns the copy's value for an SSTable. A file is removed with the last run that holds this
    /// value, so all runs of the copy share one value, and none of them shares it with the
    /// original.
    fn copy(&mut self, table: &SsTable) -> Arc<SsTable> {
        if let Some(copy) = self.0.get(&table.file) {
            return copy.clone();
        }
        let copy = Arc::new(table.fork());
        self.0.insert(table.file, copy.clone());
        copy
    }
}
