//! The case files, on the engine and on the reference model.

use tabletop_tests::{Reference, cases};

#[test]
fn the_reference_agrees() {
    for folder in ["filters", "mutations", "reads", "tables"] {
        cases::check_folder(folder, Reference::default);
    }
}
