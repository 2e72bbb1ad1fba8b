//! The row keys of one template as row keys of another one, for the same events.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::RowKey;

use super::Template;
use super::part::{Part, Transform, part_fields};
use crate::Field;

/// Converts row keys of one template to row keys of another, to replay the requests of one design on
/// another design.
pub struct KeyMap {
    from: Template,
    to: Template,
}

impl KeyMap {
    /// Creates the conversion between two templates of the same events.
    ///
    /// # Errors
    /// The names of the fields that the second template needs, and whose values the keys of the
    /// first one do not contain.
    pub fn new(from: &Template, to: &Template) -> Result<KeyMap, Vec<String>> {
        let readable = from.readable();
        let mut missing: Vec<String> = Vec::new();
        for name in to.parts().iter().flat_map(part_fields) {
            if !readable.contains(&name.as_str()) && !missing.contains(name) {
                missing.push(name.clone());
            }
        }
        if !missing.is_empty() {
            return Err(missing);
        }
        // A time that was read from a key has the form of ISO 8601, however the events write it.
        let fields: Vec<Field> = to
            .fields()
            .iter()
            .map(|field| {
                let is_iso = from.writes_time(&field.name);
                Field { format: field.format.clone().filter(|_| !is_iso), ..field.clone() }
            })
            .collect();
        Ok(KeyMap { from: from.clone(), to: Template::new(to.parts().to_vec(), &fields) })
    }

    /// Returns the row key of the event that has this key; `None` if the key does not have the form
    /// of the first template, or its values do not fit the second one.
    pub fn convert(&self, key: &[u8]) -> Option<RowKey> {
        let values = self.from.decode(key);
        let fields = self.to.fields();
        let mut value =
            |field: usize| Some(values.iter().find(|(name, _)| *name == fields[field].name)?.1.as_str());
        let mut converted = Vec::with_capacity(key.len());
        self.to.write_key_of(&mut value, &mut converted).ok()?;
        Some(RowKey::from(converted))
    }
}

impl Template {
    /// Returns whether a key has the form of this template, and can be split into its values in one
    /// way only.
    pub fn reads(&self, key: &[u8]) -> bool {
        self.borders(key)[0].is_some() && self.decode(key).len() == self.readable().len()
    }

    /// Returns the names of the fields whose values its keys contain.
    fn readable(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            if let Part::Field { name, .. } = part
                && self.has_value(at)
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Returns whether its keys have the time of a field in a form of their own.
    fn writes_time(&self, field: &str) -> bool {
        self.parts.iter().any(|part| match part {
            Part::Field { name, transforms } => {
                name == field && transforms.iter().any(|of| matches!(of, Transform::Time(_)))
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;
    use crate::FieldKind;
    use crate::time::DateFormat;

    fn parse(text: &str) -> Template {
        let fields = [
            Field::new("user", FieldKind::Text),
            Field::new("ts", FieldKind::Time),
            Field::new("n", FieldKind::Int),
            Field::new("x", FieldKind::Float),
            Field::new("y", FieldKind::Float),
        ];
        let (template, problems) = Template::parse(text, &fields);
        assert_eq!(problems, [], "{text}");
        template
    }

    fn convert(from: &str, to: &str, key: &str) -> Option<String> {
        let map = KeyMap::new(&parse(from), &parse(to)).expect("no field is missing");
        Some(String::from_utf8(map.convert(key.as_bytes())?.as_ref().to_vec()).expect("text"))
    }

    #[test]
    fn a_key_becomes_the_key_of_another_design() {
        let converted = |from, to, key, expected: &str| {
            assert_eq!(convert(from, to, key), Some(expected.to_string()), "{from} to {to}");
        };
        let key = "ada#2019-05-28T00:04:34.567Z";
        converted("{user}#{ts:iso}", "{ts:iso}#{user}", key, "2019-05-28T00:04:34.567Z#ada");
        converted(
            "{user}#{ts:iso}",
            "{ts:bucket(1h):iso}/{user:reverse}",
            key,
            "2019-05-28T00:00:00.000Z/ada",
        );
        converted("{user}#{ts:iso}", "{ts:millis},{user}", key, "1559001874567,ada");
        converted("{ts:millis},{user}", "{user}#{ts:iso}", "1559001874567,ada", key);
        converted("{user:reverse}#{n:pad(4)}", "{n}#{user}", "eve#0042", "42#eve");
        converted("{user:hash(4)}#{user}", "{user}", "beef#ada", "ada");
        let salted = convert("{user}", "{salt(8)}-{user}", "ada").expect("it has a salt");
        assert_eq!(convert("{salt(8)}-{user}", "{user}", &salted).as_deref(), Some("ada"), "{salted}");
    }

    #[test]
    fn a_time_is_written_as_the_key_has_it_and_not_as_the_events_do() {
        let format = Some(DateFormat::new("%d.%m.%Y").expect("a format"));
        let fields =
            [Field::new("user", FieldKind::Text), Field { format, ..Field::new("ts", FieldKind::Time) }];
        let [from, to] = ["{user}#{ts:iso}", "{ts:date}#{user}"].map(|text| Template::parse(text, &fields).0);
        let map = KeyMap::new(&from, &to).expect("no field is missing");
        let converted = map.convert(b"ada#2019-05-28T00:04:34.567Z");
        assert_eq!(converted, Some(RowKey::from(&b"2019-05-28#ada"[..])));
    }

    #[test]
    fn a_key_of_another_form_is_not_converted() {
        for key in ["", "ada", "ada#soon", "#", "a\u{0}"] {
            assert_eq!(convert("{user}#{ts:iso}", "{ts:iso}#{user}", key), None, "{key}");
            assert!(!parse("{user}#{ts:iso}").reads(key.as_bytes()), "{key}");
        }
        let time = "2019-05-28T00:04:34.567Z";
        let key = alloc::format!("a,b,{time}");
        assert_eq!(
            convert("{user},{n},{ts:iso}", "{ts:iso}", &key).as_deref(),
            Some(time),
            "the end is certain"
        );
        assert!(!parse("{user},{n}").reads(b"a,b,1"), "the user may be a, or a,b");
        assert!(parse("{user},{n}").reads(b"a,1"));
    }

    #[test]
    fn what_the_keys_lack_is_named() {
        let missing = |from, to| KeyMap::new(&parse(from), &parse(to)).err().unwrap_or_default();
        assert_eq!(missing("{user}", "{user}#{ts:iso}/{n}#{ts:date}"), vec!["ts", "n"]);
        assert_eq!(missing("{user:hash(8)}#{ts:date}", "{user}#{ts:iso}"), vec!["user", "ts"], "in part");
        assert_eq!(missing("{user}", "{zorder(x, y)}"), vec!["x", "y"]);
        assert_eq!(missing("{user}#{ts:iso}", "{user}#{ts:reverse_time}"), Vec::<String>::new());
    }
}
