//! Backups of the engine that keep what clients see as backups and as deleted tables.

use std::collections::BTreeSet;

use tabletop_model::{Request, Response};
use tonic::Status;

use super::state::{Ids, InstanceState};
use super::{Admin, ask};
use crate::grpc::names;
use crate::host::{InstanceName, Served};

/// What their names begin with; an id follows.
pub(super) const BACKUP: &str = "_backup-";
pub(super) const DELETED: &str = "_deleted-";
/// What the name of a table begins with that is on its way to another instance; an id follows.
pub(super) const CARRIED: &str = "_carried-";

/// Keeps a table as it is now; under which name.
pub(super) fn keep(served: &Served, ids: &mut Ids, prefix: &str, table: &str) -> Result<String, Status> {
    loop {
        let kept = format!("{prefix}{}", ids.next());
        match ask(served, Request::BackUpTable { table: table.into(), backup: kept.clone() }) {
            Ok(_) => return Ok(kept),
            // It is left from a state that is lost.
            Err(error) if error.code() == tonic::Code::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

impl Admin {
    /// Forgets one that nothing names any more. One that has gone already is forgotten.
    pub(super) fn forget(&self, instance: &InstanceName, kept: &str) -> Result<(), Status> {
        match ask(&*self.served(instance)?, Request::DeleteBackup { backup: kept.into() }) {
            Err(error) if error.code() != tonic::Code::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Forgets what a crash has left between a change of the engine and that of the state. What cannot be forgotten now is
    /// when the host is opened again.
    pub(super) fn forget_orphans(&self) {
        let state = self.state();
        for (name, known) in state.instances() {
            let found = names::instance(name).and_then(|name| self.host.instance(&name).map_err(super::status));
            if let Ok(served) = found {
                forget_orphans(&served, known);
            }
        }
    }
}

fn forget_orphans(served: &Served, known: &InstanceState) {
    let deleted = known.deleted_tables.values().map(|deleted| &deleted.kept);
    let named: BTreeSet<&String> = known.backups.values().map(|backup| &backup.kept).chain(deleted).collect();
    if let Ok(Response::Backups(views)) = ask(served, Request::ListBackups) {
        let is_ours = |name: &str| id_of(name, BACKUP).or(id_of(name, DELETED)).is_some();
        for view in views.into_iter().filter(|view| is_ours(&view.name) && !named.contains(&view.name)) {
            let _ = ask(served, Request::DeleteBackup { backup: view.name });
        }
    }
    if let Ok(Response::Tables(ids)) = ask(served, Request::ListTables) {
        for table in ids.into_iter().filter(|id| id_of(id, CARRIED).is_some() && !known.tables.contains_key(id)) {
            let _ = ask(served, Request::DeleteTable { table });
        }
    }
}

/// The id in a name that begins so.
pub(super) fn id_of(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}
