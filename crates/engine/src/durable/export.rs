//! Exports: a whole table as one portable file, written and read in pieces.
//!
//! ```text
//! file    = header(40) record*                   records as in record.rs, of uid 0, with all of the file before them synced
//! payload = 1 name spec split_count split*       first
//!         | 2 rows                               as in the commit log, in key order; families by their place in the spec
//!         | 3 row_count missing_count (start end)*   last: ranges that are damaged, and missing or outdated in the file
//! ```
//! `spec` is the one of a manifest, without dropped families.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use core::ops::Bound;

use tabletop_model::limits::{QUALIFIER_BYTES_MAX, VALUE_BYTES_MAX};
use tabletop_model::order::sorted;
use tabletop_model::{
    Code, Error, ExportPiece, ExportResume, ReadRows, Result, Row, RowKey, RowRange, RowSet, TableSpec,
    Timestamp,
};

use crate::change::{Changes, Op};
use crate::codec::{Damage, Decoder, put_bytes, put_varint};
use crate::columns::{Columns, FamilyId};
use crate::durable::headers::Headers;
use crate::durable::manifest::{Spec, put_spec, read_spec};
use crate::durable::{Durable, Visibility};
use crate::key_range::next_key;
use crate::log::commit_log;
use crate::log::file_header::{FileHeader, FileKind, HEADER_BYTES};
use crate::log::record::{self, RecordPosition};
use crate::storage::{Storage, StorageError};
use crate::table::Table;
use crate::table::scan::{CellRef, RowVisitor};

/// Approximate bytes of a piece.
const PIECE_BYTES: usize = 1 << 20;
/// The maximum number of cells that are read together; fewer if their bytes fill a piece first.
const SLICE_CELLS: u64 = 2_048;

const SPEC: u8 = 1;
const ROWS: u8 = 2;
const END: u8 = 3;

impl Table {
    /// Returns the next piece of the table's export. Damaged ranges are left out and listed.
    ///
    /// # Errors
    /// `FailedPrecondition` when families have changed since the last piece; `Unavailable` when
    /// storage cannot be read now.
    pub fn export(
        &mut self,
        storage: &dyn Storage,
        name: &str,
        resume: Option<&ExportResume>,
    ) -> Result<ExportPiece> {
        let mut export = match resume {
            Some(resume) if resume.families.iter().ne(self.families().map(|family| &family.name)) => {
                let why = "the table's families have changed since the export began: start it again";
                return Err(Error::new(Code::FailedPrecondition, why));
            }
            Some(resume) => Export { bytes: Vec::new(), resume: resume.clone() },
            None => self.begin_export(name)?,
        };
        while export.bytes.len() < PIECE_BYTES {
            if !self.export_slice(storage, &mut export)? {
                export.resume.missing.extend(self.outdated());
                export.end()?;
                let Export { bytes, resume: ExportResume { rows, missing, .. } } = export;
                return Ok(ExportPiece { bytes: bytes.into(), resume: None, rows, missing });
            }
        }
        let Export { bytes, resume } = export;
        Ok(ExportPiece {
            bytes: bytes.into(),
            rows: resume.rows,
            missing: resume.missing.clone(),
            resume: Some(resume),
        })
    }

    fn begin_export(&self, name: &str) -> Result<Export> {
        let header = header().encode();
        let families = self.families().map(|family| family.name.clone()).collect();
        let resume = ExportResume { families, bytes: header.len() as u64, ..ExportResume::default() };
        let mut export = Export { bytes: header, resume };
        let families = self.families().cloned().map(Some).collect();
        export.record(|out| {
            out.push(SPEC);
            put_bytes(out, name.as_bytes());
            put_spec(out, &Spec { families, settings: self.settings().clone() });
            put_varint(out, self.tablets().len() as u64 - 1);
            self.tablets()[1..].iter().for_each(|tablet| put_bytes(out, &tablet.range.start));
        })?;
        Ok(export)
    }

    /// Adds some rows to the piece. Returns `false` if there are no more.
    fn export_slice(&mut self, storage: &dyn Storage, export: &mut Export) -> Result<bool> {
        let Salvage { rows, next, missing } = self.salvage(storage, &export.resume.from)?;
        export.rows(self, &rows)?;
        if let Some((start, end)) = missing {
            export.miss(start, end);
        }
        let is_over = next.is_none();
        export.resume.from = next.unwrap_or_default();
        Ok(!is_over)
    }

