//! The reference model: Bigtable's answers, implemented as simply as possible and independently of
//! the engine.
//!
//! Maps of maps, copied freely; nothing is cached, compacted or split. Its refusals have the right
//! code, but no message.

mod aggregate;
mod filter;
mod gc;
mod protobuf;
mod regex;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use tabletop_model::{
    Aggregate, Bytes, Cell, CheckAndMutateRow, Code, ColumnFamily, DropRowRange, Error, FamilyModification,
    Mutation, ReadModify, ReadModifyWriteRow, ReadRows, ReadStats, Request, Response, Result, Resume, Row,
    RowMutation, RowRange, RowSet, RowsChunk, SERVER_TIME, TableRequest, TableSettings, TableSpec, Timestamp,
    TimestampRange, limits,
};

use crate::Database;
pub use filter::NodeNote;

/// Tables in memory.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    tables: BTreeMap<String, Table>,
    /// For each probability (as bits), the rows that `row_sample` selects. The engine decides which
    /// rows these are, so a test reads them from the engine first. The effect of the choice inside
    /// a filter is modelled here.
    pub samples: BTreeMap<u64, BTreeSet<Vec<u8>>>,
}

#[derive(Clone, Debug, Default)]
struct Table {
    /// The families in the order of their creation; `None` for a dropped family.
    families: Vec<Option<ColumnFamily>>,
    rows: BTreeMap<Vec<u8>, StoredRow>,
    /// Whether a compaction was requested that was not followed by a write.
    compacts: bool,
    initial_splits: Vec<Bytes>,
    settings: TableSettings,
}

/// Columns by family (its index among the families) and qualifier, with the versions newest first.
type StoredRow = BTreeMap<(usize, Vec<u8>), BTreeMap<Reverse<Timestamp>, Vec<u8>>>;

impl Database for Reference {
    fn handle(&mut self, now: Timestamp, request: Request) -> Response {
        self.answer(now, request).unwrap_or_else(Response::Refused)
    }

    /// Collects garbage only in tables for which a compaction was requested.
    fn settle(&mut self, now: Timestamp) {
        for table in self.tables.values_mut().filter(|table| table.compacts) {
            table.compacts = false;
            table.collect(now);
        }
    }
}

/// A row, and what each node of a filter does with its cells.
#[derive(Clone, Debug)]
pub struct RowNotes {
    /// The row's key.
    pub key: Bytes,
    /// The cells before the filter.
    pub cells: Vec<Cell>,
    /// The nodes of the filter, each before the nodes nested in it.
    pub nodes: Vec<NodeNote>,
    /// The cells in the result.
    pub result: Vec<Cell>,
}

/// Row, family, qualifier and time.
type CellName = (Bytes, String, Bytes, Timestamp);

impl Reference {
    /// Returns the cells that a compaction at `now` may collect, if none have been collected
    /// before.
    pub fn collectable(&self, table: &str, now: Timestamp) -> BTreeSet<CellName> {
        let all = &self.tables[table];
        let mut left = all.clone();
        left.collect(now);
        let names = |table: &Table| -> BTreeSet<CellName> {
            let cells =
                table.rows.keys().flat_map(|key| table.cells(key).into_iter().map(move |cell| (key, cell)));
            cells
                .map(|(key, cell)| (key.clone().into(), cell.family, cell.qualifier, cell.timestamp))
                .collect()
        };
        &names(all) - &names(&left)
    }

    /// Returns the rows of a read, with the effect of each node of its filter.
    pub fn trace(&self, table: &str, read: &ReadRows) -> Vec<RowNotes> {
        let table = &self.tables[table];
        let families: Vec<String> =
            table.families.iter().flatten().map(|family| family.name.clone()).collect();
        let filter = read.filter.as_ref().expect("a filter to trace");
        let mut keys: Vec<&Vec<u8>> = table.rows.keys().filter(|key| names(&read.rows, key)).collect();
        if read.reversed {
            keys.reverse();
        }
        let mut rows: Vec<RowNotes> = Vec::new();
        for key in keys {
            let notes = RefCell::default();
            let context =
                filter::Context { key, families: &families, samples: &self.samples, notes: Some(&notes) };
            let cells = table.cells(key);
            let result = filter::apply(filter, &context, cells.clone());
            rows.push(RowNotes { key: key.clone().into(), cells, nodes: notes.take(), result });
            let returned = rows.iter().filter(|row| !row.result.is_empty()).count() as u64;
            if read.rows_limit > 0 && returned == read.rows_limit {
                break;
            }
        }
        rows
    }

