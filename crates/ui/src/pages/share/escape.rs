//! Texts inside other formats.

/// A text as content or as an attribute in XML and HTML.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML allows no other control characters, not even escaped.
            character if character.is_control() => out.push(' '),
            character => out.push(character),
        }
    }
    out
}

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
