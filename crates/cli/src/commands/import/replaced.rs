//! Counts the events of an import whose cells replace those of earlier events.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use tabletop_model::{Mutation, RowKey, RowMutation};

use crate::commands::counted;
use crate::overwritten::replaced_text;

/// The maximum number of events that are compared: 400 MB of hashes.
const EVENTS_MAX: usize = 20_000_000;

/// The places that events have written to, as hashes.
#[derive(Default)]
pub(super) struct Replaced {
    places: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
    count: u64,
    /// The key of the first row with such an event.
    example_key: Option<RowKey>,
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
            if !self.places.insert(hasher.finish()) {
                self.count += 1;
                self.example_key.get_or_insert_with(|| row.key.clone());
            }
        }
    }

    /// Says how many events were replaced, if any were.
    pub(super) fn message(&self) -> Option<String> {
        let of = if self.places.len() < EVENTS_MAX { "" } else { "at least " };
        let key = self.example_key.as_ref()?.to_string();
        Some(replaced_text(&format!("{of}{}", counted(self.count, "event was", "events were")), &key))
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
        let message = replaced.message().unwrap();
        assert!(message.starts_with("2 events were replaced") && message.contains("row a:"), "{message}");
    }
}