    fn answer(&mut self, now: Timestamp, request: Request) -> Result<Response> {
        let (table, request) = match request {
            Request::Table { table, request } => (table, request),
            Request::ListTables => return Ok(Response::Tables(self.tables.keys().cloned().collect())),
            Request::ListBackups | Request::DeleteBackup { .. } => {
                return Err(Error::new(Code::Internal, "the reference model has no files"));
            }
        };
        match request {
            TableRequest::Create(spec) => self.create_table(table, spec)?,
            TableRequest::Delete => {
                self.tables.remove(&table).ok_or(refusal(Code::NotFound))?;
            }
            TableRequest::Describe => {
                let Table { families, initial_splits, settings, .. } = self.table(&table)?.clone();
                let families = families.into_iter().flatten().collect();
                return Ok(Response::Spec(TableSpec { families, initial_splits, settings }));
            }
            TableRequest::UpdateSettings(settings) => self.table(&table)?.settings = settings,
            TableRequest::Compact => self.table(&table)?.compacts = true,
            TableRequest::ModifyFamilies(modifications) => {
                self.table(&table)?.modify_families(modifications)?;
            }
            TableRequest::MutateRows(entries) => {
                let table = self.table(&table)?;
                let mutations: usize = entries.iter().map(|entry| entry.mutations.len()).sum();
                if entries.is_empty() || mutations > limits::MUTATIONS_MAX {
                    return Err(refusal(Code::InvalidArgument));
                }
                return Ok(Response::Mutated(
                    entries.into_iter().map(|entry| table.mutate_row(now, entry).err()).collect(),
                ));
            }
            TableRequest::CheckAndMutateRow(check) => {
                let samples = self.samples.clone();
                return self
                    .table(&table)?
                    .check_and_mutate_row(now, check, &samples)
                    .map(Response::PredicateMatched);
            }
            TableRequest::ReadModifyWriteRow(row) => {
                return self.table(&table)?.read_modify_write_row(now, row).map(Response::Row);
            }
            TableRequest::DropRowRange(range) => match range {
                DropRowRange::All => self.table(&table)?.rows.clear(),
                DropRowRange::Prefix(prefix) => {
                    let table = self.table(&table)?;
                    if prefix.is_empty() {
                        return Err(refusal(Code::InvalidArgument));
                    }
                    table.rows.retain(|key, _| !key.starts_with(&prefix));
                }
            },
            TableRequest::ReadRows(read) => {
                let samples = self.samples.clone();
                return self.table(&table)?.read(&read, &samples).map(Response::Rows);
            }
            TableRequest::SampleRowKeys
            | TableRequest::View
            | TableRequest::Flush(_)
            | TableRequest::CompactTablet(_)
            | TableRequest::Inspect(_)
            | TableRequest::CountExpired(_) => {
                return Err(Error::new(Code::Internal, "the reference model has no tablets"));
            }
            TableRequest::BackUp { .. }
            | TableRequest::Restore { .. }
            | TableRequest::Export { .. }
            | TableRequest::Import { .. } => {
                return Err(Error::new(Code::Internal, "the reference model has no files"));
            }
        }
        Ok(Response::Done)
    }

    fn table(&mut self, name: &str) -> Result<&mut Table> {
        self.tables.get_mut(name).ok_or(refusal(Code::NotFound))
    }

    fn create_table(&mut self, name: String, spec: TableSpec) -> Result<()> {
        let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !begins_well || !is_name(&name, limits::TABLE_ID_CHARS_MAX) {
            return Err(refusal(Code::InvalidArgument));
        }
        if self.tables.contains_key(&name) {
            return Err(refusal(Code::AlreadyExists));
        }
        let mut table =
            Table { initial_splits: spec.initial_splits, settings: spec.settings, ..Table::default() };
        table.modify_families(spec.families.into_iter().map(FamilyModification::Create).collect())?;
        self.tables.insert(name, table);
        Ok(())
    }
}

impl Table {
    fn modify_families(&mut self, modifications: Vec<FamilyModification>) -> Result<()> {
        // The change is applied to a copy, so that a failing change leaves no trace of earlier
        // ones.
        let mut changed = self.clone();
        for modification in modifications {
            match modification {
                FamilyModification::Create(family) => {
                    if !is_name(&family.name, limits::FAMILY_NAME_CHARS_MAX) {
                        return Err(refusal(Code::InvalidArgument));
                    }
                    gc::check(&family.gc_rule)?;
                    if changed.family(&family.name).is_ok() {
                        return Err(refusal(Code::AlreadyExists));
                    }
                    changed.families.push(Some(family));
                }
                FamilyModification::Update { family, gc_rule } => {
                    gc::check(&gc_rule)?;
                    let index = changed.family(&family)?;
                    changed.families[index].as_mut().expect("it is there").gc_rule = gc_rule;
                }
                FamilyModification::Drop { family } => {
                    let index = changed.family(&family)?;
                    changed.families[index] = None;
                    for row in changed.rows.values_mut() {
                        row.retain(|column, _| column.0 != index);
                    }
                    changed.rows.retain(|_, row| !row.is_empty());
                }
            }
        }
        *self = changed;
        Ok(())
    }

