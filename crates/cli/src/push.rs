//! `tabletop push`: the table of a design in a real Bigtable, with its events.
//!
//! The design is built here first. Its table gives the families, the tablets' borders, which become the splits there, and the
//! rows: each cell as it is in the end, under its own time, so that it may be written again and in any order. That is what
//! makes retries and a second run after a break safe.

mod figures;
mod load;
mod remote;
mod send;
mod state;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use tabletop_model::{Code, Error, Result, limits};
use tabletop_schema::{Design, Template, Workspace, thousands};
use tabletop_workload::Events;

use load::Load;
use remote::{Remote, Target};
use state::State;

/// Rows a second at least: what takes longer is no load any more.
const RATE_MIN: f64 = 0.01;

const EXAMPLES: &str = "\
Examples:
  tabletop push shop.json --dry-run
  tabletop push shop.json --project my-project --instance shop --design 'By user'
  tabletop push shop.json --emulator localhost:8086 --table events

The same command continues a run that was interrupted: WORKSPACE.json.push.json holds its progress.";

/// Make the table of a design in a real Bigtable, and load its events
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The workspace, as the page saves it
    #[arg(value_name = "WORKSPACE.json")]
    pub workspace: PathBuf,
    /// Events in place of the workspace's; for own events [default: the file of their name beside the workspace]
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// The design, by its name; the first one if nothing is said
    #[arg(long)]
    pub design: Option<String>,
    /// The project in Google Cloud
    #[arg(long)]
    pub project: Option<String>,
    /// The instance, which must be there
    #[arg(long)]
    pub instance: Option<String>,
    /// The table's id; made of the design's name if nothing is said
    #[arg(long)]
    pub table: Option<String>,
    /// An emulator instead of Google Cloud; BIGTABLE_EMULATOR_HOST says the same
    #[arg(long, value_name = "HOST:PORT")]
    pub emulator: Option<String>,
    /// Print what would be done, and ask nobody
    #[arg(long)]
    pub dry_run: bool,
    /// Delete a table of that name first, with all that is in it
    #[arg(long)]
    pub recreate: bool,
    /// Do not ask before a table is deleted
    #[arg(long, short)]
    pub yes: bool,
    /// Requests under way at a time
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub parallel: usize,
    /// Rows written a second at most
    #[arg(long, value_name = "ROWS")]
    pub rate: Option<f64>,
    /// Seconds without any success after which it gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub retry_seconds: u64,
}

/// Pushes a design of `workspace`, whose events these are.
///
/// # Errors
/// What is wrong with options, design or credentials; what the server refuses; when it stays away for too long.
pub fn push(options: &Options, workspace: &Workspace, events: &Events, out: &mut dyn Write) -> Result<()> {
    let design = design(options, workspace)?;
    let target = target(options, workspace, design)?;
    let (_, problems) = Template::parse(&design.template, events.fields());
    if let Some(problem) = problems.first() {
        return Err(Error::invalid(format!("The template of design {} is not in order: {}", design.name, problem.message)));
    }
    let load = Load::build(design, events, &workspace.cluster)?;
    if options.dry_run {
        return say(out, &figures::dry_run(&target, &load, options.rate));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::new(Code::ResourceExhausted, format!("No threads can be started: {error}.")))?;
    runtime.block_on(run(options, &target, load, out))
}

