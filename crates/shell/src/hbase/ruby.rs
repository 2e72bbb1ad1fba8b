//! The literals of Ruby that commands of the HBase shell consist of: texts, numbers, names, lists,
//! hashes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span};

use crate::place::{problem, span};

/// The deepest nesting of lists and hashes: more than any command needs, and small enough for the
/// stack.
const DEPTH_MAX: usize = 20;

/// A literal and its position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Literal {
    pub value: Value,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(Vec<u8>),
    Number(i64),
    /// A constant, `true`, `false` or `nil`.
    Name(String),
    List(Vec<Literal>),
    Hash(Vec<(Literal, Literal)>),
}

/// A command: its name and its arguments. Pairs at the end become one hash.
#[derive(Debug)]
pub(super) struct Call {
    pub name: String,
    pub span: Span,
    pub arguments: Vec<Literal>,
}

/// Parses the command of a text. Returns `None` if there is none.
pub(super) fn call(text: &str) -> Result<Option<Call>, Problem> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip();
    let start = parser.at;
    let name = parser.word();
    if name.is_empty() {
        return match parser.peek() {
            None => Ok(None),
            Some(_) => Err(parser.wrong(start, "a command begins with its name")),
        };
    }
    let mut call = Call { name: name.into(), span: span(start, parser.at), arguments: Vec::new() };
    parser.skip();
    let is_closed = parser.take("(");
    call.arguments = parser.arguments(if is_closed { Some(')') } else { None })?;
    parser.skip();
    parser.take(";");
    parser.skip();
    match parser.peek() {
        None => Ok(Some(call)),
        Some(_) => Err(parser.wrong(parser.at, "a comma is missing before this")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn wrong(&self, start: usize, message: impl Into<String>) -> Problem {
        let next = self.peek().map_or(0, char::len_utf8);
        problem(span(start, (self.at + next).max(start)), message)
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if self.take("\\\n") {
                continue;
            }
            if self.peek() != Some('#') {
                return;
            }
            let rest = self.rest();
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn take(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '?')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Parses values and pairs between commas, up to `end`.
    fn arguments(&mut self, end: Option<char>) -> Result<Vec<Literal>, Problem> {
        let (mut values, mut pairs) = (Vec::new(), Vec::new());
        let start = self.at;
        loop {
            self.skip();
            match (self.peek(), end) {
                (found, Some(end)) if found == Some(end) => {
                    self.at += end.len_utf8();
                    break;
                }
                (None, Some(end)) => {
                    return Err(self.wrong(
                        start.saturating_sub(1),
                        format!("this is not closed: close it with `{end}`"),
                    ));
                }
                (None | Some(';'), None) => break,
                _ => {}
            }
            let value = self.value()?;
            self.skip();
            if self.take("=>") {
                self.skip();
                pairs.push((value, self.value()?));
            } else {
                values.push(value);
            }
            self.skip();
            if !self.take(",") && self.peek() != end && !(end.is_none() && self.peek() == Some(';')) {
                if self.peek().is_none() {
                    continue;
                }
                return Err(self.wrong(self.at, "a comma is missing before this"));
            }
        }
        if !pairs.is_empty() {
            values.push(Literal { value: Value::Hash(pairs), span: span(start, self.at) });
        }
        Ok(values)
    }

    fn value(&mut self) -> Result<Literal, Problem> {
        let start = self.at;
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.wrong(start, "lists and hashes are nested too deeply here"));
        }
        let value = match self.peek() {
            Some('\'') => Value::Text(self.single(start)?),
            Some('"') => Value::Text(self.double(start)?),
            Some('[') => {
                self.at += 1;
                Value::List(self.arguments(Some(']'))?)
            }
            Some('{') => {
                self.at += 1;
                let mut inner = self.arguments(Some('}'))?;
                match inner.pop() {
                    None => Value::Hash(Vec::new()),
                    Some(Literal { value: Value::Hash(pairs), .. }) if inner.is_empty() => Value::Hash(pairs),
                    Some(other) => {
                        let place = inner.into_iter().next().map_or(other.span, |first| first.span);
                        return Err(problem(place, "braces contain pairs NAME => value"));
                    }
                }
            }
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(start)?,
            Some(c) if c.is_alphabetic() || c == '_' => Value::Name(self.word().into()),
            Some(_) => {
                return Err(self
                    .wrong(start, "a value is expected here: 'text', a number, [list] or {NAME => value}"));
            }
            None => return Err(self.wrong(start, "a value is missing here")),
        };
        self.depth -= 1;
        Ok(Literal { value, span: span(start, self.at) })
    }

    fn number(&mut self, start: usize) -> Result<Value, Problem> {
        let sign = usize::from(self.peek() == Some('-'));
        let rest = &self.rest()[sign..];
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '_')).unwrap_or(rest.len());
        let text: String = self.rest()[..sign + end].chars().filter(|&c| c != '_').collect();
        self.at += sign + end;
        text.parse()
            .map(Value::Number)
            .map_err(|_| self.wrong(start, "this is not a whole number of 64 bits"))
    }

    /// Reads `'…'`: a backslash is literal, unless a quote or another backslash follows it.
    fn single(&mut self, start: usize) -> Result<Vec<u8>, Problem> {
        let mut out = Vec::new();
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match (byte, bytes.get(self.at)) {
                (b'\'', _) => return Ok(out),
                (b'\\', Some(&escaped @ (b'\'' | b'\\'))) => {
                    out.push(escaped);
                    self.at += 1;
                }
                _ => out.push(byte),
            }
        }
        Err(self.wrong(start, "this quote is not closed: close it, or put \\ before it"))
    }

    /// Reads `"…"`, with escapes.
    fn double(&mut self, start: usize) -> Result<Vec<u8>, Problem> {
        let mut out = Vec::new();
        let bytes = self.text.as_bytes();
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match (byte, bytes.get(self.at)) {
                (b'"', _) => return Ok(out),
                (b'\\', Some(&escaped)) => {
                    self.at += 1;
                    self.escape(escaped, &mut out);
                }
                _ => out.push(byte),
            }
        }
        Err(self.wrong(start, "this quote is not closed: close it, or put \\ before it"))
    }

    fn escape(&mut self, escaped: u8, out: &mut Vec<u8>) {
        let byte = match escaped {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 7,
            b'b' => 8,
            b'e' => 27,
            b'f' => 12,
            b's' => b' ',
            b'v' => 11,
            b'x' => self.digits(16, 2) as u8,
            b'0'..=b'7' => {
                self.at -= 1;
                self.digits(8, 3) as u8
            }
            b'u' => {
                let c = char::from_u32(self.digits(16, 4)).unwrap_or(char::REPLACEMENT_CHARACTER);
                return out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => other,
        };
        out.push(byte);
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value = 0;
        for _ in 0..most {
            let byte = self.text.as_bytes().get(self.at);
            let Some(digit) = byte.and_then(|&byte| char::from(byte).to_digit(radix)) else { break };
            value = value * radix + digit;
            self.at += 1;
        }
        value
    }
}