    fn family(&self, name: &str) -> Result<usize> {
        let is_it = |family: &Option<ColumnFamily>| family.as_ref().is_some_and(|family| family.name == name);
        self.families.iter().position(is_it).ok_or(refusal(Code::NotFound))
    }

    fn mutate_row(&mut self, now: Timestamp, entry: RowMutation) -> Result<()> {
        if !is_row_key(&entry.key) || entry.mutations.is_empty() {
            return Err(refusal(Code::InvalidArgument));
        }
        // The entry is applied to a copy, so that a failing mutation leaves no trace of earlier
        // ones.
        let mut row = self.rows.get(&entry.key.0).cloned().unwrap_or_default();
        for mutation in entry.mutations {
            self.mutate(&mut row, now, mutation)?;
        }
        self.put(entry.key.0, row);
        Ok(())
    }

    fn put(&mut self, key: Vec<u8>, mut row: StoredRow) {
        self.compacts = false;
        row.retain(|_, versions| !versions.is_empty());
        if row.is_empty() {
            self.rows.remove(&key)
        } else {
            self.rows.insert(key, row)
        };
    }

    fn check_and_mutate_row(
        &mut self,
        now: Timestamp,
        check: CheckAndMutateRow,
        samples: &BTreeMap<u64, BTreeSet<Vec<u8>>>,
    ) -> Result<bool> {
        let is_long = |mutations: &[Mutation]| mutations.len() > limits::MUTATIONS_MAX;
        let is_empty = check.on_match.is_empty() && check.otherwise.is_empty();
        if !is_row_key(&check.key) || is_empty || is_long(&check.on_match) || is_long(&check.otherwise) {
            return Err(refusal(Code::InvalidArgument));
        }
        let rows = RowSet { keys: vec![check.key.clone()], ranges: Vec::new() };
        let found = self.read(&ReadRows { rows, filter: check.predicate, ..ReadRows::default() }, samples)?;
        let matches = !found.rows.is_empty();
        let mutations = if matches { check.on_match } else { check.otherwise };
        if !mutations.is_empty() {
            self.mutate_row(now, RowMutation { key: check.key, mutations })?;
        }
        Ok(matches)
    }

    fn read_modify_write_row(&mut self, now: Timestamp, request: ReadModifyWriteRow) -> Result<Row> {
        let ReadModifyWriteRow { key, rules } = request;
        if !is_row_key(&key) || rules.is_empty() || rules.len() > limits::MUTATIONS_MAX {
            return Err(refusal(Code::InvalidArgument));
        }
        // Errors of the request are reported before errors of the row.
        for rule in &rules {
            let (family, _) = self.column(&rule.family, rule.qualifier.0.clone())?;
            if self.kind(family).is_some() {
                return Err(refusal(Code::InvalidArgument));
            }
        }
        let mut row = self.rows.get(&key.0).cloned().unwrap_or_default();
        let mut written = BTreeMap::new();
        for rule in rules {
            let column = self.column(&rule.family, rule.qualifier.0)?;
            let versions = row.entry(column.clone()).or_default();
            let newest = versions.first_key_value().map(|(time, value)| (time.0, value.clone()));
            let value = match (&rule.modify, &newest) {
                (ReadModify::Append(bytes), None) => bytes.0.clone(),
                (ReadModify::Append(bytes), Some((_, value))) => [value.as_slice(), bytes].concat(),
                (ReadModify::Increment(amount), None) => amount.to_be_bytes().to_vec(),
                (ReadModify::Increment(amount), Some((_, value))) => {
                    let number: [u8; 8] =
                        value.as_slice().try_into().map_err(|_| refusal(Code::FailedPrecondition))?;
                    i64::from_be_bytes(number).wrapping_add(*amount).to_be_bytes().to_vec()
                }
            };
            if value.len() > limits::VALUE_BYTES_MAX {
                return Err(refusal(Code::InvalidArgument));
            }
            let time = newest.map_or(0, |(time, _)| time).max(now - now % 1000);
            versions.insert(Reverse(time), value.clone());
            written.insert(column, (time, value));
        }
        self.put(key.0.clone(), row);
        let cell =
            |((family, qualifier), (timestamp, value)): ((usize, Vec<u8>), (Timestamp, Vec<u8>))| Cell {
                family: self.families[family].as_ref().expect("it was found").name.clone(),
                qualifier: qualifier.into(),
                timestamp,
                value: value.into(),
                label: None,
            };
        Ok(Row { key, cells: written.into_iter().map(cell).collect() })
    }

