//! Parses JSON from left to right into flat leaves, without a tree. Incomplete input is
//! distinguished from invalid input.

use std::ops::Range;

/// The depth to which nested objects are flattened. Deeper ones stay JSON.
const FLATTEN_DEPTH_MAX: usize = 8;
/// The deepest nesting: each level takes space on the stack of a worker.
const DEPTH_MAX: usize = 128;

/// The reason why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Correct so far, but incomplete.
    Incomplete,
    /// Invalid.
    Wrong {
        /// Offset of the first invalid byte.
        at: usize,
        message: String,
    },
}

/// The range of a text in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) range: Range<usize>,
    /// Whether it has backslashes, see [`unescape`].
    pub(super) escaped: bool,
}

/// The values of one object: the texts of strings, and the JSON of other values. Values that are
/// `null` are omitted.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaves {
    /// The names of all leaves, concatenated; nested ones are joined by dots.
    names: String,
    leaves: Vec<(Range<usize>, Text)>,
}

impl Leaves {
    /// Names and texts, in the order of the input.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Text)> {
        self.leaves.iter().map(|(name, text)| (&self.names[name.clone()], text))
    }

    fn push(&mut self, name: &str, text: Text) {
        let start = self.names.len();
        self.names.push_str(name);
        self.leaves.push((start..self.names.len(), text));
    }
}

/// Reads the object at the start of `input` into `leaves`. Returns its end. Bytes within strings
/// need not be UTF-8.
pub(super) fn object(input: &[u8], leaves: &mut Leaves) -> Result<usize, Fault> {
    leaves.names.clear();
    leaves.leaves.clear();
    let mut parser = Parser { input, at: 0 };
    parser.flatten(&mut String::new(), 1, leaves)?;
    Ok(parser.at)
}

/// Reads any value at the start of `input`. Returns its end.
pub(super) fn value(input: &[u8]) -> Result<usize, Fault> {
    let mut parser = Parser { input, at: 0 };
    parser.skip_value(1)?;
    Ok(parser.at)
}

