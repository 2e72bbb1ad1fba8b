//! The words after a command: arguments by position, then options `name=value`, as the form of the
//! command defines them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Bytes, Problem, Span, did_you_mean};

use super::form::CommandForm;
use super::number::{parse_bool, parse_int};
use super::words::Word;
use crate::place::{problem, span};
use crate::settings::Settings;

/// The arguments of one command.
#[derive(Debug)]
pub(super) struct Input {
    pub settings: Settings,
    places: Vec<Word>,
    /// Words that may be repeated after the arguments.
    pub rest: Vec<Word>,
    options: Vec<(&'static str, Word)>,
    /// The whole line.
    pub line: Span,
}

/// The error is boxed, because it is large and rare.
pub(super) type InputResult<T> = Result<T, Box<Problem>>;

impl Input {
    pub fn read(
        settings: &Settings,
        form: &'static CommandForm,
        name: &Word,
        words: &[Word],
        end: usize,
    ) -> InputResult<Input> {
        let line = span(name.span().start as usize, end);
        let needed = form.takes.iter().filter(|(name, _)| !name.starts_with('[')).count();
        if words.len() < needed {
            let missing = form.takes[words.len()].0;
            let message = format!("<{missing}> is missing: {}", form.brief());
            return Err(Box::new(problem(span(end, end), message)));
        }
        let taken = words.len().min(form.takes.len());
        // An argument that may be left out must not be an option.
        let taken = (needed..taken).find(|&at| words[at].bytes.contains(&b'=')).unwrap_or(taken);
        let (places, words) = words.split_at(taken);
        let mut input = Input {
            settings: *settings,
            places: places.to_vec(),
            rest: Vec::new(),
            options: Vec::new(),
            line,
        };
        for word in words {
            input.read_option(form, word)?;
        }
        if form.rest.is_some_and(|rest| !rest.starts_with('[')) && input.rest.is_empty() {
            let message = format!("{} is missing: {}", form.rest.unwrap_or_default(), form.brief());
            return Err(Box::new(problem(span(end, end), message)));
        }
        Ok(input)
    }

    fn read_option(&mut self, form: &'static CommandForm, word: &Word) -> InputResult<()> {
        let equals = word.bytes.iter().position(|&byte| byte == b'=');
        let name = &word.bytes[..equals.unwrap_or(word.bytes.len())];
        if let Some(equals) = equals
            && let Some(option) = form.options.iter().find(|option| option.name.as_bytes() == name)
        {
            self.options.push((option.name, word.tail_from(equals + 1)));
            return Ok(());
        }
        if form.rest.is_some() {
            self.rest.push(word.clone());
            return Ok(());
        }
        let shown = String::from_utf8_lossy(name);
        let names = form.options.iter().map(|option| option.name);
        let message = match (form.options.is_empty(), equals) {
            (true, _) => format!("unexpected argument {shown}: {}", form.brief()),
            (_, None) => format!("{shown} is not an option <name>=<value>: {}", form.brief()),
            // The former name of both options.
            (_, Some(_)) if form.name == "read" && name == b"limit" => {
                "read has no option limit: count is the maximum number of rows, end is the key after the last one".into()
            }
            (_, Some(_)) => format!("There is no option {shown}{}", did_you_mean(&shown, names)),
        };
        Err(Box::new(problem(word.part(0, name.len()), message)))
    }

    /// Returns the argument at a position, or `None` if it was left out, which the form must allow.
    pub fn word(&self, at: usize) -> Option<&Word> {
        self.places.get(at)
    }

    /// Returns the argument at a position, as bytes.
    pub fn bytes(&self, at: usize) -> Bytes {
        self.word(at).map(|word| word.bytes.as_slice().into()).unwrap_or_default()
    }

    /// Returns the argument at a position, as text.
    pub fn text(&self, at: usize) -> InputResult<String> {
        Ok(self.word(at).map(Word::text).transpose().map_err(Box::new)?.unwrap_or_default())
    }

    /// Returns the last value of an option. An empty value counts as missing, as in cbt.
    pub fn option(&self, name: &str) -> Option<&Word> {
        self.options
            .iter()
            .rev()
            .find(|(known, _)| *known == name)
            .map(|(_, word)| word)
            .filter(|word| !word.bytes.is_empty())
    }

    /// Returns all values of an option.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &Word> {
        self.options.iter().filter(move |(known, _)| *known == name).map(|(_, word)| word)
    }

    /// Returns the value of an option that is a number.
    pub fn number(&self, name: &str) -> InputResult<Option<i64>> {
        let Some(word) = self.option(name) else { return Ok(None) };
        let number = parse_int(&word.bytes);
        number
            .map(Some)
            .ok_or_else(|| Box::new(problem(word.span(), format!("{name} must be a whole number"))))
    }

    /// Returns the value of an option that is true or false.
    pub fn flag(&self, name: &str) -> InputResult<bool> {
        let Some(word) = self.option(name) else { return Ok(false) };
        parse_bool(&word.bytes)
            .ok_or_else(|| Box::new(problem(word.span(), format!("{name} must be true or false"))))
    }
}
