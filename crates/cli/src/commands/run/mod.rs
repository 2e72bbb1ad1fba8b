//! `tabletop run`: tests the schemas of a workspace without the page, for example in CI. It builds
//! each design from the events, runs each access pattern on each design, and compares the costs
//! with the limits.

pub(crate) mod events;
mod grid;
mod instance;
mod measure;
mod report;
mod warning;

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use tabletop_advice::Scale;
use tabletop_model::limits::ROW_KEY_BYTES_MAX;
use tabletop_workspace::{Design, NamedQuery, ShareLink, Workspace};

use super::report::Format;
use super::{EventsOptions, Failure, Result};
use crate::remote::PlaceOptions;
pub(crate) use events::{Loaded, load};
pub(crate) use grid::{Grid, on_one_line};
use report::Report;

const EXAMPLES: &str = "\
Examples:
  tabletop run --example > shop.json
  tabletop run shop.json
  tabletop run shop.json --format markdown >> $GITHUB_STEP_SUMMARY
  tabletop run shop.json --events november.csv --design 'By user'
  tabletop run shop.json --address localhost:8086      (after tabletop push)

Save a workspace on the page, or write one yourself: --example prints a small one. It has the access patterns and the limits:
  \"queries\": [{\"name\": \"A user's last events\", \"query\": {…}, \"reads_per_second\": 200,
               \"limits\": {\"rows_returned_min\": 1, \"rows_seen_per_row_max\": 1.5, \"tablets_max\": 1}}],
  \"limits\": {\"hottest_tablet_share_max\": 0.3, \"events_overwritten_max\": 0}
Limits of an access pattern: rows_returned_min, rows_seen_per_row_max, cells_seen_max, bytes_read_max, blocks_max, tablets_max, ranges_max. Limits of a design: hottest_tablet_share_max, key_bytes_max, bytes_per_event_max, events_refused_max, events_overwritten_max.
All of them limit counts of the engine, which are the same on every machine.

Designs are ranked by blocks per second: the sum of reads_per_second (1 if omitted; 0 counts nothing) times the SSTable blocks of one read, over all access patterns. But first, a design wins if it keeps every event, answers with the events that a plain filter returns, answers more access patterns, scans the whole table for none that has a rate, spreads its writes, or violates limits of fewer. Times are medians and do not affect the ranking.

With --address, or --project and --instance, the access patterns also run on the tables that tabletop push has created there. Rows and cells seen and returned, as that server counts them, are shown below the counts of the local engine. Each salt is a separate read there, with the whole limit of rows. The limits rows_returned_min, rows_seen_per_row_max and cells_seen_max are compared with both. (An emulator may count nothing. BIGTABLE_EMULATOR_HOST alone has no effect here.)

Exit codes: 0 all limits are met; 1 a limit is violated, a design cannot answer an access pattern or answers it with other events than a plain filter, or records of the events cannot be read; 2 an error in the workspace or its events.";

/// Build the designs of a workspace, run its access patterns on them, and compare the costs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The workspace: a file, or a link to the page
    #[arg(value_name = "WORKSPACE.json", required_unless_present = "example")]
    workspace: Option<PathBuf>,
    /// Print an example workspace
    #[arg(long, exclusive = true)]
    example: bool,
    /// Format of the comparison
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    events: EventsOptions,
    /// Only the design with this name; can be repeated
    #[arg(long = "design", value_name = "NAME")]
    designs: Vec<String>,
    #[command(flatten)]
    place: PlaceOptions,
}

/// The maximum number of characters in the name of a workspace or a design, as for an access
/// pattern.
const NAME_CHARS_MAX: usize = 100;

/// An example of a workspace that was not saved by the page.
const EXAMPLE: &str = include_str!("example.json");

