//! Events of a list, and the rows that designs write for them.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_keys::{LayoutWriter, Record, Template};
use tabletop_model::{RowKey, RowMutation, TableView};
use tabletop_protocol::EventsView;
use tabletop_workspace::Design;

use crate::StoredKeys;

/// One event of a list.
#[derive(Clone)]
pub struct ListedEvent<'e> {
    events: &'e EventsView,
    values: Vec<Option<&'e str>>,
    /// The index among all events.
    index: u64,
}

/// The tablet that contains the row of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabletOfEvent {
    /// Index of the tablet.
    pub at: usize,
    /// The number of tablets.
    pub of: usize,
}

impl<'e> ListedEvent<'e> {
    /// Returns the event at an index of the list, or the last one; `None` if there is none.
    pub fn at(events: &'e EventsView, at: usize) -> Option<ListedEvent<'e>> {
        let at = at.min(events.events.len().checked_sub(1)?);
        let values = events.events[at].iter().map(Option::as_deref).collect();
        Some(ListedEvent { events, values, index: u64::from(events.start) + at as u64 })
    }

    /// Returns the row that a design writes for the event, or why it writes none.
    ///
    /// # Errors
    /// The first problem of the template, or the refusal of the layout.
    pub fn row(&self, design: &Design) -> Result<(RowMutation, StoredKeys), String> {
        let record = Record { fields: &self.events.fields, values: &self.values };
        let (template, problems) = Template::parse(&design.template, record.fields);
        if let Some(problem) = problems.first() {
            return Err(problem.message.clone());
        }
        let writer =
            LayoutWriter::new(&design.layout, record.fields, &template).with_families(&design.families);
        let row = writer.write(&record, self.index).map_err(|error| error.message)?;
        Ok((row, StoredKeys::new(&template, &design.layout)))
    }

    /// Returns the tablet of a design's table that has the row of the event.
    pub fn tablet(&self, design: &Design, table: &TableView) -> Option<TabletOfEvent> {
        let (row, _) = self.row(design).ok()?;
        let at = table.tablets.iter().position(|tablet| tablet.end.is_empty() || row.key < tablet.end)?;
        Some(TabletOfEvent { at, of: table.tablets.len() })
    }
}

/// Returns the index in the list of the first event that a design writes to this row.
pub fn event_of_row(events: &EventsView, design: &Design, key: &RowKey) -> Option<usize> {
    let (template, problems) = Template::parse(&design.template, &events.fields);
    if !problems.is_empty() {
        return None;
    }
    let writer = LayoutWriter::new(&design.layout, &events.fields, &template).with_families(&design.families);
    events.events.iter().enumerate().position(|(at, event)| {
        let values: Vec<Option<&str>> = event.iter().map(Option::as_deref).collect();
        let record = Record { fields: &events.fields, values: &values };
        writer.write(&record, u64::from(events.start) + at as u64).is_ok_and(|row| row.key == *key)
    })
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::vec;

    use super::*;
    use tabletop_keys::{Field, FieldKind, LayoutKind};
    use tabletop_workspace::Workspace;

    fn events() -> EventsView {
        let field = |name: &str| Field::new(name, FieldKind::Text);
        let event = |user: &str, app: &str| vec![Some(user.to_owned()), Some(app.to_owned())];
        let events = vec![event("ann", "x"), event("bob", "x"), event("ann", "y")];
        EventsView { fields: vec![field("user"), field("app")], start: 50, events }
    }

    #[test]
    fn the_event_of_a_row_is_the_same_in_each_design() {
        let events = events();
        let mut design = Workspace::default().designs.swap_remove(0);
        design.template = "{app},{user}".into();
        let of_row = |design: &Design, key: &str| event_of_row(&events, design, &key.into());
        assert_eq!(
            [of_row(&design, "x,bob"), of_row(&design, "y,ann"), of_row(&design, "y,bob")],
            [Some(1), Some(2), None]
        );
        let key = ListedEvent::at(&events, 2).and_then(|event| Some(event.row(&design).ok()?.0.key));
        assert_eq!(key, Some("y,ann".into()));
        // Several events may share a row: take the first.
        design.template = "{user}".into();
        design.layout.kind = LayoutKind::Wide;
        assert_eq!(of_row(&design, "ann"), Some(0));
        design.template = "{user".into();
        assert_eq!(of_row(&design, "ann"), None);
    }
}
