//! The state of a migration, stored as a row of a separate table.
//!
//! ```text
//! row      FROM>TO                 table names have no `>`
//! family   m, one version
//! columns  stage, after, copied, dual, compared: texts, except that `after` is the bytes of a row key
//!          difference              the table with the event, its row key, and the event, each after its length
//!          pending                 row keys of the old table, each after its length
//!          print                   XXH64 of the two designs, the fields and the retention period
//! ```
//!
//! A length is four bytes, the highest first.

use tabletop_keys::{Field, salt::hash};
use tabletop_model::{
    Code, ColumnFamily, Error, GcRule, Mutation, Result, Row, RowKey, RowMutation, Timestamp,
};
use tabletop_protocol::migration::MigrationStage;
use tabletop_workspace::Design;

use super::verify::Difference;
use crate::tables::Tables;

/// The table with the states of all migrations of an instance.
pub const STATE_TABLE: &str = "tabletop_migrations";
const FAMILY: &str = "m";

/// The state of a migration.
pub(super) struct State {
    key: RowKey,
    print: u64,
    pub stage: MigrationStage,
    pub after: RowKey,
    pub copied: u64,
    /// Saved together with `pending`, before the write. So a write that is repeated counts again.
    pub dual_written: u64,
    pub compared: u64,
    pub pending: Vec<RowKey>,
    pub difference: Option<Difference>,
    pub is_resumed: bool,
}

impl State {
    /// Reads the state of an earlier run. Without one, returns the state of a migration that is not
    /// created yet.
    pub fn load(tables: &mut Tables, from: &str, to: &str, print: u64) -> Result<State> {
        let family = ColumnFamily { gc_rule: GcRule::MaxVersions(1), ..ColumnFamily::new(FAMILY) };
        tables.create_or_complete(STATE_TABLE, vec![family])?;
        let mut state = State {
            key: key_of(from, to),
            print,
            stage: MigrationStage::Creating,
            after: RowKey::default(),
            copied: 0,
            dual_written: 0,
            compared: 0,
            pending: Vec::new(),
            difference: None,
            is_resumed: false,
        };
        if let Some(row) = tables.read_row(STATE_TABLE, state.key.clone())? {
            state.read(&row)?;
        }
        Ok(state)
    }

    fn read(&mut self, row: &Row) -> Result<()> {
        let value = |name: &str| {
            row.cells.iter().find(|cell| cell.qualifier.as_slice() == name.as_bytes()).map(|cell| &cell.value)
        };
        let text = |name: &str| value(name).and_then(|value| str::from_utf8(value).ok());
        let number = |name: &str| text(name).and_then(|text| text.parse().ok());
        let wrong = || {
            let message = format!(
                "The state of the migration {} in table {STATE_TABLE} cannot be read, so nothing is changed. The new table may be the \
                 only one with all events: compare both before you delete one, or this row.",
                self.key
            );
            Error::new(Code::DataLoss, message)
        };
        let print = text("print").and_then(|text| u64::from_str_radix(text, 16).ok()).ok_or_else(wrong)?;
        if print != self.print {
            return Err(Error::new(
                Code::FailedPrecondition,
                format!(
                    "A migration {} is under way with other designs, fields or another retention period: resume it with those, or undo it \
                     first.",
                    self.key
                ),
            ));
        }
        let name = text("stage").ok_or_else(wrong)?;
        let stage = MigrationStage::named(name).ok_or_else(wrong)?;
        let keys = |name: &str| value(name).map_or(Some(Vec::new()), |bytes| split(bytes)).ok_or_else(wrong);
        let (pending, difference) = (keys("pending")?, keys("difference")?);
        let counts = (number("copied"), number("dual"), number("compared"));
        let (Some(copied), Some(dual_written), Some(compared)) = counts else { return Err(wrong()) };
        let after = RowKey::from(value("after").map(|bytes| bytes.to_vec()).unwrap_or_default());
        (self.copied, self.dual_written, self.compared) = (copied, dual_written, compared);
        self.difference = match difference.as_slice() {
            [table, key, event] => Some(Difference {
                table: String::from_utf8_lossy(table).into_owned(),
                key: RowKey::from(key.clone()),
                event: String::from_utf8_lossy(event).into_owned(),
            }),
            _ => None,
        };
        self.pending = pending.into_iter().map(RowKey::from).collect();
        (self.stage, self.after, self.is_resumed) = (stage, after, true);
        Ok(())
    }

