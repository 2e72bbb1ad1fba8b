//! Deleted tables, which can be undeleted for a while: each is kept as a backup of the engine, which nothing is copied for.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use tabletop_model::Timestamp;
use tonic::Status;

use super::kept::{DELETED, keep};
use super::state::{DeletedTable, Ids, InstanceState};
use super::times::{DAY, time};
use super::{Admin, change, exists, proto};
use crate::grpc::names;
use crate::host::InstanceName;

/// How long a table can be undeleted, as in production.
const KEPT_MICROS: i64 = 7 * DAY;
/// Tables of an instance that can be undeleted: they take as much room as before.
const KEPT_MAX: usize = 10;

impl Admin {
    /// Keeps a table that is going to be deleted. One that is damaged cannot be kept, and one that fills the disk may not; they
    /// can be deleted all the same.
    pub(super) fn keep_deleted(
        &self,
        instance: &InstanceName,
        known: &mut InstanceState,
        ids: &mut Ids,
        table: &str,
    ) -> Result<(), Status> {
        let served = self.served(instance)?;
        let state = known.tables.remove(table).unwrap_or_default();
        match keep(&served, ids, DELETED, table) {
            Ok(kept) => drop(known.deleted_tables.insert(table.into(), DeletedTable { kept, at: self.now(), table: state })),
            Err(error) if matches!(error.code(), tonic::Code::DataLoss | tonic::Code::ResourceExhausted) => {
                known.deleted_tables.remove(table);
            }
            Err(error) => return Err(error),
        }
        while known.deleted_tables.len() > KEPT_MAX {
            let oldest = known.deleted_tables.iter().min_by_key(|(_, deleted)| deleted.at);
            let Some(oldest) = oldest.map(|(table, _)| table.clone()) else { break };
            known.deleted_tables.remove(&oldest);
        }
        Ok(())
    }

    pub(super) fn undelete_table(&self, request: proto::UndeleteTableRequest) -> Result<Operation, Status> {
        let (instance, table) = names::table(&request.name)?;
        let start_time = time(self.now());
        let undeleted = self.change_instance(&instance, |known, _| {
            if self.spec(&instance, &table).is_ok() {
                return Err(exists("table", &request.name));
            }
            let Some(deleted) = known.deleted_tables.remove(&table) else {
                return Err(Status::not_found(format!(
                    "table \"{}\" was not deleted lately: the last {KEPT_MAX} of an instance can be undeleted, for {} days",
                    request.name,
                    KEPT_MICROS / DAY
                )));
            };
            let served = self.served(&instance)?;
            change(&served, |instance, now| instance.restore_table(now, &deleted.kept, &table))?;
            known.tables.insert(table.clone(), deleted.table);
            self.describe(&instance, known, &table, proto::table::View::SchemaView)
        })?;
        let metadata = proto::UndeleteTableMetadata { name: undeleted.name.clone(), start_time, end_time: time(self.now()) };
        Ok(self.operation(&undeleted.name, ("Table", &undeleted), ("UndeleteTableMetadata", &metadata)))
    }
}

/// Whether a deleted table has been kept for long enough.
pub(super) fn is_over(deleted: &DeletedTable, now: Timestamp) -> bool {
    now.saturating_sub(deleted.at) >= KEPT_MICROS
}
