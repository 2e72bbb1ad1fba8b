//! Backups: the SSTables of a table at one moment, kept until the backup is deleted. They are
//! immutable, so nothing is copied: the table, its backups and the tables that are restored from
//! them share files. A file is removed when the last of them no longer needs it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::{BackupView, Result, Timestamp};

use crate::durable::headers::Headers;
use crate::durable::manifest::{Fact, Loaded, Manifest, ManifestState, TabletFact};
use crate::durable::recovery::{SsTables, assemble, open_sstable};
use crate::durable::{Durable, Visibility, remove_deleted};
use crate::log::LogPlace;
use crate::storage::{Storage, StorageError};
use crate::table::Table;

/// The contents of a table at one moment.
#[derive(Debug)]
pub struct Backup {
    name: String,
    at: Timestamp,
    /// `None` for a backup of a table in memory; like the table, it does not survive the process.
    manifest: Option<Manifest>,
    state: ManifestState,
    /// Held so that the files are not removed.
    sstables: SsTables,
}

impl Table {
    /// Makes a backup, called `name`, of the table called `table` as it is at `now`.
    ///
    /// # Errors
    /// `Unavailable`, `ResourceExhausted` and `DataLoss` from storage; no backup is made.
    pub fn back_up(
        &mut self,
        storage: &mut dyn Storage,
        now: Timestamp,
        table: &str,
        name: &str,
    ) -> Result<Backup> {
        self.check_writable()?;
        self.flush(storage, &Vec::from_iter(0..self.tablets().len()))?;
        let without_log = |fact| match fact {
            Fact::Tablet(tablet) => Fact::Tablet(TabletFact { log_mark: LogPlace::default(), ..tablet }),
            fact => fact,
        };
        let mut facts: Vec<Fact> = alloc::vec![Fact::Table { generation: 1, name: table.into() }];
        facts.extend(self.facts().into_iter().map(without_log));
        facts.extend(self.durable().map(Durable::shares_fact));
        facts.push(Fact::Backup(name.into(), now));
        let manifest = match self.durable_mut() {
            None => None,
            Some(durable) => {
                let made = Manifest::create_backup(storage, durable.uid(), &facts);
                // While the backup may exist, its files must stay.
                Some(durable.checked(made)?)
            }
        };
        let mut state = ManifestState::default();
        facts.into_iter().for_each(|fact| state.add(fact));
        let runs = self.tablets().iter().flat_map(|tablet| &tablet.runs);
        let sstables = runs.map(|run| (run.table.file, Ok(run.table.clone()))).collect();
        Ok(Backup { name: name.into(), at: now, manifest, state, sstables })
    }

    /// Creates a table as it was when the backup was made. It survives the process if the source of
    /// the backup does.
    ///
    /// # Errors
    /// `DataLoss` when a file of the backup is damaged; `Unavailable` and `ResourceExhausted` from
    /// storage.
    pub(crate) fn restore(
        storage: &mut dyn Storage,
        headers: &mut Headers,
        now: Timestamp,
        name: &str,
        backup: &Backup,
    ) -> Result<Table> {
        let uid = backup.manifest.as_ref().map_or(0, |manifest| manifest.header.uid);
        let (table, damage) = assemble(storage, now, uid, &backup.state, &mut backup.sstables.clone())?;
        match (damage.into_iter().next(), &backup.manifest) {
            (Some(error), _) => Err(error.into()),
            (None, None) => Ok(table),
            (None, Some(manifest)) => {
                let shares = backup.state.shares.iter().copied().chain([manifest.header.uid]).collect();
                table.made_durable(storage, headers, name, Visibility::Visible, shares)
            }
        }
    }
}

impl Backup {
    /// Opens a backup of an earlier run, reusing the SSTables that are already open.
    pub(crate) fn open(
        storage: &dyn Storage,
        loaded: Loaded,
        opened: &mut SsTables,
    ) -> core::result::Result<Backup, StorageError> {
        let Loaded { manifest, state, .. } = loaded;
        let (name, at) = state.backup.clone().unwrap_or_default();
        let mut sstables = SsTables::default();
        for run in state.tablets.values().flat_map(|tablet| &tablet.runs) {
            match open_sstable(storage, run, manifest.header.uid, &state.shares, opened) {
                Err(error) if !matches!(error, StorageError::Corrupt { .. }) => return Err(error),
                table => drop(sstables.insert(run.file, table)),
            }
        }
        Ok(Backup { name, at, manifest: Some(manifest), state, sstables })
    }

    /// Returns the name of the backup.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a view of the backup.
    pub fn view(&self) -> BackupView {
        BackupView {
            name: self.name.clone(),
            table: self.state.name.clone(),
            at: self.at,
            rows: self.state.tablets.values().map(TabletFact::rows).sum(),
            bytes: self
                .state
                .tablets
                .values()
                .flat_map(|tablet| &tablet.runs)
                .map(|run| run.size.bytes)
                .sum(),
        }
    }

    /// Returns the damage that was found in the backup's files.
    pub(crate) fn damage(&self) -> impl Iterator<Item = &StorageError> {
        self.sstables.values().filter_map(|table| table.as_ref().err())
    }

    /// Removes the backup, and the files that nothing else needs.
    ///
    /// # Errors
    /// `Unavailable` when it still exists, or may exist.
    pub fn delete(&mut self, storage: &mut dyn Storage) -> Result<()> {
        let recorded = match &mut self.manifest {
            None => Ok(()),
            Some(manifest) if manifest.is_torn() => self.replace(storage),
            Some(manifest) => manifest.add(storage, &[Fact::Deleted]),
        };
        let mut is_marked = match recorded {
            Ok(()) => true,
            // It is recorded when the files are removed. A crash before that leaves a backup
            // without files.
            Err(StorageError::Full(_)) => false,
            Err(error) => return Err(error.into()),
        };
        let tables = core::mem::take(&mut self.sstables).into_values().flatten();
        let mut done = Ok(());
        for table in tables.filter(|table| Arc::strong_count(table) == 1) {
            done = done.and(storage.remove(table.file));
        }
        let Some(manifest) = &mut self.manifest else { return Ok(()) };
        if !is_marked && !manifest.is_torn() {
            // The backup's file may stay, or come back after a crash.
            is_marked = manifest.add(storage, &[Fact::Deleted]).is_ok();
        }
        if done.and_then(|()| storage.sync(manifest.file)).is_ok() {
            remove_deleted(storage, manifest.file, is_marked);
        }
        Ok(())
    }

    /// Replaces a file that can no longer record the deletion of the backup with one that does.
    fn replace(&mut self, storage: &mut dyn Storage) -> core::result::Result<(), StorageError> {
        let Some(torn) = &self.manifest else { return Ok(()) };
        let table = Fact::Table { generation: 1, name: self.state.name.clone() };
        let facts = [
            table,
            Fact::Shares(self.state.shares.clone()),
            Fact::Backup(self.name.clone(), self.at),
            Fact::Deleted,
        ];
        let deleted = Manifest::create_backup(storage, torn.header.uid, &facts)?;
        storage.remove(torn.file)?;
        // Otherwise a crash could bring the backup back after its SSTables are removed.
        storage.sync(deleted.file)?;
        self.manifest = Some(deleted);
        Ok(())
    }
}
