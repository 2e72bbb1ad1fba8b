//! Texts and tables in Markdown.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Returns a text on one line, with escapes for the syntax of Markdown.
pub fn text(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            character if character.is_control() => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' => out.extend(['\\', character]),
            character => out.push(character),
        }
    }
    out
}

/// Returns a table whose first `texts` columns hold texts, and the others numbers.
pub fn table<S: AsRef<str>>(head: &[S], texts: usize, lines: &[Vec<String>]) -> String {
    let rule = "---|".repeat(texts) + &"---:|".repeat(head.len() - texts);
    line(head) + "|" + &rule + "\n" + &lines.iter().map(|cells| line(cells)).collect::<String>()
}

fn line<S: AsRef<str>>(cells: &[S]) -> String {
    format!("| {} |\n", cells.iter().map(|cell| text(cell.as_ref())).collect::<Vec<_>>().join(" | "))
}
