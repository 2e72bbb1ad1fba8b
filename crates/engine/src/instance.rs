//! An instance: tables by ID, their backups, and the tables that are being imported, all on one
//! storage.

mod answer;
mod compaction_step;
mod fork;
mod limits;
mod table_handle;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tabletop_model::limits::{TABLE_ID_CHARS_MAX, TABLES_MAX};
use tabletop_model::{
    BackupView, Code, Error, Recovery, Result, TableCounts, TableSpec, TabletMinute, Timestamp,
};

use crate::dictionaries::Dictionaries;
use crate::durable::backup::Backup;
use crate::durable::export::Import;
use crate::durable::headers::Headers;
use crate::durable::recovery::{self, RecoveredStorage};
use crate::shared::Shared;
use crate::storage::{MemoryStorage, Storage};
use crate::table::Table;
use crate::table::background::GC_DELAY_MICROS;
use crate::table::compaction::Budget;
use crate::table::merging::Progress;
use crate::table::plan::Compactions;
use crate::table::unused::Unused;

pub use compaction_step::CompactionStep;
use compaction_step::Work;
pub use limits::Limits;
pub use table_handle::{Readers, TableHandle, TableMark, TableReader, check_entries};

/// Tables that share one storage. An instance has no clock: each call passes the time.
///
/// ```
/// use tabletop_engine::Instance;
/// use tabletop_model::{ColumnFamily, Mutation, ReadRows, RowMutation, SERVER_TIME, TableSpec};
///
/// let now = 1_700_000_000_000_000;
/// let mut instance = Instance::new();
/// let spec = TableSpec { families: vec![ColumnFamily::new("stats")], ..TableSpec::default() };
/// instance.create_table(now, "events", spec)?;
///
/// let mut table = instance.table("events")?;
/// let family = "stats".to_string();
/// let set = Mutation::SetCell { family, qualifier: "clicks".into(), timestamp: SERVER_TIME, value: "3".into() };
/// table.mutate_row(now, &RowMutation { key: "user#1".into(), mutations: vec![set] })?;
///
/// let rows = table.read(now, &ReadRows::default())?.rows;
/// assert_eq!(rows[0].key, "user#1".into());
/// assert_eq!(rows[0].cells[0].value, "3".into());
/// # Ok::<(), tabletop_model::Error>(())
/// ```
#[derive(Debug)]
pub struct Instance<S = MemoryStorage> {
    storage: S,
    /// Tables by ID.
    tables: Vec<(String, Table)>,
    /// Backups by name.
    backups: Vec<Backup>,
    /// Tables that are being imported, by ID.
    imports: Vec<(String, Import)>,
    /// Whether tables survive the process.
    is_durable: bool,
    /// Damage to files of unknown tables.
    damage: Vec<Error>,
    headers: Headers,
    limits: Limits,
    /// Dictionaries currently in memory, of all tables.
    dictionaries: Arc<Shared<Dictionaries>>,
    readers: Readers,
    /// Index of the table that the last step worked on; tables take turns.
    turn: usize,
    /// Whether the last step was a minor compaction.
    has_flushed: bool,
    /// How long garbage that is worth a compaction may wait, in microseconds.
    gc_delay: i64,
    /// The time that GC rules use as the current time; `None` for the time of the call.
    gc_time: Option<Timestamp>,
}

impl Instance<MemoryStorage> {
    /// Creates an instance without tables, in memory.
    pub fn new() -> Self {
        Instance::on(MemoryStorage::default())
    }
}

impl<S: Storage + Default> Default for Instance<S> {
    fn default() -> Self {
        Instance::on(S::default())
    }
}

impl<S: Storage> Instance<S> {
    /// Creates an instance without tables on a storage of the host. Its tables do not survive the
    /// process.
    pub fn on(storage: S) -> Self {
        Instance {
            storage,
            tables: Vec::new(),
            backups: Vec::new(),
            imports: Vec::new(),
            is_durable: false,
            damage: Vec::new(),
            headers: Headers::default(),
            limits: Limits::default(),
            dictionaries: Arc::default(),
            readers: Readers::default(),
            turn: 0,
            has_flushed: false,
            gc_delay: GC_DELAY_MICROS,
            gc_time: None,
        }
    }

