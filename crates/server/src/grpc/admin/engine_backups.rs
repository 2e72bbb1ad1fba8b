//! The engine's backups that hold the data of clients' backups and of deleted tables.

use std::collections::BTreeSet;

use tabletop_model::{BackupView, Timestamp};
use tonic::Status;

use super::state::{AdminState, Ids, InstanceState};
use super::{Admin, backups, change, undelete};
use crate::grpc::names;
use crate::host::{InstanceName, Served};

/// The prefixes of their names; an ID follows.
pub(super) const BACKUP: &str = "_backup-";
pub(super) const DELETED: &str = "_deleted-";
/// The prefix of a table's name while it is copied to another instance; an ID follows.
pub(super) const CARRIED: &str = "_carried-";

/// Keeps a table as it is now, and returns the name of the engine's backup.
pub(super) fn back_up(served: &Served, ids: &mut Ids, prefix: &str, table: &str) -> Result<String, Status> {
    loop {
        let engine_backup = format!("{prefix}{}", ids.next());
        match change(served, |instance, now| instance.back_up(now, table, &engine_backup)) {
            Ok(()) => return Ok(engine_backup),
            // It is left over from a state that was lost.
            Err(error) if error.code() == tonic::Code::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl Admin {
    /// Deletes the engine's backups that no state names after the change. Backups that cannot be
    /// deleted now are deleted when the host is opened again.
    pub(super) fn forget_unnamed(&self, before: &AdminState, after: &AdminState) {
        for (name, known) in before.instances() {
            let Ok(name) = names::instance(name) else { continue };
            // A deleted instance has no backups left.
            let (Some(left), Ok(served)) = (after.instance(&name), self.host.instance(&name)) else {
                continue;
            };
            for engine_backup in engine_backup_names(known).difference(&engine_backup_names(left)) {
                let _ = change(&served, |instance, _| instance.delete_backup(engine_backup));
            }
        }
    }

    /// Deletes backups that have expired, and deleted tables that can no longer be undeleted.
    pub(super) fn forget_expired(&self, instance: &InstanceName) -> Result<(), Status> {
        let now = self.now();
        if self.state().instance(instance).is_none_or(|known| !has_expired(known, now)) {
            return Ok(());
        }
        self.change(|state| {
            let (known, _) = state.instance_mut(instance);
            known.backups.retain(|_, backup| !backups::is_over(backup, now));
            known.deleted_tables.retain(|_, deleted| !undelete::is_over(deleted, now));
            Ok(())
        })
    }

    /// Deletes what an earlier process could not delete, and keeps what the state may have lost:
    /// backups of the engine with a number that the state has not assigned yet. Whatever cannot be
    /// deleted now is deleted when the host is opened again.
    pub(super) fn sort_out_orphans(&self) -> Result<(), Status> {
        self.change(|state| {
            for name in self.host.instances().map_err(super::status)? {
                let Ok(served) = self.host.instance(&name) else { continue };
                let backups = change(&served, |instance, _| Ok(instance.backups().collect::<Vec<_>>()))?;
                let known = state.instance(&name).cloned().unwrap_or_default();
                let named = engine_backup_names(&known);
                let mut orphans = BTreeSet::new();
                for BackupView { name, .. } in backups {
                    let Some(id) =
                        id_of(&name, BACKUP).or(id_of(&name, DELETED)).filter(|_| !named.contains(&name))
                    else {
                        continue;
                    };
                    if known.orphans.contains(&name) || !state.ids().has_given(id) {
                        orphans.insert(name);
                    } else {
                        let _ = change(&served, |instance, _| instance.delete_backup(&name));
                    }
                }
                forget_carried(&served, &known);
                if orphans != known.orphans {
                    self.adopt(state, &name)?;
                    state.instance_mut(&name).0.orphans = orphans;
                }
            }
            Ok(())
        })
    }

    /// Describes the backups of the engine that are kept although the state does not name them.
    pub(crate) fn orphans(&self) -> Vec<String> {
        self.described(|instance, known, backups| {
            let is_kept = |backup: &&BackupView| known.orphans.contains(&backup.name);
            let describe = |BackupView { name, table, rows, .. }: &BackupView| {
                format!(
                    "{instance}: {name} holds {rows} rows of table {table}; admin.json does not name it, so it is from a state \
                     that was lost. Put the newest copy of admin.json in its place to list it again"
                )
            };
            backups.iter().filter(is_kept).map(describe).collect()
        })
    }

    /// Describes backups and deleted tables that the state names but whose data the engine does not
    /// have.
    pub(crate) fn missing(&self) -> Vec<String> {
        self.described(|instance, known, backups| {
            let deleted = known
                .deleted_tables
                .iter()
                .map(|(id, deleted)| (format!("deleted table {id}"), &deleted.engine_backup));
            let named =
                known.backups.iter().map(|(key, backup)| (format!("backup {key}"), &backup.engine_backup));
            let is_missing =
                |(_, name): &(String, &String)| !backups.iter().any(|backup| backup.name == **name);
            let describe = |(what, name)| {
                format!("{instance}: {what} cannot be restored: the file of {name} is damaged or missing")
            };
            named.chain(deleted).filter(is_missing).map(describe).collect()
        })
    }

    fn described(
        &self,
        describe: impl Fn(&str, &InstanceState, &[BackupView]) -> Vec<String>,
    ) -> Vec<String> {
        let state = self.state();
        let of_instance = |(instance, known): (&String, &InstanceState)| {
            let served = names::instance(instance).ok().and_then(|name| self.host.instance(&name).ok())?;
            let backups = change(&served, |instance, _| Ok(instance.backups().collect::<Vec<_>>())).ok()?;
            Some(describe(instance, known, &backups))
        };
        state.instances().filter_map(of_instance).flatten().collect()
    }
}

/// Deletes tables that were being copied to another instance.
fn forget_carried(served: &Served, known: &InstanceState) {
    if let Ok(ids) =
        change(served, |instance, _| Ok(instance.table_ids().map(String::from).collect::<Vec<_>>()))
    {
        for table in
            ids.into_iter().filter(|id| id_of(id, CARRIED).is_some() && !known.tables.contains_key(id))
        {
            let _ = change(served, |instance, _| instance.delete_table(&table));
        }
    }
}

fn has_expired(known: &InstanceState, now: Timestamp) -> bool {
    known.backups.values().any(|backup| backups::is_over(backup, now))
        || known.deleted_tables.values().any(|deleted| undelete::is_over(deleted, now))
}

fn engine_backup_names(known: &InstanceState) -> BTreeSet<&String> {
    let deleted = known.deleted_tables.values().map(|deleted| &deleted.engine_backup);
    known.backups.values().map(|backup| &backup.engine_backup).chain(deleted).collect()
}

/// Returns the ID in a name with this prefix.
pub(super) fn id_of(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}
