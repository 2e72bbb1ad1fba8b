//! Parses tokens into a filter.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Bound;

use super::lexer::{Kind, Token, lex, span};
use crate::calendar;
use crate::{Bytes, ColumnRange, Problem, RowFilter, Span, Timestamp, TimestampRange, ValueRange};

/// The depth of parsing: more than the engine accepts, so that the engine can reject it, and small
/// enough for the stack.
const DEPTH_MAX: usize = 100;

pub(super) fn parse(text: &str) -> (Option<RowFilter>, Vec<Problem>) {
    let mut problems = Vec::new();
    let tokens = lex(text, &mut problems);
    let mut parser = Parser { tokens: &tokens, at: 0, end: text.len(), problems, depth: 0, unclosed: false };
    if tokens.is_empty() {
        return (None, parser.problems);
    }
    let filter = match parser.value() {
        Some(Value::Filter(filter)) => Some(filter),
        Some(_) => {
            parser.problem(
                tokens[0].span,
                alloc::format!("a filter is expected here, such as {}", RowFilter::FORMS[0].1),
            );
            None
        }
        None => None,
    };
    if let Some(token) = parser.peek() {
        let rest = span(token.span.start as usize, text.len());
        let message = match token.kind {
            Kind::Close => "there is no `(` for this `)`",
            _ => "a filter has ended before this: put several into chain(…) or interleave(…)",
        };
        parser.problem(rest, message);
    }
    (filter, Problem::in_order(parser.problems))
}

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// The number of bytes of the text.
    end: usize,
    problems: Vec<Problem>,
    depth: usize,
    /// Whether a `(` without its `)` was reported.
    unclosed: bool,
}

/// `name(arguments)` as written.
struct Call<'a> {
    name: &'a str,
    span: Span,
    arguments: Vec<Argument<'a>>,
}

struct Argument<'a> {
    name: Option<(&'a str, Span)>,
    /// `None` if the value was unreadable, which has been reported.
    value: Option<Value<'a>>,
    span: Span,
}

enum Value<'a> {
    Filter(RowFilter),
    Number(&'a str),
    Bool(bool),
    Text(Vec<u8>),
}