/// Returns the end of the white space at `at`.
pub(super) fn skip_space(input: &[u8], at: usize) -> usize {
    let space = input[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    at + space
}

/// Appends the text that a JSON string represents. The string was validated by [`object`] or
/// [`value`].
pub(super) fn unescape(text: &str, out: &mut String) {
    let mut parts = text.split('\\');
    out.push_str(parts.next().unwrap_or_default());
    // The high half of a surrogate pair, until the low half follows.
    let mut high = 0;
    while let Some(part) = parts.next() {
        let rest = match part.as_bytes().first() {
            None => {
                out.push('\\');
                // The text after an escaped backslash does not begin an escape.
                out.push_str(parts.next().unwrap_or_default());
                continue;
            }
            Some(b'u') => {
                let unit = u32::from_str_radix(&part[1..5], 16).expect("four digits");
                match unit {
                    0xd800..=0xdbff => high = unit,
                    0xdc00..=0xdfff => {
                        let c = 0x1_0000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                        out.push(char::from_u32(c).expect("two halves"));
                    }
                    _ => out.push(char::from_u32(unit).expect("not half of a character")),
                }
                &part[5..]
            }
            Some(&letter) => {
                out.push(match letter {
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    other => char::from(other),
                });
                &part[1..]
            }
        };
        out.push_str(rest);
    }
}

struct Parser<'a> {
    input: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    /// Reads an object whose members' names begin with `prefix`.
    fn flatten(&mut self, prefix: &mut String, depth: usize, leaves: &mut Leaves) -> Result<(), Fault> {
        let start = self.at;
        self.expect(b'{', "an object")?;
        if self.space()? == b'}' {
            self.at += 1;
            if !prefix.is_empty() {
                leaves.push(prefix, Text { range: start..self.at, escaped: false });
            }
            return Ok(());
        }
        let prefix_length = prefix.len();
        loop {
            let key = self.key()?;
            if prefix_length > 0 {
                prefix.push('.');
            }
            // UTF-8 is checked once for the whole object.
            let text = String::from_utf8_lossy(&self.input[key.range]);
            if key.escaped {
                unescape(&text, prefix);
            } else {
                prefix.push_str(&text);
            }
            let start = self.at;
            match self.peek()? {
                b'"' => leaves.push(prefix, self.string()?),
                b'{' if depth < FLATTEN_DEPTH_MAX => self.flatten(prefix, depth + 1, leaves)?,
                first => {
                    self.skip_value(depth + 1)?;
                    if first != b'n' {
                        leaves.push(prefix, Text { range: start..self.at, escaped: false });
                    }
                }
            }
            prefix.truncate(prefix_length);
            if self.is_last(b'}', "an object")? {
                return Ok(());
            }
        }
    }

    fn skip_value(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEPTH_MAX {
            return self.wrong(format!("This is nested deeper than {DEPTH_MAX} levels: flatten it."));
        }
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' => {
                self.at += 1;
                if self.space()? == b'}' {
                    self.at += 1;
                    return Ok(());
                }
                loop {
                    self.key()?;
                    self.skip_value(depth + 1)?;
                    if self.is_last(b'}', "an object")? {
                        return Ok(());
                    }
                }
            }
            b'[' => {
                self.at += 1;
                if self.space()? == b']' {
                    self.at += 1;
                    return Ok(());
                }
                loop {
                    self.skip_value(depth + 1)?;
                    if self.is_last(b']', "an array")? {
                        return Ok(());
                    }
                    self.space()?;
                }
            }
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            b'-' | b'0'..=b'9' => self.number(),
            b'\'' => self.wrong("A string needs double quotes."),
            b'N' | b'I' => self.wrong("NaN and Infinity are not JSON: write null."),
            b',' | b'}' | b']' | b':' => self.wrong("A value is missing here."),
            _ => self.wrong("This is not a JSON value: strings need double quotes."),
        }
    }

    /// Reads a member's name, with its colon and the space around it.
    fn key(&mut self) -> Result<Text, Fault> {
        match self.space()? {
            b'"' => {}
            b'}' => return self.wrong("There must be no comma before the closing brace."),
            _ => return self.wrong("A name in double quotes is expected here."),
        }
        let key = self.string()?;
        self.space()?;
        self.expect(b':', "a colon after the name")?;
        self.space()?;
        Ok(key)
    }

    /// Returns whether the object or array ends after a value. Skips a comma.
    fn is_last(&mut self, end: u8, what: &str) -> Result<bool, Fault> {
        let byte = self.space()?;
        if byte != end && byte != b',' {
            return self
                .wrong(format!("A comma or the end of {what} (`{}`) is expected here.", char::from(end)));
        }
        self.at += 1;
        Ok(byte == end)
    }

    fn string(&mut self) -> Result<Text, Fault> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            let plain =
                self.input[self.at..].iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
            self.at = plain.map_or(self.input.len(), |plain| self.at + plain);
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Ok(Text { range: start..self.at - 1, escaped });
                }
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                b'\n' | b'\r' => {
                    return self.wrong(
                        "The line ends within a string: close its quote, or write \\n for a line break.",
                    );
                }
                byte => {
                    return self
                        .wrong(format!("A control character within a string is written \\u{byte:04x}."));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.at += 1;
                return Ok(());
            }
            b'u' => {}
            _ => {
                self.at = start;
                return self.wrong("This is not a JSON escape: a backslash itself is written twice.");
            }
        }
        let first = self.code_unit()?;
        let half = "This is half of a character beyond \\uffff: both halves must be adjacent.";
        match first {
            0xd800..=0xdbff => {
                let second_at = self.at;
                for expected in [b'\\', b'u'] {
                    if self.peek()? != expected {
                        self.at = start;
                        return self.wrong(half);
                    }
                    self.at += 1;
                }
                self.at = second_at + 1;
                if !matches!(self.code_unit()?, 0xdc00..=0xdfff) {
                    self.at = start;
                    return self.wrong(half);
                }
                Ok(())
            }
            0xdc00..=0xdfff => {
                self.at = start;
                self.wrong(half)
            }
            _ => Ok(()),
        }
    }

    /// Reads `u` and four hexadecimal digits.
    fn code_unit(&mut self) -> Result<u32, Fault> {
        let mut unit = 0;
        for _ in 0..4 {
            self.at += 1;
            let Some(digit) = char::from(self.peek()?).to_digit(16) else {
                return self.wrong("Four hexadecimal digits are expected after \\u.");
            };
            unit = unit * 16 + digit;
        }
        self.at += 1;
        Ok(unit)
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek()? == b'-' {
            self.at += 1;
        }
        let leading_zero = self.peek()? == b'0';
        let start = self.at;
        self.digits()?;
        if leading_zero && self.at > start + 1 {
            self.at = start;
            return self.wrong("A number has no leading zeros: write a code as a string.");
        }
        if self.input.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.input.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek()?, b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek()?.is_ascii_digit() {
            return self.wrong("A digit is expected here.");
        }
        self.at += self.input[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        let start = self.at;
        for &expected in word {
            if self.peek()? != expected {
                self.at = start;
                return self.wrong("This is not a JSON value: strings need double quotes.");
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Skips white space. Returns the byte after it.
    fn space(&mut self) -> Result<u8, Fault> {
        self.at = skip_space(self.input, self.at);
        self.peek()
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), Fault> {
        if self.peek()? != byte {
            return self.wrong(format!("`{}` ({what}) is expected here.", char::from(byte)));
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Result<u8, Fault> {
        self.input.get(self.at).copied().ok_or(Fault::Incomplete)
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::Wrong { at: self.at, message: message.into() })
    }
}
