//! Runs the case files on the engine, through the Bigtable API, and on the reference model.

use tabletop_engine::Instance;
use tabletop_tests::{Reference, Remote, cases};

/// Folders for all databases.
const SHARED: [&str; 4] = ["filters", "mutations", "reads", "tables"];

/// Folders of requests that the Bigtable API does not have: reads in slices.
const SLICED: [&str; 1] = ["slices"];

/// Folders for the engine only: tablets, samples, and RE2 syntax that differs from the reference
/// model's. Also commands that do not need a table.
const ENGINE_ONLY: [&str; 2] = ["engine", "templates"];

#[test]
fn the_engine_answers_as_written() {
    for folder in SHARED.iter().chain(&SLICED).chain(&ENGINE_ONLY) {
        cases::check_folder(folder, Instance::new);
    }
}

#[test]
fn the_api_answers_as_written() {
    for folder in SHARED {
        match folder {
            // Its administration API uses full names of tables.
            "tables" => cases::check_folder_by_codes(folder, Remote::new),
            _ => cases::check_folder(folder, Remote::new),
        }
    }
}

#[test]
fn the_reference_agrees() {
    for folder in SHARED.iter().chain(&SLICED) {
        cases::check_folder_by_codes(folder, Reference::default);
    }
}

#[test]
fn every_folder_is_run() {
    let mut known: Vec<&str> = SHARED.into_iter().chain(SLICED).chain(ENGINE_ONLY).collect();
    known.sort_unstable();
    assert_eq!(cases::folders(), known);
}
