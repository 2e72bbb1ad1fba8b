//! `tabletop migrate`: moves a table from one design of a workspace to another, in three steps that survive a kill.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;
use tabletop_design::Tables;
use tabletop_design::migration::{Migration, MigrationPlan, MigrationStage, MigrationStatus};
use tabletop_model::{Request, Response, TableRequest, Timestamp, escape};
use tabletop_schema::{Design, Field, Source, Workspace, bytes, thousands, time};
use tabletop_workload::{Generator, sample};

use super::instance::{OpenedInstance, StoredInstanceOptions};
use super::run::{load, on_one_line, read};
use super::{Failure, Result, counted};
use crate::progress;

const EXAMPLES: &str = "\
Examples:
  tabletop migrate --data shop Narrow Wide two.json
  tabletop migrate --data shop Narrow Wide two.json --from-table events --to-table events-wide --since 2019-03-01
  tabletop migrate --data shop Narrow Wide two.json --step status
  tabletop migrate --data shop Narrow Wide two.json --step switch
  tabletop migrate --data shop Narrow Wide two.json --step drop

two.json is a workspace with both designs, here Narrow and Wide, of the same events. The view Compare of the page adds a second design, and its menu Workspace has Save workspace file. In a file that is written by hand, it is a second entry of \"designs\": the workspace of tabletop run --example has one design only.

The table FROM was written by the first design, for example with tabletop import or through the API. The command makes the table TO, copies the events into it, and compares both tables: each event of one is looked up in the other, and the first difference is named. Then --step switch declares TO the table to read from, and --step drop removes FROM. Until then --step undo removes TO and changes nothing else.

The state is a row of the table tabletop_migrations of the data folder. The same command goes on with a run that was stopped, or killed, at any moment. The data folder is this program's alone meanwhile. Events that others have written into FROM since are copied with --step again, which copies and compares all rows once more. --step drop looks all events of FROM up in TO before it removes FROM, and removes nothing if one is missing.

What the old table does not keep cannot be copied: the layouts narrow and wide keep of an event with facets its type, name, time and facets, and the fields of the key. A new table that would lose a field which the old row key needs is refused, and so is an old table that has such a field only hashed or changed: no event of the new table could be looked up in the old one. Two events that share row, column and millisecond are one event there.

Exit codes: 0 the step is done; 1 the tables differ; 2 an error in the command line, the workspace or a table; 130 interrupted by Ctrl-C.";

/// Cells of a slice: some milliseconds.
const SLICE_CELLS: u64 = 5_000;

/// Move a table of a data folder from one design of a workspace to another, without losing an event
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Name of the design of the table that exists
    #[arg(value_name = "FROM")]
    from: String,
    /// Name of the design of the table that is made
    #[arg(value_name = "TO")]
    to: String,
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    workspace: PathBuf,
    #[command(flatten)]
    instance: StoredInstanceOptions,
    /// Id of the table that exists [default: made from the design's name]
    #[arg(long, value_name = "ID")]
    from_table: Option<String>,
    /// Id of the table that is made [default: made from the design's name]
    #[arg(long, value_name = "ID")]
    to_table: Option<String>,
    /// Leave older events behind: a date, or a date and time
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<Timestamp>,
    /// The step
    #[arg(long, value_enum, default_value_t = Step::Copy)]
    step: Step,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Make the new table, copy the events and compare
    Copy,
    /// Copy and compare all rows again
    Again,
    /// Read from the new table
    Switch,
    /// Read from the old table again
    SwitchBack,
    /// Remove the old table
    Drop,
    /// Remove the new table, and give the migration up
    Undo,
    /// Only say how far it is
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
    // A question changes nothing, so it begins no migration.
    if !matches!(options.step, Step::Copy | Step::Again) && !Migration::has_begun(&mut tables, &from_table, &to_table)? {
        return Err(Failure::Wrong(format!("no migration from {from_table} to {to_table} has begun: begin it with --step copy")));
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
    io::stdout().write_all(report.as_bytes()).map_err(|error| Failure::of("the output cannot be written", &error))?;
    match &status.difference {
        None => Ok(()),
        Some(difference) => Err(Failure::No(format!(
            "the tables differ: {}; --step again copies and compares all rows once more",
            on_one_line(&difference.to_string())
        ))),
    }
}

/// Copies and compares until a decision is needed.
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
            out.push_str(&format!("  table {table}: {about}{}, {}\n", counted(rows, "row", "rows"), bytes(stored)));
        }
    }
    if !status.new_fields.is_empty() {
        out.push_str(&format!("  only new events will have: {}\n", on_one_line(&status.new_fields.join(", "))));
    }
    let next = match status.stage {
        _ if status.difference.is_some() => "",
        MigrationStage::Ready => "Both tables hold the same events. Next: --step switch",
        MigrationStage::Switched => "Next: --step drop, or --step switch-back",
        MigrationStage::Done | MigrationStage::Undone => "",
        _ => "Rows from here on are not done yet; the same command goes on.",
    };
    if !status.after.is_empty() && status.difference.is_none() {
        out.push_str(&format!("  after row {}\n", escape(&status.after)));
    }
    if !next.is_empty() {
        out.push_str(&format!("{next}\n"));
    }
    out
}

/// The fields of the workspace's events.
fn fields_of(workspace: &Workspace, options: &Options) -> Result<Vec<Field>> {
    match &workspace.source {
        Source::Generated(settings) => Ok(Generator::new(settings).fields()),
        Source::Own(own) if !own.fields.is_empty() => Ok(own.fields.clone()),
        Source::Sample(name) if sample(name).is_some_and(|sample| !sample.own.fields.is_empty()) => {
            Ok(sample(name).map(|sample| sample.own.fields).unwrap_or_default())
        }
        source => Ok(load(source, &options.workspace, None)?.events.fields().to_vec()),
    }
}

impl Options {
    /// A design of the workspace, and the id of its table.
    fn design<'w>(&self, workspace: &'w Workspace, name: &str, table: Option<&String>) -> Result<(&'w Design, String)> {
        let Some(at) = workspace.designs.iter().position(|design| design.name == name) else {
            let known: Vec<&str> = workspace.designs.iter().map(|design| design.name.as_str()).collect();
            return Err(Failure::Wrong(format!("there is no design \"{name}\": there are {}", known.join(", "))));
        };
        table.map_or(Ok(()), |table| crate::push::check_table_id(table))?;
        let id = table.cloned().unwrap_or_else(|| workspace.table_ids()[at].clone());
        Ok((&workspace.designs[at], id))
    }
}

fn since(text: &str) -> std::result::Result<Timestamp, String> {
    time::parse(text).ok_or_else(|| "it is a date, or a date and time, such as 2019-05-28T00:00:00Z".into())
}
