//! RE2's syntax over bytes: what <https://github.com/google/re2/wiki/Syntax> accepts, in its
//! Latin-1 reading.
//!
//! The crate has its own parser, because a general one has Unicode tables that a page would have to
//! load, and reads UTF-8 where Bigtable reads bytes. Syntax that only selects one of several
//! matches (laziness, captures) is parsed and dropped: a filter needs only whether the whole text
//! matches.

mod class;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tabletop_model::escape;

pub(super) use class::ByteSet;

/// A parsed pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Empty,
    /// One byte of a set; a literal is a set of one.
    Set(ByteSet),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
    },
    LookAround(LookAround),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookAround {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word,
    NotWord,
}

/// The reason why a pattern is rejected, in RE2's words, and the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternError {
    /// The byte offset in the pattern.
    pub at: usize,
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, at byte {} of the pattern", self.message, self.at)
    }
}

/// RE2's limit for a repetition, and for the product of nested ones.
const REPEAT_MAX: u32 = 1_000;
/// The limit of nested groups: each takes a few levels of recursion when the pattern is compiled.
/// (RE2 allows 1,000.)
const DEPTH_MAX: usize = 200;

/// Parses a pattern.
pub(super) fn parse(pattern: &[u8]) -> Result<Node, PatternError> {
    let mut parser = Parser { pattern, at: 0, flags: Flags::default(), depth: 0, names: Vec::new() };
    let node = parser.alternatives()?;
    if parser.at < pattern.len() {
        return Err(parser.error(parser.at, format!("unexpected ): {}", shown(pattern))));
    }
    if !repeats_at_most(&node, REPEAT_MAX) {
        return Err(
            parser.error(0, format!("invalid repetition size: nested repetitions of more than {REPEAT_MAX}"))
        );
    }
    Ok(node)
}

/// Returns a pattern as it was typed if it is UTF-8, otherwise escaped.
fn shown(pattern: &[u8]) -> Cow<'_, str> {
    core::str::from_utf8(pattern).map_or_else(|_| escape(pattern).into(), Cow::from)
}

#[derive(Clone, Copy, Default)]
struct Flags {
    fold_case: bool,
    multi_line: bool,
    dot_newline: bool,
}

