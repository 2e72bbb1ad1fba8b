//! The roles of fields in an event set.

use crate::{Field, FieldKind};

/// Indices of the fields with a role in layouts, found by kind and by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles {
    /// The time of the event: the field called `timestamp` if its kind is time, otherwise the field
    /// that joins parts of a time, otherwise the first field of that kind.
    pub time: Option<usize>,
    /// The parts of a personalization event, if the set has all three.
    pub event: Option<EventRoles>,
    /// The field called `event_name`, in any set.
    pub event_name: Option<usize>,
}

/// The fields of an event with facets, as in Algolia's article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRoles {
    /// Click, view, conversion: the field `event_type`.
    pub event_type: usize,
    /// Homepage, search …: the field `event_name`.
    pub event_name: usize,
    /// The first field of kind facets.
    pub facets: usize,
}

impl Roles {
    /// Finds the roles of these fields. The comparison of names ignores case and characters other
    /// than letters and digits, so `eventType` is `event_type`.
    pub fn of(fields: &[Field]) -> Roles {
        let named = |name: &str| fields.iter().position(|field| letters(&field.name).eq(letters(name)));
        let of_kind = |kind: FieldKind| fields.iter().position(|field| field.kind == kind);
        let is_joined = |field: &Field| field.kind == FieldKind::Time && !field.joined(fields).is_empty();
        let time = named("timestamp")
            .filter(|&at| fields[at].kind == FieldKind::Time)
            .or_else(|| fields.iter().position(is_joined))
            .or(of_kind(FieldKind::Time));
        let event_name = named("event_name");
        let event = match (named("event_type"), event_name, of_kind(FieldKind::Facets)) {
            (Some(event_type), Some(event_name), Some(facets)) => {
                Some(EventRoles { event_type, event_name, facets })
            }
            _ => None,
        };
        Roles { time, event, event_name }
    }
}

fn letters(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn fields(list: &[(&str, FieldKind)]) -> Vec<Field> {
        list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect()
    }

    #[test]
    fn roles_are_recognized_by_kind_and_name() {
        use FieldKind::{Facets, Int, Text, Time};
        let set = fields(&[
            ("born", Time),
            ("Timestamp", Time),
            ("eventType", Text),
            ("event-name", Text),
            ("about", Facets),
        ]);
        let event = Some(EventRoles { event_type: 2, event_name: 3, facets: 4 });
        assert_eq!(Roles::of(&set), Roles { time: Some(1), event, event_name: Some(3) });
        assert_eq!(Roles::of(&set[..4]).event, None);
        assert_eq!(Roles::of(&fields(&[("timestamp", Text), ("at", Time)])).time, Some(1));
        let joined = fields(&[("Date", Time), ("of day", Text), ("Date of day", Time)]);
        assert_eq!(Roles::of(&joined).time, Some(2));
        let parts = ["year", "month", "day", "of week", "year month day of week", "year month days"];
        let kinds = [Int, Int, Int, Int, Time, Time];
        let joined = fields(&core::array::from_fn::<_, 6, _>(|at| (parts[at], kinds[at])));
        assert_eq!((joined[4].joined(&joined), Roles::of(&joined).time), (alloc::vec![0, 1, 2, 3], Some(4)));
        assert_eq!((joined[5].joined(&joined), joined[3].joined(&joined)), (alloc::vec![], alloc::vec![]));
    }
}
