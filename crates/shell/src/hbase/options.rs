//! The arguments of a command, by kind.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Problem, SERVER_TIME, Span, Timestamp, did_you_mean};

use super::form::CommandForm;
use super::ruby::{Call, Literal, Value};
use crate::place::{problem, span};

/// The error is boxed, because it is large and rare.
pub(super) type InputResult<T> = Result<T, Box<Problem>>;

/// The arguments of a command.
#[derive(Debug)]
pub(super) struct Input {
    pub arguments: Vec<Literal>,
    usage: &'static str,
    end: usize,
}

/// A column, or a whole family.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Column {
    pub family: String,
    /// `None` for the whole family.
    pub qualifier: Option<Bytes>,
}

impl Input {
    pub fn new(form: &CommandForm, call: Call, end: usize) -> Input {
        Input { arguments: call.arguments, usage: form.usage, end }
    }

    /// Rejects more than `count` arguments.
    pub fn most(&self, count: usize) -> InputResult<()> {
        match self.arguments.get(count) {
            None => Ok(()),
            Some(argument) => Err(wrong(argument.span, format!("unexpected argument: {}", self.usage))),
        }
    }

    pub fn bytes(&self, at: usize) -> InputResult<Bytes> {
        match self.arguments.get(at) {
            Some(argument) => text_bytes(argument),
            None => Err(wrong(span(self.end, self.end), format!("an argument is missing: {}", self.usage))),
        }
    }

    pub fn text(&self, at: usize) -> InputResult<String> {
        let span = self.arguments.get(at).map_or_else(Span::default, |argument| argument.span);
        utf8(self.bytes(at)?, span)
    }

    /// Returns a column with a qualifier.
    pub fn column(&self, at: usize) -> InputResult<(String, Bytes)> {
        let bytes = self.bytes(at)?;
        let span = self.arguments[at].span;
        let Column { family, qualifier } = column(&bytes, span)?;
        let colon = bytes.contains(&b':');
        match qualifier {
            Some(qualifier) => Ok((family, qualifier)),
            None if colon => Ok((family, Bytes::default())),
            None => Err(wrong(span, "a column is 'family:qualifier'".into())),
        }
    }

    /// Returns the optional time in milliseconds at a position, or the server's time if it is
    /// missing.
    pub fn timestamp(&self, at: usize) -> InputResult<Timestamp> {
        self.arguments.get(at).map_or(Ok(SERVER_TIME), micros)
    }

    /// Returns the hash at a position, if there is one. Its pairs must have these names.
    pub fn hash(&self, at: usize, names: &[&str]) -> InputResult<Hash> {
        match self.arguments.get(at) {
            None => Ok(Hash::default()),
            Some(argument) => Hash::of(argument, names),
        }
    }
}

/// Pairs of names and values.
#[derive(Debug, Default)]
pub(super) struct Hash(pub Vec<(String, Literal)>);

impl Hash {
    pub fn of(literal: &Literal, names: &[&str]) -> InputResult<Hash> {
        let Value::Hash(pairs) = &literal.value else {
            return Err(wrong(literal.span, "{NAME => value} is expected here".into()));
        };
        let mut hash = Hash::default();
        for (name, value) in pairs {
            let text = match &name.value {
                Value::Name(name) => name.clone(),
                Value::Text(name) => String::from_utf8_lossy(name).into_owned(),
                _ => return Err(wrong(name.span, "a name is expected here".into())),
            };
            // These affect how a request is executed, not its result.
            let is_ignored =
                ["CACHE", "CACHE_BLOCKS", "BATCH", "MAXLENGTH", "CONSISTENCY", "ISOLATION_LEVEL"]
                    .contains(&&*text);
            if !is_ignored && !names.contains(&&*text) {
                let hint = did_you_mean(&text, names.iter().copied());
                return Err(wrong(name.span, format!("There is no {text} here{hint}")));
            }
            hash.0.push((text, value.clone()));
        }
        Ok(hash)
    }

    pub fn get(&self, name: &str) -> Option<&Literal> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub fn bytes(&self, name: &str) -> InputResult<Option<Bytes>> {
        self.get(name).map(text_bytes).transpose()
    }

    pub fn number(&self, name: &str) -> InputResult<Option<i64>> {
        self.get(name).map(number).transpose()
    }

    pub fn flag(&self, name: &str) -> InputResult<bool> {
        match self.get(name).map(|literal| (&literal.value, literal.span)) {
            None => Ok(false),
            Some((Value::Name(value), _)) if value == "true" => Ok(true),
            Some((Value::Name(value), _)) if value == "false" => Ok(false),
            Some((_, span)) => Err(wrong(span, format!("{name} is true or false"))),
        }
    }
}

pub(super) fn wrong(span: Span, message: String) -> Box<Problem> {
    Box::new(problem(span, message))
}

/// Returns the literals of a list, or the literal itself if it is not a list.
pub(super) fn each(literal: &Literal) -> &[Literal] {
    match &literal.value {
        Value::List(list) => list,
        _ => core::slice::from_ref(literal),
    }
}

pub(super) fn text_bytes(literal: &Literal) -> InputResult<Bytes> {
    match &literal.value {
        Value::Text(bytes) => Ok(Bytes(bytes.clone())),
        // A value may be a number, which HBase stores as text.
        Value::Number(number) => Ok(format!("{number}").into()),
        _ => Err(wrong(literal.span, "a text in quotes is expected here".into())),
    }
}

pub(super) fn utf8(bytes: Bytes, span: Span) -> InputResult<String> {
    String::from_utf8(bytes.0)
        .map_err(|_| wrong(span, "text is expected here, and these bytes are not UTF-8".into()))
}

/// Parses a number, or a text that contains one.
pub(super) fn number(literal: &Literal) -> InputResult<i64> {
    let number = match &literal.value {
        Value::Number(number) => Some(*number),
        Value::Text(text) => core::str::from_utf8(text).ok().and_then(|text| text.parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| wrong(literal.span, "a whole number is expected here".into()))
}

/// Converts milliseconds to microseconds.
pub(super) fn micros(literal: &Literal) -> InputResult<Timestamp> {
    let micros = number(literal)?.checked_mul(1_000);
    micros.ok_or_else(|| {
        wrong(literal.span, "a time is in milliseconds since 1970: this one is out of range".into())
    })
}

/// Parses `family:qualifier`. Without a qualifier, it stands for the whole family.
pub(super) fn column(bytes: &Bytes, span: Span) -> InputResult<Column> {
    let (family, qualifier) = match bytes.iter().position(|&byte| byte == b':') {
        Some(colon) => (&bytes[..colon], Some(&bytes[colon + 1..])),
        None => (bytes.as_slice(), None),
    };
    let qualifier = qualifier.filter(|qualifier| !qualifier.is_empty()).map(Bytes::from);
    Ok(Column { family: utf8(family.into(), span)?, qualifier })
}
