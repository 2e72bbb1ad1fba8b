//! Checks comments, texts and documents for phrases of an English of our own, which keep coming
//! back. Write as technical documentation does: name the subject, and use the verb of the field.

use std::path::Path;

use crate::Result;
use crate::run::{files_in, read};

/// A phrase, and what to write.
struct Phrase {
    /// Whole words, of any case.
    words: &'static str,
    instead: &'static str,
    /// Whether the phrase is wrong only at the beginning of a doc comment, which must stand alone
    /// in a hover.
    begins_docs: bool,
}

const fn phrase(words: &'static str, instead: &'static str) -> Phrase {
    Phrase { words, instead, begins_docs: false }
}

const PHRASES: [Phrase; 13] = [
    phrase("no request for", "`not a request for`"),
    phrase("does the same", "what it does: `reads as X does, and …`"),
    phrase("so many", "`enough`, `this number of`, or the number"),
    phrase("goes on", "`resumes`, `continues` or `advances`"),
    phrase("is said", "`is shown`, `is stated` or `is reported`"),
    phrase("a person", "the subject: `the user`, `the caller`"),
    phrase("the person", "the subject: `the user`, `the caller`"),
    phrase("beside", "`next to`, `during` or `in addition to`"),
    phrase("by hand", "`manual` or `manually`"),
    phrase("somebody", "the subject: `a user`, `the caller`, `another client`"),
    phrase("nobody", "the subject: `no user`, `no client`"),
    phrase("meanwhile", "`during …`, `until then` or `in the background`"),
    Phrase { words: "those of", instead: "what they are: `the figures of …`", begins_docs: true },
];

/// Our folders and files, from the root.
const READ: [&str; 7] =
    ["crates", "tests", "www", "index.html", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
/// Data of others, and recordings.
const NOT_OURS: [&str; 6] = [
    "crates/cli/tests/generated/",
    "tests/golden",
    "tests/cases",
    "tests/fuzz/seeds",
    "tests/fuzz/words",
    "www/data",
];
/// This file.
const LIST: &str = "crates/xtask/src/check/words.rs";
/// The kinds of files that have comments or texts.
const KINDS: [&str; 8] = ["rs", "md", "html", "css", "js", "ts", "toml", "sh"];
/// What precedes the text of a line of a comment.
const LEADERS: [&str; 6] = ["///", "//!", "//", "/*", "*", "#"];

/// Checks all of our files.
///
/// # Errors
/// The phrases that are there, each with its place.
pub fn check(root: &Path) -> Result<()> {
    let mut faults = Vec::new();
    for name in READ {
        visit(root, &root.join(name), &mut faults)?;
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("phrases to avoid:\n{}", faults.join("\n"))) }
}

fn visit(root: &Path, path: &Path, faults: &mut Vec<String>) -> Result<()> {
    let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    let is_left_out = |prefix: &&str| name.starts_with(*prefix) || format!("{name}/") == **prefix;
    if name == LIST || NOT_OURS.iter().any(is_left_out) {
        return Ok(());
    }
    if path.is_dir() {
        return files_in(path)?.iter().try_for_each(|path| visit(root, path, faults));
    }
    if path.extension().is_some_and(|kind| KINDS.iter().any(|known| kind == *known)) {
        faults.extend(
            found(&read(path)?).into_iter().map(|(line, phrase)| {
                format!("{name}:{line}: \"{}\" -> use {}", phrase.words, phrase.instead)
            }),
        );
    }
    Ok(())
}

/// Returns the phrases in a text, with the number of the line where each begins. A phrase may be
/// wrapped.
fn found(text: &str) -> Vec<(usize, &'static Phrase)> {
    let (mut words, mut before_docs) = (Vec::new(), true);
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim_start();
        let docs = ["///", "//!"].iter().any(|leader| trimmed.starts_with(leader));
        let content = LEADERS.iter().find_map(|leader| trimmed.strip_prefix(leader)).unwrap_or(trimmed);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut begins_docs = docs && before_docs;
        // Punctuation is a word, too, so that a phrase does not span two sentences.
        for piece in content.split_whitespace().flat_map(|piece| piece.split_inclusive(|c| !is_part(c))) {
            let word = piece.trim_end_matches(|c| !is_part(c));
            if !word.is_empty() {
                words.push((number, begins_docs, word.to_lowercase()));
                begins_docs = false;
            }
            if word.len() < piece.len() {
                words.push((number, false, String::new()));
            }
        }
        before_docs = !docs;
    }
    let mut all = Vec::new();
    for phrase in &PHRASES {
        let wanted: Vec<&str> = phrase.words.split(' ').collect();
        let is_it = |run: &&[(usize, bool, String)]| {
            run.iter().zip(&wanted).all(|((_, _, word), wanted)| word == wanted)
                && (run[0].1 || !phrase.begins_docs)
        };
        all.extend(words.windows(wanted.len()).filter(is_it).map(|run| (run[0].0, phrase)));
    }
    all.sort_by_key(|(line, _)| *line);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<(usize, &'static str)> {
        found(text).into_iter().map(|(line, phrase)| (line, phrase.words)).collect()
    }

    #[test]
    fn phrases_are_found_in_comments_and_texts_of_any_case() {
        let text =
            "// Nobody reads it.\nlet text = \"the job goes on, and is said to\";\n* Meanwhile: so many.\n";
        assert_eq!(
            places(text),
            [(1, "nobody"), (2, "goes on"), (2, "is said"), (3, "so many"), (3, "meanwhile")]
        );
    }

    #[test]
    fn a_phrase_may_be_wrapped() {
        assert_eq!(places("    /// The job goes\n    /// on after a reload.\n"), [(1, "goes on")]);
        assert_eq!(places("It does\nthe same.\n"), [(1, "does the same")]);
    }

    #[test]
    fn parts_of_words_and_two_sentences_are_not_phrases() {
        assert_eq!(places("nobody_else(somebodys)\n// Where it goes. On Monday it saved.\n"), []);
    }

    #[test]
    fn docs_may_not_begin_with_a_reference_to_what_is_elsewhere() {
        assert_eq!(places("fn a();\n/// Those of b.\nfn b();\n"), [(2, "those of")]);
        assert_eq!(places("/// Figures, and\n/// those of b.\n// Those of c.\n"), []);
    }

    #[test]
    fn the_place_and_what_to_write_are_reported() {
        let root = tempfile::tempdir().expect("a temporary folder");
        for name in READ {
            let path = root.path().join(name);
            let made = if name.contains('.') {
                std::fs::write(path, "Plain words.\n")
            } else {
                std::fs::create_dir_all(path)
            };
            made.expect("made");
        }
        assert_eq!(check(root.path()), Ok(()));
        let crates = root.path().join("crates");
        for (name, text) in
            [("a.rs", "// Nobody.\n"), ("b.bin", "nobody"), ("cli/tests/generated/c.rs", "// Nobody.\n")]
        {
            let file = crates.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let error = check(root.path()).expect_err("a phrase");
        assert_eq!(
            error,
            "phrases to avoid:\ncrates/a.rs:1: \"nobody\" -> use the subject: `no user`, `no client`"
        );
    }
}
