//! The event of the list in Compare that the designs are compared by.

use tabletop_protocol::EventsView;
use tabletop_views::compare::ListedEvent;

use super::{Change, PageState, Part};

/// The event that the designs are compared by, and the one that the user points at, as indexes into
/// the list.
#[derive(Clone, Debug, Default)]
pub struct ChosenEvent {
    /// The event.
    pub at: usize,
    /// Whether the user chose the event, in the list or by a row.
    pub is_chosen: bool,
    /// The event that is pointed at.
    pub pointed: Option<usize>,
}

impl ChosenEvent {
    /// Chooses an event.
    pub fn choose(&mut self, at: usize) {
        *self = ChosenEvent { at, is_chosen: true, pointed: None };
    }
}

impl Part for ChosenEvent {
    fn follow(&mut self, change: &Change) {
        match change {
            Change::Events => (self.at, self.is_chosen) = (0, false),
            Change::Saved => self.at = 0,
            _ => {}
        }
    }
}

impl PageState {
    /// Returns the events of the list: the first ones, or the ones that the user went to.
    pub fn listed_events(&self) -> &EventsView {
        self.listed.as_deref().unwrap_or(&self.preview)
    }

    /// Returns the tablet on the strip of the design shown that contains the row of the event that
    /// the user chose, if there is one.
    #[inline(never)]
    pub fn tablet_of_chosen_event(&self) -> Option<usize> {
        let event = ListedEvent::at(self.listed_events(), self.look.part::<ChosenEvent>().at)?;
        event.tablet(self.design(), &self.view.table).map(|tablet| tablet.at)
    }
}
