//! `tabletop migrate`: moves a table from one design of a workspace to another, in three steps that
//! survive a killed process.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use tabletop_design::Tables;
use tabletop_design::migration::{Migration, MigrationPlan, MigrationStage, MigrationStatus};
use tabletop_keys::{Field, bytes, thousands, time};
use tabletop_model::{Request, Response, TableRequest, Timestamp, escape};
use tabletop_workload::{Generator, sample};
use tabletop_workspace::{Design, Source, Workspace};

use super::instance::{OpenedInstance, StoredInstanceOptions};
use super::run::{load, on_one_line, position_of, read};
use super::{EventsOptions, Failure, Result, counted};
use crate::progress;

const EXAMPLES: &str = "\
Examples:
  tabletop migrate --data shop Narrow Wide two.json
  tabletop migrate --data shop Narrow Wide two.json --from-table events --to-table events-wide --since 2019-03-01
  tabletop migrate --data shop Narrow Wide two.json --step status
  tabletop migrate --data shop Narrow Wide two.json --step switch
  tabletop migrate --data shop Narrow Wide two.json --step drop

two.json is a workspace with two designs of the same events, here Narrow and Wide. On the page, add a second design in the view Compare, and save the workspace with the menu item Save workspace file. In a file that you write yourself, add a second entry to \"designs\": the workspace of tabletop run --example has only one.

The table FROM was written with the first design, for example with tabletop import or through the API. The command creates the table TO, copies the events into it, and compares both tables: each event of one is looked up in the other, and the first difference is reported. Then --step switch declares TO the table to read from, and --step drop removes FROM. Until then --step undo removes TO and changes nothing else.

The state is a row of the table tabletop_migrations of the data folder. If a run was stopped or killed at any point, run the same command again to resume it. While it runs, no other program can use the data folder. Events that were written to FROM since then are copied with --step again, which copies and compares all rows once more. --step drop looks all events of FROM up in TO before it removes FROM, and removes nothing if one is missing.

What the old table does not store cannot be copied: of an event with facets, the layouts narrow and wide store its type, name, time and facets, and the fields of the key. A new table that would lose a field of the old row key is rejected, because its events could not be looked up in the old table; so is an old table that stores such a field only hashed or transformed. Two events that share row, column and millisecond are one event in a table.

Exit codes: 0 the step is complete; 1 the tables differ; 2 an error in the command line, the workspace or a table; 130 interrupted by Ctrl-C.";

/// Cells of a slice: some milliseconds.
const SLICE_CELLS: u64 = 5_000;

/// Move a table of a data folder from one design of a workspace to another, without losing an event
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Design of the existing table
    #[arg(value_name = "FROM")]
    from: String,
    /// Design of the new table
    #[arg(value_name = "TO")]
    to: String,
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    #[command(flatten)]
    instance: StoredInstanceOptions,
    /// ID of the existing table [default: derived from the design's name]
    #[arg(long, value_name = "ID")]
    from_table: Option<String>,
    /// ID of the new table [default: derived from the design's name]
    #[arg(long, value_name = "ID")]
    to_table: Option<String>,
    /// Leave out events older than this: a date, or a date and time
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,
    /// The step
    #[arg(long, value_enum, default_value_t = Step::Copy)]
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Create the new table, copy the events and compare
    Copy,
    /// Copy and compare all rows again
    Again,
    /// Read from the new table
    Switch,
    /// Read from the old table again
    SwitchBack,
    /// Remove the old table
    Drop,
    /// Remove the new table and abandon the migration
    Undo,
    /// Only print progress
    Status,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = read(&options.workspace)?;
    let fields = fields_of(&workspace, options)?;
    let (from, from_table) = options.design(&workspace, &options.from, options.from_table.as_ref())?;
    let (to, to_table) = options.design(&workspace, &options.to, options.to_table.as_ref())?;
    let since = options.since.unwrap_or(0);
    let plan = MigrationPlan { from: (&from_table, from), to: (&to_table, to), fields: &fields, since };
    let opened = options.instance.open()?;
    let mut ask = |request: Request| opened.handle(request);
    let mut tables = Tables::new(&mut ask);
    // A query of the status changes nothing, so it does not begin a migration.
    if !matches!(options.step, Step::Copy | Step::Again)
        && !Migration::has_begun(&mut tables, &from_table, &to_table)?
    {
        return Err(Failure::Wrong(format!(
            "no migration from {from_table} to {to_table} exists: start one with --step copy"
        )));
    }
    let mut migration = Migration::open(&mut tables, &plan)?;
    match options.step {
        Step::Status => {}
        Step::Copy => copy(&mut migration, &mut tables)?,
        Step::Again => {
            migration.copy_again(&mut tables)?;
            copy(&mut migration, &mut tables)?;
        }
        Step::Switch => migration.switch(&mut tables)?,
        Step::SwitchBack => migration.switch_back(&mut tables)?,
        Step::Drop => {
            if !matches!(migration.status().stage, MigrationStage::Checking | MigrationStage::Dropping) {
                migration.finish(&mut tables)?;
            }
            while migration.step(&mut tables, SLICE_CELLS)? {}
        }
        Step::Undo => {
            if migration.status().stage != MigrationStage::Undoing {
                migration.undo(&mut tables)?;
            }
            while migration.step(&mut tables, SLICE_CELLS)? {}
        }
    }
    let status = migration.status();
    let report = report(&status, &opened, &from_table, &to_table);
    io::stdout()
        .write_all(report.as_bytes())
        .map_err(|error| Failure::of("the output cannot be written", &error))?;
    match &status.difference {
        None => Ok(()),
        Some(difference) => Err(Failure::No(format!(
            "the tables differ: {}; --step again copies and compares all rows once more",
            on_one_line(&difference.to_string())
        ))),
    }
}

