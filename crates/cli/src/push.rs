//! `tabletop push`: creates the table of a design in a real Bigtable, and writes its events.
//!
//! The design is first built locally. Its table has the families, the tablet boundaries, which
//! become the split points, and the rows. Each cell is written with its final value and its own
//! timestamp, so it may be written repeatedly and in any order. That makes it safe to retry, and to
//! run again after an interruption.

mod figures;
mod load;
mod saved_progress;
mod send;
mod table;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use tabletop_keys::{Template, thousands};
use tabletop_model::{Aggregate, Code, Error, GcRule, Result, limits};
use tabletop_shell::gc_policy_text;
use tabletop_workload::Events;
use tabletop_workspace::{Design, Workspace};

use load::BulkLoad;
use saved_progress::SavedProgress;

use crate::commands::EventsOptions;
use crate::remote::{self, PlaceOptions, Remote, Target};

/// The lowest rate in rows per second.
const RATE_MIN: f64 = 0.01;

const EXAMPLES: &str = "\
Examples:
  tabletop push shop.json --dry-run
  tabletop push shop.json --project my-project --instance shop --design 'By user'
  tabletop push shop.json --address localhost:8086 --table events

To resume an interrupted run, run the same command again: WORKSPACE.json.push.json holds its progress. The workspace of a link has no such file, so its push starts over.";

/// Create the table of a design in a real Bigtable, and load its events
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json")]
    pub workspace: PathBuf,
    #[command(flatten)]
    pub events: EventsOptions,
    /// Name of the design, with its index tables, or of one index table [default: the first]
    #[arg(long)]
    pub design: Option<String>,
    #[command(flatten)]
    place: PlaceOptions,
    /// ID of the table [default: derived from the design's name]
    #[arg(long)]
    pub table: Option<String>,
    /// Print what would be done, without connecting
    #[arg(long)]
    pub dry_run: bool,
    /// First delete a table of this name with all its rows
    #[arg(long)]
    pub recreate: bool,
    /// Delete a table without asking for confirmation
    #[arg(long, short)]
    pub yes: bool,
    /// Number of concurrent requests
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub parallel: usize,
    /// The maximum number of rows to write per second
    #[arg(long, value_name = "ROWS")]
    pub rate: Option<f64>,
    /// Give up after this many seconds without a successful write
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub retry_seconds: u64,
}

/// Pushes a design of `workspace` with its events: its own table and its index tables, or one of
/// them if that is named.
///
/// # Errors
/// An error in options, design or credentials; an error of the server, or no answer from it for too
/// long.
pub fn push(options: &Options, workspace: &Workspace, events: &Events, out: &mut dyn Write) -> Result<()> {
    let design = design(options, workspace)?;
    let tables: Vec<&Design> =
        workspace.designs.iter().filter(|table| table.is_table_of(&design.name)).collect();
    if design.index_of.is_some() || tables.len() < 2 {
        return push_table(options, workspace, design, events, out);
    }
    if let Some(table) = &options.table {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        return Err(Error::invalid(format!(
            "--table {table} names one table, and design {} has {}: leave it out, or add --design with the name of an index table.",
            design.name,
            names.join(", ")
        )));
    }
    tables.into_iter().try_for_each(|table| push_table(options, workspace, table, events, out))
}

