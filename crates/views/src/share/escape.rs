//! Texts inside other formats.

use alloc::string::String;

/// A text on one line, with escapes for Markdown syntax.
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
