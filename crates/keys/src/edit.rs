//! Edits a template by its parts. The user moves its *solid* parts, which are fields and Z-orders.
//! Literals are separators, which stay in place while solid parts move. A salt comes first,
//! followed by its separator.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::time::TimeFormat;
use crate::{Field, FieldKind, Part, Placeholder, Template, Transform};

/// The digits of the longest number of 64 bits.
const INT_DIGITS: u8 = 19;

/// The separator after a new salt.
const SALT_SEPARATOR: &str = "-";
/// The separator before a new part when the template has no separator to copy.
const SEPARATOR: &str = ",";

/// Returns whether the part is a field or a Z-order, which can be moved.
pub fn is_solid(part: &Part) -> bool {
    matches!(part, Part::Field { .. } | Part::ZOrder(_))
}

/// Returns the indices of the solid parts.
pub fn solids(template: &Template) -> Vec<usize> {
    (0..template.parts().len()).filter(|&at| is_solid(&template.parts()[at])).collect()
}

/// Moves the solid part at `from` (an index of [`solids`]) to `to`. The solid parts in between move
/// by one.
pub fn move_solid(template: &Template, from: usize, to: usize) -> Template {
    let slots = solids(template);
    let mut order: Vec<Part> = slots.iter().map(|&at| template.parts()[at].clone()).collect();
    let part = order.remove(from);
    order.insert(to.min(order.len()), part);
    let mut parts = template.parts().to_vec();
    for (slot, part) in slots.into_iter().zip(order) {
        parts[slot] = part;
    }
    Template::new(parts, template.fields())
}

/// Removes the part at `at`, and the separator that is no longer needed.
pub fn remove(template: &Template, at: usize) -> Template {
    let mut parts = template.parts().to_vec();
    let removed = parts.remove(at);
    let is_literal = |parts: &[Part], at: usize| matches!(parts.get(at), Some(Part::Literal(_)));
    if !matches!(removed, Part::Literal(_)) {
        if is_literal(&parts, at) && (at + 1 < parts.len() || at == 0) {
            parts.remove(at);
        } else if at > 0 && at == parts.len() && is_literal(&parts, at - 1) {
            parts.remove(at - 1);
        }
    }
    Template::new(parts, template.fields())
}

/// Replaces the part at `at`.
pub fn replace(template: &Template, at: usize, part: Part) -> Template {
    let mut parts = template.parts().to_vec();
    parts[at] = part;
    Template::new(parts, template.fields())
}

/// Adds a part at the end, after a separator like the last one.
pub fn append(template: &Template, part: Part) -> Template {
    let mut parts = template.parts().to_vec();
    let separator = parts.iter().rev().find_map(|part| match part {
        Part::Literal(text) => Some(text.clone()),
        _ => None,
    });
    if is_solid(&part) && parts.last().is_some_and(is_solid) {
        parts.push(Part::Literal(separator.unwrap_or_else(|| SEPARATOR.into())));
    }
    parts.push(part);
    Template::new(parts, template.fields())
}

/// Adds a solid part before the others.
pub fn prepend(template: &Template, part: Part) -> Template {
    let added = append(template, part);
    let last = solids(&added).len() - 1;
    move_solid(&added, last, 0)
}

/// Returns the number of salts of the template; `None` without a salt.
pub fn salt(template: &Template) -> Option<u32> {
    template.parts().iter().find_map(|part| match part {
        Part::Salt { buckets, .. } => Some(*buckets),
        _ => None,
    })
}

/// Returns the template with a salt of `buckets`, or without one. The fields that the salt hashes,
/// and its cut-over, stay.
pub fn with_salt(template: &Template, buckets: Option<u32>) -> Template {
    let mut parts = template.parts().to_vec();
    let at = parts.iter().position(|part| matches!(part, Part::Salt { .. }));
    match (at, buckets) {
        (Some(at), Some(wanted)) => {
            if let Part::Salt { buckets, .. } = &mut parts[at] {
                *buckets = wanted;
            }
        }
        (None, Some(buckets)) => {
            parts.insert(0, Part::Salt { buckets, over: Vec::new(), from: None });
            parts.insert(1, Part::Literal(SALT_SEPARATOR.into()));
        }
        (Some(at), None) => return remove_salt(parts, at, template.fields()),
        (None, None) => {}
    }
    Template::new(parts, template.fields())
}

