//! Splits a command line into words, as bash does: `'text'`, `"text"`, `$'\x00'`, `\ `, and `#`
//! before a comment.
//!
//! Nothing is expanded, and operators of bash are ordinary characters, so
//! `maxage=1d||maxversions=2` needs no quotes here.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Problem, Span};

use crate::place::{problem, span};

/// One word of a command, without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The bytes without quotes and escapes.
    pub bytes: Vec<u8>,
    /// The offset in the line of each byte, followed by the offset of the word's end.
    pub places: Vec<u32>,
}

impl Word {
    /// Returns the position of the word in the line.
    pub fn span(&self) -> Span {
        self.part(0, self.bytes.len())
    }

    /// Returns the position of some of its bytes in the line.
    pub fn part(&self, start: usize, end: usize) -> Span {
        let place = |at: usize| self.places.get(at).or(self.places.last()).copied().unwrap_or_default();
        Span { start: place(start), end: place(end).max(place(start)) }
    }

    /// Returns the word as text, if it is UTF-8.
    pub fn text(&self) -> Result<String, Problem> {
        String::from_utf8(self.bytes.clone())
            .map_err(|_| problem(self.span(), "text is expected here, and these bytes are not UTF-8"))
    }

    /// Returns the word without its first `at` bytes.
    pub fn tail_from(&self, at: usize) -> Word {
        Word { bytes: self.bytes[at..].to_vec(), places: self.places[at..].to_vec() }
    }
}

/// A line as words. If a quote is open at its end, the last word has the text read so far.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub words: Vec<Word>,
    /// Whether the last word extends to the end, so that the next character belongs to it.
    pub is_open: bool,
    /// The position of a quote that is not closed.
    pub unclosed: Option<usize>,
    /// The end of the command: the end of the text, or of the line.
    pub end: usize,
}

/// The part of a text that one command takes up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The whole text: line breaks between words are blanks.
    Text,
    /// The first line. A line break in quotes is part of a word.
    Line,
}

/// Splits the first command of a text into words.
pub(super) fn words(text: &str, extent: Extent) -> Line {
    let mut lexer = Lexer { text: text.as_bytes(), at: 0, word: None, line: Line::default() };
    lexer.run(extent);
    lexer.line.end = lexer.at;
    lexer.line.is_open = lexer.word.is_some();
    lexer.finish();
    lexer.line
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    word: Option<Word>,
    line: Line,
}

