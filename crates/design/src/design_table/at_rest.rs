//! The settled table of a design: all events are written and compacted, and nothing but events and
//! manual writes has shaped it. Simulations begin with this table.
//!
//! Reads count as load of tablets, and a busy tablet is split. So the tablets of the table on the
//! screen depend on which reads the user has made, and when. A simulation must not depend on that:
//! it begins with a copy that is kept when the last event is written and compacted, or with a table
//! that is rebuilt.

use tabletop_workload::Events;
use tabletop_workspace::ClusterSettings;

use super::DesignTable;
use crate::event_table::EventTable;
use crate::supply::Supply;

impl DesignTable {
    /// Keeps a copy of the table, whose events are all written and compacted, unless reads or
    /// requests of the user have shaped it.
    pub(crate) fn note_rest(&mut self, supply: Supply) {
        // A table that was begun when fewer events were known has other split thresholds.
        if self.table.is_straight() && self.table.scaled_for() == supply.total {
            self.at_rest = self.table.fork();
        }
    }

    /// Returns whether a simulation can begin with the table: a settled copy with all of these
    /// events exists, and the samples for the advice are taken.
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

    /// Returns whether the next calls of [`DesignTable::step`] lead to a settled table.
    pub fn comes_to_rest(&self, supply: Supply) -> bool {
        let is_straight = self.table.is_straight()
            && self.table.scaled_for().is_none_or(|total| Some(total) == supply.total);
        let is_on_its_way =
            self.is_behind(supply) || self.is_settling(supply) || !self.pictures.is_complete(self.revision);
        supply.total == Some(supply.arrived) && (is_straight || self.at_rest.is_some()) && is_on_its_way
    }

    /// Returns an empty table of the same design, with the same manual writes. Once all events are
    /// written, it is what this table would be without any reads.
    pub fn again(&self, cluster: &ClusterSettings) -> DesignTable {
        let mut again = DesignTable::new(self.id, &self.design, self.typed.fields(), cluster);
        again.timeline = self.timeline.writes_again();
        again.timeline.write(&mut again.table);
        again
    }

    /// Returns an independent copy of the design with the settled table; `None` if there is no
    /// settled table with all of these events.
    pub(crate) fn fork(&self, events: &Events, cluster: &ClusterSettings) -> Option<DesignTable> {
        let table = self.rest_of(events)?.fork()?;
        let mut copy = DesignTable::new(self.id, &self.design, self.typed.fields(), cluster);
        copy.table = table;
        Some(copy)
    }

    /// Returns the revision, which changes with the design, the events and the manual writes.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}
