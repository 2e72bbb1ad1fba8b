//! The tables that a load is for. Other tables are never written to.

use std::sync::Arc;

use tabletop_cluster::Operation;
use tabletop_design::{DesignTable, EventOfRequest, Operations};
use tabletop_model::{ReadRows, RowFilter, RowKey, RowSet};
use tabletop_workload::Events;
use tabletop_workspace::{Design, Workspace};

use crate::commands::{Failure, Result};
use crate::push::check_table_id;
use crate::remote::{self, DataClient, Encoded, PlaceOptions, Remote, Target};

/// The number of rows that are looked up in a table.
const SAMPLED_ROWS: usize = 100;

/// Returns a design and its tables: its own table first, then its index tables.
///
/// # Errors
/// Returns an error if the name is not the name of a design, or is the name of an index table, and
/// if `--table` is given for a design with several tables.
pub(super) fn of_design<'w>(
    workspace: &'w Workspace,
    name: Option<&str>,
    table: Option<&str>,
) -> Result<(&'w Design, Vec<&'w Design>)> {
    let designs = || workspace.designs.iter().filter(|design| design.index_of.is_none());
    let names = || designs().map(|design| design.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = match name {
        None => designs().next(),
        Some(name) => designs().find(|design| design.name == name),
    };
    let design = match (found, name) {
        (Some(design), _) => design,
        (None, None) => return Err(Failure::Wrong("the workspace has no design".into())),
        (None, Some(name)) => {
            let known = workspace
                .designs
                .iter()
                .find(|design| design.name == name)
                .and_then(|design| design.index_of.as_ref());
            return Err(Failure::Wrong(match known {
                Some(of) => format!("\"{name}\" is an index table: name its design, \"{of}\""),
                None => format!("there is no design \"{name}\": the designs are {}", names()),
            }));
        }
    };
    let tables: Vec<&Design> =
        workspace.designs.iter().filter(|table| table.is_table_of(&design.name)).collect();
    if table.is_some() && tables.len() > 1 {
        return Err(Failure::Wrong(format!(
            "--table names one table, and design \"{}\" has {}",
            design.name,
            tables.len()
        )));
    }
    Ok((design, tables))
}

/// Returns the locations of the tables.
///
/// # Errors
/// The errors of [`PlaceOptions::target`]: project or instance are missing or are not valid; or the
/// ID of the table is not.
pub(super) fn targets(
    place: &PlaceOptions,
    workspace: &Workspace,
    designs: &[&Design],
    table: Option<&str>,
) -> Result<Vec<Target>> {
    if let Some(table) = table {
        check_table_id(table)?;
    }
    let ids = workspace.table_ids();
    let target = |design: &&Design| {
        let at = workspace.designs.iter().position(|other| std::ptr::eq(other, *design)).unwrap_or_default();
        Ok(place.target(table.map_or_else(|| ids[at].clone(), str::to_string))?)
    };
    designs.iter().map(target).collect()
}

/// Returns the keys of all rows of the events, by table, each once.
///
/// # Errors
/// `InvalidArgument` when no event has a row.
pub(super) fn keys(
    operations: &Operations,
    tables: &mut [DesignTable],
    events: &Events,
) -> Result<Vec<Vec<RowKey>>> {
    let mut all = Vec::new();
    for table in tables {
        // Events that the design rejects have none.
        let key =
            |event| operations.row(table, events, EventOfRequest::loaded(event)).ok().map(|row| row.key);
        let mut keys: Vec<RowKey> = (0..events.len()).filter_map(key).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.is_empty() {
            return Err(Failure::Wrong(format!(
                "no event has a row in table \"{}\": correct its template",
                table.name()
            )));
        }
        all.push(keys);
    }
    Ok(all)
}

/// Checks that the tables exist, with the families of the design and with its rows.
///
/// # Errors
/// What is missing and how to create it, or the error of a server that cannot be reached.
pub(super) async fn check(
    client: &DataClient,
    targets: &[Target],
    tables: &mut [DesignTable],
    keys: &[Vec<RowKey>],
) -> Result<()> {
    for ((target, table), keys) in targets.iter().zip(tables).zip(keys) {
        let name = table.name().to_string();
        let found = Remote::check_table(target, &name, &table.describe().families).await?;
        if found.iter().any(|family| family.collects) {
            // Its rules may have deleted all rows of the events.
            continue;
        }
        let step = keys.len().div_ceil(SAMPLED_ROWS);
        let rows = RowSet { keys: keys.iter().step_by(step).cloned().collect(), ranges: Vec::new() };
        let filter =
            Some(RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]));
        let read = Operation::Read(ReadRows { rows, filter, rows_limit: 1, ..ReadRows::default() });
        let full_name: Arc<str> = target.table_name().into();
        let seen = client.read(Encoded::new(&full_name, &read)).await;
        if seen.map_err(|status| remote::refused(&format!("{target} cannot be read"), &status))?.rows == 0 {
            let push = remote::push_first(&name);
            return Err(Failure::Wrong(format!(
                "{target} has none of the rows of design \"{name}\": {push}"
            )));
        }
    }
    Ok(())
}