/// Copies and compares until the user must decide how to continue.
fn copy(migration: &mut Migration, tables: &mut Tables) -> Result<()> {
    let bar = progress::bar(None, "{spinner} {msg}");
    while migration.step(tables, SLICE_CELLS)? {
        let status = migration.status();
        bar.set_message(format!(
            "{}: {} copied, {} compared",
            status.stage.name(),
            counted(status.copied, "event", "events"),
            thousands(status.compared)
        ));
        bar.tick();
    }
    bar.finish_and_clear();
    Ok(())
}

fn report(status: &MigrationStatus, opened: &OpenedInstance, from: &str, to: &str) -> String {
    let mut out = format!(
        "Migration from {from} to {to}: {}. {} copied, {} compared. Read from {}.\n",
        status.stage.name(),
        counted(status.copied, "event", "events"),
        thousands(status.compared),
        status.reads_from
    );
    for table in [from, to] {
        if let Response::Table(view) = opened.handle(TableRequest::View.of(table)) {
            let rows: u64 = view.tablets.iter().map(|tablet| tablet.rows).sum();
            let stored: u64 = view.tablets.iter().map(|tablet| tablet.bytes).sum();
            let about = if view.tablets.iter().all(|tablet| tablet.exact) { "" } else { "about " };
            out.push_str(&format!(
                "  table {table}: {about}{}, {}\n",
                counted(rows, "row", "rows"),
                bytes(stored)
            ));
        }
    }
    if !status.new_fields.is_empty() {
        out.push_str(&format!(
            "  only new events will have: {}\n",
            on_one_line(&status.new_fields.join(", "))
        ));
    }
    let next = match status.stage {
        _ if status.difference.is_some() => "",
        MigrationStage::Ready => "Both tables hold the same events. Next: --step switch",
        MigrationStage::Switched => "Next: --step drop, or --step switch-back",
        MigrationStage::Done | MigrationStage::Undone => "",
        _ => "Rows from here on are not copied yet; run the same command again to resume.",
    };
    if !status.after.is_empty() && status.difference.is_none() {
        out.push_str(&format!("  after row {}\n", escape(&status.after)));
    }
    if !next.is_empty() {
        out.push_str(&format!("{next}\n"));
    }
    out
}

/// Returns the fields of the workspace's events.
fn fields_of(workspace: &Workspace, options: &Options) -> Result<Vec<Field>> {
    match &workspace.source {
        Source::Generated(settings) => Ok(Generator::new(settings).fields()),
        Source::Own(own) if !own.fields.is_empty() => Ok(own.fields.clone()),
        Source::Sample(name) if sample(name).is_some_and(|sample| !sample.own.fields.is_empty()) => {
            Ok(sample(name).map(|sample| sample.own.fields).unwrap_or_default())
        }
        source => Ok(load(source, &options.workspace, &EventsOptions::default())?.events.fields().to_vec()),
    }
}

impl Options {
    /// Returns a design of the workspace, and the ID of its table.
    fn design<'w>(
        &self,
        workspace: &'w Workspace,
        name: &str,
        table: Option<&String>,
    ) -> Result<(&'w Design, String)> {
        let at = position_of(workspace, name)?;
        table.map_or(Ok(()), |table| crate::push::check_table_id(table))?;
        let id = table.cloned().unwrap_or_else(|| workspace.table_ids()[at].clone());
        Ok((&workspace.designs[at], id))
    }
}

fn since(text: &str) -> std::result::Result<Timestamp, String> {
    time::parse(text).ok_or_else(|| "write a date, or a date and time, such as 2019-05-28T00:00:00Z".into())
}
