//! Creates, lists, describes, updates and deletes tables.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use proto::drop_row_range_request::Target;
use proto::table::View;
use proto::table::cluster_state::ReplicationState;
use tabletop_model::{Bytes, Code, DropRowRange, TableSpec};
use tonic::Status;

use super::families::{described, families};
use super::iam::forget_policies;
use super::state::{InstanceState, Stored, TableState};
use super::times::{DAY, length, time};
use super::{
    Admin, change, missing, names as admin_names, no_such_path, not_found, paging, paths, protected, proto,
    row_key_schema,
};
use crate::grpc::names;
use crate::grpc::status::{invalid, status};
use crate::host::{InstanceName, table_settings};

/// The retention of change streams, in days.
const RETENTION_DAYS: std::ops::RangeInclusive<i64> = 1..=7;

impl Admin {
    pub(super) fn create_table(&self, request: proto::CreateTableRequest) -> Result<proto::Table, Status> {
        let instance = names::instance(&request.parent)?;
        let mut about = request.table.unwrap_or_default();
        about.granularity = granularity(about.granularity)?;
        check_change_stream(&about)?;
        let (families, types) = families(std::mem::take(&mut about.column_families))?;
        about.row_key_schema.as_ref().map_or(Ok(()), |schema| row_key_schema::check(schema, &families))?;
        about.column_families = types;
        about.name.clear();
        about.cluster_states.clear();
        about.restore_info = None;
        let mut initial_splits: Vec<Bytes> =
            request.initial_splits.into_iter().map(|split| Bytes(split.key)).collect();
        // Clients may send them in any order.
        initial_splits.sort_unstable();
        let spec = TableSpec { families, initial_splits, settings: table_settings() };
        let table = request.table_id;
        self.change(|state| {
            let is_new = !self.host.instances().map_err(status)?.contains(&instance);
            let served = self.served(&instance)?;
            if let Err(error) = change(&served, |instance, now| instance.create_table(now, &table, spec)) {
                if is_new {
                    // The instance was created only for the table. If this fails, an empty instance
                    // is left.
                    let _ = self.host.delete_instance(&instance);
                }
                return Err(error);
            }
            self.adopt(state, &instance)?;
            let (known, _) = state.instance_mut(&instance);
            known.tables.insert(table.clone(), TableState { about: Stored(about), ..TableState::default() });
            self.describe(&instance, known, &table, View::SchemaView)
        })
    }

    pub(super) fn get_table(&self, request: proto::GetTableRequest) -> Result<proto::Table, Status> {
        let (instance, table) = names::table(&request.name)?;
        let view = view(request.view, View::SchemaView)?;
        self.read_instance(&instance, |known| self.describe(&instance, known, &table, view))
    }

    pub(super) fn list_tables(
        &self,
        request: proto::ListTablesRequest,
    ) -> Result<proto::ListTablesResponse, Status> {
        let instance = names::instance(&request.parent)?;
        let view = view(request.view, View::NameOnly)?;
        if !self.is_known(&instance)? {
            // The first table creates the instance, so the instance counts as existing and empty:
            // clients list tables before they create one.
            return Ok(proto::ListTablesResponse::default());
        }
        self.read_instance(&instance, |known| {
            let served = self.served(&instance)?;
            let ids: Vec<String> = served
                .with(|instance, _| Ok(instance.table_ids().map(String::from).collect()))
                .map_err(status)?;
            let (ids, next_page_token) = paging::page(ids, |id| id, request.page_size, &request.page_token)?;
            let described = ids.iter().map(|id| self.describe(&instance, known, id, view));
            // Leaves out a table that has been deleted since.
            let tables =
                described.filter(|table| !matches!(table, Err(gone) if gone.code() == tonic::Code::NotFound));
            Ok(proto::ListTablesResponse { tables: tables.collect::<Result<_, _>>()?, next_page_token })
        })
    }

    pub(super) fn update_table(&self, request: proto::UpdateTableRequest) -> Result<Operation, Status> {
        let given = request.table.clone().ok_or_else(|| missing("table"))?;
        let (instance, table) = names::table(&given.name)?;
        let paths = paths(request.update_mask.clone());
        let start_time = time(self.now());
        let updated = self.change_instance(&instance, |known, _| {
            let spec = self.spec(&instance, &table)?;
            if paths.is_empty() {
                return Err(missing("update_mask"));
            }
            check_change_stream(&given)?;
            let about = &mut known.tables.entry(table.clone()).or_default().about.0;
            for path in &paths {
                match path.split('.').next().unwrap_or_default() {
                    "deletion_protection" => about.deletion_protection = given.deletion_protection,
                    "change_stream_config" => about.change_stream_config = given.change_stream_config,
                    "automated_backup_policy" | "automated_backup_config" => {
                        about.automated_backup_config = given.automated_backup_config.clone();
                    }
                    "tiered_storage_config" => about.tiered_storage_config = given.tiered_storage_config,
                    "row_key_schema" => {
                        row_key_schema::check_update(&request, about.row_key_schema.as_ref())?;
                        given.row_key_schema.as_ref().map_or(Ok(()), |schema| row_key_schema::check(schema, &spec.families))?;
                        about.row_key_schema.clone_from(&given.row_key_schema);
                    }
                    _ => {
                        let known = "deletion_protection, change_stream_config, automated_backup_policy, tiered_storage_config and \
                                     row_key_schema";
                        return Err(no_such_path(path, known));
                    }
                }
            }
            self.describe(&instance, known, &table, View::SchemaView)
        })?;
        let metadata =
            proto::UpdateTableMetadata { name: updated.name.clone(), start_time, end_time: time(self.now()) };
        Ok(self.operation(&updated.name, ("Table", &updated), ("UpdateTableMetadata", &metadata)))
    }