struct Parser<'a> {
    pattern: &'a [u8],
    at: usize,
    flags: Flags,
    depth: usize,
    names: Vec<&'a [u8]>,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.pattern[self.at..]
    }

    fn error(&self, at: usize, message: String) -> PatternError {
        PatternError { at, message }
    }

    /// Returns an error about the text from `start` to the current position.
    fn error_about(&self, start: usize, what: &str) -> PatternError {
        self.error(start, format!("{what}: {}", shown(&self.pattern[start..self.at.max(start)])))
    }

    fn alternatives(&mut self) -> Result<Node, PatternError> {
        let mut nodes = alloc::vec![self.concat()?];
        while self.rest().first() == Some(&b'|') {
            self.at += 1;
            nodes.push(self.concat()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Alternate(nodes) })
    }

    fn concat(&mut self) -> Result<Node, PatternError> {
        let mut nodes = Vec::new();
        // The beginning of the last repetition; another one directly after it is rejected.
        let mut repetition: Option<usize> = None;
        while let Some(&byte) = self.rest().first() {
            let start = self.at;
            let bounds = match byte {
                b'|' | b')' => break,
                b'*' => Some((0, None)),
                b'+' => Some((1, None)),
                b'?' => Some((0, Some(1))),
                b'{' => self.counted()?,
                _ => None,
            };
            let Some((min, max)) = bounds else {
                self.atom(&mut nodes)?;
                repetition = None;
                continue;
            };
            if byte != b'{' {
                self.at += 1;
            }
            if self.rest().first() == Some(&b'?') {
                self.at += 1;
            }
            if let Some(first) = repetition {
                return Err(self.error_about(first, "bad repetition operator"));
            }
            let Some(node) = nodes.pop() else {
                return Err(self.error_about(start, "no argument for repetition operator"));
            };
            nodes.push(Node::Repeat { node: Box::new(node), min, max });
            repetition = Some(start);
        }
        Ok(match nodes.len() {
            0 => Node::Empty,
            1 => nodes.remove(0),
            _ => Node::Concat(nodes),
        })
    }

    /// Reads `{n}`, `{n,}` or `{n,m}`. Anything else that begins with a brace is literal, and
    /// nothing is read.
    fn counted(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let start = self.at;
        let Some((min, max, length)) = counted(&self.rest()[1..]) else { return Ok(None) };
        self.at += 1 + length;
        if min > REPEAT_MAX || max.is_some_and(|max| max > REPEAT_MAX || max < min) {
            return Err(self.error_about(start, "invalid repetition size"));
        }
        Ok(Some((min, max)))
    }

    /// Reads anything that is not a repetition: more than one node for a quoted text, none for
    /// flags.
    fn atom(&mut self, nodes: &mut Vec<Node>) -> Result<(), PatternError> {
        let byte = self.pattern[self.at];
        match byte {
            b'(' => {
                if let Some(group) = self.group()? {
                    nodes.push(group);
                }
                return Ok(());
            }
            b'[' => nodes.push(Node::Set(self.class()?)),
            b'\\' => return self.escaped(nodes),
            b'.' if self.flags.dot_newline => nodes.push(Node::Set(ByteSet::ALL)),
            b'.' => nodes.push(Node::Set(ByteSet::NOT_NEWLINE)),
            b'^' => {
                let start = if self.flags.multi_line { LookAround::LineStart } else { LookAround::TextStart };
                nodes.push(Node::LookAround(start));
            }
            b'$' => nodes.push(Node::LookAround(if self.flags.multi_line {
                LookAround::LineEnd
            } else {
                LookAround::TextEnd
            })),
            literal => nodes.push(self.literal(literal)),
        }
        if byte != b'[' {
            self.at += 1;
        }
        Ok(())
    }

    fn literal(&self, byte: u8) -> Node {
        let mut set = ByteSet::NONE;
        set.insert(byte..=byte);
        Node::Set(if self.flags.fold_case { set.fold_case() } else { set })
    }

    fn group(&mut self) -> Result<Option<Node>, PatternError> {
        let start = self.at;
        let outer = self.flags;
        self.at += 1;
        if self.rest().first() == Some(&b'?') && !self.group_opening(start)? {
            return Ok(None);
        }
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(
                self.error(start, format!("expression nests too deeply: more than {DEPTH_MAX} groups"))
            );
        }
        let node = self.alternatives()?;
        self.depth -= 1;
        if self.rest().first() != Some(&b')') {
            return Err(self.error_about(start, "missing )"));
        }
        self.at += 1;
        self.flags = outer;
        Ok(Some(node))
    }

    /// Reads the rest of a group's opening, from the question mark after `(`. Returns `false` if it
    /// only sets flags for what follows.
    fn group_opening(&mut self, start: usize) -> Result<bool, PatternError> {
        let name_at = match self.rest() {
            [b'?', b'P', b'<', ..] => Some(3),
            [b'?', b'<', b'=' | b'!', ..] => None,
            [b'?', b'<', ..] => Some(2),
            _ => None,
        };
        if let Some(skip) = name_at {
            self.at += skip;
            let length = self.rest().iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
            let name = &self.rest()[..length];
            self.at = (self.at + length + 1).min(self.pattern.len());
            if name.is_empty() || self.pattern[self.at - 1] != b'>' || self.names.contains(&name) {
                return Err(self.error_about(start, "invalid named capture group"));
            }
            self.names.push(name);
            return Ok(true);
        }
        self.at += 1;
        let mut on = true;
        let mut seen_flag = false;
        loop {
            let byte = self.rest().first().copied();
            self.at = (self.at + 1).min(self.pattern.len());
            match byte {
                Some(b'i') => self.flags.fold_case = on,
                Some(b'm') => self.flags.multi_line = on,
                Some(b's') => self.flags.dot_newline = on,
                // Laziness does not matter here.
                Some(b'U') => {}
                Some(b'-') if on => {
                    (on, seen_flag) = (false, false);
                    continue;
                }
                Some(b':') if on || seen_flag => return Ok(true),
                Some(b')') if on || seen_flag => return Ok(false),
                _ => return Err(self.error_about(start, "invalid perl operator")),
            }
            seen_flag = true;
        }
    }

    fn escaped(&mut self, nodes: &mut Vec<Node>) -> Result<(), PatternError> {
        let look = match self.rest() {
            [_, b'Q', ..] => {
                self.at += 2;
                let length = self.rest().windows(2).position(|pair| pair == b"\\E");
                let quoted = &self.rest()[..length.unwrap_or(self.rest().len())];
                nodes.extend(quoted.iter().map(|&byte| self.literal(byte)));
                self.at += quoted.len() + if length.is_some() { 2 } else { 0 };
                return Ok(());
            }
            [_, b'A', ..] => Node::LookAround(LookAround::TextStart),
            [_, b'z', ..] => Node::LookAround(LookAround::TextEnd),
            [_, b'b', ..] => Node::LookAround(LookAround::Word),
            [_, b'B', ..] => Node::LookAround(LookAround::NotWord),
            [_, b'C', ..] => Node::Set(ByteSet::ALL),
            _ => {
                let node = match self.named_class()? {
                    Some(set) => Node::Set(set),
                    None => {
                        let byte = self.escaped_byte()?;
                        self.literal(byte)
                    }
                };
                nodes.push(node);
                return Ok(());
            }
        };
        self.at += 2;
        nodes.push(look);
        Ok(())
    }

    /// Reads an escape that stands for one byte.
    fn escaped_byte(&mut self) -> Result<u8, PatternError> {
        let start = self.at;
        let (value, length) = match &self.rest()[1..] {
            [] => {
                return Err(self.error(start, "trailing \\".into()));
            }
            [b'a', ..] => (0x07, 1),
            [b'f', ..] => (0x0c, 1),
            [b'n', ..] => (b'\n'.into(), 1),
            [b'r', ..] => (b'\r'.into(), 1),
            [b't', ..] => (b'\t'.into(), 1),
            [b'v', ..] => (0x0b, 1),
            // One digit that is not 0 would be a backreference, which RE2 does not have.
            rest @ ([b'0', ..] | [b'1'..=b'7', b'0'..=b'7', ..]) => {
                let digits = rest.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7'));
                digits
                    .fold((0, 0), |(value, length), digit| (value * 8 + u32::from(digit - b'0'), length + 1))
            }
            [b'x', b'{', rest @ ..] => {
                let digits = rest.iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
                let closed = digits > 0 && rest.get(digits) == Some(&b'}');
                (if closed { hex(&rest[..digits]) } else { u32::MAX }, digits + if closed { 3 } else { 2 })
            }
            [b'x', a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => (hex(&[*a, *b]), 3),
            [byte, ..] if byte.is_ascii() && !byte.is_ascii_alphanumeric() => (u32::from(*byte), 1),
            _ => (u32::MAX, 1),
        };
        self.at += 1 + length;
        u8::try_from(value).map_err(|_| self.error_about(start, "invalid escape sequence"))
    }
}

