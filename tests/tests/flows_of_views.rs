//! The tests of the page in a browser cover each view.

use std::fs;
use std::path::Path;

use tabletop_workspace::ViewId;

/// Each view has tests that are about it alone: their names begin with the view's name in
/// addresses.
#[test]
fn the_name_of_a_test_begins_with_that_of_each_view() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                text += &fs::read_to_string(path).expect("a text");
            }
        }
    }
    for view in ViewId::ALL {
        let begin = format!("\"{}: ", view.name());
        assert!(text.contains(&begin), "the name of no test begins with {begin}");
    }
}
