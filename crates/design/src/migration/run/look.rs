//! The progress of a migration next to a stream, for the page.

use tabletop_model::{Result, TabletView};
use tabletop_protocol::migration::{
    MigratedTable, MigrationChunk, MigrationDifference, MigrationStage, MigrationStream, MigrationVisit,
};

use super::{MigrationRun, OLD};
use crate::migration::convert::Side;
use crate::migration::{Difference, Migration};
use crate::tables::Tables;

impl MigrationRun {
    /// Returns the progress, for a visit.
    ///
    /// # Errors
    /// Any error from a request to the tables.
    pub fn look(&self, tables: &mut Tables, visit: MigrationVisit) -> Result<MigrationChunk> {
        let (saved, stream) = (&self.saved, &self.saved.stream);
        let names = self.names(tables)?;
        let mut look = |side: &Side| {
            if names.contains(&&*side.table) { self.look_at(tables, side).map(Some) } else { Ok(None) }
        };
        let new_side = self.migration.as_ref().map(|migration| &migration.to);
        let (old, new) = (look(&self.old)?, new_side.map_or(Ok(None), look)?);
        let status = self.migration.as_ref().map(Migration::status);
        let stage = status.as_ref().map(|status| status.stage);
        let (copied, compared) = status.as_ref().map_or((0, 0), |status| (status.copied, status.compared));
        let done = match stage {
            Some(MigrationStage::Backfilling) => Some(copied),
            Some(MigrationStage::Verifying) => Some(compared),
            _ => None,
        };
        let has_rows_of_events = |side: &Side| side.stored.has_time_in_key();
        let share = done.zip(old.filter(|old| old.rows > 0 && has_rows_of_events(&self.old)));
        // After the backfill, the comparison finds lost events. A row that was both copied and
        // written as it arrived counts twice until a compaction.
        let is_copying = matches!(stage, Some(MigrationStage::DualWrites | MigrationStage::Backfilling));
        let can_be_compared =
            is_copying && has_rows_of_events(&self.old) && new_side.is_some_and(has_rows_of_events);
        let missing =
            old.zip(new).filter(|_| can_be_compared).map(|(old, new)| old.rows.saturating_sub(new.rows));
        Ok(MigrationChunk {
            visit,
            designs: [0, 1].map(|at: usize| saved.workspace.designs[at].name.clone()),
            stream: MigrationStream {
                arrived: stream.arrived,
                history: stream.history(),
                is_over: stream.is_over(&self.fields),
                stretch: stream.stretch as u64,
                refused: stream.refused,
                refusal: stream.refusal.clone(),
                now: stream.now,
                p99_alone: self.alone.p99(),
                p99_before: self.pace.p99_before(),
                p99: self.pace.p99(),
            },
            retention_days: saved.retention_days,
            stage,
            copied,
            compared,
            dual_written: status.as_ref().map_or(0, |status| status.dual_written),
            share: share.map(|(done, old)| (done as f64 / old.rows as f64).min(1.0)),
            after: status.as_ref().map(|status| status.after.clone()).unwrap_or_default(),
            difference: status.as_ref().and_then(|status| status.difference.clone()).map(without_names),
            new_fields: status.map(|status| status.new_fields).unwrap_or_default(),
            old,
            new,
            missing,
        })
    }

    fn look_at(&self, tables: &mut Tables, side: &Side) -> Result<MigratedTable> {
        let view = tables.view(&side.table)?;
        let sum = |of: fn(&TabletView) -> u64| view.tablets.iter().map(of).sum::<u64>();
        let rows = sum(|tablet| tablet.rows);
        let stream = &self.saved.stream;
        // A table that is still being filled lacks events for another reason.
        let is_whole = match &self.migration {
            None => true,
            Some(migration) => side.table == OLD || migration.status().stage.reads_new(),
        };
        let can_tell = is_whole && side.stored.has_time_in_key();
        let gone =
            if self.has_old_events() { (stream.arrived - stream.refused).saturating_sub(rows) } else { 0 };
        Ok(MigratedTable {
            rows,
            cells: sum(|tablet| tablet.cells),
            is_exact: view.tablets.iter().all(|tablet| tablet.exact),
            bytes: sum(|tablet| tablet.bytes),
            work: view.work,
            removed: can_tell.then_some(gone),
        })
    }
}

/// Replaces the names of the tables, because the user knows them as the old and the new one.
fn without_names(difference: Difference) -> MigrationDifference {
    MigrationDifference { is_in_old: difference.table == OLD, key: difference.key, event: difference.event }
}
