//! A first template for new events.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, Part, Template, Transform, time::TimeFormat};

use crate::entity_field;

/// Suggests a first template for events of which only the fields are known: an identifier, then the
/// time, so that the key neither starts with the time nor has only a field with few values.
pub fn suggest_template(fields: &[Field]) -> String {
    let part = |field: &Field, transforms: &[Transform]| Part::Field {
        name: field.name.clone(),
        transforms: transforms.to_vec(),
    };
    let name = entity_field(fields, &|_| Vec::new()).or(fields.first());
    let time = fields.iter().find(|field| field.kind == FieldKind::Time).filter(|time| Some(*time) != name);
    let mut parts = Vec::new();
    parts.extend(name.map(|name| part(name, &[])));
    if let Some(time) = time {
        parts.push(Part::Literal(",".into()));
        parts.push(part(time, &[Transform::Time(TimeFormat::Iso)]));
    }
    Template::new(parts, fields).text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_template_parses_for_any_field_names() {
        let field = |name: &str, kind| Field::new(name, kind);
        let fields = [field("At: (UTC)", FieldKind::Time), field("Customer, id", FieldKind::Int)];
        let text = suggest_template(&fields);
        assert_eq!(text, "{\"Customer, id\"},{\"At: (UTC)\":iso}");
        assert_eq!(Template::parse(&text, &fields).1, []);
        assert_eq!(suggest_template(&fields[..1]), "{\"At: (UTC)\"}");
        assert_eq!(suggest_template(&[]), "");
        let named = |name: &str| field(name, FieldKind::Text);
        let kinds = [
            field("ts", FieldKind::Time),
            named("site"),
            named("device_id"),
            field("value", FieldKind::Float),
        ];
        assert_eq!(suggest_template(&kinds), "{device_id},{ts:iso}", "an identifier, not the first text");
    }
}
