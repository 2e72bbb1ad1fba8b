//! The case files, on the engine, through the Bigtable API and on the reference model.

use tabletop_engine::Instance;
use tabletop_tests::{Reference, Remote, cases};

/// What every database has an answer to.
const SHARED: [&str; 4] = ["filters", "mutations", "reads", "tables"];

/// What the Bigtable API has no words for: reads that are cut into slices.
const SLICED: [&str; 1] = ["slices"];

/// What only the engine has: tablets, samples, RE2 where it is not what the oracle of the reference speaks; and what is no
/// matter of tables.
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
            // Its administration names tables in full.
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
fn no_folder_is_forgotten() {
    let mut known: Vec<&str> = SHARED.into_iter().chain(SLICED).chain(ENGINE_ONLY).collect();
    known.sort_unstable();
    assert_eq!(cases::folders(), known);
}