/// Returns the template with this cut-over of its salt, in milliseconds since 1970. `None` salts
/// all events.
pub fn with_cut_over(template: &Template, cut_over: Option<i64>) -> Template {
    let mut parts = template.parts().to_vec();
    for part in &mut parts {
        if let Part::Salt { from, .. } = part {
            *from = cut_over;
        }
    }
    Template::new(parts, template.fields())
}

/// Removes the salt and one punctuation character after it.
fn remove_salt(mut parts: Vec<Part>, at: usize, fields: &[Field]) -> Template {
    parts.remove(at);
    if let Some(Part::Literal(text)) = parts.get_mut(at)
        && text.starts_with(|c: char| c.is_ascii_punctuation())
    {
        text.remove(0);
    }
    Template::new(parts, fields)
}

/// Returns the displayed name of a solid part: the name of its field, or both names of a Z-order.
pub fn name(part: &Part) -> String {
    match part {
        Part::Literal(text) => format!("\"{text}\""),
        Part::Field { name, .. } => name.clone(),
        Part::Salt { .. } => "salt".into(),
        Part::ZOrder(zorder) => format!("{} × {}", zorder.x.field, zorder.y.field),
    }
}

/// Returns a part for `field`, with the transform with which keys sort by the field's value. Whole
/// numbers have this number of digits; by default, enough for every number of 64 bits.
pub fn part_of(field: &Field, digits: Option<u8>) -> Part {
    let transforms = match field.kind {
        FieldKind::Time => vec![Transform::Time(TimeFormat::Iso)],
        FieldKind::Int => vec![Transform::Pad(digits.unwrap_or(INT_DIGITS))],
        _ => Vec::new(),
    };
    Part::Field { name: field.name.clone(), transforms }
}

/// Returns the digits of the longest whole number of 64 bits in these texts; `None` if none of them
/// is one.
pub fn digits<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<u8> {
    let digits = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        u8::try_from(digits.len()).ok().filter(|digits| is_number && *digits <= INT_DIGITS)
    };
    texts.into_iter().filter_map(digits).max()
}

/// Returns the names of two numeric fields that are a place on a map, longitude and latitude,
/// according to their names.
pub fn coordinates(fields: &[Field]) -> Option<(String, String)> {
    let named = |words: [&str; 2]| {
        let is_number = |field: &&Field| matches!(field.kind, FieldKind::Float | FieldKind::Int);
        let starts =
            |field: &&Field| words.iter().any(|word| field.name.to_ascii_lowercase().starts_with(word));
        fields.iter().find(|field| is_number(field) && starts(field)).map(|field| field.name.clone())
    };
    Some((named(["lon", "lng"])?, named(["lat", "latitude"])?))
}

/// Returns a text for absent values that none of these values of a field equals; `None` for a time,
/// which has no such text.
pub fn free_placeholder<'v>(
    kind: FieldKind,
    values: impl Iterator<Item = &'v str> + Clone,
) -> Option<Placeholder> {
    let texts: &[&str] = match kind {
        FieldKind::Time | FieldKind::Facets | FieldKind::Json => &[],
        FieldKind::Int => &["0", "-1", "-2"],
        FieldKind::Text | FieldKind::Float | FieldKind::Bool => &["none", "absent", "no-value"],
    };
    let is_free = |text: &&&str| values.clone().all(|value| value.trim() != **text);
    texts.iter().find(is_free).and_then(|text| Placeholder::new(text))
}

