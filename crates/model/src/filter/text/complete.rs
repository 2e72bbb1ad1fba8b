//! Completion of a filter's text while the user types it.

use alloc::string::String;
use alloc::vec::Vec;

use super::RowFilter;
use crate::text::{Completion, Span};

impl RowFilter {
    /// Returns the filters whose names begin with the word before byte `at` of a text, if a filter
    /// can stand there. A name that takes arguments comes with its parentheses.
    pub fn complete(text: &str, at: usize) -> Vec<Completion> {
        let Some(before) = text.get(..at) else { return Vec::new() };
        let word = &before[before.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '_').len()..];
        let lead = before[..before.len() - word.len()].trim_end();
        let is_place = match lead.chars().next_back() {
            None | Some('(' | '=') => true,
            // A quote before a comma ends an argument, and there are no filters inside a string.
            Some(',') => true,
            Some(_) => false,
        };
        let in_quotes = {
            let mut quoted = false;
            let mut escaped = false;
            for c in lead.chars() {
                match c {
                    _ if escaped => escaped = false,
                    '\\' if quoted => escaped = true,
                    '"' => quoted = !quoted,
                    _ => {}
                }
            }
            quoted
        };
        if !is_place || in_quotes {
            return Vec::new();
        }
        let span = Span { start: (at - word.len()) as u32, end: at as u32 };
        let is_called = text[at..].starts_with('(');
        let fits = |name: &&str| name.starts_with(word) && *name != word;
        let completion = |name: &str, form: &str| {
            let takes = form.contains('(') && !is_called;
            let text = if takes { [name, "()"].concat() } else { String::from(name) };
            let caret = (name.len() + usize::from(takes)) as u32;
            Completion { span, text, caret }
        };
        let forms = RowFilter::FORMS.iter().filter(|(name, _)| fits(name));
        forms.map(|(name, form)| completion(name, form)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(text: &str) -> Vec<String> {
        let at = text.find('|').expect("a caret");
        RowFilter::complete(&text.replace('|', ""), at)
            .into_iter()
            .map(|completion| completion.text)
            .collect()
    }

    #[test]
    fn filters_are_offered_where_they_can_stand() {
        assert_eq!(offered("value_|"), ["value_regex()", "value_range()", "value_bitmask()"]);
        assert_eq!(offered("chain(pass|)"), ["pass_all"]);
        assert_eq!(offered("chain(pass_all, cells_per_row_l|"), ["cells_per_row_limit()"]);
        assert_eq!(offered("condition(pass_all, then=str|)"), ["strip_value"]);
        assert_eq!(offered("value_reg|(\"a\")"), ["value_regex"], "its parentheses are there");
        assert_eq!(offered("|").len(), RowFilter::FORMS.len());
        assert_eq!(offered("value_regex(\"chain(|"), Vec::<String>::new(), "this is a pattern");
        assert_eq!(offered("pass_all|"), Vec::<String>::new(), "it is there");
        assert_eq!(offered("pass_all va|"), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_strange(text in "[a-z_(),=\"\\\\ \u{e9}]{0,24}", at in 0usize..40) {
            let at = at.min(text.len());
            for completion in RowFilter::complete(&text, at) {
                proptest::prop_assert!(text.is_char_boundary(completion.span.start as usize) && completion.span.end as usize == at);
                proptest::prop_assert!(completion.caret as usize <= completion.text.len());
            }
        }
    }
}
