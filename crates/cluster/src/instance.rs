//! Tables by id, and the two entry points.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_engine::{Backup, Budget, Import, MemoryStorage, Opened, Storage, Table};
use tabletop_model::limits::{MUTATIONS_MAX, TABLE_ID_CHARS_MAX, TABLES_MAX};
use tabletop_model::{Code, Error, Recovery, Request, Response, Result, RowMutation, TableSpec, Timestamp};

/// Tables that share one storage. It knows no clock: each call says what time it is.
#[derive(Debug, Default)]
pub struct Instance<S = MemoryStorage> {
    storage: S,
    /// By id.
    tables: Vec<(String, Table)>,
    /// By name.
    backups: Vec<Backup>,
    /// Tables that are being imported, by id.
    imports: Vec<(String, Import)>,
    /// Whether tables survive the program.
    is_durable: bool,
}

impl Instance<MemoryStorage> {
    /// Without tables, in memory.
    pub fn new() -> Self {
        Instance::default()
    }
}

impl<S: Storage> Instance<S> {
    /// Without tables, on a storage of the host's. Its tables do not survive it.
    pub fn on(storage: S) -> Self {
        Instance { storage, tables: Vec::new(), backups: Vec::new(), imports: Vec::new(), is_durable: false }
    }

    /// With the tables that an earlier run has left in `storage`, and what was found. Its tables survive it: a write is
    /// answered when it would be found again.
    ///
    /// # Errors
    /// `Unavailable` when storage cannot be read now. Damage is no error: damaged tables are read-only, and the report says
    /// what is damaged.
    pub fn open(mut storage: S, now: Timestamp) -> Result<(Self, Recovery)> {
        let Opened { tables, backups, report } = tabletop_engine::open(&mut storage, now)?;
        Ok((Instance { storage, tables, backups, imports: Vec::new(), is_durable: true }, report))
    }