pub(crate) fn run(options: &Options) -> Result<()> {
    let failed = |error| Failure::of("the output cannot be written", &error);
    let Some(file) = &options.workspace else {
        return io::stdout().write_all(EXAMPLE.as_bytes()).map_err(failed);
    };
    let workspace = read(file)?;
    check_names(file, &workspace)?;
    let designs = chosen(&workspace, &options.designs)?;
    let loaded = load(&workspace.source, file, &options.events)?;
    let queries = queries_of(&workspace);
    let measured = designs.iter().map(|design| measure::design(design, &workspace, &loaded.events, &queries));
    let mut measured: Vec<measure::Measured> = measured.collect();
    measure::assign(&mut measured, &queries, &Scale::of(&workspace));
    let place = if options.place.is_named() {
        Some(instance::ask(&options.place, &workspace, &designs, &mut measured, &queries)?)
    } else {
        None
    };
    let report = Report::new(&workspace, &loaded, &queries, measured, place);
    options.format.print(&report, || report.text(), || report.markdown())?;
    report.verdict(options.events.allow_bad_records)
}

/// Reads a workspace from a file, or from a link to the page.
pub(crate) fn read(path: &std::path::Path) -> Result<Workspace> {
    let is_link = super::link::is_link(path);
    let name = if is_link { "the link".into() } else { path.display().to_string() };
    let named = |error: &dyn std::fmt::Display| Failure::Wrong(format!("{name}: {error}"));
    let json = if is_link {
        ShareLink::read(&path.to_string_lossy()).map_err(|error| named(&error))?.json
    } else {
        fs::read_to_string(path).map_err(|error| named(&error))?
    };
    let workspace = Workspace::from_json(&json).map_err(|error| named(&error))?;
    check_lengths(&workspace).map_err(|problem| named(&problem))?;
    Ok(workspace)
}

/// Rejects names that no report can show. (The page shortens them.)
fn check_lengths(workspace: &Workspace) -> std::result::Result<(), String> {
    let check = |place: String, text: &str, chars_max: usize| match text.chars().count() {
        chars if chars > chars_max => {
            Err(format!("{place} has {chars} characters; at most {chars_max} are allowed."))
        }
        _ => Ok(()),
    };
    check("name".into(), &workspace.name, NAME_CHARS_MAX)?;
    for (index, design) in workspace.designs.iter().enumerate() {
        check(format!("designs[{index}].name"), &design.name, NAME_CHARS_MAX)?;
        check(format!("designs[{index}].template"), &design.template, ROW_KEY_BYTES_MAX)?;
    }
    Ok(())
}

/// Rejects two designs with the same name, because their measurements could not be told apart. (The
/// page allows such names.)
fn check_names(file: &std::path::Path, workspace: &Workspace) -> Result<()> {
    for (index, design) in workspace.designs.iter().enumerate() {
        if let Some(other) = workspace.designs[..index].iter().position(|other| other.name == design.name) {
            return Err(Failure::Wrong(format!(
                "{}: designs[{index}].name is \"{}\" like designs[{other}].name; choose another name",
                file.display(),
                design.name
            )));
        }
    }
    Ok(())
}

/// Returns the position of the design with this name.
pub(crate) fn position_of(workspace: &Workspace, name: &str) -> Result<usize> {
    let found = workspace.designs.iter().position(|design| design.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = workspace.designs.iter().map(|design| design.name.as_str()).collect();
        Failure::Wrong(format!("there is no design \"{name}\": the designs are {}", known.join(", ")))
    })
}

/// Returns the designs with these names and their index tables, or all designs.
pub(crate) fn chosen<'w>(workspace: &'w Workspace, names: &[String]) -> Result<Vec<&'w Design>> {
    names.iter().try_for_each(|name| position_of(workspace, name).map(drop))?;
    let is_chosen = |design: &&Design| {
        names.is_empty() || names.iter().any(|name| design.is_table_of(name) || design.name == *name)
    };
    Ok(workspace.designs.iter().filter(is_chosen).collect())
}

/// Returns the access patterns, or the query on the screen if there are none.
pub(crate) fn queries_of(workspace: &Workspace) -> Vec<NamedQuery> {
    if !workspace.queries.is_empty() {
        return workspace.queries.clone();
    }
    vec![NamedQuery::new("Current query", workspace.query.clone())]
}
