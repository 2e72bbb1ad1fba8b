//! Events that a design does not keep, because later events have their row or their cells.

use serde::Serialize;
use tabletop_advice::{EventHashes, LossCount};
use tabletop_keys::Template;
use tabletop_model::RowKey;
use tabletop_workload::Events;
use tabletop_workspace::Design;

use crate::commands::counted;

/// The events of a design that later ones replace, and the key of the row of one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Overwritten {
    /// The number of events. Events that are equal in all fields count as one.
    pub events: u64,
    /// The key of one of their rows.
    pub example_key: String,
}

impl Overwritten {
    /// Counts the replaced events of a design, over all events; `None` if each event is kept, or if
    /// the template has problems.
    pub(crate) fn of(design: &Design, events: &Events) -> Option<Overwritten> {
        let (template, problems) = Template::parse(&design.template, events.fields());
        if !problems.is_empty() || !design.layout.problems(events.fields()).is_empty() {
            return None;
        }
        let mut hashes = EventHashes::default();
        let mut count = LossCount::new(&template, &design.layout, &design.families);
        events.for_each(0..events.len() as u32, |_, record| {
            hashes.add(record);
            count.add(record);
        });
        let shared = count.losses(&hashes).shared;
        if shared == 0 {
            return None;
        }
        let mut example_key = String::new();
        events.for_each(count.shared().into_iter().take(1), |_, record| {
            let mut key = Vec::new();
            if template.write_key(record, &mut key).is_ok() {
                example_key = RowKey::from(key).to_string();
            }
        });
        Some(Overwritten { events: shared.into(), example_key })
    }

    /// Says how many events are replaced, and where.
    pub(crate) fn text(&self) -> String {
        replaced_text(&counted(self.events, "event is", "events are"), &self.example_key)
    }
}

/// Says how many events are replaced, and the key of one of their rows.
pub(crate) fn replaced_text(events: &str, example_key: &str) -> String {
    format!(
        "{events} replaced by later ones with the same row, columns and time, such as those of row {example_key}: add a field to the end of \
         the key."
    )
}
