//! Data recorded by earlier builds must open: workspaces, and the storage of a browser.
//! `/tests/golden/builds/README.md` describes the recordings.

pub mod browser;
mod links;
mod workspaces;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tabletop_keys::Query;
use tabletop_model::GcRule;
use tabletop_protocol::{LoadState, QueryOnDesign, ReadQuery};
use tabletop_workspace::Source;

use crate::host::{self, Host};

/// Number of rows of each design and of each query in a recording, and number of cells of each row.
const FIRST_ROWS: usize = 3;
const FIRST_CELLS: usize = 4;

/// Returns this folder or file of each recording.
fn recorded(name: &str) -> Vec<PathBuf> {
    let builds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/builds");
    let builds =
        fs::read_dir(builds).expect("the folder of recordings").map(|entry| entry.expect("an entry").path());
    let recorded: Vec<_> = builds.filter(|path| path.is_dir()).map(|build| build.join(name)).collect();
    assert!(!recorded.is_empty());
    recorded
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Fails at the first line in which a text differs from the recorded one.
pub fn same(path: &Path, found: &str) {
    let recorded = text(path);
    let differs =
        recorded.lines().zip(found.lines()).enumerate().find(|(_, (recorded, found))| recorded != found);
    assert_eq!(differs, None, "line and texts, recorded and now: {}", path.display());
    assert_eq!(found.lines().count(), recorded.lines().count(), "lines: {}", path.display());
}

/// Fails if a recorded value has been lost or changed. A later build may add keys.
fn is_kept(place: &str, recorded: &Value, now: &Value) {
    match (recorded, now) {
        (Value::Object(recorded), Value::Object(now)) => {
            for (key, value) in recorded {
                is_kept(&format!("{place}.{key}"), value, now.get(key).unwrap_or(&Value::Null));
            }
        }
        (Value::Array(recorded), Value::Array(now)) => {
            assert_eq!(recorded.len(), now.len(), "{place}");
            recorded
                .iter()
                .zip(now)
                .enumerate()
                .for_each(|(at, (recorded, now))| is_kept(&format!("{place}[{at}]"), recorded, now));
        }
        // The page writes 1 where the command line writes 1.0.
        (Value::Number(recorded), Value::Number(now)) if recorded.is_f64() != now.is_f64() => {
            assert_eq!(recorded.as_f64(), now.as_f64(), "{place}");
        }
        _ => assert_eq!(recorded, now, "{place}"),
    }
}

/// Loads all events of the workspace: a sample from the files of the page, and the user's own
/// events from this folder unless they are stored.
fn load(host: &mut Host, folder: &Path) {
    host.finish();
    if let Some(fetch) = host.session.next_fetch() {
        host.session.fetched(fetch.ticket, Ok(host::shipped(&fetch.path)));
    }
    if host.data().state == LoadState::Awaited
        && let Source::Own(own) = host.workspace().source
    {
        let file = text(&folder.join(&own.name));
        let fields = own.fields.clone();
        host.load_as(own, &file, file.len());
        host.correct(fields);
    }
    host.finish();
}

/// Prints, for each design, the number of its events, its first rows, and the first rows of the
/// query.
fn designs(host: &mut Host) -> String {
    let workspace = host.workspace();
    let mut out = String::new();
    for (at, design) in workspace.designs.iter().enumerate() {
        let view = host.view(at as u32);
        assert_eq!(view.problems, [], "{}", design.name);
        let (built, refused) = (view.events_built, view.events_refused);
        writeln!(out, "# {}: {built} events, {refused} refused", design.name).expect("a string");
        // When cells are collected depends on compactions.
        let is_collected = design.families.iter().any(|family| family.gc_rule != GcRule::KeepAll);
        push_rows(&mut out, host, at as u32, host::everything(), is_collected);
        out.push_str("## The query\n");
        push_rows(&mut out, host, at as u32, workspace.query.clone(), is_collected);
    }
    out
}

fn push_rows(out: &mut String, host: &mut Host, index: u32, query: Query, only_keys: bool) {
    // Not all designs can answer a query by fields.
    if let Err(error) = host.begin::<ReadQuery>(&QueryOnDesign { index, query: query.clone() }) {
        writeln!(out, "{:?}", error.into_error().code).expect("a string");
        return;
    }
    for row in host.read_all(index, query).rows.iter().take(FIRST_ROWS) {
        writeln!(out, "{}", row.key).expect("a string");
        for cell in row.cells.iter().take(if only_keys { 0 } else { FIRST_CELLS }) {
            let label = cell.label.as_ref().map(|label| format!(" [{label}]")).unwrap_or_default();
            let (family, qualifier, value) = (&cell.family, &cell.qualifier, &cell.value);
            writeln!(out, "  {family}:{qualifier} @{} = {value}{label}", cell.timestamp).expect("a string");
        }
    }
}