    /// Removes the cells that GC rules collect at `now`.
    fn collect(&mut self, now: Timestamp) {
        for row in self.rows.values_mut() {
            for ((family, _), versions) in row.iter_mut() {
                let rule = &self.families[*family].as_ref().expect("cells go with their family").gc_rule;
                let mut rank = 0;
                versions.retain(|Reverse(timestamp), _| {
                    rank += 1;
                    !gc::collects(rule, rank, now - timestamp)
                });
            }
            row.retain(|_, versions| !versions.is_empty());
        }
        self.rows.retain(|_, row| !row.is_empty());
    }

    /// Returns the aggregate of a family, if it has one.
    fn kind(&self, family: usize) -> Option<Aggregate> {
        self.families[family].as_ref().and_then(|family| family.aggregate)
    }

    fn mutate(&self, row: &mut StoredRow, now: Timestamp, mutation: Mutation) -> Result<()> {
        match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                let column = self.column(&family, qualifier.0)?;
                let timestamp = if timestamp == SERVER_TIME { now - now % 1000 } else { timestamp };
                if !is_timestamp(timestamp)
                    || value.len() > limits::VALUE_BYTES_MAX
                    || self.kind(column.0).is_some()
                {
                    return Err(refusal(Code::InvalidArgument));
                }
                row.entry(column).or_default().insert(Reverse(timestamp), value.0);
            }
            Mutation::AddToCell { family, qualifier, timestamp, input } => {
                let column = self.column(&family, qualifier.0)?;
                let value = self.kind(column.0).and_then(|kind| aggregate::value(kind, &input));
                self.aggregate(row, column, timestamp, value)?;
            }
            Mutation::MergeToCell { family, qualifier, timestamp, input } => {
                let column = self.column(&family, qualifier.0)?;
                let is_value = |kind: &Aggregate| input.is_empty() || aggregate::is_value(*kind, &input);
                let value = self.kind(column.0).filter(is_value).map(|_| input.0);
                self.aggregate(row, column, timestamp, value)?;
            }
            Mutation::DeleteFromColumn { family, qualifier, range } => {
                let column = self.column(&family, qualifier.0)?;
                let aligned = is_timestamp(range.start) && is_timestamp(range.end);
                if !aligned || (range.end != 0 && range.start >= range.end) {
                    return Err(refusal(Code::InvalidArgument));
                }
                if let Some(versions) = row.get_mut(&column) {
                    versions.retain(|Reverse(timestamp), _| !is_within(*timestamp, range));
                }
            }
            Mutation::DeleteFromFamily { family } => {
                let (family, _) = self.column(&family, Vec::new())?;
                row.retain(|column, _| column.0 != family);
            }
            Mutation::DeleteFromRow => row.clear(),
        }
        Ok(())
    }

    /// Combines a cell with a value. Without a value the family refuses the input; an empty value
    /// changes nothing.
    fn aggregate(
        &self,
        row: &mut StoredRow,
        column: (usize, Vec<u8>),
        timestamp: Timestamp,
        value: Option<Vec<u8>>,
    ) -> Result<()> {
        let (Some(kind), Some(value), true) = (self.kind(column.0), value, is_timestamp(timestamp)) else {
            return Err(refusal(Code::InvalidArgument));
        };
        if !value.is_empty() {
            let versions = row.entry(column).or_default();
            let before = versions.remove(&Reverse(timestamp));
            let both = before.map_or(value.clone(), |before| aggregate::combine(kind, &before, &value));
            versions.insert(Reverse(timestamp), both);
        }
        Ok(())
    }

    fn column(&self, family: &str, qualifier: Vec<u8>) -> Result<(usize, Vec<u8>)> {
        let family = self.family(family)?;
        if qualifier.len() > limits::QUALIFIER_BYTES_MAX {
            return Err(refusal(Code::InvalidArgument));
        }
        Ok((family, qualifier))
    }

    fn read(&self, read: &ReadRows, samples: &BTreeMap<u64, BTreeSet<Vec<u8>>>) -> Result<RowsChunk> {
        check_rows(&read.rows)?;
        if let Some(filter) = &read.filter {
            filter::check(filter)?;
        }
        let mut keys: Vec<&Vec<u8>> = self.rows.keys().filter(|key| names(&read.rows, key)).collect();
        if read.reversed {
            keys.reverse();
        }
        let mut stats = ReadStats::default();
        if let Some(resume) = &read.resume {
            stats = resume.stats;
            keys.retain(|key| if read.reversed { **key < resume.after.0 } else { **key > resume.after.0 });
        }
        let name = |family: &Option<ColumnFamily>| {
            family.as_ref().map(|family| family.name.clone()).unwrap_or_default()
        };
        let names: Vec<String> = self.families.iter().map(name).collect();
        let mut rows = Vec::new();
        let cells_seen_before = stats.cells_seen;
        let full = |stats: &ReadStats| read.rows_limit > 0 && stats.rows_returned == read.rows_limit;
        for key in keys {
            if full(&stats) {
                break;
            }
            let cells = self.cells(key);
            stats.rows_seen += 1;
            stats.cells_seen += cells.len() as u64;
            let context = filter::Context { key, families: &names, samples, notes: None };
            let cells = match &read.filter {
                Some(filter) => filter::apply(filter, &context, cells),
                None => cells,
            };
            if !cells.is_empty() {
                stats.rows_returned += 1;
                stats.cells_returned += cells.len() as u64;
                stats.bytes_returned += key.len() as u64 + cells.iter().map(cell_bytes).sum::<u64>();
                rows.push(Row { key: key.clone().into(), cells });
            }
            let sliced =
                read.slice_cells_max > 0 && stats.cells_seen - cells_seen_before >= read.slice_cells_max;
            if sliced && !full(&stats) {
                let resume = Some(Resume { after: key.clone().into(), stats });
                return Ok(RowsChunk { rows, stats, resume });
            }
        }
        Ok(RowsChunk { rows, stats, resume: None })
    }

    fn cells(&self, key: &[u8]) -> Vec<Cell> {
        let mut cells = Vec::new();
        for ((family, qualifier), versions) in &self.rows[key] {
            for (Reverse(timestamp), value) in versions {
                cells.push(Cell {
                    family: self.families[*family].as_ref().expect("cells go with their family").name.clone(),
                    qualifier: qualifier.clone().into(),
                    timestamp: *timestamp,
                    value: value.clone().into(),
                    label: None,
                });
            }
        }
        cells
    }
}

