//! Google's `cbt`: its commands and their output. Additions to it are `filter=`, `tablets` and
//! `compact`.
//!
//! Lines may begin with `cbt` and its flags, as in scripts. The host decides on project and
//! instance.

mod arguments;
mod columns;
mod commands;
mod csv;
mod failure;
mod form;
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

use tabletop_model::{Problem, Span};

use crate::place::{problem, span};
use crate::settings::Settings;
use crate::task::Task;
use arguments::Input;
use words::{Extent, Word, words};

pub use quote::quote;

pub(crate) use failure::write_failure;
pub(crate) use form::{CommandForm, Takes};
pub(crate) use forms::FORMS;
pub(crate) use policy::text as policy_text;
pub use policy::{gc_policy, gc_policy_text};
pub(crate) use write::write;

/// Starts the command of a line. Returns `None` for an empty line.
pub(crate) fn start(settings: &Settings, text: &str) -> Result<Option<Box<dyn Task>>, Problem> {
    let line = words(text, Extent::Text);
    if let Some(at) = line.unclosed {
        return Err(problem(span(at, text.len()), "this quote is not closed: close it, or put \\ before it"));
    }
    let words = without_flags(&line.words);
    let Some((name, words)) = words.split_first() else { return Ok(None) };
    let form = forms::find(name)?;
    let input = Input::read(settings, form, name, words, text.len()).map_err(|problem| *problem)?;
    (form.start)(input).map(Some).map_err(|problem| *problem)
}

/// Returns the words after `cbt -project p -instance=i`.
fn without_flags(mut words: &[Word]) -> &[Word] {
    if let Some((first, rest)) = words.split_first()
        && first.bytes == b"cbt"
    {
        words = rest;
        while let Some((flag, rest)) = words.split_first()
            && flag.bytes.starts_with(b"-")
        {
            // Each flag has a value, in the same word or in the next.
            let skipped = usize::from(!flag.bytes.contains(&b'=')).min(rest.len());
            words = &rest[skipped..];
        }
    }
    words
}

/// Returns the positions of the commands in a text.
pub(crate) fn split(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line = words(&text[at..], Extent::Line);
        if let (Some(first), Some(last)) = (line.words.first(), line.words.last()) {
            let start = at + first.span().start as usize;
            let end = at + last.span().end as usize;
            // Quotes precede the first letter; positions are those of letters.
            let start = text[at..start].rfind(['\n', ' ', '\t', '\r']).map_or(at, |blank| at + blank + 1);
            spans.push(span(start, end));
        }
        at += line.end + 1;
    }
    spans
}

/// Returns the words before the one that is being typed, after `cbt` and its flags, and the offset
/// of that word.
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
