//! Splits text into tokens.

use alloc::vec::Vec;

use crate::{Problem, Span, unescape};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    Word(&'a str),
    Number(&'a str),
    String(Vec<u8>),
    Open,
    Close,
    Comma,
    Equals,
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) span: Span,
}

/// Returns the tokens of `text`. Other characters are reported as problems and left out.
pub(super) fn lex<'a>(text: &'a str, problems: &mut Vec<Problem>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[at..];
        let kind = match c {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '(' | ')' | ',' | '=' => {
                at += 1;
                match c {
                    '(' => Kind::Open,
                    ')' => Kind::Close,
                    ',' => Kind::Comma,
                    _ => Kind::Equals,
                }
            }
            '"' => {
                let (bytes, used) = quoted(rest, at, problems);
                at += used;
                Kind::String(bytes)
            }
            'r' if rest[1..].trim_start_matches('#').starts_with('"') => {
                let (bytes, used) = raw(rest, at, problems);
                at += used;
                Kind::String(bytes)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                at += length_while(rest, |c| c.is_ascii_alphanumeric() || c == '_');
                Kind::Word(&text[start..at])
            }
            c if c.is_ascii_digit() || "+-.".contains(c) => {
                at += length_while(rest, |c| c.is_ascii_alphanumeric() || "+-._".contains(c));
                Kind::Number(&text[start..at])
            }
            c => {
                at += c.len_utf8();
                let hint = if c == '\'' || c == '`' { ": write strings in double quotes" } else { "" };
                problems.push(Problem {
                    span: span(start, at),
                    message: alloc::format!("`{c}` means nothing here{hint}"),
                });
                continue;
            }
        };
        tokens.push(Token { kind, span: span(start, at) });
    }
    tokens
}

pub(super) fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

fn length_while(text: &str, mut test: impl FnMut(char) -> bool) -> usize {
    text.find(|c| !test(c)).unwrap_or(text.len())
}

/// Reads the string at the beginning of `text`, which is at `at`. Returns its bytes and its length
/// in the text.
fn quoted(text: &str, at: usize, problems: &mut Vec<Problem>) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    let mut used = 1;
    loop {
        let rest = &text[used..];
        let plain = length_while(rest, |c| c != '"' && c != '\\');
        bytes.extend_from_slice(&rest.as_bytes()[..plain]);
        used += plain;
        let rest = &text[used..];
        if rest.starts_with('"') {
            return (bytes, used + 1);
        }
        if rest.is_empty() {
            problems.push(unclosed(at, at + used, "\""));
            return (bytes, used);
        }
        if rest.starts_with("\\\"") {
            bytes.push(b'"');
            used += 2;
            continue;
        }
        // Two characters, or four for a whole `\xHH`.
        let length = if rest.starts_with("\\x") { 4 } else { 2 };
        let escaped = rest.get(..length).and_then(|escape| unescape(escape).ok());
        match escaped {
            Some(escaped) => {
                bytes.extend_from_slice(&escaped);
                used += length;
            }
            None => {
                // This is usually a regex: `"\d"` is read as it was meant, and the problem shows
                // how to write it.
                bytes.push(b'\\');
                used += 1;
                let after = text[used..].chars().next().map_or(0, char::len_utf8);
                let sequence = &text[used - 1..used + after];
                let message = alloc::format!(
                    "`{sequence}` is not an escape (escapes are \\\\ \\\" \\n \\r \\t \\xHH): write `\\{sequence}`, or a raw string r\"…\" where backslashes stay"
                );
                problems.push(Problem { span: span(at + used - 1, at + used + after), message });
            }
        }
    }
}

/// Reads the raw string at the beginning of `text`, which is at `at`. Returns its bytes and its
/// length in the text.
fn raw(text: &str, at: usize, problems: &mut Vec<Problem>) -> (Vec<u8>, usize) {
    let hashes = length_while(&text[1..], |c| c == '#');
    let start = 1 + hashes + 1;
    let mut end = alloc::string::String::from("\"");
    end.extend(core::iter::repeat_n('#', hashes));
    match text[start..].find(&end) {
        Some(length) => (text.as_bytes()[start..start + length].to_vec(), start + length + end.len()),
        None => {
            problems.push(unclosed(at, at + text.len(), &end));
            (text.as_bytes()[start..].to_vec(), text.len())
        }
    }
}

fn unclosed(start: usize, end: usize, quote: &str) -> Problem {
    Problem {
        span: span(start, end),
        message: alloc::format!("this string has no end: close it with `{quote}`"),
    }
}
