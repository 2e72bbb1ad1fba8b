//! The parts of a table's keys: those that the user has named, or else the parts between
//! separators.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{Layout, LayoutKind, Template};
use tabletop_model::{Problem, RowKey};
use tabletop_protocol::LiveTable;

use crate::StoredKeys;

/// Characters that separate parts of keys, the more common first.
const SEPARATORS: [u8; 7] = *b"#/:|,.-";
/// The maximum number of parts that are distinguished without a template.
const PARTS_MAX: usize = 6;
/// The minimum number of keys from which a common form is inferred.
const KEYS_MIN: usize = 4;

/// The parts of a table's keys.
pub struct KeyParts {
    /// The table.
    pub table: LiveTable,
    /// As typed; empty for none.
    pub text: String,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// The template inferred from separators, if it is informative.
    pub guessed: Option<String>,
    /// The template that is used.
    pub template: Rc<Template>,
    /// The keys by this template.
    pub keys: Rc<StoredKeys>,
}

impl KeyParts {
    /// The parts of a table's keys, as the user has named them.
    pub fn of(table: LiveTable, text: String) -> KeyParts {
        let template = Rc::new(Template::new([], &[]));
        let keys = keys_of(&template);
        let mut parts = KeyParts { table, text, problems: Vec::new(), guessed: None, template, keys };
        parts.update();
        parts
    }

    /// Takes a text that the user has typed.
    pub fn set(&mut self, text: String) {
        self.text = text;
        self.update();
    }

    /// Takes keys of the table. They are used as long as the user has named no parts.
    pub fn learn(&mut self, keys: &[RowKey]) {
        let guessed = guess(keys);
        if self.guessed != guessed {
            self.guessed = guessed;
            self.update();
        }
    }

    fn update(&mut self) {
        let (template, problems) = match (&self.text, &self.guessed) {
            (text, Some(guessed)) if text.is_empty() => Template::of_text(guessed),
            (text, None) if text.is_empty() => (Template::new([], &[]), Vec::new()),
            (text, _) => Template::of_text(text),
        };
        if problems.is_empty() && template != *self.template {
            self.template = Rc::new(template);
            self.keys = keys_of(&self.template);
        }
        self.problems = problems;
    }
}

fn keys_of(template: &Template) -> Rc<StoredKeys> {
    Rc::new(StoredKeys::new(template, &Layout::new(LayoutKind::Narrow)))
}

/// Returns a template that divides all keys at one separator that each of them contains equally
/// often.
fn guess(keys: &[RowKey]) -> Option<String> {
    let keys: Vec<&RowKey> = keys.iter().filter(|key| !key.is_empty()).collect();
    if keys.len() < KEYS_MIN {
        return None;
    }
    let times = |key: &RowKey, separator: u8| key.iter().filter(|byte| **byte == separator).count();
    let separator = SEPARATORS.into_iter().find(|separator| {
        let most = times(keys[0], *separator);
        (1..PARTS_MAX).contains(&most) && keys.iter().all(|key| times(key, *separator) == most)
    })?;
    let parts: Vec<String> =
        (0..=times(keys[0], separator)).map(|part| format!("{{part{}}}", part + 1)).collect();
    Some(parts.join(char::from(separator).encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(keys: &[&str]) -> Option<String> {
        guess(&keys.iter().map(|key| RowKey::from(*key)).collect::<Vec<_>>())
    }

    #[test]
    fn keys_are_divided_where_all_of_them_are() {
        assert_eq!(guessed(&["", "ada#1", "ada#2", "bob#1", "eve#9"]).as_deref(), Some("{part1}#{part2}"));
        assert_eq!(
            guessed(&["a/b-c/d", "a/b/d", "e/f/g", "h/i/j"]).as_deref(),
            Some("{part1}/{part2}/{part3}")
        );
        assert_eq!(guessed(&["ada#1", "ada#2", "bob", "eve#9"]), None, "one of them has no separator");
        assert_eq!(guessed(&["ada1", "ada2", "bob", "eve"]), None);
        assert_eq!(guessed(&["ada#1", "ada#2"]), None, "two say nothing");
        assert_eq!(
            guessed(&["1.2.3.4.5.6.7", "1.2.3.4.5.6.8", "2.2.3.4.5.6.7", "3.2.3.4.5.6.7"]),
            None,
            "too many parts"
        );
    }

    #[test]
    fn a_guess_is_a_template_without_problems() {
        let text = guessed(&["ada#1", "ada#2", "bob#1", "eve#9"]).expect("a separator");
        let (template, problems) = Template::of_text(&text);
        assert_eq!((problems, template.fields().len()), (Vec::new(), 2));
        assert_eq!(keys_of(&template).template.key_view(b"ada#1").spans.len(), 3);
    }
}