    /// Reads some rows starting at a key, and leaves out damaged rows.
    ///
    /// # Errors
    /// `Unavailable` when storage cannot be read now.
    pub fn salvage(&mut self, storage: &dyn Storage, from: &RowKey) -> Result<Salvage> {
        let rows = RowSet::range(RowRange { start: Bound::Included(from.clone()), end: Bound::Unbounded });
        let (unmetered, may_be_outdated) = (true, true);
        let read = ReadRows {
            rows,
            slice_cells_max: SLICE_CELLS,
            unmetered,
            may_be_outdated,
            ..ReadRows::default()
        };
        let mut slice = Slice::default();
        let scan = self.scan(storage, &read, &mut slice);
        let mut rows = slice.rows;
        match scan {
            Ok(scan) => Ok(Salvage {
                rows,
                next: scan.resume.map(|resume| next_key(&resume.after).into()),
                missing: None,
            }),
            Err(error) if error.code == Code::DataLoss => {
                // All rows but the last are complete; some cells of the last one may be missing.
                let last = rows.pop();
                let start =
                    last.map(|row| row.key).or_else(|| rows.last().map(|row| next_key(&row.key).into()));
                let start = start.unwrap_or_else(|| from.clone());
                let next = self.next_part(&start);
                Ok(Salvage { rows, missing: Some((start, next.clone().unwrap_or_default())), next })
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the ranges of rows whose last writes may be missing. An empty end key means the end
    /// of the table.
    pub fn outdated(&self) -> Vec<(RowKey, RowKey)> {
        let ranges = self.durable().into_iter().flat_map(Durable::missing);
        ranges
            .map(|range| (range.start.clone().into(), range.end.clone().unwrap_or_default().into()))
            .collect()
    }

    /// Returns the first key after `key` at which another block or tablet begins.
    fn next_part(&self, key: &[u8]) -> Option<RowKey> {
        let tablet = &self.tablets()[self.tablet_of(key)];
        let damaged = tablet.damaged.iter().filter_map(|(range, _)| range.end.clone());
        let blocks = tablet.runs.iter().flat_map(|run| run.block_weights().map(|block| block.key));
        let starts =
            damaged.chain(blocks).filter(|start| start.as_slice() > key && !tablet.range.ends_before(start));
        starts.min().or_else(|| tablet.range.end.clone()).map(RowKey::from)
    }
}

/// The readable rows of a range of a damaged table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Salvage {
    /// The rows, in key order.
    pub rows: Vec<Row>,
    /// The key from which to read the next rows; `None` at the end of the table.
    pub next: Option<RowKey>,
    /// A damaged range that follows these rows. An empty end key means the end of the table.
    pub missing: Option<(RowKey, RowKey)>,
}

/// Returns the header of an export, which does not belong to a table.
fn header() -> FileHeader {
    FileHeader::new(FileKind::Export, 0, 0)
}

/// Rows that are read together.
#[derive(Default)]
struct Slice {
    rows: Vec<Row>,
    bytes: usize,
}

impl RowVisitor for Slice {
    fn row(&mut self, key: &[u8]) {
        self.rows.row(key);
    }

    fn cell(&mut self, cell: CellRef<'_>) {
        self.bytes += cell.qualifier.len() + cell.value.len();
        self.rows.cell(cell);
    }

    fn is_full(&self) -> bool {
        self.bytes >= PIECE_BYTES
    }

    /// An export also includes rows that are too long for one read.
    fn takes_long_rows(&self) -> bool {
        true
    }
}

/// An export that is being written.
struct Export {
    /// The bytes of this piece.
    bytes: Vec<u8>,
    resume: ExportResume,
}

impl Export {
    fn record(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> core::result::Result<(), StorageError> {
        let mut record = record::begin(0);
        put(&mut record);
        record::finish(
            &mut record,
            RecordPosition { header: header(), offset: self.resume.bytes, synced: self.resume.bytes },
        )?;
        self.resume.bytes += record.len() as u64;
        self.bytes.append(&mut record);
        Ok(())
    }

    fn rows(&mut self, table: &Table, rows: &[Row]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let families: Vec<(&str, bool)> =
            table.families().map(|family| (family.name.as_str(), family.aggregate.is_some())).collect();
        let mut changes = Changes::with_capacity(rows.iter().map(|row| row.cells.len()).sum());
        for row in rows {
            for cell in &row.cells {
                let Some(family) = families.iter().position(|(name, _)| *name == cell.family) else {
                    continue;
                };
                let (is_aggregate, family) = (families[family].1, family as FamilyId);
                let (qualifier, timestamp) = (cell.qualifier.as_slice(), cell.timestamp);
                changes.push(if is_aggregate {
                    Op::Add { family, qualifier, timestamp, input: &cell.value }
                } else {
                    Op::Set { family, qualifier, timestamp, value: &cell.value }
                });
            }
            changes.end_row(&row.key);
        }
        self.resume.rows += rows.len() as u64;
        self.record(|out| {
            out.push(ROWS);
            commit_log::encode(out, &changes, &mut Columns::default());
        })?;
        Ok(())
    }

    /// Records rows `[start, end)` as left out; adjacent ranges are joined.
    fn miss(&mut self, start: RowKey, end: RowKey) {
        match self.resume.missing.last_mut() {
            Some((_, last)) if *last == start => *last = end,
            _ => self.resume.missing.push((start, end)),
        }
    }

    fn end(&mut self) -> core::result::Result<(), StorageError> {
        for (start, end) in sorted(core::mem::take(&mut self.resume.missing), core::cmp::Ord::cmp) {
            match self.resume.missing.last_mut() {
                Some((_, last)) if last.is_empty() => {}
                Some((_, last)) if *last >= start => {
                    *last = if end.is_empty() { end } else { end.max(last.clone()) }
                }
                _ => self.resume.missing.push((start, end)),
            }
        }
        let (rows, missing) = (self.resume.rows, self.resume.missing.clone());
        self.record(|out| {
            out.push(END);
            put_varint(out, rows);
            put_varint(out, missing.len() as u64);
            for (start, end) in &missing {
                put_bytes(out, start);
                put_bytes(out, end);
            }
        })
    }
}

/// An export that is being read, with the table that is built from it.
#[derive(Debug, Default)]
pub struct Import {
    /// Bytes that were added and do not form a complete record yet.
    rest: Vec<u8>,
    /// The offset of those bytes in the file.
    offset: u64,
    table: Option<Table>,
    rows: u64,
    is_complete: bool,
}

impl Import {
    /// Adds the next bytes of the file. The rows go into a table called `name`. With `headers`, the
    /// table survives the process once the import is finished, and not before.
    ///
    /// # Errors
    /// `DataLoss` for a file that is damaged or of another format; `Unavailable` and
    /// `ResourceExhausted` from storage. After an error the import cannot be continued.
    pub fn add(
        &mut self,
        storage: &mut dyn Storage,
        mut headers: Option<&mut Headers>,
        now: Timestamp,
        name: &str,
        piece: &[u8],
    ) -> Result<()> {
        let mut rest = core::mem::take(&mut self.rest);
        rest.extend_from_slice(piece);
        let mut at = 0;
        if self.offset == 0 {
            if rest.len() < HEADER_BYTES {
                self.rest = rest;
                return Ok(());
            }
            let header = FileHeader::decode(&rest).map_err(|damage| damaged(0, damage))?;
            if header.kind != FileKind::Export {
                return Err(damaged(
                    0,
                    Damage::new(8, format!("{:?}", header.kind), "a table that was exported"),
                ));
            }
            (at, self.offset) = (header.bytes() as usize, header.bytes());
        }
        // The seeds are the same in both format versions.
        while let Some(payload) =
            record::take(&rest[at..], header(), self.offset).map_err(|damage| damaged(self.offset, damage))?
        {
            let length = payload.end + record::TAIL_BYTES;
            let payload = &rest[at..][payload];
            self.take(storage, headers.as_deref_mut(), now, name, payload)?;
            at += length;
            self.offset += length as u64;
        }
        rest.drain(..at);
        self.rest = rest;
        Ok(())
    }

    /// Returns the table, once all of the file has been added.
    ///
    /// # Errors
    /// `DataLoss` when part of the file is missing; `Unavailable` and `ResourceExhausted` from
    /// storage. After an error, the imported rows are discarded.
    pub fn finish(&mut self, storage: &mut dyn Storage) -> Result<Table> {
        if !self.is_complete || !self.rest.is_empty() {
            let found = format!("{} bytes that are not a record", self.rest.len());
            return Err(damaged(self.offset, Damage::new(0, found, "the last record of an exported table")));
        }
        let table = self.table.as_mut().ok_or_else(|| damaged(0, Damage::new(0, "no table", "a table")))?;
        table.show(storage)?;
        self.table.take().ok_or_else(|| damaged(0, Damage::new(0, "no table", "a table")))
    }

    /// Discards the imported rows.
    ///
    /// # Errors
    /// `Unavailable` when storage refuses; the files are then removed when the instance is opened
    /// again.
    pub fn abandon(self, storage: &mut dyn Storage, headers: &mut Headers) -> Result<()> {
        self.table.map_or(Ok(()), |mut table| table.discard(storage, headers))
    }

    fn take(
        &mut self,
        storage: &mut dyn Storage,
        headers: Option<&mut Headers>,
        now: Timestamp,
        name: &str,
        payload: &[u8],
    ) -> Result<()> {
        let offset = self.offset;
        let damaged = |damage: Damage| damaged(offset, damage);
        match (payload.first(), &mut self.table, self.is_complete) {
            (Some(&SPEC), None, false) => {
                let spec = read_export_spec(&payload[1..]).map_err(damaged)?;
                let table = Table::new(now, spec)?;
                self.table = Some(match headers {
                    Some(headers) => {
                        table.made_durable(storage, headers, name, Visibility::Hidden, Vec::new())?
                    }
                    None => table,
                });
                Ok(())
            }
            (Some(&ROWS), Some(table), false) => {
                let changes = commit_log::decode(&payload[1..]).map_err(damaged)?;
                commit_log::check(&changes, table.all_families().all().len())
                    .and_then(|()| check_cells(&changes))
                    .map_err(damaged)?;
                self.rows += changes.iter().count() as u64;
                table.commit(storage, now, &changes)
            }
            (Some(&END), Some(_), false) => {
                let rows = Decoder::new(&payload[1..]).varint().map_err(damaged)?;
                if rows != self.rows {
                    return Err(damaged(Damage::new(
                        1,
                        format!("{} rows", self.rows),
                        format!("{rows} rows"),
                    )));
                }
                self.is_complete = true;
                Ok(())
            }
            (kind, ..) => {
                Err(damaged(Damage::new(0, format!("a record of kind {kind:?}"), "a record that follows")))
            }
        }
    }
}

fn read_export_spec(payload: &[u8]) -> core::result::Result<TableSpec, Damage> {
    let mut decoder = Decoder::new(payload);
    let _: String = decoder.text()?;
    let Spec { families, settings } = read_spec(&mut decoder)?;
    let count = decoder.count(1)?;
    let splits =
        (0..count).map(|_| Ok(decoder.sized()?.to_vec().into())).collect::<core::result::Result<_, _>>()?;
    Ok(TableSpec { families: families.into_iter().flatten().collect(), initial_splits: splits, settings })
}

/// Checks the limits that apply to every write, because the file may come from anywhere.
fn check_cells(changes: &Changes<'_>) -> core::result::Result<(), Damage> {
    let wrong = |found: &str, expected: &str| Err(Damage::new(0, found, expected));
    for change in changes.iter() {
        for op in change.ops {
            let (Op::Set { qualifier, value, .. } | Op::Add { qualifier, input: value, .. }) = *op else {
                return wrong("a delete", "cells");
            };
            if qualifier.len() > QUALIFIER_BYTES_MAX || value.len() > VALUE_BYTES_MAX {
                return wrong("a cell beyond a limit", "cells that can be written");
            }
        }
    }
    Ok(())
}

fn damaged(offset: u64, damage: Damage) -> Error {
    let Damage { at, found, expected } = damage;
    Error::new(
        Code::DataLoss,
        format!(
            "the file cannot be imported: at offset {}, found {found}, expected {expected}; export the table again",
            offset + at as u64
        ),
    )
}