fn push_table(
    options: &Options,
    workspace: &Workspace,
    design: &Design,
    events: &Events,
    out: &mut dyn Write,
) -> Result<()> {
    let table = table_id(options, workspace, design)?;
    let place = options.place.find(table.clone())?;
    let (_, problems) = Template::parse(&design.template, events.fields());
    if let Some(problem) = problems.first() {
        return Err(Error::invalid(format!(
            "The template of design {} is invalid: {}",
            design.name, problem.message
        )));
    }
    if let Some(problem) = design.layout.problems(events.fields()).first() {
        return Err(Error::invalid(format!(
            "The layout of design {} is invalid: {}",
            design.name,
            problem.text()
        )));
    }
    let counts = design.families.iter().find(|rule| rule.aggregate == Some(Aggregate::DistinctCount));
    let is_cloud = place.as_ref().map_or(true, |target| target.emulator.is_none());
    if let Some(rule) = counts.filter(|_| is_cloud && !options.dry_run) {
        return Err(Error::invalid(format!(
            "Family {} counts distinct values in Tabletop's own form, which Google Cloud cannot read: let it hold bytes, or push \
             to Tabletop's server with --address.",
            rule.family
        )));
    }
    let load = BulkLoad::build(design, events, &workspace.cluster)?;
    if options.dry_run {
        return print(out, &figures::dry_run(&place, &table, &load, options.rate));
    }
    let target = place?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(
            |error| Error::new(Code::ResourceExhausted, format!("No threads can be started: {error}.")),
        )?;
    runtime.block_on(run(options, &target, load, out))
}

/// Connects, creates the table or checks the existing one, and writes the rows that it does not
/// have yet.
async fn run(options: &Options, target: &Target, load: BulkLoad, out: &mut dyn Write) -> Result<()> {
    let remote = Remote::connect(target, options.parallel).await?;
    let mut saved_progress = SavedProgress::open(&options.workspace, target, &load);
    let mut found = remote.families().await?;
    if found.is_some() && options.recreate {
        confirm(options, target)?;
        remote.delete_table().await?;
        print(out, &format!("Deleted table {}.\n", target.table))?;
        found = None;
    }
    match found {
        None => {
            saved_progress.forget();
            remote.create_table(&load).await?;
            check_aggregates(&remote, &load).await?;
            let (families, splits) = (load.families.len(), load.splits.len());
            print(out, &format!("Created table {}: families {families}, splits {splits}.\n", target.table))?;
            for family in load.families.iter().filter(|family| family.gc_rule != GcRule::KeepAll) {
                let rule = gc_policy_text(&family.gc_rule).unwrap_or_default();
                let warning = ": ages count from now, so it may delete old events immediately";
                let warning = if has_age(&family.gc_rule) { warning } else { "" };
                print(out, &format!("Family {} has the GC rule {rule}{warning}.\n", family.name))?;
            }
        }
        Some(found) => {
            check_families(target, &load, &found, out)?;
            // A table that was created again since then has none of the rows.
            if !remote.has_rows(&saved_progress.last_keys(&load)).await? {
                saved_progress.forget();
            }
            match saved_progress.rows_done(&load) {
                0 => print(out, &format!("Table {} exists, and its families match.\n", target.table))?,
                rows => print(
                    out,
                    &format!("Resuming after {} rows that an earlier run has written.\n", thousands(rows)),
                )?,
            }
        }
    }
    if let Some(overwritten) = &load.overwritten {
        let message = overwritten.text();
        print(out, &format!("Table {}: {message}\n", target.table))?;
    }
    let begun = Instant::now();
    let pace = send::Pace {
        parallel: options.parallel,
        rate: options.rate,
        patience: Duration::from_secs(options.retry_seconds),
    };
    let sent = send::send(remote, load, saved_progress, pace).await?;
    let seconds = begun.elapsed().as_secs_f64();
    print(out, &figures::done(target, &sent, seconds))
}

fn design<'w>(options: &Options, workspace: &'w Workspace) -> Result<&'w Design> {
    let named = |name: &String| workspace.designs.iter().find(|design| design.name == *name);
    match &options.design {
        None => workspace.designs.first().ok_or_else(|| Error::invalid("The workspace has no design.")),
        Some(name) => named(name).ok_or_else(|| {
            let names: Vec<&str> = workspace.designs.iter().map(|design| design.name.as_str()).collect();
            Error::invalid(format!("The workspace has no design {name}; it has {}.", names.join(", ")))
        }),
    }
}