    /// Opens the tables that an earlier run left in `storage`, and returns the instance with a
    /// report. Tables survive the process: a write is acknowledged once a later run would find it.
    ///
    /// ```
    /// use tabletop_engine::{Instance, MemoryStorage};
    /// use tabletop_model::TableSpec;
    ///
    /// let (mut instance, _) = Instance::open(MemoryStorage::default(), 0)?;
    /// instance.create_table(0, "events", TableSpec::default())?;
    ///
    /// // A crash would leave the storage, and nothing else.
    /// let storage = instance.storage().clone();
    /// let (instance, recovery) = Instance::open(storage, 0)?;
    /// assert_eq!(instance.table_ids().collect::<Vec<_>>(), ["events"]);
    /// assert_eq!(recovery.damage, []);
    /// # Ok::<(), tabletop_model::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Unavailable` when storage cannot be read now. Damage is not an error: damaged tables are
    /// read-only, and the report lists the damage.
    pub fn open(storage: S, now: Timestamp) -> Result<(Self, Recovery)> {
        Instance::open_expecting(storage, now, &[])
    }

    /// Opens the tables that an earlier run left in `storage`, for a host that knows the names of
    /// the instance's backups. Only a backup's own file names it, so a backup file that is missing
    /// or truncated would go unnoticed: with the names, the report has an error for it, and no file
    /// is removed.
    ///
    /// # Errors
    /// The same errors as [`Instance::open`]: `Unavailable` when storage cannot be read now.
    pub fn open_expecting(mut storage: S, now: Timestamp, backups: &[String]) -> Result<(Self, Recovery)> {
        let RecoveredStorage { tables, backups, report } = recovery::open(&mut storage, now, backups)?;
        let damage = report.damage.clone();
        let mut instance = Instance { backups, is_durable: true, damage, ..Instance::on(storage) };
        tables.into_iter().enumerate().for_each(|(at, (id, table))| instance.add_table(at, &id, table));
        Ok((instance, report))
    }

    /// Returns the storage with its files.
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// Sets how long garbage that is worth a compaction may wait, in microseconds; the default is
    /// two seconds. A small idle table drops a cell this soon after a GC rule has expired it. In a
    /// large table, small amounts of garbage wait longer. With `i64::MAX`, garbage is collected
    /// only by compactions that are due for another reason.
    pub fn set_gc_delay(&mut self, micros: i64) {
        self.gc_delay = micros.max(0);
    }

    /// Sets the time that GC rules use as the current time, in microseconds since 1970. Set it to
    /// the time of the data if data arrives faster or later than it was made. `None`, the default,
    /// means the time of each call. When to look for garbage always depends on the time of the
    /// calls, so this setting is for an instance whose compactions do not depend on garbage: see
    /// [`Instance::set_gc_delay`].
    pub fn set_gc_time(&mut self, time: Option<Timestamp>) {
        self.gc_time = time;
    }

    /// Returns the time from which [`Instance::advance`] has work that no request causes, or
    /// `Timestamp::MAX` for never. Every request and every call of `advance` can change it.
    pub fn next_work(&self) -> Timestamp {
        self.tables.iter().map(|(_, table)| table.next_work()).min().unwrap_or(Timestamp::MAX)
    }

    /// Enforces the [`Limits`] and runs compactions, splits and merges of tablets that are due, up
    /// to about `budget`. Returns `true` if more work is due. It changes results of reads only
    /// where GC rules have expired cells.
    ///
    /// Work that storage refuses is retried by a later call and does not count as due. Otherwise a
    /// host that calls this while work is due would never finish. The table's view has the error.
    pub fn advance(&mut self, now: Timestamp, budget: Budget) -> bool {
        self.advance_tables(now, budget, Compactions::Here)
    }

    /// Does the work of [`Instance::advance`] except for compactions. A host with several threads
    /// runs those with [`Instance::take_step`].
    pub fn advance_apart(&mut self, now: Timestamp, budget: Budget) -> bool {
        self.advance_tables(now, budget, Compactions::Apart)
    }

    /// Begins the next compaction that is due, or continues one. The host calls
    /// [`CompactionStep::run`], which needs only the storage, and then [`Instance::put_back`].
    /// Reads and writes are possible in between. Minor compactions alternate with merging and major
    /// ones, and tables take turns, so work that storage refuses does not block any other work.
    pub fn take_step(&mut self, now: Timestamp) -> Option<CompactionStep> {
        if core::mem::take(&mut self.has_flushed) {
            self.take_merge(now).or_else(|| self.take_flush())
        } else {
            self.take_flush().or_else(|| self.take_merge(now))
        }
    }

    fn take_flush(&mut self) -> Option<CompactionStep> {
        let (table, flushing) = self.in_turn(|table, _| table.take_flush())?;
        self.has_flushed = true;
        Some(CompactionStep { table, work: Work::Flush { flushing, written: None } })
    }