/// Returns the minimum, the maximum and the length of a repetition, from the text after the opening
/// brace; the length includes the closing brace.
fn counted(text: &[u8]) -> Option<(u32, Option<u32>, usize)> {
    let number = |text: &[u8]| {
        let digits = text.iter().take_while(|digit| digit.is_ascii_digit()).count();
        let leading_zero = digits > 1 && text[0] == b'0';
        let value =
            text[..digits].iter().fold(0u32, |n, d| n.saturating_mul(10).saturating_add(u32::from(d - b'0')));
        (digits > 0 && !leading_zero).then_some((value, digits))
    };
    let (min, length) = number(text)?;
    match &text[length..] {
        [b'}', ..] => Some((min, Some(min), length + 1)),
        [b',', b'}', ..] => Some((min, None, length + 2)),
        [b',', rest @ ..] => {
            let (max, more) = number(rest)?;
            (rest.get(more) == Some(&b'}')).then_some((min, Some(max), length + more + 2))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0u32, |value, &digit| {
        value.saturating_mul(16).saturating_add((digit as char).to_digit(16).unwrap_or(0))
    })
}

fn repeats_at_most(node: &Node, budget: u32) -> bool {
    match node {
        Node::Repeat { node, min, max } => {
            let times = max.unwrap_or(*min).max(1);
            budget / times > 0 && repeats_at_most(node, budget / times)
        }
        Node::Concat(nodes) | Node::Alternate(nodes) => {
            nodes.iter().all(|node| repeats_at_most(node, budget))
        }
        Node::Empty | Node::Set(_) | Node::LookAround(_) => true,
    }
}
