//! The colours of a template's parts: the same in its text, in its chips and in the keys.

use tabletop_schema::{Part, Template};

/// The classes of base.css that colour fields.
const FIELD_CLASSES: [&str; 5] = ["part-0", "part-1", "part-2", "part-3", "part-4"];
/// The class of salts and Z-orders, which belong to no single field.
const COMPUTED_CLASS: &str = "part-5";
/// The class of literals, and of bytes that belong to no part.
const PLAIN_CLASS: &str = "part-none";

/// The class of each part of a template. A colour belongs to a field: it stays when parts move.
#[derive(Clone, Debug, PartialEq)]
pub struct PartColors(Vec<&'static str>);

impl PartColors {
    /// The colours of the parts of `template`.
    pub fn new(template: &Template) -> PartColors {
        let mut names: Vec<&str> = template.parts().iter().filter_map(field_name).collect();
        names.sort_unstable();
        names.dedup();
        // A name has a colour of its own, so that no colour depends on the order of the parts. If another field of the key has
        // that colour, it takes the next one that is free.
        let mut taken: [Option<&str>; FIELD_CLASSES.len()] = Default::default();
        for name in names {
            let own = own_color(name);
            let free = (own..own + taken.len()).map(|color| color % FIELD_CLASSES.len()).find(|&color| taken[color].is_none());
            if let Some(color) = free {
                taken[color] = Some(name);
            }
        }
        let class = |part: &Part| match part {
            Part::Literal(_) => PLAIN_CLASS,
            Part::Field { name, .. } => {
                let color = taken.iter().position(|holder| *holder == Some(name)).unwrap_or_else(|| own_color(name));
                FIELD_CLASSES[color]
            }
            Part::Salt { .. } | Part::ZOrder(_) => COMPUTED_CLASS,
        };
        PartColors(template.parts().iter().map(class).collect())
    }

    /// The class of the part with this index; that of a literal without one.
    pub fn class(&self, part: Option<usize>) -> &'static str {
        part.and_then(|part| self.0.get(part)).copied().unwrap_or(PLAIN_CLASS)
    }
}

fn field_name(part: &Part) -> Option<&str> {
    match part {
        Part::Field { name, .. } => Some(name),
        Part::Literal(_) | Part::Salt { .. } | Part::ZOrder(_) => None,
    }
}

/// The colour that a field has where no other field of the key has it.
fn own_color(name: &str) -> usize {
    let sum = name.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    sum % FIELD_CLASSES.len()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tabletop_schema::{Field, FieldKind};

    use super::*;

    /// The class of each part of a template by the part's text.
    fn classes(text: &str) -> Vec<(String, &'static str)> {
        let fields: Vec<Field> = ["user", "page", "app", "at", "city", "type"]
            .map(|name| Field::new(name, if name == "at" { FieldKind::Time } else { FieldKind::Text }))
            .into();
        let (template, problems) = Template::parse(text, &fields);
        assert_eq!(problems, [], "{text}");
        let colors = PartColors::new(&template);
        let name = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Salt { .. } => "salt".into(),
            part => field_name(part).unwrap_or_default().into(),
        };
        template.parts().iter().enumerate().map(|(at, part)| (name(part), colors.class(Some(at)))).collect()
    }

    fn class(text: &str, name: &str) -> &'static str {
        classes(text).into_iter().find(|(part, _)| part == name).unwrap().1
    }

    #[test]
    fn a_colour_stays_when_parts_move() {
        let orders = [
            "{user}#{page}#{at:iso}",
            "{at:iso}#{user}#{page}",
            "{page}#{at:reverse_time}#{user}",
            "{salt(8)}#{at:iso}#{page}#{user}",
        ];
        for name in ["user", "page", "at"] {
            let seen: BTreeSet<&str> = orders.iter().map(|order| class(order, name)).collect();
            assert_eq!(seen.len(), 1, "{name}: {seen:?}");
        }
    }

    #[test]
    fn up_to_five_fields_have_five_colours_and_literals_none() {
        let parts = classes("{user}#{page}#{app}#{at:iso}#{city}");
        let colors: BTreeSet<&str> = parts.iter().filter(|(name, _)| name != "#").map(|(_, class)| *class).collect();
        assert_eq!(colors.len(), 5, "{parts:?}");
        assert_eq!(class("{user}#{page}", "#"), "part-none");
        assert_eq!(class("{salt(8)}#{page}", "salt"), "part-5");
        assert_eq!(classes("{user}#{page}#{app}#{at:iso}#{city}#{type}").len(), 11, "a sixth field shares a colour");
    }

    #[test]
    fn a_field_has_one_colour_however_often_it_stands_in_a_key() {
        let parts = classes("{user:hash(2)}#{at:iso}#{user}");
        assert_eq!(parts[0], parts[4]);
        assert_ne!(parts[0].1, parts[2].1);
    }
}
