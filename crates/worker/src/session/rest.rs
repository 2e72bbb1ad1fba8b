//! Settled tables, from which simulations begin. If reads or requests of the user have shaped the
//! table on the screen, another table is built from all events, in the background.

use std::ops::Range;

use tabletop_design::{DesignTable, Supply};
use tabletop_model::{Code, Error};
use tabletop_protocol::JobError;

use super::stage::{BuiltAgain, Stage, supply};

impl Stage {
    /// Makes sure that there is a settled table for each of these designs.
    ///
    /// # Errors
    /// `NotReady` while one is being built, `Unfit` for a design that has no table, and without
    /// events.
    #[inline(never)]
    pub(super) fn bring_tables_to_rest(&mut self, designs: Range<usize>) -> Result<(), JobError> {
        let supply = supply(&self.load, &self.arrival, &self.workspace, self.measures_advice);
        if supply.events.is_empty() && !self.load.is_loading() {
            let message = "there are no events to make requests for: load some first";
            return Err(JobError::Unfit(Error::invalid(message)));
        }
        let mut all_rest = !self.load.is_loading();
        for table in &self.design_tables[designs] {
            if !table.has_template() {
                let message = "the design has no table yet: correct its template first";
                return Err(JobError::Unfit(Error::new(Code::NotFound, message)));
            }
            let of = (table.id, table.revision());
            let rests = |again: &BuiltAgain| again.of == of && again.table.has_rest(supply.events);
            if table.has_rest(supply.events) || self.built_again.iter().any(rests) {
                continue;
            }
            all_rest = false;
            if !self.load.is_loading()
                && !table.comes_to_rest(supply)
                && !self.built_again.iter().any(|again| again.of == of)
            {
                self.built_again.retain(|again| again.of.0 != table.id);
                self.built_again.push(BuiltAgain { of, table: table.again(&self.workspace.cluster) });
            }
        }
        let message = "the design's tables are still being built: wait until all events are in them";
        if all_rest { Ok(()) } else { Err(JobError::NotReady(Error::new(Code::FailedPrecondition, message))) }
    }

    /// Returns the table from which simulations of the design at this index begin.
    pub(super) fn rest_of(&self, index: usize) -> &DesignTable {
        let table = &self.design_tables[index];
        let again = self.built_again.iter().find(|again| again.of == (table.id, table.revision()));
        again.filter(|_| !table.has_rest(self.load.events())).map_or(table, |again| &again.table)
    }

    /// Drops the rebuilt tables. The next simulation builds them again.
    pub(super) fn forget_rest(&mut self) {
        self.built_again.clear();
    }

    /// Continues to rebuild tables. Returns whether there was anything to do.
    pub(super) fn build_again(&mut self, count: u32) -> bool {
        if self.load.is_loading() {
            return false;
        }
        let tables = &self.design_tables;
        self.built_again.retain(|again| tables.iter().any(|table| again.of == (table.id, table.revision())));
        let supply = Supply::all(self.load.events(), &self.workspace.cluster);
        let mut worked = false;
        for again in &mut self.built_again {
            worked |= again.table.step(supply, count);
        }
        worked
    }
}
