//! Measures the stores in Chromium, with the pages of `tests/peers/browser`.

use serde_json::{Value, json};
use tabletop_peers::Result;
use tabletop_peers::work::{Figure, names};
use tabletop_site_server::Server;
use tabletop_tests::browser::{Browser, path_from};

use crate::figures::{Figures, OURS, Run};

/// The scripts and names of the stores. All stores keep their cells in the browser's private files.
const STORES: [(&str, &str); 3] = [("tabletop", OURS), ("sqlite", "sqlite-wasm"), ("duckdb", "duckdb-wasm")];

/// The names of the pages' figures. Figures of this engine's reads have their final names.
const WORDS: [(&str, &str); 12] = [
    ("load", names::LOAD),
    ("load, synced", names::LOAD_SYNCED),
    ("disk", names::DISK),
    ("scan", names::SCAN),
    ("filter", names::FILTER),
    ("user", names::USER),
    ("row", names::ROW),
    ("job", names::JOB),
    ("job, all", names::JOB_ALL),
    ("batch", names::BATCH),
    ("stream", names::STREAM),
    ("staleness", names::STALENESS),
];

/// Measures all stores, layouts and the pipelines of profiles in turn, each in a new browser.
pub fn measure(events: u64, rounds: u64, figures: &mut Figures) -> Result<()> {
    let server = Server::start(&path_from("TABLETOP_PEERS")?, 0, "/")
        .map_err(|error| format!("the server: {error}"))?;
    for round in 0..rounds {
        for layout in ["wide", "narrow", "profiles"] {
            for (script, store) in STORES {
                eprintln!(
                    "bench: round {} of {rounds}: {layout}, {events} events, {store} in Chromium …",
                    round + 1
                );
                let browser = Browser::start()?;
                browser.open(&server.url())?;
                let found =
                    browser.run("return await measure(...arguments)", json!([script, layout, events]))?;
                let found = found.as_array().ok_or_else(|| format!("{store} returned {found}"))?;
                for line in found {
                    let figure = figure(line).ok_or_else(|| format!("{store} returned {line}"))?;
                    figures.add(Run { place: "browser", layout, store, events }, figure)?;
                }
            }
        }
    }
    Ok(())
}

fn figure(line: &Value) -> Option<Figure> {
    let word = line[0].as_str()?;
    let work = WORDS.iter().find(|(known, _)| *known == word).map_or(word, |(_, name)| *name);
    Some(Figure { work: work.into(), value: line[1].as_f64()?, checksum: line[2].as_str()?.parse().ok()? })
}