impl<'t, 'a> Parser<'t, 'a> {
    fn peek(&self) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at)
    }

    fn eat(&mut self, kind: &Kind) -> Option<Span> {
        let token = self.peek().filter(|token| token.kind == *kind)?;
        let span = token.span;
        self.at += 1;
        Some(span)
    }

    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem { span, message: message.into() });
    }

    /// Returns the position of the next token, or of the end of the text.
    fn here(&self) -> Span {
        self.peek().map_or(span(self.end, self.end), |token| token.span)
    }

    /// Reads the value of one argument, or the whole text. Returns `None` if it could not be read,
    /// which is then reported.
    fn value(&mut self) -> Option<Value<'a>> {
        let Some(token) = self.peek().cloned() else {
            self.problem(self.here(), "the text ends where a filter or a value is expected");
            return None;
        };
        match token.kind {
            Kind::Word(word @ ("true" | "false")) => {
                self.at += 1;
                Some(Value::Bool(word == "true"))
            }
            Kind::Number(number) | Kind::Word(number @ ("NaN" | "inf")) => {
                self.at += 1;
                Some(Value::Number(number))
            }
            Kind::String(bytes) => {
                self.at += 1;
                Some(Value::Text(bytes))
            }
            Kind::Word(name) => {
                self.at += 1;
                self.call(name, token.span).map(Value::Filter)
            }
            Kind::Open | Kind::Equals => {
                self.problem(token.span, "a filter or a value is expected here");
                self.skip();
                None
            }
            Kind::Close | Kind::Comma => {
                self.problem(token.span, "a filter or a value is missing before this");
                None
            }
        }
    }

    fn call(&mut self, name: &'a str, start: Span) -> Option<RowFilter> {
        let mut call = Call { name, span: start, arguments: Vec::new() };
        if self.depth == DEPTH_MAX {
            self.problem(
                start,
                alloc::format!("filters are nested more than {DEPTH_MAX} deep: flatten the innermost"),
            );
            self.skip();
            return None;
        }
        match self.eat(&Kind::Open) {
            Some(open) => {
                self.depth += 1;
                self.arguments(&mut call, open);
                self.depth -= 1;
            }
            // Half-typed `chain` is not an empty chain yet.
            None if form(name).contains('(') => {
                self.problem(start, alloc::format!("something is missing: write {}", form(name)));
                return None;
            }
            None => {}
        }
        self.build(&mut call)
    }

    /// Reads everything up to the `)` that closes `open`.
    fn arguments(&mut self, call: &mut Call<'a>, open: Span) {
        loop {
            if let Some(close) = self.eat(&Kind::Close) {
                call.span.end = close.end;
                return;
            }
            if self.peek().is_none() {
                call.span.end = self.end as u32;
                // Only the innermost one is reported; those around it are most likely closed too
                // early, not open as well.
                if !core::mem::replace(&mut self.unclosed, true) {
                    self.problem(open, alloc::format!("this `(` of {} is never closed", call.name));
                }
                return;
            }
            let start = self.here();
            let name = match (
                self.peek().map(|token| &token.kind),
                self.tokens.get(self.at + 1).map(|token| &token.kind),
            ) {
                (Some(Kind::Word(name)), Some(Kind::Equals)) => {
                    self.at += 2;
                    Some((*name, start))
                }
                _ => None,
            };
            let value = self.value();
            let last = self.tokens[self.at.max(1) - 1].span;
            call.arguments.push(Argument {
                name,
                value,
                span: Span { start: start.start, end: last.end.max(start.end) },
            });
            let ended = matches!(self.peek().map(|token| &token.kind), None | Some(Kind::Close));
            if self.eat(&Kind::Comma).is_none() && !ended {
                self.problem(self.here(), alloc::format!("expected `,` or `)` in {}", call.name));
                self.skip();
                self.eat(&Kind::Comma);
            }
        }
    }

    /// Skips to the next `,` or `)` of this level.
    fn skip(&mut self) {
        let mut level = 0_u32;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Open => level += 1,
                Kind::Close | Kind::Comma if level == 0 => return,
                Kind::Close => level -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn build(&mut self, call: &mut Call<'a>) -> Option<RowFilter> {
        Some(match call.name {
            "chain" => RowFilter::Chain(self.filters(call)),
            "interleave" => RowFilter::Interleave(self.filters(call)),
            "condition" => {
                let [predicate, on_true, on_false] = self.bind(call, ["predicate", "then", "else"], 1);
                let predicate = self.required(call, predicate).and_then(|argument| self.filter(argument));
                let on_true = on_true.and_then(|argument| self.filter(argument)).map(Box::new);
                let on_false = on_false.and_then(|argument| self.filter(argument)).map(Box::new);
                RowFilter::Condition { predicate: Box::new(predicate?), on_true, on_false }
            }
            "sink" => RowFilter::Sink(self.flag(call)?),
            "pass_all" => RowFilter::PassAll(self.flag(call)?),
            "block_all" => RowFilter::BlockAll(self.flag(call)?),
            "strip_value" => RowFilter::StripValue(self.flag(call)?),
            "row_key_regex" => RowFilter::RowKeyRegex(self.only_bytes(call)?),
            "column_qualifier_regex" => RowFilter::ColumnQualifierRegex(self.only_bytes(call)?),
            "value_regex" => RowFilter::ValueRegex(self.only_bytes(call)?),
            "value_bitmask" => RowFilter::ValueBitmask(self.only_bytes(call)?),
            "family_name_regex" => RowFilter::FamilyNameRegex(self.only_text(call)?),
            "apply_label" => RowFilter::ApplyLabel(self.only_text(call)?),
            "cells_per_row_offset" => RowFilter::CellsPerRowOffset(self.only_number(call, "a whole number")?),
            "cells_per_row_limit" => RowFilter::CellsPerRowLimit(self.only_number(call, "a whole number")?),
            "cells_per_column_limit" => {
                RowFilter::CellsPerColumnLimit(self.only_number(call, "a whole number")?)
            }
            "row_sample" => RowFilter::RowSample(self.only_number(call, "a number between 0 and 1")?),
            "column_range" => {
                let [family, ends @ ..] =
                    self.bind(call, ["family", "start", "start_open", "end", "end_open"], 1);
                let family = self.required(call, family).and_then(|argument| self.text(argument));
                let (start, end) = self.ends(ends);
                RowFilter::ColumnRange(ColumnRange { family: family?, start, end })
            }
            "value_range" => {
                let ends = self.bind(call, ["start", "start_open", "end", "end_open"], 0);
                let (start, end) = self.ends(ends);
                RowFilter::ValueRange(ValueRange { start, end })
            }
            "timestamp_range" => {
                let [start, end] = self.bind(call, ["start", "end_open"], 2);
                let start = start.map_or(Some(0), |argument| self.time(argument));
                let end = end.map_or(Some(0), |argument| self.time(argument));
                RowFilter::TimestampRange(TimestampRange { start: start?, end: end? })
            }
            name => {
                let message = match nearest(
                    name.trim_end_matches("_filter"),
                    RowFilter::FORMS.iter().map(|form| form.0),
                ) {
                    Some(near) => alloc::format!("there is no filter `{name}`. Did you mean `{near}`?"),
                    None => alloc::format!("there is no filter `{name}`"),
                };
                let end = call.span.start + name.len() as u32;
                self.problem(Span { start: call.span.start, end }, message);
                return None;
            }
        })
    }

    /// Returns the arguments in the order of `names`. The first `positional` of them may be written
    /// without their name.
    fn bind<const N: usize>(
        &mut self,
        call: &mut Call<'a>,
        names: [&'static str; N],
        positional: usize,
    ) -> [Option<Argument<'a>>; N] {
        let mut bound = [const { None }; N];
        let mut unnamed = 0;
        for argument in call.arguments.drain(..) {
            let slot = match argument.name {
                None if unnamed < positional => {
                    unnamed += 1;
                    unnamed - 1
                }
                None => {
                    self.problem(
                        argument.span,
                        alloc::format!("too many arguments: write {}", form(call.name)),
                    );
                    continue;
                }
                Some((name, at)) => match names.iter().position(|known| *known == name) {
                    Some(slot) => slot,
                    None => {
                        let hint = match nearest(name, names.iter().copied()) {
                            Some(near) => alloc::format!(". Did you mean `{near}`?"),
                            None => alloc::format!(": write {}", form(call.name)),
                        };
                        self.problem(at, alloc::format!("{} has no `{name}`{hint}", call.name));
                        continue;
                    }
                },
            };
            if bound[slot].is_some() {
                self.problem(
                    argument.span,
                    alloc::format!("{} already has its `{}`", call.name, names[slot]),
                );
                continue;
            }
            bound[slot] = Some(argument);
        }
        bound
    }

    fn required(&mut self, call: &Call, argument: Option<Argument<'a>>) -> Option<Argument<'a>> {
        if argument.is_none() {
            self.problem(call.span, alloc::format!("something is missing: write {}", form(call.name)));
        }
        argument
    }

    fn only(&mut self, call: &mut Call<'a>) -> Option<Argument<'a>> {
        let [argument] = self.bind(call, [""], 1);
        self.required(call, argument)
    }

    fn filters(&mut self, call: &mut Call<'a>) -> Vec<RowFilter> {
        let mut filters = Vec::new();
        for argument in call.arguments.drain(..) {
            if let Some((name, at)) = argument.name {
                self.problem(at, alloc::format!("{} takes filters without names: omit `{name}=`", call.name));
            }
            filters.extend(self.filter(argument));
        }
        filters
    }

    fn filter(&mut self, argument: Argument<'a>) -> Option<RowFilter> {
        match argument.value? {
            Value::Filter(filter) => Some(filter),
            _ => self.expected("a filter", argument.span),
        }
    }

    fn flag(&mut self, call: &mut Call<'a>) -> Option<bool> {
        let [argument] = self.bind(call, [""], 1);
        let Some(argument) = argument else { return Some(true) };
        match argument.value? {
            Value::Bool(flag) => Some(flag),
            _ => self.expected("`true`, or nothing,", argument.span),
        }
    }

    fn only_bytes(&mut self, call: &mut Call<'a>) -> Option<Bytes> {
        let argument = self.only(call)?;
        self.bytes(argument)
    }

    fn only_text(&mut self, call: &mut Call<'a>) -> Option<String> {
        let argument = self.only(call)?;
        self.text(argument)
    }

    fn only_number<T: core::str::FromStr>(&mut self, call: &mut Call<'a>, what: &str) -> Option<T> {
        let argument = self.only(call)?;
        match argument.value? {
            Value::Number(number) => match number.replace('_', "").parse() {
                Ok(number) => Some(number),
                Err(_) => self.expected(what, argument.span),
            },
            _ => self.expected(what, argument.span),
        }
    }

    fn bytes(&mut self, argument: Argument<'a>) -> Option<Bytes> {
        match argument.value? {
            Value::Text(bytes) => Some(Bytes(bytes)),
            _ => self.expected("a string in double quotes", argument.span),
        }
    }

    fn text(&mut self, argument: Argument<'a>) -> Option<String> {
        let at = argument.span;
        match String::from_utf8(self.bytes(argument)?.0) {
            Ok(text) => Some(text),
            Err(_) => self.expected("text that is UTF-8", at),
        }
    }

    fn time(&mut self, argument: Argument<'a>) -> Option<Timestamp> {
        let read = match argument.value? {
            Value::Number(number) => number.replace('_', "").parse().ok(),
            Value::Text(bytes) => calendar::parse(&bytes, calendar::Iso::Utc),
            _ => None,
        };
        match read {
            Some(time) => Some(time),
            None => {
                self.expected("a time in microseconds, or as \"2019-05-28T00:04:34.000Z\",", argument.span)
            }
        }
    }

    /// Returns the bounds of `[start, start_open, end, end_open]`.
    fn ends(
        &mut self,
        [start, start_open, end, end_open]: [Option<Argument<'a>>; 4],
    ) -> (Bound<Bytes>, Bound<Bytes>) {
        (self.bound(start, start_open, "start"), self.bound(end, end_open, "end"))
    }

    fn bound(
        &mut self,
        closed: Option<Argument<'a>>,
        open: Option<Argument<'a>>,
        name: &str,
    ) -> Bound<Bytes> {
        if let (Some(_), Some(open)) = (&closed, &open) {
            self.problem(
                open.span,
                alloc::format!("either `{name}` (included) or `{name}_open` (not included), not both"),
            );
        }
        if let Some(bytes) = closed.and_then(|argument| self.bytes(argument)) {
            return Bound::Included(bytes);
        }
        open.and_then(|argument| self.bytes(argument)).map_or(Bound::Unbounded, Bound::Excluded)
    }

    fn expected<T>(&mut self, what: &str, span: Span) -> Option<T> {
        self.problem(span, alloc::format!("{what} is expected here"));
        None
    }
}

fn form(name: &str) -> String {
    RowFilter::FORMS.iter().find(|form| form.0 == name).map_or_else(String::new, |form| form.1.to_string())
}

/// Returns the known name that `name` most likely misspells: it is a prefix of it, or fewer than
/// half of its letters are wrong.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lower = name.to_ascii_lowercase();
    let distance =
        |known: &str| if lower.len() > 2 && known.starts_with(&lower) { 1 } else { edits(&lower, known) };
    let (distance, nearest) = known.map(|known| (distance(known), known)).min()?;
    (distance * 2 < nearest.len().max(2)).then_some(nearest)
}

/// Returns the number of letters to insert, delete or replace to turn `from` into `to`.
fn edits(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
