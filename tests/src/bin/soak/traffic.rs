//! Random requests of a client: few rows, so that changes affect each other, and values long enough
//! to fill memtables.

use tabletop_model::{
    Bytes, CheckAndMutateRow, ColumnFamily, DropRowRange, FamilyModification, Mutation, ReadModify,
    ReadModifyWriteRow, ReadModifyWriteRule, ReadRows, Request, RowFilter, RowMutation, RowRange, RowSet,
    TableRequest, TimestampRange,
};
use tabletop_tests::faulty::chance;

use crate::TABLE;

const ROWS: u64 = 60;
const COLUMNS: u64 = 3;
const VERSIONS: u64 = 3;
const VALUE_BYTES_MAX: u64 = 12_000;

/// An endless stream of requests from a seed.
pub struct Traffic {
    chance: Box<dyn FnMut(u64) -> u64 + Send>,
    prefix: String,
    /// A family that only this client uses, and that may not exist.
    own: String,
    count: u64,
}

impl Traffic {
    /// Creates requests about rows that begin with `prefix`, and about the client's own family.
    pub fn new(seed: u64, prefix: &str, own: &str) -> Traffic {
        Traffic { chance: Box::new(chance(seed)), prefix: prefix.into(), own: own.into(), count: 0 }
    }

    /// The next request.
    pub fn next(&mut self) -> Request {
        self.count += 1;
        let table = TABLE.to_string();
        match self.below(100) {
            0..40 => TableRequest::MutateRows(vec![self.entry()]).of(table),
            40..65 => {
                let mut entries: Vec<RowMutation> = (0..2 + self.below(18)).map(|_| self.entry()).collect();
                // Each row occurs once, so that its contents show whether its entry was applied.
                entries.sort_by(|a, b| a.key.cmp(&b.key));
                entries.dedup_by(|a, b| a.key == b.key);
                TableRequest::MutateRows(entries).of(table)
            }
            65..75 => {
                let predicate = Some(RowFilter::ColumnQualifierRegex(self.qualifier()));
                let (on_match, otherwise) = (vec![self.mutation()], vec![self.mutation(), self.mutation()]);
                TableRequest::CheckAndMutateRow(CheckAndMutateRow {
                    key: self.key(),
                    predicate,
                    on_match,
                    otherwise,
                })
                .of(table)
            }
            75..84 => {
                let modify = |family: &str, qualifier: &str, modify| ReadModifyWriteRule {
                    family: family.into(),
                    qualifier: qualifier.into(),
                    modify,
                };
                let amount = self.below(100) as i64 - 50;
                let rules = vec![
                    modify("n", "count", ReadModify::Increment(amount)),
                    modify("n", "log", ReadModify::Append(format!("{};", self.count).into())),
                ];
                TableRequest::ReadModifyWriteRow(ReadModifyWriteRow { key: self.key(), rules }).of(table)
            }
            84..94 => {
                let range = RowRange::closed_open(self.key(), format!("{}~", self.prefix));
                let read = ReadRows {
                    rows: RowSet::range(range),
                    rows_limit: 1 + self.below(20),
                    ..ReadRows::default()
                };
                let filter = (self.below(2) == 0).then(|| RowFilter::ColumnQualifierRegex(self.qualifier()));
                TableRequest::ReadRows(ReadRows { filter, reversed: self.below(3) == 0, ..read }).of(table)
            }
            94..97 => {
                let rows =
                    if self.below(6) == 0 { String::new() } else { format!("row{}", self.below(ROWS / 10)) };
                TableRequest::DropRowRange(DropRowRange::Prefix(format!("{}{rows}", self.prefix).into()))
                    .of(table)
            }
            _ => {
                let modification = match self.below(2) {
                    0 => FamilyModification::Create(ColumnFamily::new(self.own.clone())),
                    _ => FamilyModification::Drop { family: self.own.clone() },
                };
                TableRequest::ModifyFamilies(vec![modification]).of(table)
            }
        }
    }

    fn entry(&mut self) -> RowMutation {
        let mutations = (0..1 + self.below(3)).map(|_| self.mutation()).collect();
        RowMutation { key: self.key(), mutations }
    }

    fn mutation(&mut self) -> Mutation {
        let family = match self.below(12) {
            // The family may not exist. In that case all changes of the row are refused.
            0 => self.own.clone(),
            _ => "f".to_string(),
        };
        let qualifier = self.qualifier();
        let timestamp = 1_000 * (1 + self.below(VERSIONS)) as i64;
        match self.below(10) {
            0 => Mutation::DeleteFromRow,
            1 => Mutation::DeleteFromFamily { family },
            2 => Mutation::DeleteFromColumn {
                family,
                qualifier,
                range: TimestampRange { start: timestamp, end: 0 },
            },
            _ => {
                // Each value is unique, so that an older one cannot be mistaken for it.
                let mut value = format!("{}{} ", self.prefix, self.count).into_bytes();
                let filler = self.below(256) as u8;
                value.resize(value.len() + self.below(VALUE_BYTES_MAX) as usize, filler);
                Mutation::SetCell { family, qualifier, timestamp, value: value.into() }
            }
        }
    }

    fn key(&mut self) -> Bytes {
        let row = self.below(ROWS);
        format!("{}row{row:02}", self.prefix).into()
    }

    fn qualifier(&mut self) -> Bytes {
        format!("q{}", self.below(COLUMNS)).into()
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.chance)(limit)
    }
}
