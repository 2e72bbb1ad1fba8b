//! Counts the tests that a test program reports as ignored, for the verdict: a test that was
//! skipped has proved nothing.

use std::collections::BTreeMap;

/// The numbers of skipped tests, by reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Skipped(BTreeMap<String, usize>);

impl Skipped {
    /// Takes a line of output, with or without colours. Rust's harness writes
    /// `test NAME ... ignored, REASON`, and that of `libtest-mimic` writes
    /// `test [REASON] NAME ... ignored`.
    pub fn read(&mut self, line: &str) {
        let line = without_colours(line);
        let Some((name, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        else {
            return;
        };
        let Some(after) = outcome.trim_end().strip_prefix("ignored") else { return };
        let before = name.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(kind, _)| kind);
        let reason = after.strip_prefix(", ").or(before).unwrap_or("no reason is given");
        *self.0.entry(reason.into()).or_default() += 1;
    }

    /// Writes what follows a verdict: nothing, or "; 3 tests skipped: no go (2), no java (1)".
    pub fn note(&self) -> String {
        let count: usize = self.0.values().sum();
        let reasons: Vec<String> = match self.0.len() {
            0 => return String::new(),
            1 => self.0.keys().cloned().collect(),
            _ => self.0.iter().map(|(reason, count)| format!("{reason} ({count})")).collect(),
        };
        format!("; {count} {} skipped: {}", if count == 1 { "test" } else { "tests" }, reasons.join(", "))
    }
}

/// Removes the escape sequences of colours, which begin with an escape and end with an m.
fn without_colours(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default();
    parts.fold(first.to_string(), |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(lines: &[&str]) -> String {
        let mut skipped = Skipped::default();
        lines.iter().for_each(|line| skipped.read(line));
        skipped.note()
    }

    #[test]
    fn skipped_tests_are_counted_by_reason() {
        assert_eq!(
            note(&["test a::b ... ok", "test result: ok. 3 passed; 0 failed; 2 ignored", "ignored"]),
            ""
        );
        assert_eq!(note(&["test [no go] export_code::go  ... ignored\n"]), "; 1 test skipped: no go");
        let go = "test [no go] decoders::go ... \u{1b}[33mignored\u{1b}[0m";
        assert_eq!(note(&[go, go, "test [no go] c ... ok"]), "; 2 tests skipped: no go");
        let java = "test a ... \u{1b}[33mignored, no java\u{1b}(B\u{1b}[m\n";
        assert_eq!(
            note(&[go, java, go, "test c ... ignored"]),
            "; 4 tests skipped: no go (2), no java (1), no reason is given (1)"
        );
    }
}