/// Connects, makes the table or checks the one that is there, and writes what is not in it yet.
async fn run(options: &Options, target: &Target, load: Load, out: &mut dyn Write) -> Result<()> {
    let remote = Remote::connect(target, options.parallel).await?;
    let mut state = State::open(&options.workspace, target, &load);
    let mut found = remote.families().await?;
    if found.is_some() && options.recreate {
        confirm(options, target)?;
        remote.delete_table().await?;
        say(out, &format!("Deleted table {}.\n", target.table))?;
        found = None;
    }
    match found {
        None => {
            state.forget();
            remote.create_table(&load).await?;
            let (families, splits) = (load.families.len(), load.splits.len());
            say(out, &format!("Created table {}: families {families}, splits {splits}.\n", target.table))?;
        }
        Some(found) => {
            check_families(target, &load, &found, out)?;
            // A table that was created again since has none of what was written.
            if !remote.has_rows(&state.last_keys(&load)).await? {
                state.forget();
            }
            match state.rows_done(&load) {
                0 => say(out, &format!("Table {} is there, and its families fit.\n", target.table))?,
                rows => say(out, &format!("Going on behind {} rows that an earlier run has written.\n", thousands(rows)))?,
            }
        }
    }
    let begun = Instant::now();
    let pace =
        send::Pace { parallel: options.parallel, rate: options.rate, patience: Duration::from_secs(options.retry_seconds) };
    let sent = send::send(remote, load, state, pace).await?;
    let seconds = begun.elapsed().as_secs_f64();
    say(out, &figures::done(target, &sent, seconds))
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

fn target(options: &Options, workspace: &Workspace, design: &Design) -> Result<Target> {
    let from_environment = || std::env::var("BIGTABLE_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
    let emulator = options.emulator.clone().or_else(from_environment);
    let id = |given: &Option<String>, flag: &str| match given {
        Some(id) if !id.is_empty() && !id.contains('/') && !id.contains(char::is_whitespace) => Ok(id.clone()),
        Some(id) => Err(Error::invalid(format!("--{flag} {id:?} is no id: it has neither slashes nor blanks."))),
        // Any name will do where there is no cloud.
        None if emulator.is_some() => Ok("tabletop".into()),
        None if options.dry_run => Ok(format!("<--{flag} is missing>")),
        None => Err(Error::invalid(format!("Say --{flag}, or --emulator HOST:PORT for one that runs on a machine of yours."))),
    };
    if let Some(rate) = options.rate
        && !(rate.is_finite() && rate >= RATE_MIN)
    {
        return Err(Error::invalid(format!("--rate {rate} is no rate: say how many rows a second, {RATE_MIN} or more.")));
    }
    if options.parallel == 0 || options.parallel > 1000 {
        return Err(Error::invalid(format!("--parallel {} is out of range: 1 to 1000.", options.parallel)));
    }
    let at = workspace.designs.iter().position(|other| std::ptr::eq(other, design)).unwrap_or_default();
    let table = options.table.clone().unwrap_or_else(|| workspace.table_ids().swap_remove(at));
    check_table_id(&table)?;
    Ok(Target { project: id(&options.project, "project")?, instance: id(&options.instance, "instance")?, table, emulator })
}

/// Refuses what is no id of a table.
///
/// # Errors
/// `InvalidArgument`, with what an id is.
pub fn check_table_id(table: &str) -> Result<()> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if table.is_empty()
        || table.len() > limits::TABLE_ID_CHARS_MAX
        || table.starts_with(['-', '.'])
        || !table.chars().all(is_legal)
    {
        return Err(Error::invalid(format!(
            "--table {table:?} is no id of a table: 1 to {} letters, digits, -, _ and ., a letter, a digit or _ first.",
            limits::TABLE_ID_CHARS_MAX
        )));
    }
    Ok(())
}

fn check_families(target: &Target, load: &Load, found: &[remote::Family], out: &mut dyn Write) -> Result<()> {
    let missing: Vec<&str> =
        load.families.iter().map(String::as_str).filter(|name| !found.iter().any(|family| family.name == *name)).collect();
    let typed: Vec<&str> = found
        .iter()
        .filter(|family| family.is_typed && load.families.contains(&family.name))
        .map(|family| &*family.name)
        .collect();
    let why = match (&missing[..], &typed[..]) {
        ([], []) => None,
        ([], typed) => Some(format!("its families {} aggregate, and take no plain cells", typed.join(", "))),
        (missing, _) => Some(format!("it lacks the families {}", missing.join(", "))),
    };
    if let Some(why) = why {
        let table = &target.table;
        return Err(Error::new(
            Code::FailedPrecondition,
            format!(
                "Table {table} is there, and does not fit: {why}. Say --table for another one, or --recreate to delete it first."
            ),
        ));
    }
    for family in found.iter().filter(|family| family.collects && load.families.contains(&family.name)) {
        say(out, &format!("Family {} of {} has a GC rule: it may collect old events at once.\n", family.name, target.table))?;
    }
    Ok(())
}

fn confirm(options: &Options, target: &Target) -> Result<()> {
    if options.yes {
        return Ok(());
    }
    let refuse = |why: &str| Err(Error::new(Code::FailedPrecondition, format!("Table {} stays as it is: {why}", target.table)));
    if !io::stdin().is_terminal() {
        return refuse("say --yes if it is to be deleted.");
    }
    eprint!("Delete table {} in {} with all that is in it? [y/N] ", target.table, target.parent());
    let mut answer = String::new();
    let _ = io::stdin().lock().read_line(&mut answer);
    if matches!(answer.trim(), "y" | "Y" | "yes") { Ok(()) } else { refuse("you did not say yes.") }
}

fn say(out: &mut dyn Write, text: &str) -> Result<()> {
    let failed = |error| Error::new(Code::Unavailable, format!("The output cannot be written: {error}."));
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(failed)
}
