//! Google's `cbt`: its commands and their output. Additions to it are `filter=`, `tablets` and `compact`.
//!
//! Lines may begin with `cbt` and its flags, as in scripts. The host decides on project and instance.

mod arguments;
mod columns;
mod commands;
mod csv;
mod format_file;
mod forms;
mod help;
mod import;
mod number;
mod policy;
mod print;
mod quote;
mod words;
mod write;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tabletop_model::{Code, Error, Problem, Span, did_you_mean};

use crate::task::Task;
use crate::{Settings, WRITTEN, problem, span};
use arguments::Input;
use forms::CLOUD;
use words::{Extent, Word, words};

pub use quote::quote;

pub(crate) use forms::{CommandForm, FORMS, Takes};
pub(crate) use policy::text as policy_text;
pub use policy::{gc_policy, gc_policy_text};
pub(crate) use write::write;

/// Starts the command of a line; `None` for an empty one.
pub(crate) fn start(settings: &Settings, text: &str) -> Result<Option<Box<dyn Task>>, Problem> {
    let line = words(text, Extent::Text);
    if let Some(at) = line.unclosed {
        return Err(problem(span(at, text.len()), "this quote is not closed: close it, or put \\ before it"));
    }
    let words = without_flags(&line.words);
    let Some((name, words)) = words.split_first() else { return Ok(None) };
    let form = form(name)?;
    let input = Input::read(settings, form, name, words, text.len()).map_err(|problem| *problem)?;
    (form.start)(input).map(Some).map_err(|problem| *problem)
}

/// Finds a command by its name.
fn form(name: &Word) -> Result<&'static CommandForm, Problem> {
    if let Some(form) = FORMS.iter().find(|form| form.name.as_bytes() == name.bytes) {
        return Ok(form);
    }
    let shown = String::from_utf8_lossy(&name.bytes);
    let message = match CLOUD.iter().any(|cloud| cloud.as_bytes() == name.bytes) {
        true if shown == "setvaluetype" => {
            "createtable and createfamily set the type of an aggregate family, which cannot be changed later: create another \
             family (other types are not kept here)"
                .into()
        }
        true => alloc::format!("{shown} is for instances, clusters and profiles in Google Cloud, which do not exist here"),
        false => {
            let hint = did_you_mean(&shown, FORMS.iter().map(|form| form.name));
            alloc::format!("There is no command {shown}{hint}")
        }
    };
    Err(problem(name.span(), message))
}

/// The words after `cbt -project p -instance=i`.
fn without_flags(mut words: &[Word]) -> &[Word] {
    if let Some((first, rest)) = words.split_first()
        && first.bytes == b"cbt"
    {
        words = rest;
        while let Some((flag, rest)) = words.split_first()
            && flag.bytes.starts_with(b"-")
        {
            // Each has a value, in the same word or in the next.
            let skipped = usize::from(!flag.bytes.contains(&b'=')).min(rest.len());
            words = &rest[skipped..];
        }
    }
    words
}

/// The places of the commands of a text.
pub(crate) fn split(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line = words(&text[at..], Extent::Line);
        if let (Some(first), Some(last)) = (line.words.first(), line.words.last()) {
            let start = at + first.span().start as usize;
            let end = at + last.span().end as usize;
            // Quotes are before the first letter; places are those of letters.
            let start = text[at..start].rfind(['\n', ' ', '\t', '\r']).map_or(at, |blank| at + blank + 1);
            spans.push(span(start, end));
        }
        at += line.end + 1;
    }
    spans
}

/// Writes a failed request to the output.
pub(crate) fn write_failure(out: &mut String, doing: &str, error: &Error) {
    writeln!(out, "{doing}: {}", status(error)).expect(WRITTEN);
}

/// Formats an error like gRPC in Go.
fn status(error: &Error) -> String {
    let code = match error.code {
        Code::InvalidArgument => "InvalidArgument",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::Cancelled => "Canceled",
        Code::DataLoss => "DataLoss",
        Code::Unavailable => "Unavailable",
        Code::Internal => "Internal",
    };
    alloc::format!("rpc error: code = {code} desc = {}", error.message)
}

/// The words before the one that is being typed, after `cbt` and its flags, and the offset of that one.
pub(crate) fn half_typed(text: &str) -> (Vec<String>, usize) {
    let mut line = words(text, Extent::Text);
    let mut start = text.len();
    if line.is_open
        && let Some(word) = line.words.pop()
    {
        let first = word.span().start as usize;
        start = text[..first].rfind([' ', '\t', '\n', '\r']).map_or(0, |blank| blank + 1);
    }
    let words = without_flags(&line.words);
    (words.iter().map(|word| String::from_utf8_lossy(&word.bytes).into_owned()).collect(), start)
}
