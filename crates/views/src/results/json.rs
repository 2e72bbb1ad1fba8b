//! Formats JSON for reading. It works on the text, so numbers keep their digits, keys keep their
//! order, and no tree of values is built.

use alloc::string::String;

/// Returns `text` with a line for each member and element, indented by two spaces; `None` if it is
/// not one JSON object or array. Empty objects and arrays stay on one line.
pub fn pretty(text: &str) -> Option<String> {
    let mut printer = Printer {
        rest: text.trim_start_matches(SPACE),
        out: String::with_capacity(text.len() * 2),
        depth: 0,
    };
    if !printer.rest.starts_with(['{', '[']) {
        return None;
    }
    printer.value()?;
    printer.rest.is_empty().then_some(printer.out)
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
/// The deepest JSON that is formatted: the stack of a page is small.
const DEPTH_MAX: usize = 64;

/// The content of two brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    /// The members of an object: names with values.
    Members,
    /// The elements of an array: values.
    Elements,
}

struct Printer<'a> {
    rest: &'a str,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn value(&mut self) -> Option<()> {
        match self.rest.bytes().next()? {
            b'{' => self.list(List::Members),
            b'[' => self.list(List::Elements),
            b'"' => self.string(),
            _ => self.word(),
        }
    }

    /// Writes the members of an object or the elements of an array, with both brackets.
    fn list(&mut self, list: List) -> Option<()> {
        let close = match list {
            List::Members => '}',
            List::Elements => ']',
        };
        self.take(1);
        if self.rest.starts_with(close) {
            self.take(1);
            return Some(());
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        loop {
            self.line();
            if list == List::Members {
                self.string()?;
                self.rest.starts_with(':').then_some(())?;
                self.take(1);
                self.out.push(' ');
            }
            self.value()?;
            if !self.rest.starts_with(',') {
                break;
            }
            self.take(1);
        }
        self.rest.starts_with(close).then_some(())?;
        self.depth -= 1;
        self.line();
        self.take(1);
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let mut escaped = false;
        let inside = self.rest.strip_prefix('"')?;
        for (at, c) in inside.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.take(at + 2);
                    return Some(());
                }
                c if c < ' ' => return None,
                _ => {}
            }
        }
        None
    }

    /// Writes a number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<()> {
        let end = self
            .rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)))
            .unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        let number =
            word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && word.parse::<f64>().is_ok();
        (number || ["true", "false", "null"].contains(&word)).then_some(())?;
        self.take(end);
        Some(())
    }

    /// Copies `bytes` of the text and skips the space after them.
    fn take(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.out.push_str(taken);
        self.rest = rest.trim_start_matches(SPACE);
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(core::iter::repeat_n("  ", self.depth));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_get_lines() {
        let text = r#" {"a":[1, -2.50e3,{"b\"}":null}],"c":{},"d":[ ] ,"e":true} "#;
        let lines = [
            "{",
            "  \"a\": [",
            "    1,",
            "    -2.50e3,",
            "    {",
            "      \"b\\\"}\": null",
            "    }",
            "  ],",
            "  \"c\": {},",
            "  \"d\": [],",
            "  \"e\": true",
            "}",
        ];
        assert_eq!(pretty(text).as_deref(), Some(lines.join("\n").as_str()));
    }

    #[test]
    fn what_is_not_json_is_left_alone() {
        for text in
            ["", "12", "plain", "{", "[1,]", "{\"a\" 1}", "{a:1}", "[1] 2", "[nan]", "[\"a\nb\"]", "[inf]"]
        {
            assert_eq!(pretty(text), None, "{text}");
        }
        assert_eq!(pretty(&"[".repeat(10_000)), None);
    }
}
