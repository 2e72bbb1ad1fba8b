//! Completes a template while the user types it: fields, functions and their arguments, and the
//! transforms that suit a field.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Completion, Span};

use super::parse::TRANSFORMS;
use crate::time::TimeFormat;
use crate::{Field, FieldKind};

/// The maximum number of completions.
const COMPLETIONS_MAX: usize = 50;

/// Returns the possible completions at byte `at` of a template, the most useful ones first. Outside
/// of braces there are none.
pub fn complete_template(text: &str, at: usize, fields: &[Field]) -> Vec<Completion> {
    let Some(before) = text.get(..at) else { return Vec::new() };
    let Some(open) = open_brace(before) else { return Vec::new() };
    let inside = &before[open + 1..];
    let is_closed = text[at..].find(['{', '}']).is_some_and(|end| text[at + end..].starts_with('}'));
    let call = inside.rfind('(').filter(|paren| !inside[*paren..].contains(')'));
    let (word_at, offered): (usize, Vec<(String, &'static str)>) = match call {
        Some(paren) => {
            let name_at = inside[..paren].rfind([':', '{']).map_or(0, |before| before + 1);
            let args = &inside[paren + 1..];
            let last = args.rfind(',').map_or(0, |comma| comma + 1);
            let last = last + args[last..].len() - args[last..].trim_start().len();
            let position = args.matches(',').count();
            (open + 1 + paren + 1 + last, arguments(inside[name_at..paren].trim(), position, fields))
        }
        None => match inside.rfind(':') {
            Some(colon) => {
                let name = inside.split(':').next().unwrap_or_default().trim();
                let field = fields.iter().find(|field| field.name == name);
                (open + 1 + colon + 1, transforms(field.map(|field| &field.kind), is_closed))
            }
            None => (open + 1, heads(fields, open == 0, is_closed)),
        },
    };
    let word = text[word_at..at].trim_start();
    let word_at = at - word.len();
    let wanted = word.to_lowercase();
    let fits = |text: &str| text.to_lowercase().starts_with(&wanted) && text.trim_end_matches('}') != word;
    let span = Span { start: word_at as u32, end: at as u32 };
    offered
        .into_iter()
        .filter(|(text, _)| fits(text))
        .take(COMPLETIONS_MAX)
        .map(|(text, tail)| {
            let caret = text.len() as u32;
            Completion { span, text: text + tail, caret }
        })
        .collect()
}

/// Returns the position of the open brace that the end of the text is in.
fn open_brace(before: &str) -> Option<usize> {
    let mut open = None;
    let mut rest = before.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let is_doubled = open.is_none() && rest.peek().is_some_and(|(_, next)| *next == c);
        match c {
            // A doubled brace is a literal character.
            '{' | '}' if is_doubled => drop(rest.next()),
            '{' => open = Some(at),
            '}' => open = None,
            _ => {}
        }
    }
    open
}

/// Returns fields and functions, each with the text that follows the caret.
fn heads(fields: &[Field], is_first: bool, is_closed: bool) -> Vec<(String, &'static str)> {
    let brace = if is_closed { "" } else { "}" };
    let call = if is_closed { ")" } else { ")}" };
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['{', '}', ':', '(', ')', '"', ',']);
    let names = fields.iter().filter(|field| is_plain(&field.name)).map(|field| (field.name.clone(), brace));
    let numbers = fields.iter().filter(|field| is_number(field)).count();
    let salt = is_first.then(|| ("salt(".to_owned(), call));
    let zorder = (numbers >= 2).then(|| ("zorder(".to_owned(), call));
    names.chain(salt).chain(zorder).collect()
}

fn is_number(field: &Field) -> bool {
    matches!(field.kind, FieldKind::Int | FieldKind::Float)
}

/// Returns the transforms that suit a field, the most useful ones first.
fn transforms(kind: Option<&FieldKind>, is_closed: bool) -> Vec<(String, &'static str)> {
    let (brace, call) = if is_closed { ("", ")") } else { ("}", ")}") };
    let is_time = |name: &str| name == "bucket" || TimeFormat::ALL.iter().any(|(time, _)| *time == name);
    let suits = |name: &&str| match kind {
        Some(FieldKind::Time) => !matches!(*name, "pad" | "reverse_domain" | "upper" | "lower" | "or"),
        Some(FieldKind::Int) => !is_time(name) && !matches!(*name, "reverse_domain" | "upper" | "lower"),
        Some(_) => !is_time(name) && *name != "pad",
        None => true,
    };
    let with_tail = |name: &str| match name {
        "bucket" | "pad" | "or" => (alloc::format!("{name}("), call),
        _ => (name.to_owned(), brace),
    };
    TRANSFORMS.iter().copied().filter(suits).map(with_tail).collect()
}

