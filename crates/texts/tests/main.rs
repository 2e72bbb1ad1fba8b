//! All texts are in the table, and those of advice in its own; sentences about access patterns.

mod scoreboards;

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_text_is_in_the_table() {
    assert_no_texts("ui/src", "texts/src/en");
}

#[test]
fn every_text_of_advice_is_in_the_table() {
    // Names that are saved in a workspace are not texts: see `advice/src/names.rs`.
    for judged in ["advise", "diagnosis", "scoreboard"] {
        assert_no_texts(&format!("advice/src/{judged}.rs"), "texts/src/en/advice");
        assert_no_texts(&format!("advice/src/{judged}"), "texts/src/en/advice");
    }
    assert_no_texts("advice/src/strategy_presets.rs", "texts/src/en");
    assert_no_texts("advice/src/traffic_presets.rs", "texts/src/en");
    assert_no_texts("keys/src/template/chips.rs", "texts/src/en/advice");
    assert_no_texts("workspace/src/proposal.rs", "texts/src/en/advice");
}

/// Looks for texts in the sources below `path`, which should be in the folder `table`. Both are in
/// the folder of all crates.
fn assert_no_texts(path: &str, table: &str) {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut found = Vec::new();
    let paths = sources(&crates.join(path));
    assert!(!paths.is_empty(), "{path} has sources");
    for path in paths {
        let file =
            path.strip_prefix(crates).expect("a file of the folder").to_string_lossy().replace('\\', "/");
        let source = fs::read_to_string(&path).expect("a readable file");
        for literal in literals(&source) {
            if looks_like_text(&literal) {
                found.push(format!("{file}: {literal:?}"));
            }
        }
    }
    assert!(found.is_empty(), "move these into crates/{table}:\n{}", found.join("\n"));
}

#[test]
fn literals_are_found_where_they_are() {
    let source = r##"
        // "A comment"
        /// "Another one"
        const A: &str = "Run the query";
        fn b<'a>(c: char) -> bool { c == '"' || c == '\'' || "x \" y" == r#"Raw "text""# }
        #[cfg(test)]
        mod tests { const T: &str = "In a test"; }
    "##;
    assert_eq!(literals(source), ["Run the query", "x \\\" y", "Raw \"text\""]);
    let texts = [
        "Run the query",
        "Undo",
        "of {quota} bytes",
        "ArrowUp",
        "query-panel",
        "a b",
        "M6 3 3 6",
        "Ctrl+Enter",
    ];
    assert_eq!(texts.map(looks_like_text), [true, true, false, false, false, false, false, true]);
}

/// The file, or the files of the folder without tests.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).expect("a folder of sources") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if !path.ends_with("tests.rs") && path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the string literals of a source, without comments and without the tests at its end.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let source = source.split("        #[cfg(test)]\n").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        let raw = rest.strip_prefix('r').map(|text| (text, text.len() - text.trim_start_matches('#').len()));
        let raw = raw.and_then(|(text, hashes)| {
            Some((text[hashes..].strip_prefix('"')?, format!("\"{}", "#".repeat(hashes))))
        });
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some((text, end)) = raw {
            let (literal, after) = text.split_once(&end).unwrap_or((text, ""));
            found.push(literal.to_owned());
            rest = after;
        } else if let Some(text) = rest.strip_prefix('"') {
            let end = end_of(text, '"');
            found.push(text[..end].to_owned());
            rest = text.get(end + 1..).unwrap_or_default();
        } else if let Some(text) = rest.strip_prefix('\'') {
            // A lifetime has no second quote nearby.
            let length =
                if text.starts_with('\\') { 2 } else { text.chars().next().map_or(0, char::len_utf8) };
            rest = text.get(length..).and_then(|text| text.strip_prefix('\'')).unwrap_or(text);
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// Returns the end of a literal: the next quote that is not escaped.
fn end_of(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether a literal has a word with a capital and two small letters, as labels and
/// sentences do. Names of keys have no such word, or are listed.
fn looks_like_text(literal: &str) -> bool {
    const KEYS: [&str; 9] =
        ["Enter", "Escape", "Home", "End", "Tab", "Delete", "Backspace", "Backquote", "Files"];
    let is_word = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.clone().count() > 1
            && letters.all(char::is_lowercase)
    };
    let words = literal.split(|c: char| !c.is_alphabetic());
    words.into_iter().any(is_word) && !KEYS.contains(&literal)
}
