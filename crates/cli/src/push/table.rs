//! The operations of `push` on a table of a Bigtable.

use bigtable_rs::bigtable;
use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as admin;
use googleapis_tonic_google_bigtable_v2::google::bigtable::v2 as data;
use tabletop_model::{ColumnFamily, Mutation, Result, RowKey, TimestampRange};
use tabletop_server::client::{family_message, mutation_message};
use tonic::Status;

use super::load::{BulkLoad, Entry};
use crate::remote::{Remote, Target};

impl Remote {
    /// Creates the table with its splits, and its families with their GC rules.
    pub(super) async fn create_table(&self, load: &BulkLoad) -> Result<()> {
        let parent = self.target.parent();
        let request = creation(&self.target, load);
        match self.admin.clone().create_table(self.signed(request, "parent", &parent).await?).await {
            Ok(_) => Ok(()),
            Err(status) => Err(self.refused("creating the table", &status)),
        }
    }

    /// Deletes the table.
    pub(super) async fn delete_table(&self) -> Result<()> {
        let name = self.target.table_name();
        let request = admin::DeleteTableRequest { name: name.clone() };
        match self.admin.clone().delete_table(self.signed(request, "name", &name).await?).await {
            Ok(_) => Ok(()),
            Err(status) => Err(self.refused("deleting the table", &status)),
        }
    }

    /// Writes entries, with the cells of these families as aggregates. Returns the status of each,
    /// if the server has sent one.
    pub(super) async fn write(
        &self,
        entries: &[&Entry],
        aggregates: &[String],
    ) -> std::result::Result<Vec<Option<Status>>, Status> {
        let one = |entry: &&Entry| data::mutate_rows_request::Entry {
            row_key: entry.key.to_vec(),
            mutations: entry
                .cells
                .iter()
                .flat_map(|cell| mutations(cell, aggregates))
                .map(mutation_message)
                .collect(),
            ..Default::default()
        };
        let request = data::MutateRowsRequest {
            table_name: self.target.table_name(),
            entries: entries.iter().map(one).collect(),
            ..data::MutateRowsRequest::default()
        };
        let mut answers = vec![None; entries.len()];
        let mut stream = match self.data.clone().mutate_rows(request).await {
            Ok(stream) => stream,
            Err(bigtable::Error::RpcError(status)) => return Err(status),
            Err(error) => return Err(Status::unavailable(error.to_string())),
        };
        loop {
            match stream.message().await {
                Ok(None) => return Ok(answers),
                Ok(Some(part)) => {
                    for entry in part.entries {
                        let status = entry.status.unwrap_or_default();
                        if let Some(answer) =
                            usize::try_from(entry.index).ok().and_then(|index| answers.get_mut(index))
                        {
                            *answer = Some(Status::new(tonic::Code::from_i32(status.code), status.message));
                        }
                    }
                }
                // The statuses up to here are valid.
                Err(_) if answers.iter().any(Option::is_some) => return Ok(answers),
                Err(status) => return Err(status),
            }
        }
    }
}

/// Returns the request that creates the table of a load.
pub(super) fn creation(target: &Target, load: &BulkLoad) -> admin::CreateTableRequest {
    let split = |key: &RowKey| admin::create_table_request::Split { key: key.to_vec() };
    admin::CreateTableRequest {
        parent: target.parent(),
        table_id: target.table.clone(),
        table: Some(admin::Table {
            column_families: load.families.iter().map(family_entry).collect(),
            ..admin::Table::default()
        }),
        initial_splits: load.splits.iter().map(split).collect(),
    }
}

/// Returns the entry of a family in the map of families. Empty values are left out when a map is
/// encoded, and Google's emulator of 2020 crashes on an entry without a value. A family that keeps
/// all cells therefore has an empty rule, as Google's client for Go sends it.
fn family_entry(family: &ColumnFamily) -> (String, admin::ColumnFamily) {
    let mut message = family_message(family);
    message.gc_rule.get_or_insert_default();
    (family.name.clone(), message)
}

/// Returns mutations that write a cell with the same result however often they are applied: an
/// aggregate is deleted first, and merged into nothing.
fn mutations(cell: &tabletop_model::Cell, aggregates: &[String]) -> Vec<Mutation> {
    let tabletop_model::Cell { family, qualifier, timestamp, value, .. } = cell.clone();
    if !aggregates.contains(&family) {
        return vec![Mutation::SetCell { family, qualifier, timestamp, value }];
    }
    let range = TimestampRange { start: timestamp, end: timestamp + 1_000 };
    vec![
        Mutation::DeleteFromColumn { family: family.clone(), qualifier: qualifier.clone(), range },
        Mutation::MergeToCell { family, qualifier, timestamp, input: value },
    ]
}
