//! Applies changes of a design, or of the fields of its events, and decides whether the table must
//! be rebuilt.

use tabletop_keys::Field;
use tabletop_workspace::{ClusterSettings, Design};

use super::DesignTable;
use crate::event_mapping::{EventMapping, parse};
use crate::event_table::EventTable;

impl DesignTable {
    /// Applies a changed design. The table is kept if a rebuilt one would be equal. Manual writes
    /// that do not fit the rows of the new design are set aside.
    pub fn redesign(&mut self, design: &Design, fields: &[Field], cluster: &ClusterSettings) {
        let differs_in_results = self.design.differs_at_most_in_results(design);
        // A changed name, query or result setting leaves the template, the layout and the families
        // as they are, so no row changes.
        self.design.clone_from(design);
        if differs_in_results {
            return;
        }
        self.parse(fields);
        self.revision += 1;
        if self.reform(fields) {
            self.rebuild(cluster);
        }
    }

    /// Applies changed fields of the events. Fields that were appended to the list do not affect
    /// the table.
    pub fn refit(&mut self, fields: &[Field], cluster: &ClusterSettings) {
        if self.typed.fields() == fields {
            return;
        }
        let grown = fields.starts_with(self.typed.fields());
        self.parse(fields);
        self.revision += 1;
        let written = self.mapping.take().map(|mapping| mapping.written);
        // New fields at the end keep the indices of all others, so a parsed template that is equal
        // produces the same rows. Example: `[user, time]` becomes `[user, time, country]`:
        // `{user}#{time}` still means the same fields. In every other case the indices may mean
        // other fields.
        let reformed = self.reform(fields);
        if !(grown
            && self.table.built() > 0
            && reformed
            && self.mapping.as_ref().map(|mapping| &mapping.written) == written.as_ref())
        {
            self.rebuild(cluster);
        }
    }

    /// Rebuilds the table from the first event. Manual writes are replayed after the same number of
    /// events, if they fit.
    #[inline(never)]
    pub fn rebuild(&mut self, cluster: &ClusterSettings) {
        self.revision += 1;
        self.settle_writes();
        self.timeline.forget_tables();
        self.at_rest = None;
        self.table = EventTable::new(cluster, self.revision);
        self.timeline.write(&mut self.table);
    }

    fn parse(&mut self, fields: &[Field]) {
        (self.typed, self.problems) = parse(&self.design, fields);
    }

    /// Adapts the mapping to the design. If its template has problems, the last template without
    /// problems stays, with the design's layout; if the layout has problems too, the last layout
    /// stays as well. Returns whether the mapping has changed.
    pub(super) fn reform(&mut self, fields: &[Field]) -> bool {
        let Design { layout, families, .. } = &self.design;
        let (written, layout) = match (&self.mapping, self.problems.is_empty()) {
            (_, true) => (self.typed.clone(), layout),
            (Some(mapping), false) if !layout.problems(fields).is_empty() => {
                (mapping.written.clone(), &mapping.layout.clone())
            }
            (Some(mapping), false) => (mapping.written.clone(), layout),
            (None, false) => return false,
        };
        let is_same = |mapping: &EventMapping| {
            mapping.has_cells_of(layout, fields)
                && mapping.written == written
                && mapping.families == *families
        };
        if self.mapping.as_ref().is_some_and(is_same) {
            return false;
        }
        self.mapping = Some(EventMapping::new(self.mapping.take(), written, layout, fields, families));
        true
    }
}
