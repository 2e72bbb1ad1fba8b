//! The choice of rows: all, some keys, a prefix, a range, or the rows of events with given fields.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_keys::{Field, FieldKind, Part, Roles, RowChoice, Template};
use tabletop_model::{Bytes, RowRange};

/// Returns the first value of each choice. An empty end of a range is unbounded.
pub fn fresh_choices() -> [RowChoice; 6] {
    [
        RowChoice::All,
        RowChoice::Keys(Vec::new()),
        RowChoice::Prefix(Bytes::default()),
        RowChoice::Range(RowRange {
            start: Bound::Included(Bytes::default()),
            end: Bound::Excluded(Bytes::default()),
        }),
        RowChoice::Fields { equals: Vec::new(), from: None, until: None },
        // A box has the fields of a Z-order.
        RowChoice::All,
    ]
}

/// Returns the index of a choice.
pub fn choice_index(rows: &RowChoice) -> usize {
    match rows {
        RowChoice::All => 0,
        RowChoice::Keys(_) => 1,
        RowChoice::Prefix(_) => 2,
        RowChoice::Range(_) => 3,
        RowChoice::Fields { .. } => 4,
        RowChoice::Box { .. } => 5,
    }
}

/// Returns the field with the time of an event, to which a span of time applies.
pub fn time_field(fields: &[Field]) -> Option<&str> {
    Roles::of(fields).time.map(|at| fields[at].name.as_str())
}

/// Returns the fields of the key in their order, without times, which have a span. Then follow
/// other fields of the query, so that they are visible under any template.
pub fn offered_fields(
    template: &Template,
    fields: &[Field],
    rows: &RowChoice,
    added: &[String],
) -> Vec<String> {
    let is_time = |name: &str| fields.iter().any(|field| field.name == name && field.kind == FieldKind::Time);
    let mut offered: Vec<String> = Vec::new();
    let mut offer = |name: &String| {
        if !offered.contains(name) {
            offered.push(name.clone());
        }
    };
    for part in template.parts() {
        match part {
            Part::Field { name, .. } if !is_time(name) => offer(name),
            Part::ZOrder(zorder) => [&zorder.x.field, &zorder.y.field].into_iter().for_each(&mut offer),
            Part::Field { .. } | Part::Literal(_) | Part::Salt { .. } => {}
        }
    }
    if let RowChoice::Fields { equals, .. } = rows {
        equals.iter().for_each(|(name, _)| offer(name));
    }
    added.iter().for_each(offer);
    offered
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn fields_of_the_key_are_offered_and_those_already_asked_for() {
        let field = |name: &str, kind| Field::new(name, kind);
        let fields =
            [field("app", FieldKind::Text), field("user", FieldKind::Text), field("time", FieldKind::Time)];
        let (template, _) = Template::parse("{salt(4)}-{time:iso}#{user},{app:upper},{user}", &fields);
        let offered = |equals: &[&str], added: &[&str]| {
            let equals = equals.iter().map(|name| (name.to_string(), "1".into())).collect();
            let added: Vec<String> = added.iter().map(alloc::string::ToString::to_string).collect();
            offered_fields(&template, &fields, &RowChoice::Fields { equals, from: None, until: None }, &added)
                .join(" ")
        };
        assert_eq!(offered(&[], &[]), "user app");
        assert_eq!(offered(&["gone", "app"], &["event", "gone"]), "user app gone event");
    }

    #[test]
    fn every_choice_has_a_segment_of_its_own() {
        for (at, choice) in fresh_choices().iter().take(5).enumerate() {
            assert_eq!(choice_index(choice), at);
        }
    }
}