/// Returns the positions of the commands in a text: lines, unless quotes, braces, a comma or `=>`
/// show that the command continues.
pub(crate) fn split(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let (mut start, mut end, mut last) = (None, 0, b'\n');
    let (mut depth, mut quote) = (0_usize, None);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'#') => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'[' | b'{' | b'(') => depth += 1,
            (None, b']' | b'}' | b')') => depth = depth.saturating_sub(1),
            (None, b';' | b'\n') if depth == 0 && (byte == b';' || !matches!(last, b',' | b'>' | b'\\')) => {
                spans.extend(start.take().map(|start| span(start, end)));
                last = b'\n';
                at += 1;
                continue;
            }
            _ => {}
        }
        if quote.is_some() || !byte.is_ascii_whitespace() {
            start.get_or_insert(at.min(bytes.len()));
            end = (at + 1).min(bytes.len());
            last = byte;
        }
        at += 1;
    }
    spans.extend(start.map(|start| span(start, end)));
    spans
}

/// Returns a text literal: in single quotes if possible, otherwise with escapes.
pub(super) fn quoted(bytes: &[u8]) -> String {
    match core::str::from_utf8(bytes) {
        Ok(text) if !text.contains(['\'', '\\']) && !text.chars().any(char::is_control) => {
            format!("'{text}'")
        }
        _ => {
            let mut out = String::from("\"");
            for &byte in bytes {
                match byte {
                    b'"' | b'\\' | b'#' => out.extend(['\\', char::from(byte)]),
                    b' '..=b'~' => out.push(char::from(byte)),
                    _ => super::print::push_hex(&mut out, byte),
                }
            }
            out.push('"');
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_read_as_in_ruby() {
        let call =
            call("scan 't\\'1', [1, -2_0], {LIMIT => 5, 'a' => \"\\x00\\n\\101\\u00e9\"}, A => nil # all")
                .unwrap()
                .unwrap();
        let text = format!("{:?}", call.arguments.iter().map(|argument| &argument.value).collect::<Vec<_>>());
        assert!(text.contains("Number(-20)") && text.contains("Name(\"nil\")"), "{text}");
        assert_eq!(call.arguments[0].value, Value::Text(b"t'1".to_vec()));
        let Value::Hash(pairs) = &call.arguments[2].value else { panic!("{text}") };
        assert_eq!(pairs[1].1.value, Value::Text(b"\0\nA\xc3\xa9".to_vec()));
    }

    #[test]
    fn mistakes_have_a_position() {
        let wrong =
            |text: &str| call(text).map(|_| ()).map_err(|problem| (problem.span.start, problem.message));
        assert_eq!(
            wrong("scan 't"),
            Err((5, "this quote is not closed: close it, or put \\ before it".into()))
        );
        assert_eq!(wrong("scan 't' 'u'"), Err((9, "a comma is missing before this".into())));
        assert_eq!(wrong("scan {1}"), Err((6, "braces contain pairs NAME => value".into())));
        assert_eq!(wrong("scan ['a'"), Err((5, "this is not closed: close it with `]`".into())));
        assert!(wrong(&["scan ", &"[".repeat(10_000)].concat()).is_err());
        assert_eq!(wrong("scan('t')"), Ok(()));
        assert_eq!(wrong(" # nothing"), Ok(()));
    }

    #[test]
    fn commands_may_span_lines() {
        let text =
            "create 't',\n  'f'\n# no\n\nscan 't', {LIMIT =>\n 5,\n}; list\nput 't','r','f:q','a\nb;#'\n";
        let commands: Vec<&str> =
            split(text).iter().map(|span| &text[span.start as usize..span.end as usize]).collect();
        assert_eq!(
            commands,
            ["create 't',\n  'f'", "scan 't', {LIMIT =>\n 5,\n}", "list", "put 't','r','f:q','a\nb;#'"]
        );
    }

    #[test]
    fn every_byte_survives_quoting() {
        for high in 0..=255_u8 {
            for low in 0..=255_u8 {
                let bytes = [high, low, b'1'];
                let line = format!("x {}", quoted(&bytes));
                assert_eq!(
                    call(&line).unwrap().unwrap().arguments[0].value,
                    Value::Text(bytes.to_vec()),
                    "{line}"
                );
            }
        }
    }
}