/// Returns the part with a text for absent values; `None` if it has one, or is not a field.
pub fn with_placeholder(part: &Part, placeholder: Placeholder) -> Option<Part> {
    let Part::Field { name, transforms } = part else { return None };
    if matches!(transforms.first(), Some(Transform::Or(_))) {
        return None;
    }
    let transforms = [Transform::Or(placeholder)].into_iter().chain(transforms.iter().copied()).collect();
    Some(Part::Field { name: name.clone(), transforms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Field> {
        let field = |name: &str, kind| Field::new(name, kind);
        vec![
            field("ts", FieldKind::Time),
            field("app", FieldKind::Text),
            field("user", FieldKind::Text),
            field("n", FieldKind::Int),
        ]
    }

    fn template(text: &str) -> Template {
        let (template, problems) = Template::parse(text, &fields());
        assert_eq!(problems, []);
        template
    }

    #[test]
    fn separators_keep_their_positions() {
        let key = template("v1/{ts:iso},{app}#{user}");
        assert_eq!(move_solid(&key, 0, 2).text(), "v1/{app},{user}#{ts:iso}");
        assert_eq!(move_solid(&key, 2, 0).text(), "v1/{user},{ts:iso}#{app}");
        assert_eq!(move_solid(&key, 1, 1).text(), key.text());
    }

    #[test]
    fn a_part_goes_with_its_separator() {
        let key = template("{ts:iso},{app}#{user}");
        assert_eq!(remove(&key, 0).text(), "{app}#{user}");
        assert_eq!(remove(&key, 2).text(), "{ts:iso},{user}");
        assert_eq!(remove(&key, 4).text(), "{ts:iso},{app}");
        assert_eq!(remove(&template("{app}"), 0).text(), "");
        assert_eq!(remove(&key, 1).text(), "{ts:iso}{app}#{user}");
    }

    #[test]
    fn a_new_part_has_the_same_separator_as_the_others() {
        let user = part_of(&fields()[2], None);
        assert_eq!(append(&template("{ts:iso}#{app}"), user.clone()).text(), "{ts:iso}#{app}#{user}");
        assert_eq!(append(&Template::new([], &fields()), user.clone()).text(), "{user}");
        assert_eq!(prepend(&template("{ts:iso}"), user).text(), "{user},{ts:iso}");
        let number = |digits| append(&template("{app}"), part_of(&fields()[3], digits)).text();
        assert_eq!(
            (number(Some(3)).as_str(), number(None).as_str()),
            ("{app},{n:pad(3)}", "{app},{n:pad(19)}")
        );
    }

    #[test]
    fn a_number_is_as_wide_as_the_longest_text() {
        assert_eq!(
            digits(["7", " -1234 ", "+12", "007", "", "n/a", "1.25", "12345678901234567890"]),
            Some(4)
        );
        assert_eq!(digits(["9223372036854775807"]), Some(19));
        assert_eq!(digits(["", "-", "x"]), None);
    }

    #[test]
    fn a_salt_comes_and_goes_without_a_trace() {
        let plain = template("{ts:iso},{app}");
        let salted = with_salt(&plain, Some(8));
        assert_eq!((salted.text().as_str(), salt(&salted)), ("{salt(8)}-{ts:iso},{app}", Some(8)));
        assert_eq!(with_salt(&salted, Some(16)).text(), "{salt(16)}-{ts:iso},{app}");
        assert_eq!(with_salt(&salted, None).text(), plain.text());
        let cut_over = with_cut_over(&salted, Some(1_559_347_200_000));
        assert_eq!(with_salt(&cut_over, Some(16)).text(), "{salt(16, from=2019-06-01)}-{ts:iso},{app}");
        assert_eq!(
            (with_cut_over(&cut_over, None).text(), with_salt(&cut_over, None).text()),
            (salted.text(), plain.text())
        );
        assert_eq!(
            with_salt(&template("{salt(4, app)}#x/{app}"), Some(32)).text(),
            "{salt(32, app)}#x/{app}"
        );
    }
}