    fn take_merge(&mut self, now: Timestamp) -> Option<CompactionStep> {
        let (table, (file, merging)) = self.in_turn(|table, storage| table.take_step(storage, now))?;
        let work = Work::Merge { file, runs: merging.runs(), progress: Ok(Progress::More(merging)) };
        Some(CompactionStep { table, work })
    }

    /// Returns the ID of the first table from which `take` takes something, with what it took. The
    /// search begins after the table of the last turn.
    fn in_turn<T>(&mut self, take: impl Fn(&mut Table, &mut S) -> Option<T>) -> Option<(String, T)> {
        let count = self.tables.len();
        (0..count).find_map(|_| {
            self.turn = (self.turn + 1) % count;
            let (id, table) = &mut self.tables[self.turn];
            let taken = take(table, &mut self.storage)?;
            Some((id.clone(), taken))
        })
    }

    /// Takes back a step that was run. If the step completes a compaction, its result becomes
    /// visible. Tablets that have waited for it are split at `now`.
    ///
    /// # Errors
    /// `Unavailable` and `ResourceExhausted` when storage has refused the work; a later step
    /// retries it.
    pub fn put_back(&mut self, now: Timestamp, step: CompactionStep) -> Result<()> {
        let CompactionStep { table, work } = step;
        let of_step = work.runs();
        let Ok(at) = self.position(&table) else {
            // The table was deleted during the step, so its files are removed.
            let done = work.discard(&mut self.storage);
            let mut unused = Unused::default();
            unused.add(of_step);
            return Ok(done.and(unused.remove(&mut self.storage, |_| {}))?);
        };
        let (_, table) = &mut self.tables[at];
        let done = match work {
            Work::Flush { flushing, written } => {
                table.put_back_flush(&mut self.storage, now, flushing, written).map_err(Error::from)
            }
            Work::Merge { file, runs, progress } => {
                drop(runs);
                table.put_back(&mut self.storage, file, progress)
            }
        };
        // Files that only the step had open.
        done.and(Ok(table.remove_unused(&mut self.storage, of_step)?))
    }

    fn advance_tables(&mut self, now: Timestamp, budget: Budget, compactions: Compactions) -> bool {
        let mut more = false;
        // Each table with work gets a share of the budget, so that a busy table does not starve the
        // others.
        let busy = self.tables.iter_mut().filter_map(|(_, table)| table.has_work().then_some(())).count();
        let share = Budget { bytes: (budget.bytes / busy.max(1) as u64).max(1) };
        self.confirm();
        self.keep_limits();
        for (_, table) in &mut self.tables {
            table.set_gc(self.gc_delay, self.gc_time);
            more |= table.advance(&mut self.storage, now, share, compactions).unwrap_or(false);
        }
        more
    }

    /// Returns the damage that compactions have found since the last call, with the IDs of the
    /// tables. Damaged tablets are not compacted until the instance is opened again.
    pub fn take_new_damage(&mut self) -> Vec<(String, Error)> {
        let found = |(id, table): &mut (String, Table)| Some((id.clone(), table.take_new_damage()?));
        self.tables.iter_mut().filter_map(found).collect()
    }

    /// Marks all acknowledged writes as synced, in the files. Damage to the last writes can then be
    /// told from a crash. This makes a small write for each table that was written to, without a
    /// sync. [`Instance::advance`] does it too.
    pub fn confirm(&mut self) {
        for (_, table) in &mut self.tables {
            table.confirm(&mut self.storage);
        }
    }

