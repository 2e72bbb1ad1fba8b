//! Deleted tables. Each is kept for some days as a backup of the engine, without a copy of its
//! data, and can be undeleted.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use tabletop_model::Timestamp;
use tonic::Status;

use super::engine_backups::{DELETED, back_up};
use super::state::{DeletedTable, Ids, InstanceState};
use super::times::{DAY, time};
use super::{Admin, change, exists, proto};
use crate::grpc::names;
use crate::host::InstanceName;

/// The time within which a table can be undeleted, as in production.
const UNDELETE_MICROS: i64 = 7 * DAY;
/// The number of deleted tables that an instance keeps. They take as much space as before.
const DELETED_TABLES_MAX: usize = 10;

impl Admin {
    /// Keeps a table that is about to be deleted. A damaged table cannot be kept, and when the disk
    /// is full no table can. Such tables are deleted without being kept.
    pub(super) fn back_up_deleted(
        &self,
        instance: &InstanceName,
        known: &mut InstanceState,
        ids: &mut Ids,
        table: &str,
    ) -> Result<(), Status> {
        let served = self.served(instance)?;
        let state = known.tables.remove(table).unwrap_or_default();
        match back_up(&served, ids, DELETED, table) {
            Ok(engine_backup) => {
                let deleted = DeletedTable { engine_backup, at: self.now(), table: state };
                known.deleted_tables.insert(table.into(), deleted);
            }
            Err(error) if matches!(error.code(), tonic::Code::DataLoss | tonic::Code::ResourceExhausted) => {
                known.deleted_tables.remove(table);
            }
            Err(error) => return Err(error),
        }
        while known.deleted_tables.len() > DELETED_TABLES_MAX {
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
                    "table \"{}\" cannot be undeleted: an instance keeps its last {DELETED_TABLES_MAX} deleted tables, for {} days",
                    request.name,
                    UNDELETE_MICROS / DAY
                )));
            };
            let served = self.served(&instance)?;
            change(&served, |instance, now| instance.restore_table(now, &deleted.engine_backup, &table))?;
            known.tables.insert(table.clone(), deleted.table);
            self.describe(&instance, known, &table, proto::table::View::SchemaView)
        })?;
        let metadata = proto::UndeleteTableMetadata {
            name: undeleted.name.clone(),
            start_time,
            end_time: time(self.now()),
        };
        Ok(self.operation(&undeleted.name, ("Table", &undeleted), ("UndeleteTableMetadata", &metadata)))
    }
}

/// Returns whether a deleted table can no longer be undeleted.
pub(super) fn is_over(deleted: &DeletedTable, now: Timestamp) -> bool {
    now.saturating_sub(deleted.at) >= UNDELETE_MICROS
}
