//! Backups. Each stands for a backup of the engine, which shares the table's SSTables. A copy
//! within the instance shares the engine's backup; a copy to another instance copies the data.

use googleapis_tonic_google_longrunning::google::longrunning::Operation;
use proto::StorageType;
use proto::backup::{BackupType, State};
use tabletop_engine::Instance;
use tabletop_model::{ExportResume, Timestamp};
use tonic::Status;

use super::backup_filter::BackupFilter;
use super::backup_order::BackupOrder;
use super::engine_backups::{BACKUP, CARRIED, back_up, id_of};
use super::iam::forget_policies;
use super::state::{BackupState, InstanceState, Stored, TableState};
use super::tables::encryption;
use super::times::{DAY, micros, time};
use super::{
    Admin, change, exists, missing, names as admin_names, no_such_path, not_found, paging, paths, proto,
};
use crate::grpc::names;
use crate::grpc::status::invalid;
use crate::host::{InstanceName, Served};

/// The shortest and the longest lifetime of a backup.
const LIFE_HOURS_MIN: i64 = 6;
const LIFE_DAYS_MAX: i64 = 90;

impl Admin {
    pub(super) fn create_backup(&self, request: proto::CreateBackupRequest) -> Result<Operation, Status> {
        let (instance, cluster) = admin_names::cluster(&request.parent)?;
        let key = new_key(&cluster, &request.backup_id)?;
        let given = request.backup.ok_or_else(|| missing("backup"))?;
        let (source, table) = names::table(&given.source_table)?;
        if source != instance {
            return Err(invalid(
                "Error in field 'backup.source_table' : the table is in another instance: copy a backup there instead",
            ));
        }
        let now = self.now();
        check_expiry(&given, now)?;
        let created = self.change_instance(&instance, |known, ids| {
            self.spec(&instance, &table)?;
            check_new(known, &instance, &cluster, &key)?;
            let engine_backup = back_up(&*self.served(&instance)?, ids, BACKUP, &table)?;
            let about = proto::Backup { backup_type: backup_type(given.backup_type), ..given.clone() };
            let about = Stored(self.finished(&instance, &engine_backup, about, now)?);
            let state = known.tables.get(&table).cloned().unwrap_or_default();
            let backup = BackupState { about, engine_backup, table: restorable(state) };
            let described = describe(&instance, known, &key, &backup);
            known.backups.insert(key.clone(), backup);
            Ok(described)
        })?;
        let proto::Backup { name, source_table, start_time, end_time, .. } = created.clone();
        let metadata = proto::CreateBackupMetadata { name, source_table, start_time, end_time };
        Ok(self.operation(&created.name, ("Backup", &created), ("CreateBackupMetadata", &metadata)))
    }

    pub(super) fn get_backup(&self, request: proto::GetBackupRequest) -> Result<proto::Backup, Status> {
        let (instance, key) = admin_names::backup(&request.name)?;
        self.read_instance(&instance, |known| {
            let backup = known.backups.get(&key).ok_or_else(|| not_found("backup", &request.name))?;
            Ok(describe(&instance, known, &key, backup))
        })
    }

    pub(super) fn update_backup(&self, request: proto::UpdateBackupRequest) -> Result<proto::Backup, Status> {
        let given = request.backup.ok_or_else(|| missing("backup"))?;
        let (instance, key) = admin_names::backup(&given.name)?;
        let paths = paths(request.update_mask);
        if paths.is_empty() {
            return Err(missing("update_mask"));
        }
        self.change_instance(&instance, |known, _| {
            let backup = known.backups.get_mut(&key).ok_or_else(|| not_found("backup", &given.name))?;
            for path in &paths {
                match path.as_str() {
                    "expire_time" => {
                        let start = backup.about.0.start_time.as_ref().map_or(0, micros);
                        check_expiry(&given, start)?;
                        if given.expire_time.as_ref().is_some_and(|expiry| micros(expiry) <= self.now()) {
                            return Err(invalid(
                                "Error in field 'backup.expire_time' : it is in the past: delete the backup instead",
                            ));
                        }
                        backup.about.0.expire_time = given.expire_time;
                    }
                    "hot_to_standard_time" => backup.about.0.hot_to_standard_time = given.hot_to_standard_time,
                    _ => return Err(no_such_path(path, "expire_time and hot_to_standard_time")),
                }
            }
            let backup = backup.clone();
            Ok(describe(&instance, known, &key, &backup))
        })
    }

