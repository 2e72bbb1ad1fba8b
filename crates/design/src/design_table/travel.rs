//! Moves a design's table to another moment, that is, to another number of events.

use tabletop_keys::FieldKind;
use tabletop_protocol::TimelineView;

use super::DesignTable;
use crate::event_table::EventTable;
use crate::supply::Supply;

impl DesignTable {
    /// Returns whether the table must move to another moment before it can grow.
    pub(crate) fn is_elsewhere(&self, supply: Supply) -> bool {
        let built = self.table.built();
        built > supply.arrived || self.timeline.has_shortcut(built, supply)
    }

    /// Replaces the table with the last checkpoint before the moment of `supply`, or with an empty
    /// table. The following steps write the missing events.
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

    /// Returns the known moments at which the table was split, merged, compacted or written to, and
    /// the time of the last event in it.
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
