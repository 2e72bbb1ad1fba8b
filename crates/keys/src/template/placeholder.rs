//! The text that stands for an absent value in a key.

use alloc::string::String;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The maximum number of bytes of a placeholder.
const BYTES_MAX: usize = 16;

/// The text that stands for an absent value in a key: 1 to 16 letters, digits, `-` and `_`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Placeholder {
    bytes: [u8; BYTES_MAX],
    len: u8,
}

impl Placeholder {
    /// Returns the placeholder with this text; `None` if the text is empty or too long, or has other
    /// characters.
    pub fn new(text: &str) -> Option<Placeholder> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if text.is_empty() || text.len() > BYTES_MAX || !text.bytes().all(is_plain) {
            return None;
        }
        let mut bytes = [0; BYTES_MAX];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Some(Placeholder { bytes, len: text.len() as u8 })
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Debug for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text(), f)
    }
}

impl Serialize for Placeholder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Placeholder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Placeholder::new(&text).ok_or_else(|| serde::de::Error::custom("not a placeholder"))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use super::*;
    use crate::{Field, FieldKind, Layout, LayoutKind, PlanKind, Record, RowChoice, Template};

    fn fields() -> [Field; 3] {
        [("user", FieldKind::Text), ("n", FieldKind::Int), ("at", FieldKind::Time)]
            .map(|(name, kind)| Field::new(name, kind))
    }

    fn template(text: &str) -> Template {
        let (template, problems) = Template::parse(text, &fields());
        assert_eq!(problems, [], "{text}");
        assert_eq!(template.text(), text);
        template
    }

    fn key(text: &str, values: [Option<&str>; 3]) -> String {
        let (template, mut key) = (template(text), Vec::new());
        match template.write_key(&Record { fields: &fields(), values: &values }, &mut key) {
            Ok(()) => String::from_utf8_lossy(&key).to_string(),
            Err(error) => error.message,
        }
    }

    #[test]
    fn an_absent_value_has_a_place() {
        let at = Some("2019-05-28");
        assert_eq!(key("{user:or(none)},{at:date}", [None, None, at]), "none,2019-05-28");
        assert_eq!(key("{user:or(none)},{at:date}", [Some(""), None, at]), "none,2019-05-28");
        assert_eq!(key("{user:or(none)},{at:date}", [Some("u1"), None, at]), "u1,2019-05-28");
        assert_eq!(key("{user:or(none):upper},{n:or(0):pad(4)}", [None, None, at]), "NONE,0000");
        assert_eq!(key("{at:or(1970-01-01):iso}", [None; 3]), "1970-01-01T00:00:00.000Z");
        assert!(key("{user},{at:date}", [None, None, at]).contains("no value for user"));
    }

    #[test]
    fn a_placeholder_is_read_back_as_no_value() {
        let template = template("{user:or(none)},{n:pad(3)}");
        let of = |key: &str| -> Vec<String> {
            template.decode(key.as_bytes()).into_iter().map(|(name, text)| name + "=" + &text).collect()
        };
        assert_eq!(of("none,007"), ["n=7"]);
        assert_eq!(of("u1,007"), ["user=u1", "n=7"]);
    }

    #[test]
    fn events_without_a_value_are_looked_up_by_the_placeholder_or_an_empty_text() {
        let template = template("{user:or(none)},{at:iso}");
        let plan = |text: &str| {
            let equals = [("user".to_string(), text.to_string())].to_vec();
            let rows = RowChoice::Fields { equals, from: None, until: None };
            template.plan(&rows, &Layout::new(LayoutKind::Narrow)).expect("a plan")
        };
        assert_eq!(plan("").parts, plan("none").parts);
        assert_eq!((plan("").kind(), plan("").scans_more), (PlanKind::OneRange, false));
        assert_ne!(plan("u1").parts, plan("none").parts);
    }

    #[test]
    fn a_placeholder_comes_first_and_fits_what_follows() {
        let problem = |text: &str| {
            let (_, problems) = Template::parse(text, &fields());
            problems.into_iter().map(|problem| problem.message).collect::<Vec<String>>().join(" ")
        };
        assert!(problem("{user:upper:or(none)}").contains("make it the first transform"));
        assert!(problem("{n:or(none):pad(4)}").contains("is not a whole number"));
        assert!(problem("{at:or(none):iso}").contains("is not a time"));
        assert!(problem("{user:or}").contains("or(none)"));
        assert!(problem("{user:or(a b)}").contains("letters, digits"));
    }

    #[test]
    fn a_placeholder_is_a_short_plain_text() {
        for text in ["none", "0", "1970-01-01", "no_user", "sixteen-letters0"] {
            assert_eq!(Placeholder::new(text).as_ref().map(Placeholder::text), Some(text));
        }
        for text in ["", "seventeen-letters", "a b", "a,b", "a:b", "\u{e9}", "{"] {
            assert_eq!(Placeholder::new(text), None, "{text}");
        }
    }
}