/// Returns the arguments of a function.
fn arguments(function: &str, position: usize, fields: &[Field]) -> Vec<(String, &'static str)> {
    let texts = |texts: &[&str]| texts.iter().map(|text| ((*text).to_owned(), "")).collect();
    match function {
        "salt" if position == 0 => texts(&["8", "4", "16", "32"]),
        "salt" => fields
            .iter()
            .map(|field| field.name.clone())
            .chain(["from=".into()])
            .map(|text| (text, ""))
            .collect(),
        "zorder" if position < 2 => {
            fields.iter().filter(|field| is_number(field)).map(|field| (field.name.clone(), "")).collect()
        }
        "zorder" => texts(&[
            "as=hex",
            "as=bytes",
            "as=decimal",
            "bits=16",
            "first=x",
            "first=y",
            "x=-180..180",
            "y=-90..90",
        ]),
        "bucket" => texts(&["1h", "5m", "1d"]),
        "pad" => texts(&["10"]),
        "or" => texts(&["none", "0"]),
        "hash" => texts(&["8"]),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Template;

    fn fields() -> Vec<Field> {
        [
            ("app", FieldKind::Text),
            ("time", FieldKind::Time),
            ("n", FieldKind::Int),
            ("lon", FieldKind::Float),
        ]
        .map(|(name, kind)| Field::new(name, kind))
        .to_vec()
    }

    /// Returns the completions at the position of `|`, each with the text that follows the caret.
    fn offered(text: &str) -> Vec<String> {
        let at = text.find('|').expect("a caret");
        let completions = complete_template(&text.replace('|', ""), at, &fields());
        completions
            .iter()
            .map(|completion| {
                let (before, after) = completion.text.split_at(completion.caret as usize);
                alloc::format!("{before}|{after}")
            })
            .collect()
    }

    #[test]
    fn fields_and_functions_begin_a_part() {
        assert_eq!(offered("{|"), ["app|}", "time|}", "n|}", "lon|}", "salt(|)}", "zorder(|)}"]);
        assert_eq!(offered("{app},{T|}"), ["time|"]);
        assert_eq!(offered("{app},{s|"), Vec::<String>::new(), "a salt comes first");
        assert_eq!(offered("x|"), Vec::<String>::new());
        assert_eq!(offered("{{|"), Vec::<String>::new(), "these are characters");
        assert_eq!(offered("{app|}"), Vec::<String>::new(), "it is there");
    }

    #[test]
    fn transforms_suit_their_field() {
        assert_eq!(offered("{time:r|}"), ["reverse_time|", "reverse|"]);
        assert_eq!(offered("{n:|"), ["pad(|)}", "hash|}", "reverse|}", "or(|)}"]);
        assert_eq!(offered("{app:u|"), ["upper|}"]);
        assert_eq!(offered("{app:reverse|"), ["reverse_domain|}"]);
        assert_eq!(offered("{time:b|"), ["bucket(|)}"]);
    }

    #[test]
    fn functions_have_arguments() {
        assert_eq!(offered("{salt(|)}-{app}"), ["8|", "4|", "16|", "32|"]);
        assert_eq!(offered("{salt(8, a|)}-{app}"), ["app|"]);
        assert_eq!(offered("{salt(8, f|)}-{app}"), ["from=|"]);
        assert_eq!(offered("{zorder(n, |)}"), ["n|", "lon|"]);
        assert_eq!(offered("{zorder(n, lon, as=h|)}"), ["as=hex|"]);
        assert_eq!(offered("{time:bucket(1|)}"), ["1h|", "1d|"]);
    }

    #[test]
    fn a_completion_is_understood() {
        for (text, at) in [("{", 1), ("{time:", 6), ("{n:", 3), ("{salt(", 6), ("{zorder(n, lon, ", 16)] {
            for completion in complete_template(text, at, &fields()) {
                let whole = alloc::format!("{}{}", &text[..completion.span.start as usize], completion.text);
                let (_, problems) = Template::parse(&whole, &fields());
                let needs_more = whole.contains("()") || !whole.ends_with('}');
                assert!(needs_more || problems.is_empty(), "{whole}: {problems:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[{}():, a-z=\u{e9}\"]{0,24}", at in 0usize..40) {
            for completion in complete_template(&text, at.min(text.len()), &fields()) {
                proptest::prop_assert!(completion.span.end as usize == at.min(text.len()));
                proptest::prop_assert!(text.is_char_boundary(completion.span.start as usize));
                proptest::prop_assert!(completion.text.is_char_boundary(completion.caret as usize));
            }
        }
    }
}
