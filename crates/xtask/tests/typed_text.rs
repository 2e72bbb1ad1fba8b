//! Finds fields of the page whose half-typed text is lost when the page is drawn again: drawing a
//! field sets its text, so a field must either follow each keystroke (`oninput`), or be drawn only
//! when its text has changed, which one component does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{read, root};

/// The components whose fields are drawn only when their text has changed.
const COMPONENTS: [&str; 2] = ["kit/typed_text.rs", "kit/field.rs"];

#[test]
fn half_typed_texts_are_kept() {
    let sources = root().join("crates/ui/src");
    let mut wrong = Vec::new();
    let mut fields = 0;
    for file in files_of(&sources) {
        let name =
            file.strip_prefix(&sources).expect("a file of the page").to_string_lossy().replace('\\', "/");
        let text = read(&file);
        for element in elements(&text) {
            fields += 1;
            if !COMPONENTS.contains(&name.as_str()) && loses_text(element) {
                wrong.push(format!("{name}: {element}"));
            }
        }
    }
    assert!(fields > 20, "{fields} fields are found");
    assert!(
        wrong.is_empty(),
        "these fields lose what is typed: draw them as TypedText\n{}",
        wrong.join("\n")
    );
}

/// Returns the sources in a folder and those in it.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of a folder").path());
    paths.flat_map(|path| if path.is_dir() { files_of(&path) } else { vec![path] }).collect()
}

/// Returns the opening tags of fields.
fn elements(text: &str) -> Vec<&str> {
    let starts = ["<input", "<textarea"].map(|tag| text.match_indices(tag));
    let elements = starts.into_iter().flatten().filter_map(|(start, tag)| {
        let rest = &text[start..];
        rest[tag.len()..].starts_with([' ', '\n']).then(|| &rest[..rest.find("/>").unwrap_or(rest.len())])
    });
    elements.collect()
}

/// Returns whether drawing a field again replaces what the user is typing.
fn loses_text(element: &str) -> bool {
    let has = |attribute: &str| element.contains(attribute);
    let is_typed =
        !["type=\"checkbox\"", "type=\"radio\"", "type=\"file\"", "readonly=true"].into_iter().any(has);
    has(" value=") && is_typed && !has("oninput")
}

#[test]
fn a_field_that_loses_its_text_is_found() {
    let found = |text: &str| elements(text).into_iter().filter(|element| loses_text(element)).count();
    assert_eq!(found("<input class=\"x\" value={text} {onchange} />"), 1);
    assert_eq!(
        found("<textarea\n  value={text.clone()}\n  onchange={set}\n/> <input value={a} {oninput} />"),
        1
    );
    assert_eq!(found("<input type=\"checkbox\" value={a} {onchange} /><inputs value={b} />"), 0);
}
