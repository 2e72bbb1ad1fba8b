//! The way of a design's table from one moment among the events to another.

use tabletop_schema::{FieldKind, TimelineView};

use super::DesignTable;
use crate::event_table::EventTable;
use crate::supply::Supply;

impl DesignTable {
    /// Returns whether the table has to become that of another moment before it can grow.
    pub(crate) fn is_elsewhere(&self, supply: Supply) -> bool {
        let built = self.table.built();
        built > supply.arrived || self.timeline.has_shortcut(built, supply)
    }

    /// Takes the table of the last checkpoint before the moment of `supply`, or an empty one. The following steps write the rest.
    #[inline(never)]
    pub(crate) fn travel(&mut self, supply: Supply) {
        self.revision += 1;
        self.pictures.carry(self.revision - 1, self.revision);
        self.timeline.refine();
        let checkpoint = self.timeline.nearest(supply).and_then(EventTable::fork);
        self.table = checkpoint.unwrap_or_else(|| EventTable::new(supply.cluster, self.revision));
        self.table.begin(self.revision);
        self.timeline.write(&mut self.table);
    }

    /// Returns the moments at which something has happened to the table, as far as they are known, and the time of the last event
    /// that is in it.
    #[inline(never)]
    pub fn timeline(&self, supply: Supply) -> TimelineView {
        let total = supply.total.unwrap_or(supply.events.len() as u32);
        TimelineView {
            event_time: self.event_time(supply),
            ..self.timeline.view(&self.table, total, self.writes_aside.waiting())
        }
    }

    fn event_time(&self, supply: Supply) -> Option<String> {
        let time = supply.events.fields().iter().position(|field| field.kind == FieldKind::Time)?;
        let last = self.table.built().checked_sub(1).filter(|last| (*last as usize) < supply.events.len())?;
        let mut values = Vec::new();
        supply.events.record(last as usize, &mut values);
        values[time].map(String::from)
    }
}
