//! The colours of fields: a field has the same one in the template's text, in its chips, in the
//! keys and in the pictures of each design.

use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, Part, Template};

/// The classes of base.css that colour fields.
const FIELD_CLASSES: [&str; 7] = ["part-0", "part-1", "part-2", "part-3", "part-4", "part-6", "part-7"];
/// The class of salts and Z-orders, which belong to no single field.
const COMPUTED_CLASS: &str = "part-5";
/// The class of literals, and of bytes that belong to no part.
const PLAIN_CLASS: &str = "part-none";

/// Returns the class of a field's colour, given by its position among the events' fields, so it
/// does not depend on a design. Decimal numbers come last, because they are rarely in a key on
/// their own. With more than seven fields, some share a colour.
pub fn field_class(fields: &[Field], name: &str) -> Option<&'static str> {
    let is_decimal = |field: &Field| field.kind == FieldKind::Float;
    let (decimal, other): (Vec<&Field>, Vec<&Field>) = fields.iter().partition(|field| is_decimal(field));
    let at = other.into_iter().chain(decimal).position(|field| field.name == name)?;
    Some(FIELD_CLASSES[at % FIELD_CLASSES.len()])
}

/// The class of each part of a template.
#[derive(Clone, Debug, PartialEq)]
pub struct PartColors(Vec<&'static str>);

impl PartColors {
    /// The colours of the parts of `template`. A name that is not a field of the events (they may
    /// not be loaded yet) has no colour.
    pub fn new(template: &Template) -> PartColors {
        let class = |part: &Part| match part {
            Part::Literal(_) => PLAIN_CLASS,
            Part::Field { name, .. } => field_class(template.fields(), name).unwrap_or(PLAIN_CLASS),
            Part::Salt { .. } | Part::ZOrder(_) => COMPUTED_CLASS,
        };
        PartColors(template.parts().iter().map(class).collect())
    }

    /// The class of the part with this index; without an index, the class of a literal.
    pub fn class(&self, part: Option<usize>) -> &'static str {
        part.and_then(|part| self.0.get(part)).copied().unwrap_or(PLAIN_CLASS)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use alloc::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn fields(names: &[&str]) -> Vec<Field> {
        let kind = |name: &str| match name {
            "at" => FieldKind::Time,
            "x" | "y" => FieldKind::Float,
            _ => FieldKind::Text,
        };
        names.iter().map(|name| Field::new(*name, kind(name))).collect()
    }

    /// The class of each part of a template by the part's text.
    fn classes(text: &str, fields: &[Field]) -> Vec<(String, &'static str)> {
        let (template, problems) = Template::parse(text, fields);
        assert_eq!(problems, [], "{text}");
        let colors = PartColors::new(&template);
        let name = |part: &Part| match part {
            Part::Literal(text) => text.clone(),
            Part::Salt { .. } | Part::ZOrder(_) => "computed".into(),
            Part::Field { name, .. } => name.clone(),
        };
        template.parts().iter().enumerate().map(|(at, part)| (name(part), colors.class(Some(at)))).collect()
    }

    #[test]
    fn a_field_has_one_colour_in_three_designs_and_each_design_has_different_ones() {
        let fields = fields(&["user", "page", "app", "at", "city", "type"]);
        // The second and the third lack fields of the first, and have others: this does not change
        // any colour.
        let designs = [
            "{user}#{page}#{at:iso}",
            "{city}#{type}#{at:iso}",
            "{salt(8)}#{app}#{city}#{user}#{page:hash(2)}",
        ];
        let mut of_field: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for design in designs {
            let solid: Vec<_> =
                classes(design, &fields).into_iter().filter(|(name, _)| name != "#").collect();
            let different: BTreeSet<&str> = solid.iter().map(|(_, class)| *class).collect();
            assert_eq!(different.len(), solid.len(), "{design}: {solid:?}");
            for (name, class) in solid {
                of_field.entry(name).or_default().insert(class);
            }
        }
        assert_eq!(of_field.len(), 7, "six fields and the salt: {of_field:?}");
        assert!(of_field.values().all(|classes| classes.len() == 1), "{of_field:?}");
        let all: BTreeSet<&str> = of_field.values().flatten().copied().collect();
        assert_eq!(all.len(), 7, "no two of them are the same: {of_field:?}");
    }

    #[test]
    fn decimal_numbers_take_no_colour_from_fields_of_keys() {
        let of_earthquakes = fields(&["at", "id", "x", "y", "network", "type", "place", "city", "user"]);
        let keys = ["at", "id", "network", "type", "place", "city", "user"]
            .map(|name| field_class(&of_earthquakes, name));
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 7, "{keys:?}");
        assert_eq!(field_class(&of_earthquakes, "x"), keys[0], "an eighth field shares a colour");
    }

    #[test]
    fn literals_and_unknown_names_are_plain_and_computed_parts_have_a_colour_of_their_own() {
        let fields = fields(&["user", "at", "x", "y"]);
        let parts = classes("{salt(8)}#{user}#{zorder(x, y)}", &fields);
        assert_eq!(
            parts.iter().map(|(_, class)| *class).collect::<Vec<_>>(),
            ["part-5", "part-none", "part-0", "part-none", "part-5"]
        );
        let (template, _) = Template::parse("{no_field}", &fields);
        assert_eq!(PartColors::new(&template).class(Some(0)), "part-none");
        assert_eq!(PartColors::new(&template).class(None), "part-none");
    }
}
