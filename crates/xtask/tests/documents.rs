//! Files that documents and the page name exist.

use std::fs;
use std::path::PathBuf;

use crate::{read, root};

/// The style sheets in a folder, by their paths.
fn style_sheets(folder: &str) -> Vec<String> {
    let paths = fs::read_dir(root().join(folder)).expect("a folder").flatten().map(|entry| entry.path());
    let sheets = paths.filter(|path| path.extension().is_some_and(|ending| ending == "css"));
    let relative = |path: PathBuf| {
        path.strip_prefix(root()).expect("a path of the project").to_string_lossy().replace('\\', "/")
    };
    sheets.map(relative).collect()
}

#[test]
fn every_style_sheet_is_linked() {
    let page = read(&root().join("index.html"));
    let of_views = "target/views.css".to_string();
    let sheets = [style_sheets("www/style"), vec![of_views]].concat();
    for file in &sheets {
        let link = format!("rel=\"css\" href=\"{file}\"");
        assert!(page.contains(&link), "index.html lacks {link}");
    }
    assert_eq!(page.matches("rel=\"css\"").count(), sheets.len());
}

#[test]
fn every_rule_of_a_style_sheet_ends() {
    // A browser takes the rules after one that does not end as a part of it, without a complaint.
    let views = fs::read_dir(root().join("crates/ui/src/views")).expect("a folder").flatten();
    let views = views.filter(|entry| entry.path().is_dir());
    let folders = views.map(|entry| format!("crates/ui/src/views/{}", entry.file_name().display()));
    let sheets: Vec<String> =
        folders.chain(["www/style".into()]).flat_map(|folder| style_sheets(&folder)).collect();
    assert!(sheets.len() > 20, "{sheets:?}");
    for file in sheets {
        let text = read(&root().join(&file));
        let count = |brace: char| text.chars().filter(|each| *each == brace).count();
        assert_eq!(count('{'), count('}'), "{file}: braces that open, and that close");
    }
}

#[test]
fn the_paths_of_the_documents_exist() {
    let mut missing = Vec::new();
    for document in ["CONTRIBUTING.md", "crates/README.md", "crates/engine/README.md"] {
        let text = read(&root().join(document));
        let paths = paths_in(&text);
        missing.extend(
            paths.iter().filter(|path| !exists(document, path)).map(|path| format!("{document}: {path}")),
        );
    }
    assert!(missing.is_empty(), "no such files:\n{}", missing.join("\n"));
}

#[test]
fn paths_are_the_words_in_backticks_that_look_like_files() {
    let text = "Read `a/b.rs`, `c.rs`, `/tests/d`, and run `cargo a/b` or `a::b`.\n```text\nx/y.rs\n```\nThen `e/f/`.";
    assert_eq!(paths_in(text), ["a/b.rs", "c.rs", "/tests/d", "e/f/"]);
}

/// Returns the paths between backticks. A file without a folder is one of Rust.
fn paths_in(text: &str) -> Vec<&str> {
    let mut is_block = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.starts_with("```");
        is_block ^= is_fence;
        !is_block && !is_fence
    });
    let words = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
    words.filter(|word| !word.contains(' ') && (word.contains('/') || word.ends_with(".rs"))).collect()
}

/// Paths begin at the root, in `crates`, or in a crate's folder of sources: `ui/lib.rs` is
/// `crates/ui/src/lib.rs`. Those of a crate's own document begin in its sources.
fn exists(document: &str, path: &str) -> bool {
    let path = path.trim_matches('/');
    let crates = root().join("crates");
    let in_sources = path.split_once('/').map(|(name, rest)| crates.join(name).join("src").join(rest));
    let own = root().join(document).with_file_name("src").join(path);
    [root().join(path), crates.join(path), own].into_iter().chain(in_sources).any(|place| place.exists())
}
