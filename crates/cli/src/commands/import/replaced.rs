//! Counts the events of an import whose cells replace those of earlier events.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use tabletop_model::{Mutation, RowMutation};

use crate::commands::counted;

/// The maximum number of events that are compared: 400 MB of hashes.
const EVENTS_MAX: usize = 20_000_000;

/// The places that events have written to, as hashes.
#[derive(Default)]
pub(super) struct Replaced {
    places: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
    count: u64,
}

impl Replaced {
    /// Considers the cells of an event. Cells of families that aggregate replace nothing.
    pub(super) fn see(&mut self, row: &RowMutation) {
        let mut hasher = self.places.hasher().build_hasher();
        row.key.0.hash(&mut hasher);
        let mut replaces = false;
        for mutation in &row.mutations {
            if let Mutation::SetCell { family, qualifier, timestamp, .. } = mutation {
                (family, &qualifier.0, timestamp).hash(&mut hasher);
                replaces = true;
            }
        }
        if replaces && self.places.len() < EVENTS_MAX {
            self.count += u64::from(!self.places.insert(hasher.finish()));
        }
    }

    /// Says how many events were replaced, if any were.
    pub(super) fn message(&self) -> Option<String> {
        let of = if self.places.len() < EVENTS_MAX { "" } else { "at least " };
        (self.count > 0).then(|| {
            format!(
                "{of}{} replaced by later ones with the same row, columns and time: add a field to the end of the key.",
                counted(self.count, "event was", "events were")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, timestamp: i64) -> RowMutation {
        let mutation = Mutation::SetCell {
            family: "e".into(),
            qualifier: "q".into(),
            timestamp,
            value: b"v".to_vec().into(),
        };
        RowMutation { key: key.into(), mutations: vec![mutation] }
    }

    #[test]
    fn events_at_one_place_are_counted() {
        let mut replaced = Replaced::default();
        [("a", 1), ("a", 2), ("b", 1)].iter().for_each(|(key, time)| replaced.see(&row(key, *time)));
        assert_eq!(replaced.message(), None);
        [("a", 1), ("a", 1)].iter().for_each(|(key, time)| replaced.see(&row(key, *time)));
        assert!(replaced.message().unwrap().starts_with("2 events were replaced"));
    }
}