    pub(super) fn list_backups(
        &self,
        request: proto::ListBackupsRequest,
    ) -> Result<proto::ListBackupsResponse, Status> {
        let (instance, cluster) = admin_names::cluster(&request.parent)?;
        let order = BackupOrder::parse(&request.order_by)?;
        let filter = BackupFilter::parse(&request.filter)?;
        self.read_instance(&instance, |known| {
            if cluster != "-" && !known.clusters.contains_key(&cluster) {
                return Err(not_found("cluster", &request.parent));
            }
            let of = known.backups.iter().filter(|(key, _)| cluster == "-" || cluster_of(key) == cluster);
            let of = of
                .map(|(key, backup)| describe(&instance, known, key, backup))
                .filter(|backup| filter.takes(backup));
            let mut of: Vec<_> = of.map(|backup| (order.key(&backup), backup)).collect();
            of.sort_by(|(a, _), (b, _)| a.cmp(b));
            let (page, next_page_token) =
                paging::page(of, |(key, _)| key, request.page_size, &request.page_token)?;
            let backups = page.into_iter().map(|(_, backup)| backup).collect();
            Ok(proto::ListBackupsResponse { backups, next_page_token })
        })
    }

    pub(super) fn delete_backup(&self, request: proto::DeleteBackupRequest) -> Result<(), Status> {
        let (instance, key) = admin_names::backup(&request.name)?;
        self.change_instance(&instance, |known, _| {
            let (cluster, id) = key.split_once('/').unwrap_or((&key, ""));
            forget_policies(known, &format!("clusters/{cluster}/backups/{id}"));
            known.backups.remove(&key).map(drop).ok_or_else(|| not_found("backup", &request.name))
        })
    }

    pub(super) fn copy_backup(&self, request: proto::CopyBackupRequest) -> Result<Operation, Status> {
        let (instance, cluster) = admin_names::cluster(&request.parent)?;
        let key = new_key(&cluster, &request.backup_id)?;
        let (from, from_key) = admin_names::backup(&request.source_backup)?;
        let now = self.now();
        let source = self.find_backup(&from, &from_key, &request.source_backup)?;
        if !source.about.0.source_backup.is_empty() {
            return Err(Status::failed_precondition(format!(
                "backup \"{}\" is a copy, which cannot be copied: copy \"{}\"",
                request.source_backup, source.about.0.source_backup
            )));
        }
        let about = proto::Backup {
            source_backup: request.source_backup.clone(),
            expire_time: request.expire_time,
            ..source.about.0.clone()
        };
        check_expiry(&about, now)?;
        let copied = self.change_instance(&instance, |known, ids| {
            check_new(known, &instance, &cluster, &key)?;
            let engine_backup = if from == instance {
                // The backup may have been deleted since, together with its files.
                let source = known
                    .backups
                    .get(&from_key)
                    .ok_or_else(|| not_found("backup", &request.source_backup))?;
                source.engine_backup.clone()
            } else {
                let carried = format!("{CARRIED}{}", ids.next());
                self.carry(&from, &source.engine_backup, &instance, &carried)?;
                let served = self.served(&instance)?;
                let engine_backup = back_up(&served, ids, BACKUP, &carried);
                change(&served, |instance, _| instance.delete_table(&carried))?;
                engine_backup?
            };
            let about = Stored(self.finished(&instance, &engine_backup, about, now)?);
            let backup = BackupState { about, engine_backup, table: source.table.clone() };
            let described = describe(&instance, known, &key, &backup);
            known.backups.insert(key.clone(), backup);
            Ok(described)
        })?;
        let source_backup_info = Some(info(&request.source_backup, &source.about.0));
        let progress = Some(proto::OperationProgress {
            progress_percent: 100,
            start_time: time(now),
            end_time: time(self.now()),
        });
        let metadata = proto::CopyBackupMetadata { name: copied.name.clone(), source_backup_info, progress };
        Ok(self.operation(&copied.name, ("Backup", &copied), ("CopyBackupMetadata", &metadata)))
    }

