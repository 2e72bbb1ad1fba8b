//! The case files, on the reference model and, what is no matter of tables, on the templates.

use tabletop_tests::{Reference, cases};

#[test]
fn the_reference_agrees() {
    for folder in ["filters", "mutations", "reads", "tables", "templates"] {
        cases::check_folder(folder, Reference::default);
    }
}
