//! Events that share their place in a table, so that a design does not keep each of them.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use serde::Serialize;
use tabletop_advice::{EventHashes, LossCount};
use tabletop_keys::{LayoutWriter, Template};
use tabletop_model::{Mutation, RowKey, RowMutation};
use tabletop_workload::Events;
use tabletop_workspace::Design;

use crate::commands::counted;

/// The maximum number of events that are compared: 400 MB of hashes.
const EVENTS_MAX: usize = 20_000_000;

/// The events of a design that share the row of an earlier one where each should have its own, and
/// the key of such a row. Events that are equal in all fields count as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Overwritten {
    /// The number of events with the row of an earlier one.
    pub events: u64,
    /// The number of events whose cells replace the cells of an earlier event.
    pub replacing: u64,
    /// The key of one of the rows.
    pub example_key: String,
}

impl Overwritten {
    /// Counts the events of a design without a place of their own, over all events; `None` if each
    /// has one, or if the template or the layout has problems.
    pub(crate) fn of(design: &Design, events: &Events) -> Option<Overwritten> {
        let (template, problems) = Template::parse(&design.template, events.fields());
        if !problems.is_empty() || !design.layout.problems(events.fields()).is_empty() {
            return None;
        }
        let writer =
            LayoutWriter::new(&design.layout, events.fields(), &template).with_families(&design.families);
        let (mut hashes, mut places) = (EventHashes::default(), Places::default());
        let mut count = LossCount::new(&template, &design.layout, &design.families);
        let mut seen = HashSet::<u64, BuildHasherDefault<DefaultHasher>>::default();
        let mut replacing = 0;
        events.for_each(0..events.len() as u32, |index, record| {
            hashes.add(record);
            count.add(record);
            if seen.insert(seen.hasher().hash_one(record.values))
                && let Ok(row) = writer.write(record, u64::from(index))
            {
                replacing += u64::from(places.replaces(&row));
            }
        });
        let shared = count.losses(&hashes).shared;
        let mut example_key = None;
        events.for_each(count.shared().into_iter().take(1), |_, record| {
            let mut key = Vec::new();
            example_key = template.write_key(record, &mut key).ok().map(|()| RowKey::from(key).to_string());
        });
        let example_key = example_key.filter(|_| shared > 0)?;
        Some(Overwritten { events: shared.into(), replacing, example_key })
    }

    /// Says how many events share a row, and what becomes of their cells.
    pub(crate) fn text(&self) -> String {
        let Overwritten { events, replacing, example_key } = self;
        let cells = match replacing {
            0 => "their cells are added to it".to_owned(),
            1 => "one of them replaces its cells".to_owned(),
            _ if replacing >= events => "they replace its cells".to_owned(),
            _ => format!("{} of them replace its cells", tabletop_keys::thousands(*replacing)),
        };
        format!(
            "{} the row of an earlier one, such as row {example_key}, and {cells}: add a field to the end of the key.",
            counted(*events, "event has", "events have")
        )
    }
}

/// The places that events have written to, as hashes.
#[derive(Default)]
pub(crate) struct Places {
    hashes: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
}

impl Places {
    /// Returns whether the cells of an event replace cells of an earlier event with the same row,
    /// columns and times. Cells of families that aggregate replace nothing.
    pub(crate) fn replaces(&mut self, row: &RowMutation) -> bool {
        let mut hasher = self.hashes.hasher().build_hasher();
        row.key.0.hash(&mut hasher);
        let mut has_cells = false;
        for mutation in &row.mutations {
            if let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation {
                (family, &qualifier.0, timestamp).hash(&mut hasher);
                has_cells = true;
            }
        }
        has_cells && !self.is_full() && !self.hashes.insert(hasher.finish())
    }

    /// Returns whether further events are not compared.
    pub(crate) fn is_full(&self) -> bool {
        self.hashes.len() >= EVENTS_MAX
    }
}

#[cfg(test)]
mod tests {
    use tabletop_keys::{Field, FieldKind, Layout, LayoutKind};

    use super::*;

    #[test]
    fn events_without_a_place_of_their_own_are_counted() {
        let fields = ["user", "at", "n"].map(|name| {
            let kind = if name == "at" { FieldKind::Time } else { FieldKind::Text };
            Field::new(name, kind)
        });
        let mut events = Events::new(fields.to_vec());
        for [user, at, n] in [
            ["ada", "2026-01-01", "1"],
            ["ada", "2026-01-02", "2"],
            ["ada", "2026-01-02", "3"],
            ["ada", "2026-01-02", "3"],
            ["bob", "2026-01-01", "4"],
        ] {
            events.push(&[Some(user), Some(at), Some(n)]).expect("room");
        }
        let of = |template: &str| {
            Overwritten::of(&Design::new("d", template, Layout::new(LayoutKind::Wide)), &events)
        };
        let by_user = of("{user}").expect("two users");
        let expected = Overwritten { events: 2, replacing: 1, example_key: "ada".into() };
        assert_eq!(by_user, expected, "the fourth event is the third one again");
        let text = "2 events have the row of an earlier one, such as row ada, and one of them replaces its cells: add a field to the end of the key.";
        assert_eq!(by_user.text(), text);
        assert_eq!(of("{user}#{at:iso}#{n}"), None);
        assert_eq!(of("{nothing}"), None);
    }
}