    pub(super) fn restore_table(&self, request: proto::RestoreTableRequest) -> Result<Operation, Status> {
        let instance = names::instance(&request.parent)?;
        let Some(proto::restore_table_request::Source::Backup(source_name)) = request.source else {
            return Err(missing("backup"));
        };
        let (from, key) = admin_names::backup(&source_name)?;
        let source = self.find_backup(&from, &key, &source_name)?;
        let table = request.table_id;
        let start_time = time(self.now());
        let backup_info = info(&source_name, &source.about.0);
        let restored = self.change_instance(&instance, |known, _| {
            if from == instance {
                change(&*self.served(&instance)?, |engine, now| {
                    engine.restore_table(now, &source.engine_backup, &table)
                })?;
            } else {
                self.carry(&from, &source.engine_backup, &instance, &table)?;
            }
            let mut state = source.table.clone();
            state.about.0.restore_info = Some(proto::RestoreInfo {
                source_type: proto::RestoreSourceType::Backup.into(),
                source_info: Some(proto::restore_info::SourceInfo::BackupInfo(backup_info.clone())),
            });
            known.tables.insert(table.clone(), state);
            self.describe(&instance, known, &table, proto::table::View::SchemaView)
        })?;
        let progress =
            Some(proto::OperationProgress { progress_percent: 100, start_time, end_time: time(self.now()) });
        let metadata = proto::RestoreTableMetadata {
            name: restored.name.clone(),
            source_type: proto::RestoreSourceType::Backup.into(),
            optimize_table_operation_name: self.optimize(&restored.name, &from, &key, &instance, progress)?,
            progress,
            source_info: Some(proto::restore_table_metadata::SourceInfo::BackupInfo(backup_info)),
        };
        Ok(self.operation(&restored.name, ("Table", &restored), ("RestoreTableMetadata", &metadata)))
    }

    /// Records that a table was optimized, if its backup is on HDD and the table on SSD, and
    /// returns the operation's name. No work is needed, so the operation is already complete;
    /// clients wait for it.
    fn optimize(
        &self,
        table: &str,
        from: &InstanceName,
        backup: &str,
        to: &InstanceName,
        progress: Option<proto::OperationProgress>,
    ) -> Result<String, Status> {
        let is_on = |cluster: &Stored<proto::Cluster>, kind: StorageType| {
            cluster.0.default_storage_type == i32::from(kind)
        };
        let from_hdd = self.read_instance(from, |known| {
            Ok(known.clusters.get(cluster_of(backup)).is_some_and(|cluster| is_on(cluster, StorageType::Hdd)))
        })?;
        let to_ssd = self.read_instance(to, |known| {
            Ok(known.clusters.values().any(|cluster| !is_on(cluster, StorageType::Hdd)))
        })?;
        if !from_hdd || !to_ssd {
            return Ok(String::new());
        }
        let metadata = proto::OptimizeRestoredTableMetadata { name: table.into(), progress };
        Ok(self
            .operation(table, ("google.protobuf.Empty", &()), ("OptimizeRestoredTableMetadata", &metadata))
            .name)
    }

    fn find_backup(&self, instance: &InstanceName, key: &str, name: &str) -> Result<BackupState, Status> {
        self.read_instance(instance, |known| {
            known.backups.get(key).cloned().ok_or_else(|| not_found("backup", name))
        })
    }

    /// Returns the message of a new backup, with the fields that the server sets.
    fn finished(
        &self,
        instance: &InstanceName,
        engine_backup: &str,
        about: proto::Backup,
        start: Timestamp,
    ) -> Result<proto::Backup, Status> {
        let size = |engine: &mut Instance<_>, _| {
            Ok(engine.backups().find(|view| view.name == engine_backup).map_or(0, |view| view.bytes))
        };
        let bytes = change(&*self.served(instance)?, size)?;
        Ok(proto::Backup {
            name: String::new(),
            start_time: time(start),
            end_time: time(self.now()),
            size_bytes: bytes.try_into().unwrap_or(i64::MAX),
            state: State::Ready.into(),
            encryption_info: None,
            ..about
        })
    }