    /// Returns the IDs of all tables, in order.
    pub fn table_ids(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|(id, _)| id.as_str())
    }

    /// Returns the figures of all tables, in the order of their IDs.
    pub fn table_counts(&self) -> impl Iterator<Item = (&str, TableCounts)> {
        self.tables.iter().map(|(id, table)| (id.as_str(), table.counts()))
    }

    /// Returns the IDs of all tables, each with the load of its tablets in the minutes of its load
    /// window.
    pub fn tablet_minutes(&self, now: Timestamp) -> impl Iterator<Item = (&str, Vec<TabletMinute>)> {
        self.tables.iter().map(move |(id, table)| (id.as_str(), table.tablet_minutes(now)))
    }

    /// Returns the error of the first table that can no longer be written to, with its ID.
    pub fn first_refusal(&self) -> Option<(&str, &Error)> {
        self.tables.iter().find_map(|(id, table)| Some((id.as_str(), table.refusal()?)))
    }

    /// Returns a table, for reads and writes.
    ///
    /// # Errors
    /// `NotFound`, with the existing tables; `DataLoss` when the ID may belong to a table whose
    /// files are damaged.
    pub fn table(&mut self, id: &str) -> Result<TableHandle<'_>> {
        let at = self.existing(id)?;
        let memtable_bytes_elsewhere = self.memtable_bytes_except(at);
        let (id, table) = &mut self.tables[at];
        Ok(TableHandle {
            id,
            table,
            storage: &mut self.storage,
            limits: self.limits,
            memtable_bytes_elsewhere,
        })
    }

    /// Returns the tables for threads that only read.
    pub fn readers(&self) -> Readers {
        self.readers.clone()
    }

    /// Creates an empty table. Its ID matches `[_a-zA-Z0-9][-_.a-zA-Z0-9]*` and has at most 50
    /// characters.
    ///
    /// # Errors
    /// `InvalidArgument` for an ID or a specification that breaks a rule, `AlreadyExists` for an ID
    /// that is taken, `ResourceExhausted` when the limit of tables is reached; errors of storage.
    pub fn create_table(&mut self, now: Timestamp, id: &str, spec: TableSpec) -> Result<()> {
        let at = self.new_table(id)?;
        let table = if self.is_durable {
            Table::create(&mut self.storage, &mut self.headers, now, id, spec)?
        } else {
            Table::new(now, spec)?
        };
        self.add_table(at, id, table);
        Ok(())
    }

    fn add_table(&mut self, at: usize, id: &str, mut table: Table) {
        table.reading().cache.lock().dictionaries = self.dictionaries.clone();
        self.readers.insert(id, &mut table);
        self.tables.insert(at, (id.into(), table));
    }

    /// Removes a table with its files. Its backups stay.
    ///
    /// # Errors
    /// `NotFound`; errors of storage. After an error, a table that survives the process may still
    /// exist.
    pub fn delete_table(&mut self, id: &str) -> Result<()> {
        let at = self.existing(id)?;
        self.readers.remove(id);
        let (_, table) = &mut self.tables[at];
        let discarded = table.discard(&mut self.storage, &mut self.headers);
        // A durable table exists until storage has recorded its deletion.
        if discarded.is_ok() || !self.is_durable {
            self.tables.remove(at);
        } else {
            self.readers.insert(id, table);
        }
        discarded
    }

    /// Returns all backups, in the order of their names.
    pub fn backups(&self) -> impl Iterator<Item = BackupView> {
        self.backups.iter().map(Backup::view)
    }

    /// Makes a backup of a table as it is now, without copying data. The backup's name follows the
    /// rules for a table ID.
    ///
    /// # Errors
    /// `NotFound` for the table, `AlreadyExists` and `InvalidArgument` for the name; errors of
    /// storage.
    pub fn back_up(&mut self, now: Timestamp, table: &str, backup: &str) -> Result<()> {
        check_id("backup", backup)?;
        let Err(at) = self.backup(backup) else { return Err(exists("backup", backup)) };
        let from = self.existing(table)?;
        let made = self.tables[from].1.back_up(&mut self.storage, now, table, backup)?;
        self.backups.insert(at, made);
        Ok(())
    }

    /// Creates a table as it was when the backup was made, without copying data.
    ///
    /// # Errors
    /// `NotFound` when there is no such backup; `DataLoss` for a damaged backup. For the table, the
    /// errors of [`Instance::create_table`]: `InvalidArgument`, `AlreadyExists`,
    /// `ResourceExhausted`; errors of storage.
    pub fn restore_table(&mut self, now: Timestamp, backup: &str, table: &str) -> Result<()> {
        let from = self.backup(backup).map_err(|_| no_backup(backup))?;
        let at = self.new_table(table)?;
        let restored = Table::restore(&mut self.storage, &mut self.headers, now, table, &self.backups[from])?;
        self.add_table(at, table, restored);
        Ok(())
    }

    /// Removes a backup. Tables that were restored from it stay.
    ///
    /// # Errors
    /// `NotFound`; errors of storage.
    pub fn delete_backup(&mut self, backup: &str) -> Result<()> {
        let at = self.backup(backup).map_err(|_| no_backup(backup))?;
        self.backups[at].delete(&mut self.storage)?;
        self.backups.remove(at);
        // Parts of files that the backup shared may no longer be needed.
        self.tables.iter_mut().for_each(|(_, table)| table.look_at_all());
        Ok(())
    }

    /// Imports a piece of a file that [`TableHandle::export`] returned; pieces may be cut anywhere.
    /// The first piece creates the table; the last one, which may be empty, completes it. Until
    /// then, and after an error, the table does not exist.
    ///
    /// # Errors
    /// `InvalidArgument` for a file that is not a table or is damaged. For the table, the errors of
    /// [`Instance::create_table`]: `InvalidArgument`, `AlreadyExists`, `ResourceExhausted`; errors
    /// of storage.
    pub fn import_table(&mut self, now: Timestamp, id: &str, piece: &[u8], is_last: bool) -> Result<()> {
        let index = match self.imports.iter().position(|(known, _)| known == id) {
            Some(index) => index,
            None => {
                self.new_table(id)?;
                self.imports.push((id.into(), Import::default()));
                self.imports.len() - 1
            }
        };
        let (_, import) = &mut self.imports[index];
        let headers = self.is_durable.then_some(&mut self.headers);
        let done = import.add(&mut self.storage, headers, now, id, piece);
        let finished = match done {
            Ok(()) if !is_last => return Ok(()),
            // A table of that name may have been created since the import began.
            Ok(()) => {
                self.new_table(id).and_then(|at| Ok((at, self.imports[index].1.finish(&mut self.storage)?)))
            }
            Err(error) => Err(error),
        };
        let (_, import) = self.imports.swap_remove(index);
        match finished {
            Ok((at, table)) => {
                self.add_table(at, id, table);
                Ok(())
            }
            Err(error) => {
                // Any files that are left are removed when the storage is opened again.
                let _ = import.abandon(&mut self.storage, &mut self.headers);
                Err(error)
            }
        }
    }

    /// Returns the IDs of the tables whose imports have begun and are neither finished nor
    /// cancelled.
    pub fn imports(&self) -> impl Iterator<Item = &str> {
        self.imports.iter().map(|(id, _)| id.as_str())
    }

    /// Cancels an import that is not finished, and removes what it has written.
    ///
    /// # Errors
    /// `NotFound`; errors of storage. After an error of storage, the files are removed when the
    /// instance is opened again.
    pub fn cancel_import(&mut self, id: &str) -> Result<()> {
        let found = self.imports.iter().position(|(known, _)| known == id);
        let at =
            found.ok_or_else(|| Error::not_found(format!("no import of a table \"{id}\" is in progress")))?;
        let (_, import) = self.imports.swap_remove(at);
        import.abandon(&mut self.storage, &mut self.headers)
    }

    /// Returns the index of an existing table.
    fn existing(&self, id: &str) -> Result<usize> {
        self.position(id).map_err(|_| self.no_table(id))
    }

    /// Returns the index at which to insert a new table.
    fn new_table(&self, id: &str) -> Result<usize> {
        check_id("table", id)?;
        let Err(at) = self.position(id) else { return Err(exists("table", id)) };
        if self.tables.len() >= TABLES_MAX {
            return Err(Error::new(
                Code::ResourceExhausted,
                format!("the instance has {TABLES_MAX} tables, which is the limit: delete one first"),
            ));
        }
        Ok(at)
    }

    fn backup(&self, name: &str) -> core::result::Result<usize, usize> {
        self.backups.binary_search_by(|backup| backup.name().cmp(name))
    }

    fn position(&self, id: &str) -> core::result::Result<usize, usize> {
        self.tables.binary_search_by(|(known, _)| known.as_str().cmp(id))
    }

    fn no_table(&self, id: &str) -> Error {
        if let Some(damage) = self.damage.first() {
            return Error::new(
                Code::DataLoss,
                format!("table \"{id}\" not found; it may be in damaged files: {}", damage.message),
            );
        }
        let known: Vec<&str> = self.tables.iter().take(10).map(|(id, _)| id.as_str()).collect();
        let hint = if known.is_empty() { String::new() } else { format!(" (tables: {})", known.join(", ")) };
        Error::not_found(format!("table \"{id}\" not found: create it first{hint}"))
    }
}

fn check_id(what: &str, id: &str) -> Result<()> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins_well = id.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if begins_well && id.len() <= TABLE_ID_CHARS_MAX && id.chars().all(is_allowed) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{what} id \"{id}\" is not valid: it must have 1 to {TABLE_ID_CHARS_MAX} characters and match \
         [_a-zA-Z0-9][-_.a-zA-Z0-9]*; choose another"
    )))
}

fn exists(what: &str, id: &str) -> Error {
    Error::new(
        Code::AlreadyExists,
        format!("{what} \"{id}\" already exists: delete it first, or choose another id"),
    )
}

fn no_backup(name: &str) -> Error {
    Error::not_found(format!("backup \"{name}\" not found: list the backups to see what there is"))
}
