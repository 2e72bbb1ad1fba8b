//! Counts the events of an import whose cells replace those of earlier events.

use tabletop_model::{RowKey, RowMutation};

use crate::commands::counted;
use crate::overwritten::Places;

/// The events of an import that later ones replace.
#[derive(Default)]
pub(super) struct Replaced {
    places: Places,
    count: u64,
    /// The key of the first row with such an event.
    example_key: Option<RowKey>,
}

impl Replaced {
    /// Considers the cells of an event.
    pub(super) fn see(&mut self, row: &RowMutation) {
        if self.places.replaces(row) {
            self.count += 1;
            self.example_key.get_or_insert_with(|| row.key.clone());
        }
    }

    /// Says how many events were replaced, if any were.
    pub(super) fn message(&self) -> Option<String> {
        let of = if self.places.is_full() { "at least " } else { "" };
        let key = self.example_key.as_ref()?;
        Some(format!(
            "{of}{} replaced by later ones with the same row, columns and time, such as one of row {key}: add a field to the end of the key.",
            counted(self.count, "event was", "events were")
        ))
    }
}

#[cfg(test)]
mod tests {
    use tabletop_model::Mutation;

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
        assert!(message.starts_with("2 events were replaced") && message.contains("of row a:"), "{message}");
    }
}
