//! A host with one instance of one table, as `tabletop serve` has it below its gRPC layer: the
//! host's thread does the compactions, and the clock is the system's.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tabletop_design::Tables;
use tabletop_engine::Limits;
use tabletop_model::{Error, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, Request, RowMutation};
use tabletop_server::{DEFAULT_GC_DELAY, Host, InstanceName, Served, system_clock};

use super::{MEMTABLE_BYTES, Pass, TABLE, mutations, request, settings, spec, text};
use crate::{Columns, Conditions, Result, Row, Rows, Shared, Store, Versions, Visitor};

/// The engine on a folder.
pub struct Ours {
    served: Arc<Served>,
    host: Arc<Host>,
    conditions: Conditions,
}

impl Ours {
    /// Opens the existing table, or creates one.
    pub fn open(folder: &Path, conditions: Conditions) -> Result<Self> {
        let limits = Limits { cache_bytes_max: conditions.cache_bytes, ..Limits::default() };
        let host = Arc::new(Host::open(folder, system_clock).map_err(text)?.with_limits(limits));
        let name = InstanceName { project: "bench".into(), instance: "engine".into() };
        let served = host.instance_or_new(&name).map_err(text)?;
        let prepare = served.change(|instance, now| {
            if instance.table(TABLE).is_err() {
                instance.create_table(now, TABLE, spec(conditions))?;
            }
            instance.table(TABLE)?.set_synced(conditions.synced);
            Ok(())
        });
        prepare.map_err(text)?;
        Ok(Ours { served, host, conditions })
    }

    /// Calls `act` with all tables.
    pub fn tables<T>(&mut self, act: impl FnOnce(&mut Tables) -> tabletop_model::Result<T>) -> Result<T> {
        let served = &self.served;
        let mut ask = |request: Request| served.handle(request);
        act(&mut Tables::new(&mut ask)).map_err(text)
    }

    /// Answers writes to a table before they are synced.
    pub fn leave_unsynced(&mut self, table: &str) -> Result<()> {
        let change = self.served.change(|instance, _| {
            instance.table(table)?.set_synced(false);
            Ok(())
        });
        change.map_err(text)
    }
}

impl Store for Ours {
    type Batch = Vec<RowMutation>;

    fn batch(&self, rows: &[Row]) -> Self::Batch {
        mutations(rows)
    }

    fn write(&mut self, entries: Self::Batch) -> Result<()> {
        let outcomes = self.served.mutate_rows(TABLE.into(), entries).map_err(text)?;
        outcomes.into_iter().flatten().next().map_or(Ok(()), |error| Err(text(error)))
    }

    fn settle(&mut self) -> Result<()> {
        // With this limit any memtable is full, so it is written out, too.
        for memtable_bytes_max in [1, MEMTABLE_BYTES] {
            let settings = settings(self.conditions, memtable_bytes_max);
            let update = self.served.change(|instance, _| instance.table(TABLE)?.update_settings(settings));
            update.map_err(text)?;
            self.served.finish_work();
        }
        if self.conditions.versions == Versions::Newest {
            // Garbage is only collected after a delay.
            thread::sleep(DEFAULT_GC_DELAY + Duration::from_millis(100));
            self.served.finish_work();
        }
        Ok(())
    }

    fn read(&mut self, rows: Rows<'_>, columns: Columns<'_>, visitor: &mut impl Visitor) -> Result<()> {
        self.served.read_into(TABLE, &request(rows, columns), &mut Pass(visitor)).map_err(text)?;
        Ok(())
    }

    fn increment(&mut self, row: &[u8], family: &'static str, qualifier: &[u8]) -> Result<u64> {
        let rule = ReadModifyWriteRule {
            family: family.into(),
            qualifier: qualifier.into(),
            modify: ReadModify::Increment(1),
        };
        let change = ReadModifyWriteRow { key: row.into(), rules: vec![rule] };
        let row = self.served.read_modify_write_row(TABLE.into(), change).map_err(text)?;
        let cell = row.cells.first().ok_or("Tabletop: an increment returned no cell")?;
        let sum = cell.value.as_ref().try_into().map_err(|_| text(Error::invalid("a number has 8 bytes")))?;
        Ok(u64::from_be_bytes(sum))
    }
}

impl Shared for Ours {
    fn another(&self) -> Result<Self> {
        let Ours { served, host, conditions } = self;
        Ok(Ours { served: served.clone(), host: host.clone(), conditions: *conditions })
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        if Arc::strong_count(&self.host) == 1 {
            self.host.close();
        }
    }
}
