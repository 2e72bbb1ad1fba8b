//! One instance with one table, which does its compactions between two writes.

use tabletop_design::Tables;
use tabletop_engine::{Budget, Instance, Storage, TableHandle};
use tabletop_model::{Request, RowMutation};

use super::{MEMTABLE_BYTES, Pass, TABLE, mutations, request, settings, spec, text};
use crate::{Columns, Conditions, Result, Row, Rows, Store, Visitor};

/// The compaction step between two batches.
const STEP: Budget = Budget { bytes: 64 << 20 };

/// The engine on some storage.
pub struct Ours<S> {
    instance: Instance<S>,
    conditions: Conditions,
}

impl<S: Storage> Ours<S> {
    /// Opens the existing table, or creates one.
    pub fn open(storage: S, conditions: Conditions) -> Result<Self> {
        let (mut instance, _) = Instance::open(storage, 0).map_err(text)?;
        if instance.table(TABLE).is_err() {
            instance.create_table(0, TABLE, spec(conditions)).map_err(text)?;
        }
        let mut ours = Ours { instance, conditions };
        ours.table()?.set_synced(conditions.synced);
        Ok(ours)
    }

    /// Calls `act` with all tables, and then does the compactions that are due.
    pub fn tables<T>(&mut self, act: impl FnOnce(&mut Tables) -> tabletop_model::Result<T>) -> Result<T> {
        let instance = &mut self.instance;
        let mut ask = |request: Request| instance.handle(0, request);
        let done = act(&mut Tables::new(&mut ask)).map_err(text);
        self.instance.advance(0, STEP);
        done
    }

    /// Answers writes to a table before they are synced.
    pub fn leave_unsynced(&mut self, table: &str) -> Result<()> {
        self.instance.table(table).map_err(text)?.set_synced(false);
        Ok(())
    }

    fn table(&mut self) -> Result<TableHandle<'_>> {
        self.instance.table(TABLE).map_err(text)
    }
}

impl<S: Storage> Store for Ours<S> {
    type Batch = Vec<RowMutation>;

    fn batch(&self, rows: &[Row]) -> Self::Batch {
        mutations(rows)
    }

    fn write(&mut self, entries: Self::Batch) -> Result<()> {
        let outcomes = self.table()?.mutate_rows(0, &entries).map_err(text)?;
        if let Some(error) = outcomes.into_iter().flatten().next() {
            return Err(text(error));
        }
        self.instance.advance(0, STEP);
        Ok(())
    }

    fn settle(&mut self) -> Result<()> {
        // With this limit any memtable is full, so it is written out, too.
        for memtable_bytes_max in [1, MEMTABLE_BYTES] {
            let settings = settings(self.conditions, memtable_bytes_max);
            self.table()?.update_settings(settings).map_err(text)?;
            while self.instance.advance(0, STEP) {}
        }
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        self.table()?.scan(&request(rows, columns), &mut Pass(visitor)).map_err(text)?;
        Ok(())
    }
}