impl Lexer<'_> {
    fn run(&mut self, extent: Extent) {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'\n' if extent == Extent::Line => return,
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.finish();
                    self.at += 1;
                }
                b'#' if self.word.is_none() => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                b'\'' => self.quoted(1, Self::single),
                b'"' => self.quoted(1, Self::double),
                b'$' if self.text.get(self.at + 1) == Some(&b'\'') => self.quoted(2, Self::ansi),
                b'\\' if self.text.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b'\\' if self.at + 1 < self.text.len() => {
                    let place = self.at;
                    self.at += 1;
                    self.take_from(place);
                }
                _ => self.take_from(self.at),
            }
        }
    }

    /// Appends a byte unchanged, from `place`.
    fn take_from(&mut self, place: usize) {
        self.push(self.text[self.at], place);
        self.at += 1;
    }

    fn push(&mut self, byte: u8, place: usize) {
        let word = self.word.get_or_insert_default();
        word.bytes.push(byte);
        word.places.push(span(place, place).start);
    }

    fn finish(&mut self) {
        if let Some(mut word) = self.word.take() {
            word.places.push(span(self.at, self.at).start);
            self.line.words.push(word);
        }
    }

    /// Reads the text between quotes; `part` reads a piece of it.
    fn quoted(&mut self, opening: usize, part: fn(&mut Self, u8)) {
        let open = self.at;
        self.at += opening;
        self.word.get_or_insert_default();
        let end = if self.text[open] == b'"' { b'"' } else { b'\'' };
        loop {
            match self.text.get(self.at) {
                None => {
                    self.line.unclosed = Some(open);
                    return;
                }
                Some(&byte) if byte == end => {
                    self.at += 1;
                    return;
                }
                Some(&byte) => part(self, byte),
            }
        }
    }

    fn single(&mut self, _byte: u8) {
        self.take_from(self.at);
    }

    fn double(&mut self, byte: u8) {
        let place = self.at;
        match (byte, self.text.get(self.at + 1)) {
            (b'\\', Some(b'\n')) => {
                self.at += 2;
                return;
            }
            (b'\\', Some(b'$' | b'`' | b'"' | b'\\')) => self.at += 1,
            _ => {}
        }
        self.take_from(place);
    }

    /// `$'…'`: the escapes of C.
    fn ansi(&mut self, byte: u8) {
        let place = self.at;
        let Some(&escaped) = self.text.get(self.at + 1).filter(|_| byte == b'\\') else {
            return self.take_from(place);
        };
        self.at += 2;
        let simple = match escaped {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => escaped,
            b'0'..=b'7' => {
                self.at -= 1;
                self.digits(8, 3) as u8
            }
            b'x' => match self.text.get(self.at) {
                Some(digit) if digit.is_ascii_hexdigit() => self.digits(16, 2) as u8,
                _ => return self.literally(place, escaped),
            },
            b'u' | b'U' => {
                if !self.text.get(self.at).is_some_and(u8::is_ascii_hexdigit) {
                    return self.literally(place, escaped);
                }
                let code = self.digits(16, if escaped == b'u' { 4 } else { 8 });
                let mut buffer = [0; 4];
                let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                c.encode_utf8(&mut buffer).bytes().for_each(|byte| self.push(byte, place));
                return;
            }
            _ => return self.literally(place, escaped),
        };
        self.push(simple, place);
    }

    /// Keeps a backslash that does not begin an escape.
    fn literally(&mut self, place: usize, escaped: u8) {
        self.push(b'\\', place);
        self.push(escaped, place + 1);
    }

    fn digits(&mut self, radix: u32, most: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..most {
            let digit = self.text.get(self.at).and_then(|&byte| char::from(byte).to_digit(radix));
            let Some(digit) = digit else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_model::shell_word;

    #[track_caller]
    fn check(line: &str, expected: &[&[u8]]) {
        let line = words(line, Extent::Text);
        assert_eq!(line.unclosed, None);
        let found: Vec<&[u8]> = line.words.iter().map(|word| word.bytes.as_slice()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_are_split_as_in_bash() {
        check("read  t\tcount=2 # all", &[b"read", b"t", b"count=2"]);
        check(
            r#"set t 'a "b"' "c 'd' \" \\ \n" e\ f"#,
            &[b"set", b"t", b"a \"b\"", b"c 'd' \" \\ \\n", b"e f"],
        );
        check(r"x=$'\x00\xff\n\'\101\u00e9\q\u'y phone#1", &[b"x=\x00\xff\n'A\xc3\xa9\\q\\uy", b"phone#1"]);
        check("a \\\n b ''", &[b"a", b"b", b""]);
    }

    #[test]
    fn an_unclosed_quote_is_reported_with_its_position() {
        assert_eq!(words("set t 'abc", Extent::Text).unclosed, Some(6));
        assert_eq!(words("a $'", Extent::Text).unclosed, Some(2));
        assert_eq!(words("a \\", Extent::Text).unclosed, None);
    }

    #[test]
    fn positions_refer_to_the_line() {
        let line = words("read t filter='abc'", Extent::Text);
        let word = &line.words[2];
        assert_eq!(word.part(7, 9), span(15, 17));
        assert_eq!(word.span(), span(7, 19));
    }

    #[test]
    fn every_byte_survives_quoting() {
        for high in 0..=255_u8 {
            for low in 0..=255_u8 {
                let bytes = [high, low, b'1'];
                check(&shell_word(&bytes), &[&bytes]);
            }
        }
        check(&shell_word(b""), &[b""]);
    }
}