fn refusal(code: Code) -> Error {
    Error::new(code, "")
}

fn is_name(name: &str, chars_max: usize) -> bool {
    let right = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.chars().count() <= chars_max && name.chars().all(right)
}

fn is_row_key(key: &[u8]) -> bool {
    !key.is_empty() && key.len() <= limits::ROW_KEY_BYTES_MAX
}

fn is_timestamp(timestamp: Timestamp) -> bool {
    timestamp >= 0 && timestamp % limits::TIMESTAMP_GRANULARITY_MICROS == 0
}

fn is_within(timestamp: Timestamp, range: TimestampRange) -> bool {
    range.start <= timestamp && (range.end == 0 || timestamp < range.end)
}

fn cell_bytes(cell: &Cell) -> u64 {
    (cell.family.len() + cell.qualifier.len() + 8 + cell.value.len()) as u64
}

fn check_rows(rows: &RowSet) -> Result<()> {
    let key_is_wrong = rows.keys.iter().any(|key| key.is_empty());
    let range_is_wrong = rows.ranges.iter().any(|range| !is_in_order(&range.start, &range.end));
    if key_is_wrong || range_is_wrong { Err(refusal(Code::InvalidArgument)) } else { Ok(()) }
}

/// Returns whether the start is not after the end. An empty range is valid.
fn is_in_order(start: &Bound<Bytes>, end: &Bound<Bytes>) -> bool {
    match (start, end) {
        (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) => {
            start <= end
        }
        _ => true,
    }
}

fn names(rows: &RowSet, key: &[u8]) -> bool {
    let in_range = |range: &RowRange| is_between(key, &range.start, &range.end);
    (rows.keys.is_empty() && rows.ranges.is_empty())
        || rows.keys.iter().any(|named| named.as_slice() == key)
        || rows.ranges.iter().any(in_range)
}

fn is_between<T: AsRef<[u8]>>(bytes: &[u8], start: &Bound<T>, end: &Bound<T>) -> bool {
    let after_start = match start {
        Bound::Included(start) => start.as_ref() <= bytes,
        Bound::Excluded(start) => start.as_ref() < bytes,
        Bound::Unbounded => true,
    };
    let before_end = match end {
        Bound::Included(end) => bytes <= end.as_ref(),
        Bound::Excluded(end) => bytes < end.as_ref(),
        Bound::Unbounded => true,
    };
    after_start && before_end
}