    /// Creates a table in another instance with the rows of a backup.
    fn carry(
        &self,
        from: &InstanceName,
        engine_backup: &str,
        to: &InstanceName,
        table: &str,
    ) -> Result<(), Status> {
        let (from, to) = (self.served(from)?, self.served(to)?);
        // No table has this name, because IDs are used only once.
        let restored = format!("{CARRIED}{}", id_of(engine_backup, BACKUP).unwrap_or_default());
        change(&from, |instance, now| instance.restore_table(now, engine_backup, &restored))?;
        let carried = copy(&from, &restored, &to, table);
        change(&from, |instance, _| instance.delete_table(&restored))?;
        carried
    }
}

/// Copies a table into another instance. After an error, nothing of it is left there.
fn copy(from: &Served, source: &str, to: &Served, table: &str) -> Result<(), Status> {
    copy_pieces(from, source, to, table).inspect_err(|_| {
        // An import that has failed has already ended.
        let _ = change(to, |instance, _| instance.cancel_import(table));
    })
}

/// Copies a table, one piece at a time.
fn copy_pieces(from: &Served, source: &str, to: &Served, table: &str) -> Result<(), Status> {
    let mut resume: Option<ExportResume> = None;
    loop {
        let piece = change(from, |instance, _| instance.table(source)?.export(resume.as_ref()))?;
        let is_last = piece.resume.is_none();
        change(to, |instance, now| instance.import_table(now, table, &piece.bytes, is_last))?;
        if is_last {
            return Ok(());
        }
        resume = piece.resume;
    }
}

/// Returns whether a backup has expired.
pub(super) fn is_over(backup: &BackupState, now: Timestamp) -> bool {
    backup.about.0.expire_time.as_ref().is_some_and(|expiry| micros(expiry) <= now)
}

fn new_key(cluster: &str, id: &str) -> Result<String, Status> {
    admin_names::check_id("backup_id", id)?;
    Ok(format!("{cluster}/{id}"))
}

fn cluster_of(key: &str) -> &str {
    key.split('/').next().unwrap_or_default()
}

fn check_new(known: &InstanceState, instance: &InstanceName, cluster: &str, key: &str) -> Result<(), Status> {
    if !known.clusters.contains_key(cluster) {
        return Err(not_found("cluster", &admin_names::within(instance, "clusters", cluster)));
    }
    if known.backups.contains_key(key) {
        return Err(exists("backup", &name_of(instance, key)));
    }
    Ok(())
}

fn check_expiry(backup: &proto::Backup, start: Timestamp) -> Result<(), Status> {
    let expiry = backup.expire_time.as_ref().ok_or_else(|| missing("backup.expire_time"))?;
    let life = micros(expiry).saturating_sub(start);
    if (LIFE_HOURS_MIN * DAY / 24..=LIFE_DAYS_MAX * DAY).contains(&life) {
        return Ok(());
    }
    Err(invalid(format!(
        "Error in field 'backup.expire_time' : it must be {LIFE_HOURS_MIN} hours to {LIFE_DAYS_MAX} days after the backup is made"
    )))
}

fn backup_type(given: i32) -> i32 {
    match BackupType::try_from(given) {
        Ok(BackupType::Hot) => BackupType::Hot.into(),
        _ => BackupType::Standard.into(),
    }
}

/// Returns the state that a restored table inherits. Views, deletion protection and reports of the
/// source table are left out.
fn restorable(mut state: TableState) -> TableState {
    state.views.clear();
    let proto::Table { granularity, column_families, row_key_schema, .. } = state.about.0;
    state.about = Stored(proto::Table { granularity, column_families, row_key_schema, ..Default::default() });
    state
}

fn describe(
    instance: &InstanceName,
    known: &InstanceState,
    key: &str,
    backup: &BackupState,
) -> proto::Backup {
    let encryption_info = known.clusters.get(cluster_of(key)).map(|cluster| encryption(&cluster.0));
    proto::Backup { name: name_of(instance, key), encryption_info, ..backup.about.0.clone() }
}

fn info(name: &str, backup: &proto::Backup) -> proto::BackupInfo {
    proto::BackupInfo {
        backup: name.into(),
        start_time: backup.start_time,
        end_time: backup.end_time,
        source_table: backup.source_table.clone(),
        source_backup: backup.source_backup.clone(),
    }
}

fn name_of(instance: &InstanceName, key: &str) -> String {
    let (cluster, id) = key.split_once('/').unwrap_or((key, ""));
    format!("{}/clusters/{cluster}/backups/{id}", admin_names::of_instance(instance))
}
