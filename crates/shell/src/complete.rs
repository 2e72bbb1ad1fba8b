//! Completions at a position in a half-typed command.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::Span;

use crate::cbt::{CommandForm, FORMS as CBT, Takes, half_typed};
use crate::hbase::FORMS as HBASE;
use crate::place::span;

/// A completion at the end of a half-typed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The bytes of the line that it replaces.
    pub span: Span,
    /// The whole word.
    pub text: String,
    /// A short description.
    pub about: String,
}

/// The tables for completion: their IDs, with the families of each.
pub type Known<'a> = &'a [(String, Vec<String>)];

/// The completions that begin with the typed text.
struct Offers {
    typed: String,
    span: Span,
    found: Vec<Completion>,
}

impl Offers {
    fn new(line: &str, start: usize, at: usize) -> Offers {
        Offers { typed: line[start..at].into(), span: span(start, at), found: Vec::new() }
    }

    fn offer(&mut self, text: impl Into<String>, about: &str) {
        let text = text.into();
        if text.starts_with(&self.typed) && self.found.iter().all(|known| known.text != text) {
            self.found.push(Completion { span: self.span, text, about: about.into() });
        }
    }
}

fn families<'a>(known: Known<'a>, table: &str) -> &'a [String] {
    known.iter().find(|(name, _)| name == table).map_or(&[], |(_, families)| families)
}

/// Completes a line of cbt.
pub(crate) fn cbt(line: &str, at: usize, known: Known) -> Vec<Completion> {
    let (words, start) = half_typed(&line[..at]);
    let mut offers = Offers::new(line, start, at);
    let Some((command, arguments)) = words.split_first() else {
        for form in CBT {
            offers.offer(form.name, form.about);
        }
        return offers.found;
    };
    let Some(form) = CBT.iter().find(|form| form.name == command.as_str()) else { return Vec::new() };
    match form.takes.get(arguments.len()).map(|(_, takes)| takes) {
        Some(Takes::Table) => known.iter().for_each(|(table, _)| offers.offer(table.as_str(), "table")),
        Some(Takes::Family) => {
            let table = arguments.first().map_or("", String::as_str);
            families(known, table).iter().for_each(|family| offers.offer(family.as_str(), "column family"));
        }
        Some(Takes::Command) => CBT.iter().for_each(|form| offers.offer(form.name, form.about)),
        Some(Takes::Text) => {}
        None => options(&mut offers, form, arguments, known),
    }
    offers.found
}

fn options(offers: &mut Offers, form: &CommandForm, arguments: &[String], known: Known) {
    let families = families(known, arguments.first().map_or("", String::as_str));
    let typed = offers.typed.clone();
    let value_of = typed.split_once('=').map(|(name, _)| name);
    for option in form.options {
        let name = [option.name, "="].concat();
        match value_of {
            None => offers.offer(name, option.about),
            Some(value_of) if value_of != option.name => {}
            Some(_) => match option.value {
                "<true|false>" => ["true", "false"]
                    .iter()
                    .for_each(|value| offers.offer([&name, *value].concat(), option.about)),
                "full" => offers.offer([&name, "full"].concat(), option.about),
                "<now|value-encoded>" => {
                    ["now", "value-encoded"]
                        .iter()
                        .for_each(|value| offers.offer([&name, *value].concat(), option.about));
                }
                "<family>" => families
                    .iter()
                    .for_each(|family| offers.offer([&name, family.as_str()].concat(), "column family")),
                "<family>:<qualifier>,..." => {
                    // Only the part after the last comma is completed.
                    let before = &typed[..typed.rfind(',').map_or(name.len(), |comma| comma + 1)];
                    families
                        .iter()
                        .for_each(|family| offers.offer([before, family, ":"].concat(), "column family"));
                }
                _ => {}
            },
        }
    }
    if form.rest.is_some_and(|rest| rest.starts_with("<family>")) {
        families.iter().for_each(|family| offers.offer([family, ":"].concat(), "column family"));
    }
    if form.name == "setgcpolicy" {
        ["maxage=", "maxversions=", "never", "and", "or"]
            .iter()
            .for_each(|word| offers.offer(*word, "garbage collection"));
    }
}

/// Completes a line of the HBase shell.
pub(crate) fn hbase(line: &str, at: usize, known: Known) -> Vec<Completion> {
    let typed = &line[..at];
    let first = typed.len() - typed.trim_start().len();
    let Some(end) = typed[first..].find(|c: char| !(c.is_alphanumeric() || c == '_')) else {
        let mut offers = Offers::new(line, first, at);
        for form in HBASE {
            offers.offer(form.name, form.about);
        }
        return offers.found;
    };
    let command = &typed[first..first + end];
    let Some(form) = HBASE.iter().find(|form| form.name == command) else { return Vec::new() };
    let arguments = &typed[first + end..];
    // Quotes come in pairs, unless the typed text ends inside of one.
    let quotes: Vec<usize> = arguments.match_indices('\'').map(|(at, _)| first + end + at).collect();
    if quotes.len() % 2 == 1 {
        let quote = quotes[quotes.len() - 1];
        let mut offers = Offers::new(line, quote, at);
        let table = || quotes.get(1).map_or("", |&end| &typed[quotes[0] + 1..end]);
        match (quotes.len(), command) {
            (1, "help") => {
                HBASE.iter().for_each(|form| offers.offer(["'", form.name, "'"].concat(), form.about));
            }
            (1, "create") => {}
            (1, _) => known.iter().for_each(|(name, _)| offers.offer(["'", name, "'"].concat(), "table")),
            _ => families(known, table())
                .iter()
                .for_each(|family| offers.offer(["'", family, ":"].concat(), "column family")),
        }
        return offers.found;
    }
    let word = typed
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map_or(0, |at| at + typed[at..].chars().next().map_or(1, char::len_utf8));
    let mut offers = Offers::new(line, word, at);
    if quotes.is_empty() {
        if command != "create" && command != "help" {
            known.iter().for_each(|(name, _)| offers.offer(["'", name, "'"].concat(), "table"));
        }
    } else {
        form.names.iter().for_each(|name| offers.offer([name, " => "].concat(), form.about));
    }
    offers.found
}