    /// Where its files lie.
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// One request, one answer. Its work is bounded by the request, a memtable and a tablet's index; what is more waits for
    /// [`Instance::advance`].
    pub fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.answer(now, request).unwrap_or_else(Response::Refused)
    }

    /// Does compactions, splits and merges of tablets that wait, up to about `budget`. `true` if more work waits. Answers
    /// never change by it.
    ///
    /// What storage refuses is tried again by a later call, and does not count as waiting: a host that goes on as long as
    /// work waits would never end.
    pub fn advance(&mut self, now: Timestamp, budget: Budget) -> bool {
        let mut more = false;
        // Each table with work has a share, so that a busy one does not keep the others waiting.
        let busy = self.tables.iter().filter(|(_, table)| table.has_work()).count();
        let share = Budget { bytes: (budget.bytes / busy.max(1) as u64).max(1) };
        for (_, table) in &mut self.tables {
            more |= table.advance(&mut self.storage, now, share).unwrap_or(false);
        }
        more
    }

    /// A table, to scan it without making an answer of it.
    pub fn table(&mut self, id: &str) -> Result<(&mut Table, &mut S)> {
        let at = self.position(id).map_err(|_| self.no_table(id))?;
        Ok((&mut self.tables[at].1, &mut self.storage))
    }

    fn answer(&mut self, now: Timestamp, request: Request) -> Result<Response> {
        match request {
            Request::CreateTable { table, spec } => self.create(now, table, spec),
            Request::DeleteTable { table } => {
                let at = self.position(&table).map_err(|_| self.no_table(&table))?;
                let discarded = self.tables[at].1.discard(&mut self.storage);
                // A table that survives the program is there until storage knows that it has gone.
                if discarded.is_ok() || !self.is_durable {
                    self.tables.remove(at);
                }
                discarded.map(|()| Response::Done)
            }
            Request::ListTables => Ok(Response::Tables(self.tables.iter().map(|(id, _)| id.clone()).collect())),
            Request::GetTable { table } => Ok(Response::Spec(self.table(&table)?.0.describe())),
            Request::UpdateSettings { table, settings } => {
                let (table, storage) = self.table(&table)?;
                table.update_settings(storage, settings)?;
                Ok(Response::Done)
            }
            Request::ModifyFamilies { table, modifications } => {
                let (table, storage) = self.table(&table)?;
                table.modify_families(storage, &modifications)?;
                Ok(Response::Done)
            }
            Request::MutateRows { table, entries } => {
                check_entries(&entries)?;
                let (table, storage) = self.table(&table)?;
                Ok(Response::Mutated(table.mutate_rows(storage, now, &entries)))
            }
            Request::CheckAndMutateRow { table, check } => {
                let (table, storage) = self.table(&table)?;
                table.check_and_mutate_row(storage, now, &check).map(Response::PredicateMatched)
            }
            Request::ReadModifyWriteRow { table, row } => {
                let (table, storage) = self.table(&table)?;
                table.read_modify_write_row(storage, now, &row).map(Response::Row)
            }
            Request::DropRowRange { table, range } => {
                let (table, storage) = self.table(&table)?;
                table.drop_row_range(storage, &range)?;
                Ok(Response::Done)
            }
            Request::ReadRows { table, read } => {
                let (table, storage) = self.table(&table)?;
                table.read(storage, now, &read).map(Response::Rows)
            }
            Request::SampleRowKeys { table } => Ok(Response::RowKeySamples(self.table(&table)?.0.sample_row_keys())),
            Request::CompactTable { table } => {
                self.table(&table)?.0.compact();
                Ok(Response::Done)
            }
            Request::BackUpTable { table, backup } => {
                check_id("backup", &backup)?;
                let Err(at) = self.backup(&backup) else { return Err(exists("backup", &backup)) };
                let (known, storage) = self.table(&table)?;
                let made = known.back_up(storage, now, &table, &backup)?;
                self.backups.insert(at, made);
                Ok(Response::Done)
            }
            Request::RestoreTable { backup, table } => {
                let from = self.backup(&backup).map_err(|_| no_backup(&backup))?;
                let at = self.new_table(&table)?;
                let restored = Table::restore(&mut self.storage, now, &table, &self.backups[from])?;
                self.tables.insert(at, (table, restored));
                Ok(Response::Done)
            }
            Request::DeleteBackup { backup } => {
                let at = self.backup(&backup).map_err(|_| no_backup(&backup))?;
                self.backups[at].delete(&mut self.storage)?;
                self.backups.remove(at);
                Ok(Response::Done)
            }
            Request::ListBackups => Ok(Response::Backups(self.backups.iter().map(Backup::view).collect())),
            Request::ExportTable { table: id, resume } => {
                let (table, storage) = self.table(&id)?;
                table.export(storage, &id, resume.as_ref()).map(Response::Exported)
            }
            Request::ImportTable { table, piece, is_last } => {
                self.import(now, &table, &piece, is_last)?;
                Ok(Response::Done)
            }
            Request::ViewTable { table } => Ok(Response::Table(self.table(&table)?.0.view(now))),
        }
    }

    fn create(&mut self, now: Timestamp, id: String, spec: TableSpec) -> Result<Response> {
        let at = self.new_table(&id)?;
        let table = if self.is_durable { Table::create(&mut self.storage, now, &id, spec)? } else { Table::new(now, spec)? };
        self.tables.insert(at, (id, table));
        Ok(Response::Done)
    }

    /// A piece of a file that becomes a table; its first refusal is the end of it.
    fn import(&mut self, now: Timestamp, id: &str, piece: &[u8], is_last: bool) -> Result<()> {
        let index = match self.imports.iter().position(|(known, _)| known == id) {
            Some(index) => index,
            None => {
                self.new_table(id)?;
                self.imports.push((id.into(), Import::default()));
                self.imports.len() - 1
            }
        };
        let (_, import) = &mut self.imports[index];
        let done = import.add(&mut self.storage, now, id, piece, self.is_durable);
        let finished = match done {
            Ok(()) if !is_last => return Ok(()),
            // A table of that name may have been made meanwhile.
            Ok(()) => self.new_table(id).and_then(|at| Ok((at, self.imports[index].1.finish(&mut self.storage)?))),
            Err(error) => Err(error),
        };
        let (_, import) = self.imports.swap_remove(index);
        match finished {
            Ok((at, table)) => {
                self.tables.insert(at, (id.into(), table));
                Ok(())
            }
            Err(error) => {
                // What is left goes when the storage is opened again.
                let _ = import.abandon(&mut self.storage);
                Err(error)
            }
        }
    }

    /// Where a new table goes among the others.
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
        let known: Vec<&str> = self.tables.iter().take(10).map(|(id, _)| id.as_str()).collect();
        let hint = if known.is_empty() { "there are no tables".into() } else { format!("there are {}", known.join(", ")) };
        Error::not_found(format!("table \"{id}\" not found: {hint}; create it first"))
    }
}

fn check_id(what: &str, id: &str) -> Result<()> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins_well = id.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if begins_well && id.len() <= TABLE_ID_CHARS_MAX && id.chars().all(is_allowed) {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{what} id \"{id}\" is refused: it must have 1 to {TABLE_ID_CHARS_MAX} characters and match \
         [_a-zA-Z0-9][-_.a-zA-Z0-9]*; choose another"
    )))
}

fn exists(what: &str, id: &str) -> Error {
    Error::new(Code::AlreadyExists, format!("{what} \"{id}\" exists already: delete it first, or choose another id"))
}

fn no_backup(name: &str) -> Error {
    Error::not_found(format!("backup \"{name}\" not found: list the backups to see what there is"))
}

/// What makes the whole request wrong, whatever its entries are.
fn check_entries(entries: &[RowMutation]) -> Result<()> {
    if entries.is_empty() {
        return Err(Error::invalid("Error in field 'entries' : no entries: send at least one"));
    }
    let mutations: usize = entries.iter().map(|entry| entry.mutations.len()).sum();
    if mutations > MUTATIONS_MAX {
        return Err(Error::invalid(format!(
            "Error in field 'entries' : {mutations} mutations, the limit of a request is {MUTATIONS_MAX}: send several \
             requests"
        )));
    }
    Ok(())
}