/// Returns the ID of the design's table, after checking the options that need no connection.
fn table_id(options: &Options, workspace: &Workspace, design: &Design) -> Result<String> {
    if let Some(rate) = options.rate
        && !(rate.is_finite() && rate >= RATE_MIN)
    {
        return Err(Error::invalid(format!(
            "--rate {rate} is not a rate: use {RATE_MIN} or more rows per second."
        )));
    }
    if options.parallel == 0 || options.parallel > 1000 {
        return Err(Error::invalid(format!("--parallel {} is out of range: 1 to 1000.", options.parallel)));
    }
    let at = workspace.designs.iter().position(|other| std::ptr::eq(other, design)).unwrap_or_default();
    let table = options.table.clone().unwrap_or_else(|| workspace.table_ids().swap_remove(at));
    check_table_id(&table)?;
    Ok(table)
}

/// Rejects an invalid table ID.
///
/// # Errors
/// `InvalidArgument`, with the rules for IDs.
pub fn check_table_id(table: &str) -> Result<()> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if table.is_empty()
        || table.len() > limits::TABLE_ID_CHARS_MAX
        || table.starts_with(['-', '.'])
        || !table.chars().all(is_legal)
    {
        return Err(Error::invalid(format!(
            "--table {table:?} is not the id of a table: use 1 to {} letters, digits, -, _ and ., a letter, a digit or _ first.",
            limits::TABLE_ID_CHARS_MAX
        )));
    }
    Ok(())
}

fn check_families(
    target: &Target,
    load: &BulkLoad,
    found: &[remote::Family],
    out: &mut dyn Write,
) -> Result<()> {
    if let Some(why) = remote::misfit(&load.families, found) {
        let table = &target.table;
        return Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "Table {table} exists and does not match: {why}. Use --table to name another one, or --recreate to delete it first."
            ),
        ));
    }
    let names: Vec<&str> = load.families.iter().map(|family| &*family.name).collect();
    for family in found.iter().filter(|family| family.collects && names.contains(&&*family.name)) {
        print(
            out,
            &format!(
                "Family {} of {} has a GC rule: it may delete old events immediately.\n",
                family.name, target.table
            ),
        )?;
    }
    Ok(())
}

/// Checks that the families of a new table aggregate, and deletes it if they do not: an older
/// emulator ignores how they should.
async fn check_aggregates(remote: &Remote, load: &BulkLoad) -> Result<()> {
    let Some(host) = remote.target.emulator.as_ref().filter(|_| !load.aggregates.is_empty()) else {
        return Ok(());
    };
    let found = remote.families().await?.unwrap_or_default();
    if remote::misfit(&load.families, &found).is_none() {
        return Ok(());
    }
    remote.delete_table().await?;
    Err(Error::new(
        Code::FailedPrecondition,
        format!(
            "The emulator at {host} does not aggregate cells, which table {} needs (families: {}): use a newer one, or \
             \"tabletop serve\". The table is deleted again.",
            remote.target.table,
            load.aggregates.join(", "),
        ),
    ))
}

/// Returns whether a rule deletes cells by their age.
fn has_age(rule: &GcRule) -> bool {
    match rule {
        GcRule::KeepAll | GcRule::MaxVersions(_) => false,
        GcRule::MaxAge { .. } => true,
        GcRule::Union(rules) | GcRule::Intersection(rules) => rules.iter().any(has_age),
    }
}

fn confirm(options: &Options, target: &Target) -> Result<()> {
    if options.yes {
        return Ok(());
    }
    let refuse = |why: &str| {
        Err(Error::new(Code::FailedPrecondition, format!("Table {} stays as it is: {why}", target.table)))
    };
    if !io::stdin().is_terminal() {
        return refuse("use --yes to delete it.");
    }
    eprint!("Delete table {} in {} with all its rows? [y/N] ", target.table, target.parent());
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        refuse("the deletion was not confirmed.")
    }
}

fn print(out: &mut dyn Write, text: &str) -> Result<()> {
    let failed = |error| Error::new(Code::Unavailable, format!("The output cannot be written: {error}."));
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(failed)
}
