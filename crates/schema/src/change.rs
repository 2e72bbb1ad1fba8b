//! Changes of a workspace by scripts, and a first template for new events.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Error, Result};

use crate::time::TimeFormat;
use crate::{Design, DesignPatch, Field, FieldKind, Part, Template, Transform, Workspace, entity_field};

impl Workspace {
    /// Changes the design at `index`. If `index` is the number of designs, adds a changed copy of
    /// the last one.
    ///
    /// # Errors
    /// `NotFound` if there is no such design.
    pub fn patch_design(&mut self, index: u32, patch: &DesignPatch) -> Result<()> {
        let count = self.designs.len();
        let at = index as usize;
        if at > count || count == 0 {
            return Err(no_design(index, count));
        }
        if at == count {
            let copy = self.designs[count - 1].clone();
            self.designs.push(copy);
        }
        self.designs[at].apply(patch);
        Ok(())
    }
}

impl Design {
    /// Sets the values that the patch has, and keeps all others.
    pub fn apply(&mut self, patch: &DesignPatch) {
        if let Some(name) = &patch.name {
            self.name.clone_from(name);
        }
        if let Some(template) = &patch.template {
            self.template.clone_from(template);
        }
        if let Some(layout) = &patch.layout {
            self.layout.clone_from(layout);
        }
        if let Some(families) = &patch.families {
            self.families.clone_from(families);
        }
    }
}

/// The error for a design that does not exist.
fn no_design(index: u32, count: usize) -> Error {
    Error::not_found(format!("there is no design {index}: the workspace has {count}, counted from 0"))
}

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
