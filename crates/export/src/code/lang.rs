//! The languages: their names, how each writes names and literals, and the helpers of its programs.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use crate::quote;

/// A language of a Bigtable client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lang {
    /// Code for `google-cloud-bigtable`.
    Java,
    /// Code for `cloud.google.com/go/bigtable`.
    Go,
    /// Code for `google-cloud-bigtable`.
    Python,
    /// Code for `@google-cloud/bigtable`.
    Node,
    /// Code for `bigtable_rs`.
    Rust,
}

impl Lang {
    /// All languages.
    pub const ALL: [Lang; 5] = [Lang::Java, Lang::Go, Lang::Python, Lang::Node, Lang::Rust];

    /// Returns the name for display.
    pub fn label(self) -> &'static str {
        match self {
            Lang::Java => "Java",
            Lang::Go => "Go",
            Lang::Python => "Python",
            Lang::Node => "Node.js",
            Lang::Rust => "Rust",
        }
    }

    pub(super) fn parts(self) -> &'static str {
        match self {
            Lang::Java => include_str!("Parts.java"),
            Lang::Go => include_str!("parts.go"),
            Lang::Python => include_str!("parts.py"),
            Lang::Node => include_str!("parts.mjs"),
            Lang::Rust => include_str!("parts.rs"),
        }
    }

    /// Returns the text of a section, and its imports.
    pub(super) fn section(self, name: &str) -> Option<(&'static str, Vec<&'static str>)> {
        let (mark, text) = (if self == Lang::Python { "#: " } else { "//: " }, self.parts());
        for section in text.split(mark).skip(1) {
            let (head, body) = section.split_once('\n')?;
            let (found, needs) = head.split_once(" needs=").unwrap_or((head, ""));
            if found == name {
                return Some((body.trim_end(), needs.split(',').filter(|need| !need.is_empty()).collect()));
            }
        }
        None
    }

    pub(super) fn comment(self, text: &str) -> String {
        let mark = if self == Lang::Python { "#" } else { "//" };
        format!("{mark} {}", quote::comment(text))
    }

    /// Returns the name of a function.
    pub(super) fn name(self, words: &[&str]) -> String {
        match self {
            Lang::Python | Lang::Rust => words.join("_"),
            Lang::Java | Lang::Go | Lang::Node => {
                let mut out = String::new();
                for (at, word) in words.iter().enumerate() {
                    let (first, rest) = word.split_at(usize::from(at > 0).min(word.len()));
                    out.push_str(&first.to_ascii_uppercase());
                    out.push_str(rest);
                }
                out
            }
        }
    }

    /// Returns the name of a function that others call.
    pub(super) fn public_name(self, words: &[&str]) -> String {
        let name = self.name(words);
        // Go exports names that begin with a capital letter.
        if self == Lang::Go { format!("{}{}", name[..1].to_ascii_uppercase(), &name[1..]) } else { name }
    }

    /// Returns the name of a constant.
    pub(super) fn constant(self, words: &[&str]) -> String {
        if self == Lang::Go { self.name(words) } else { words.join("_").to_ascii_uppercase() }
    }

    /// Returns a string literal.
    pub(super) fn text(self, text: &str) -> String {
        let escapes = quote::text_escapes(text, |c| {
            let code = u32::from(c);
            match self {
                Lang::Python | Lang::Go => format!("\\U{code:08x}"),
                Lang::Node | Lang::Rust => format!("\\u{{{code:x}}}"),
                Lang::Java if code < 0x80 => format!("\\{code:03o}"),
                Lang::Java => {
                    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
            }
        });
        format!("\"{escapes}\"")
    }

    /// Returns a literal of bytes, of the type that row keys have.
    pub(super) fn bytes(self, bytes: &[u8]) -> String {
        match self {
            Lang::Python | Lang::Rust => format!("b\"{}\"", quote::hex_escapes(bytes)),
            Lang::Go => format!("\"{}\"", quote::hex_escapes(bytes)),
            Lang::Node => format!("bytes(\"{}\")", quote::hex_escapes(bytes)),
            Lang::Java => format!("bytes(\"{}\")", quote::octal_escapes(bytes)),
        }
    }
}

/// Returns the texts of sections in the order of a file, and what they import.
pub(super) fn sections(lang: Lang, names: &[&str]) -> (Vec<&'static str>, Vec<&'static str>) {
    let order = [
        "core",
        "or",
        "utf8",
        "join",
        "salted",
        "blank",
        "time",
        "time_format",
        "day",
        "time_text",
        "bucket",
        "pad",
        "reverse",
        "reverse_domain",
        "upper",
        "lower",
        "hash",
        "hash_hex",
        "zorder",
        "decimal",
        "hex",
        "big_endian",
        "parameters",
    ];
    let mut imports: Vec<&str> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    for name in order.iter().filter(|name| names.contains(name)) {
        // A language that does not need a helper has no section for it.
        if let Some((text, needs)) = lang.section(name) {
            imports.extend(needs);
            texts.push(text);
        }
    }
    let mut imports = sorted(imports, Ord::cmp);
    imports.dedup();
    (texts, imports)
}