    /// Begins a stage, and clears the difference that an earlier stage has found.
    pub fn go_to(&mut self, stage: MigrationStage) {
        if stage == MigrationStage::Backfilling {
            self.copied = 0;
        }
        if stage == MigrationStage::Verifying {
            self.compared = 0;
        }
        (self.stage, self.after, self.difference) = (stage, RowKey::default(), None);
    }

    /// Writes the state with a single mutation of its row.
    pub fn save(&self, tables: &mut Tables) -> Result<()> {
        let pending: Vec<&[u8]> = self.pending.iter().map(|key| key.as_slice()).collect();
        let difference: Vec<&[u8]> = self
            .difference
            .iter()
            .flat_map(|difference| {
                [difference.table.as_bytes(), difference.key.as_slice(), difference.event.as_bytes()]
            })
            .collect();
        let cells: [(&str, Vec<u8>); 8] = [
            ("after", self.after.to_vec()),
            ("compared", self.compared.to_string().into_bytes()),
            ("copied", self.copied.to_string().into_bytes()),
            ("difference", joined(&difference)),
            ("dual", self.dual_written.to_string().into_bytes()),
            ("pending", joined(&pending)),
            ("print", format!("{:016x}", self.print).into_bytes()),
            ("stage", self.stage.name().into()),
        ];
        let cell = |(name, value): (&str, Vec<u8>)| Mutation::SetCell {
            family: FAMILY.into(),
            qualifier: name.as_bytes().into(),
            timestamp: 0,
            value: value.into(),
        };
        tables.write(
            STATE_TABLE,
            vec![RowMutation { key: self.key.clone(), mutations: cells.map(cell).into() }],
        )
    }

    /// Removes the row after an undo.
    pub fn remove(&self, tables: &mut Tables) -> Result<()> {
        remove_row(tables, self.key.clone())
    }
}

/// Returns whether the state of a migration of these tables exists.
pub(super) fn exists(tables: &mut Tables, from: &str, to: &str) -> Result<bool> {
    let has_states = tables.names()?.iter().any(|name| name == STATE_TABLE);
    Ok(has_states && tables.read_row(STATE_TABLE, key_of(from, to))?.is_some())
}

/// Removes the state of a migration of these tables, if there is one, whatever it contains.
pub(super) fn forget(tables: &mut Tables, from: &str, to: &str) -> Result<()> {
    if exists(tables, from, to)? { remove_row(tables, key_of(from, to)) } else { Ok(()) }
}

fn remove_row(tables: &mut Tables, key: RowKey) -> Result<()> {
    tables.write(STATE_TABLE, vec![RowMutation { key, mutations: vec![Mutation::DeleteFromRow] }])
}

fn key_of(from: &str, to: &str) -> RowKey {
    RowKey::from(format!("{from}>{to}").into_bytes())
}

/// Returns a number that identifies what is migrated.
pub(super) fn fingerprint(from: &Design, to: &Design, fields: &[Field], since: Timestamp) -> u64 {
    // Names and result settings are left out, because they do not affect rows.
    let of = |design: &Design| format!("{:?}", (&design.template, &design.layout, &design.families));
    hash(format!("{}|{}|{fields:?}|{since}", of(from), of(to)).as_bytes())
}

/// Joins byte strings, each after its length.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        out.extend_from_slice(&(part.len() as u32).to_be_bytes());
        out.extend_from_slice(part);
    }
    out
}

fn split(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk()?;
        let (part, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        parts.push(part.to_vec());
        bytes = rest;
    }
    Some(parts)
}
