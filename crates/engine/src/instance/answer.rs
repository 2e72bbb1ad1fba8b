//! Requests as values: each stands for one call of a method.

use alloc::string::String;

use tabletop_model::{Request, Response, Result, TableRequest, Timestamp};

use super::Instance;
use crate::storage::Storage;

impl<S: Storage> Instance<S> {
    /// Answers one request. Its work is bounded by the request, one memtable and one tablet's
    /// index; more work is left to [`Instance::advance`].
    pub fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.answer(now, request).unwrap_or_else(Response::Refused)
    }

    fn answer(&mut self, now: Timestamp, request: Request) -> Result<Response> {
        let (id, request) = match request {
            Request::ListTables => return Ok(Response::Tables(self.table_ids().map(String::from).collect())),
            Request::ListBackups => return Ok(Response::Backups(self.backups().collect())),
            Request::DeleteBackup { backup } => return self.delete_backup(&backup).map(done),
            Request::Table { table, request } => (table, request),
        };
        match request {
            TableRequest::Create(spec) => self.create_table(now, &id, spec).map(done),
            TableRequest::Restore { backup } => self.restore_table(now, &backup, &id).map(done),
            TableRequest::Import { piece, is_last } => self.import_table(now, &id, &piece, is_last).map(done),
            TableRequest::Delete => self.delete_table(&id).map(done),
            TableRequest::BackUp { backup } => self.back_up(now, &id, &backup).map(done),
            TableRequest::Describe => Ok(Response::Spec(self.table(&id)?.describe())),
            TableRequest::UpdateSettings(settings) => self.table(&id)?.update_settings(settings).map(done),
            TableRequest::ModifyFamilies(modifications) => {
                self.table(&id)?.modify_families(&modifications).map(done)
            }
            TableRequest::MutateRows(entries) => {
                self.table(&id)?.mutate_rows(now, &entries).map(Response::Mutated)
            }
            TableRequest::CheckAndMutateRow(check) => {
                self.table(&id)?.check_and_mutate_row(now, &check).map(Response::PredicateMatched)
            }
            TableRequest::ReadModifyWriteRow(row) => {
                self.table(&id)?.read_modify_write_row(now, &row).map(Response::Row)
            }
            TableRequest::DropRowRange(range) => self.table(&id)?.drop_row_range(&range).map(done),
            TableRequest::ReadRows(read) => self.table(&id)?.read(now, &read).map(Response::Rows),
            TableRequest::SampleRowKeys => Ok(Response::RowKeySamples(self.table(&id)?.sample_row_keys())),
            TableRequest::Compact => {
                self.table(&id)?.compact();
                Ok(Response::Done)
            }
            TableRequest::Export { resume } => {
                self.table(&id)?.export(resume.as_ref()).map(Response::Exported)
            }
            TableRequest::View => Ok(Response::Table(self.table(&id)?.view(now))),
            TableRequest::Flush(tablet) => self.table(&id)?.flush(tablet).map(done),
            TableRequest::CompactTablet(tablet) => self.table(&id)?.compact_tablet(tablet).map(done),
            TableRequest::Inspect(look) => self.table(&id)?.inspect(look).map(Response::Inspected),
            TableRequest::CountExpired(ask) => {
                self.table(&id)?.count_expired(now, &ask).map(Response::Expired)
            }
        }
    }
}

fn done((): ()) -> Response {
    Response::Done
}
