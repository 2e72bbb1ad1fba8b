//! The table of a design as its events alone make it: what a simulation begins with.
//!
//! Reads count as load of tablets, and a busy tablet is split. So the table on the screen depends on who has looked at it, and when. Its
//! simulations do not: they begin with a copy that is kept when the last event is written and compacted, or with a table that is built again.

use tabletop_schema::ClusterSettings;
use tabletop_workload::Events;

use super::DesignTable;
use crate::event_table::EventTable;
use crate::supply::Supply;

impl DesignTable {
    /// Keeps a copy of the table, which has all events and is compacted, unless something else has shaped it.
    pub(crate) fn note_rest(&mut self, supply: Supply) {
        // A table that was begun when fewer events were known has other thresholds.
        if self.table.is_straight() && self.table.scaled_for() == supply.total {
            self.at_rest = self.table.fork();
        }
    }

    /// Returns whether a simulation can begin with the table: there is a copy of it that has all of these events, and they are looked at.
    pub fn has_rest(&self, events: &Events) -> bool {
        self.rest_of(events).is_some() && self.pictures.is_complete(self.revision)
    }

    fn rest_of(&self, events: &Events) -> Option<&EventTable> {
        self.at_rest.as_ref().filter(|table| table.built() as usize == events.len())
    }

    /// Returns whether the design has had a template without problems, so that there is a table.
    pub fn has_template(&self) -> bool {
        self.mapping.is_some()
    }

    /// Returns whether the next steps bring the table on the screen to rest.
    pub fn comes_to_rest(&self, supply: Supply) -> bool {
        let is_straight = self.table.is_straight() && self.table.scaled_for().is_none_or(|total| Some(total) == supply.total);
        let is_on_its_way = self.is_behind(supply) || self.is_settling(supply) || !self.pictures.is_complete(self.revision);
        supply.total == Some(supply.arrived) && (is_straight || self.at_rest.is_some()) && is_on_its_way
    }

    /// Returns an empty table of the same design, with the same writes by hand. It is built from all events to become what this table would
    /// be if its earlier states had not been shown.
    pub fn again(&self, cluster: &ClusterSettings) -> DesignTable {
        let mut again = DesignTable::new(self.id, &self.design, self.typed.fields(), cluster);
        again.timeline = self.timeline.writes_again();
        again.timeline.write(&mut again.table);
        again
    }

    /// Returns a copy of the design with the table at rest, which changes independently; `None` if there is none with all of these events.
    pub(crate) fn fork(&self, events: &Events, cluster: &ClusterSettings) -> Option<DesignTable> {
        let table = self.rest_of(events)?.fork()?;
        let mut copy = DesignTable::new(self.id, &self.design, self.typed.fields(), cluster);
        copy.table = table;
        Some(copy)
    }

    /// Returns the revision, which changes with the design, the events and the writes by hand.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