    pub(crate) fn delete_table(&self, request: proto::DeleteTableRequest) -> Result<(), Status> {
        let (instance, table) = names::table(&request.name)?;
        self.change_instance(&instance, |known, ids| {
            self.spec(&instance, &table)?;
            if let Some(state) = known.tables.get(&table) {
                if state.about.0.deletion_protection {
                    return Err(protected("table", &request.name));
                }
                if let Some((id, _)) = state.views.iter().find(|(_, view)| view.0.deletion_protection) {
                    return Err(protected(
                        "authorized view",
                        &format!("{}/authorizedViews/{id}", request.name),
                    ));
                }
            }
            self.back_up_deleted(&instance, known, ids, &table)?;
            forget_policies(known, &format!("tables/{table}"));
            let served = self.served(&instance)?;
            change(&served, |instance, _| instance.delete_table(&table))
        })
    }

    pub(super) fn drop_row_range(&self, request: proto::DropRowRangeRequest) -> Result<(), Status> {
        let (instance, table) = names::table(&request.name)?;
        let range = match request.target {
            Some(Target::RowKeyPrefix(prefix)) => DropRowRange::Prefix(Bytes(prefix)),
            Some(Target::DeleteAllDataFromTable(true)) => DropRowRange::All,
            Some(Target::DeleteAllDataFromTable(false)) => {
                return Err(invalid("Error in field 'delete_all_data_from_table' : must be true if set"));
            }
            None => return Err(missing("target")),
        };
        let served = self.host.instance(&instance).map_err(status)?;
        served.drop_row_range(&table, &range).map_err(status)
    }

    /// Returns the engine's specification of a table, which must exist.
    pub(super) fn spec(&self, instance: &InstanceName, table: &str) -> Result<TableSpec, Status> {
        let served = self.host.instance(instance).map_err(status)?;
        served.with(|instance, _| Ok(instance.table(table)?.describe())).map_err(|error| match error.code {
            Code::NotFound => not_found("table", &admin_names::within(instance, "tables", table)),
            _ => status(error),
        })
    }

    /// Describes a table to a client.
    pub(super) fn describe(
        &self,
        instance: &InstanceName,
        known: &InstanceState,
        table: &str,
        view: View,
    ) -> Result<proto::Table, Status> {
        let spec = self.spec(instance, table)?;
        let name = admin_names::within(instance, "tables", table);
        let about = known.tables.get(table).map(|state| state.about.0.clone()).unwrap_or_default();
        let named = proto::Table { name: name.clone(), ..Default::default() };
        let schema = |clusters| proto::Table {
            name: name.clone(),
            cluster_states: clusters,
            column_families: described(&spec.families, &about.column_families),
            granularity: proto::table::TimestampGranularity::Millis.into(),
            ..about.clone()
        };
        let clusters = |replicates: bool, encrypts: bool| {
            let states = known.clusters.iter().map(|(id, cluster)| {
                let replication_state =
                    if replicates { ReplicationState::Ready } else { ReplicationState::StateNotKnown };
                let encryption_info = if encrypts { vec![encryption(&cluster.0)] } else { Vec::new() };
                (
                    id.clone(),
                    proto::table::ClusterState {
                        replication_state: replication_state.into(),
                        encryption_info,
                    },
                )
            });
            states.collect()
        };
        Ok(match view {
            View::NameOnly => named,
            View::Unspecified | View::SchemaView => schema(Default::default()),
            View::ReplicationView => proto::Table { cluster_states: clusters(true, false), ..named },
            View::EncryptionView => proto::Table { cluster_states: clusters(false, true), ..named },
            View::Full => schema(clusters(true, true)),
        })
    }
}

/// Returns the encryption that a cluster would have.
pub(super) fn encryption(cluster: &proto::Cluster) -> proto::EncryptionInfo {
    use proto::encryption_info::EncryptionType;
    match &cluster.encryption_config {
        Some(config) if !config.kms_key_name.is_empty() => proto::EncryptionInfo {
            encryption_type: EncryptionType::CustomerManagedEncryption.into(),
            encryption_status: None,
            kms_key_version: format!("{}/cryptoKeyVersions/1", config.kms_key_name),
        },
        _ => proto::EncryptionInfo {
            encryption_type: EncryptionType::GoogleDefaultEncryption.into(),
            ..Default::default()
        },
    }
}

fn view(view: i32, default: View) -> Result<View, Status> {
    match View::try_from(view) {
        Ok(View::Unspecified) => Ok(default),
        Ok(view) => Ok(view),
        Err(_) => Err(invalid(format!("Error in field 'view' : there is no view {view}"))),
    }
}

fn granularity(granularity: i32) -> Result<i32, Status> {
    use proto::table::TimestampGranularity::{Millis, Unspecified};
    match granularity.try_into() {
        Ok(Unspecified | Millis) => Ok(Millis.into()),
        Err(_) => Err(invalid(format!(
            "Error in field 'granularity' : there is no granularity {granularity}: use MILLIS"
        ))),
    }
}

fn check_change_stream(table: &proto::Table) -> Result<(), Status> {
    let retention = table.change_stream_config.as_ref().and_then(|config| config.retention_period.as_ref());
    let is_kept = |retention| {
        length(retention).is_some_and(|micros| {
            (RETENTION_DAYS.start() * DAY..=RETENTION_DAYS.end() * DAY).contains(&micros)
        })
    };
    if retention.is_none_or(is_kept) {
        return Ok(());
    }
    Err(invalid(format!(
        "Error in field 'change_stream_config' : retention_period must be {} to {} days",
        RETENTION_DAYS.start(),
        RETENTION_DAYS.end()
    )))
}
