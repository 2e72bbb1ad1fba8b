//! Access to tables by requests: the same code works on an in-process instance, a data folder and a
//! server.

use tabletop_model::{
    CheckAndMutateRow, Code, ColumnFamily, DropRowRange, Error, FamilyModification, GcRule, ReadRows,
    Request, Response, Result, Row, RowKeySample, RowMutation, RowSet, RowsChunk, TableRequest, TableSpec,
    TableView,
};

/// Sends requests about tables.
pub struct Tables<'a> {
    ask: &'a mut dyn FnMut(Request) -> Response,
}

impl<'a> Tables<'a> {
    /// Creates an access to the tables that `ask` reads and changes.
    pub fn new(ask: &'a mut dyn FnMut(Request) -> Response) -> Tables<'a> {
        Tables { ask }
    }

    /// The names of all tables.
    ///
    /// # Errors
    /// Any error from the request.
    pub fn names(&mut self) -> Result<Vec<String>> {
        match (self.ask)(Request::ListTables) {
            Response::Tables(names) => Ok(names),
            other => Err(unexpected(other)),
        }
    }

    /// Reads a slice of rows.
    ///
    /// # Errors
    /// Any error from the read.
    pub fn read(&mut self, table: &str, read: ReadRows) -> Result<RowsChunk> {
        match self.request(table, TableRequest::ReadRows(read)) {
            Response::Rows(chunk) => Ok(chunk),
            other => Err(unexpected(other)),
        }
    }

    /// Reads all rows of a read whose result is small.
    ///
    /// # Errors
    /// Any error from the read.
    pub fn read_all(&mut self, table: &str, mut read: ReadRows) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        loop {
            let chunk = self.read(table, read.clone())?;
            rows.extend(chunk.rows);
            if chunk.resume.is_none() {
                return Ok(rows);
            }
            read.resume = chunk.resume;
        }
    }

    /// Reads one row, if it exists.
    ///
    /// # Errors
    /// Any error from the read.
    pub fn read_row(&mut self, table: &str, key: impl Into<tabletop_model::RowKey>) -> Result<Option<Row>> {
        let rows = RowSet { keys: vec![key.into()], ranges: Vec::new() };
        Ok(self.read_all(table, ReadRows { rows, ..ReadRows::default() })?.pop())
    }

    /// Changes rows, each atomically. If one fails, others may be changed.
    ///
    /// # Errors
    /// The first of the rows' errors.
    pub fn write(&mut self, table: &str, rows: Vec<RowMutation>) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        match self.request(table, TableRequest::MutateRows(rows)) {
            Response::Mutated(failed) => failed.into_iter().flatten().next().map_or(Ok(()), Err),
            other => Err(unexpected(other)),
        }
    }

    /// Changes a row depending on its current content. Returns whether the predicate matched.
    ///
    /// # Errors
    /// Any error from the request.
    pub fn check_and_mutate(&mut self, table: &str, change: CheckAndMutateRow) -> Result<bool> {
        match self.request(table, TableRequest::CheckAndMutateRow(change)) {
            Response::PredicateMatched(matched) => Ok(matched),
            other => Err(unexpected(other)),
        }
    }

    /// Creates a table, or adds the families that an existing one lacks.
    ///
    /// # Errors
    /// Any error from the requests.
    pub fn create_or_complete(&mut self, table: &str, families: Vec<ColumnFamily>) -> Result<()> {
        let spec = TableSpec { families: families.clone(), ..TableSpec::default() };
        match self.done(table, TableRequest::Create(spec)) {
            Err(error) if error.code == Code::AlreadyExists => self.add_families(table, families),
            other => other,
        }
    }

    /// Adds families. Families that already exist are not changed.
    ///
    /// # Errors
    /// Any error from the request.
    pub fn add_families(&mut self, table: &str, families: Vec<ColumnFamily>) -> Result<()> {
        let existing = self.describe(table)?.families;
        let is_new = |family: &ColumnFamily| existing.iter().all(|known| known.name != family.name);
        let new: Vec<FamilyModification> =
            families.into_iter().filter(is_new).map(FamilyModification::Create).collect();
        if new.is_empty() { Ok(()) } else { self.done(table, TableRequest::ModifyFamilies(new)) }
    }

    /// Returns the families and settings of a table.
    ///
    /// # Errors
    /// `NotFound` if the table does not exist.
    pub fn describe(&mut self, table: &str) -> Result<TableSpec> {
        match self.request(table, TableRequest::Describe) {
            Response::Spec(spec) => Ok(spec),
            other => Err(unexpected(other)),
        }
    }

    /// Sets the GC rule of all families of a table.
    ///
    /// # Errors
    /// Any error from the request.
    pub fn set_gc_rule(&mut self, table: &str, gc_rule: &GcRule) -> Result<()> {
        let others = self.describe(table)?.families.into_iter().filter(|family| family.gc_rule != *gc_rule);
        let update = |family: ColumnFamily| FamilyModification::Update {
            family: family.name,
            gc_rule: gc_rule.clone(),
        };
        let changes: Vec<FamilyModification> = others.map(update).collect();
        if changes.is_empty() { Ok(()) } else { self.done(table, TableRequest::ModifyFamilies(changes)) }
    }

    /// Requests a major compaction, which includes garbage collection. It is done later.
    ///
    /// # Errors
    /// `NotFound` if the table does not exist.
    pub fn compact(&mut self, table: &str) -> Result<()> {
        self.done(table, TableRequest::Compact)
    }

    /// Returns a view of a table.
    ///
    /// # Errors
    /// `NotFound` if the table does not exist.
    pub fn view(&mut self, table: &str) -> Result<TableView> {
        match self.request(table, TableRequest::View) {
            Response::Table(view) => Ok(view),
            other => Err(unexpected(other)),
        }
    }

    /// Deletes a table. If it does not exist, nothing happens.
    ///
    /// # Errors
    /// Any storage error.
    pub fn delete(&mut self, table: &str) -> Result<()> {
        match self.done(table, TableRequest::Delete) {
            Err(error) if error.code == Code::NotFound => Ok(()),
            other => other,
        }
    }

    /// Removes a range of rows.
    ///
    /// # Errors
    /// Any storage error.
    pub fn drop_rows(&mut self, table: &str, range: DropRowRange) -> Result<()> {
        self.done(table, TableRequest::DropRowRange(range))
    }

    /// Returns keys that divide the table into parts of about equal size.
    ///
    /// # Errors
    /// `NotFound` if the table does not exist.
    pub fn samples(&mut self, table: &str) -> Result<Vec<RowKeySample>> {
        match self.request(table, TableRequest::SampleRowKeys) {
            Response::RowKeySamples(samples) => Ok(samples),
            other => Err(unexpected(other)),
        }
    }

    fn request(&mut self, table: &str, request: TableRequest) -> Response {
        (self.ask)(request.of(table))
    }

    fn done(&mut self, table: &str, request: TableRequest) -> Result<()> {
        match self.request(table, request) {
            Response::Done => Ok(()),
            other => Err(unexpected(other)),
        }
    }
}

/// Returns the error for a response of the wrong kind.
fn unexpected(response: Response) -> Error {
    match response {
        Response::Refused(error) => error,
        other => Error::new(Code::Internal, format!("Unexpected response from the instance: {other:?}")),
    }
}
