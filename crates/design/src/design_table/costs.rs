//! The measurement of access patterns on a design's table, and their costs.

use tabletop_advice::{DesignCosts, LargestRow, TableState, Tone};
use tabletop_keys::{FieldKind, part_fields};
use tabletop_workspace::NamedQuery;

use super::DesignTable;
use crate::measure::{MeasureStage, Measuring};
use crate::supply::Supply;

impl DesignTable {
    /// Returns what the next slice of a measurement does; `None` if everything is measured, or
    /// nothing can be.
    pub fn measure_stage(&mut self, supply: Supply, queries: &[NamedQuery]) -> Option<MeasureStage> {
        let stage = self.measuring(supply, queries)?.stage();
        // The largest row is one of the costs.
        if self.is_sized() || queries.is_empty() { stage } else { Some(MeasureStage::Counts) }
    }

    /// Reads the next slice of the measurement of these access patterns. Returns whether there was
    /// one.
    pub fn measure(&mut self, supply: Supply, queries: &[NamedQuery]) -> bool {
        if self.measure_stage(supply, queries).is_none() {
            return false;
        }
        if !self.is_sized() {
            self.count_size();
            return true;
        }
        let Some(mut measuring) = self.measuring.take() else { return false };
        // The measurement reads a copy, because other reads between two slices would change the
        // block cache.
        let copy = measuring.take_copy().or_else(|| self.table.fork());
        let own = copy.map(|copy| std::mem::replace(&mut self.table, copy));
        measuring.slice(self);
        measuring.keep_copy(own.map(|own| std::mem::replace(&mut self.table, own)));
        self.measuring = Some(measuring);
        true
    }

    /// Charges the last slice of a measurement with the time that it took.
    pub fn charge_measurement(&mut self, micros: u64) {
        if let Some(measuring) = &mut self.measuring {
            measuring.charge(micros);
        }
    }

    /// Returns what has been measured of these access patterns so far.
    pub fn costs(&mut self, supply: Supply, queries: &[NamedQuery]) -> DesignCosts {
        let outcomes = self.measuring(supply, queries).map(|measuring| measuring.outcomes());
        let outcomes = outcomes.map(|outcomes| self.with_wrong_answers(supply, queries, outcomes));
        let state = match outcomes {
            _ if !self.problems.is_empty() || self.mapping.is_none() => TableState::Invalid,
            Some(_) => TableState::Complete,
            None => TableState::Growing,
        };
        let table = self.tablets();
        DesignCosts {
            design: self.design.clone(),
            state,
            is_hot: state == TableState::Complete && self.verdict(supply, &table).tone == Tone::Hot,
            lost: self.losses().lost(),
            events: self.table.built(),
            heat: self.pictures.advice().load.map_or(0.0, |load| load.heat()),
            largest_row: self.largest_row(),
            tables: 1,
            stored_bytes: table.tablets.iter().map(|tablet| tablet.bytes).sum(),
            outcomes: outcomes.unwrap_or_default(),
        }
    }

    /// Returns whether all rows of the table are counted.
    fn is_sized(&self) -> bool {
        let content = self.table.content();
        self.size.as_ref().is_some_and(|size| size.is_of(content) && size.largest_row().is_some())
    }

    /// Returns the largest row, once all rows are counted.
    fn largest_row(&self) -> Option<LargestRow> {
        let mapping = self.mapping.as_ref()?;
        let bytes = self.size.as_ref().filter(|_| self.is_sized())?.largest_row()?;
        let stored = mapping.written.stored(&mapping.readable);
        let is_time = |name: &String| {
            stored.fields().iter().any(|field| field.name == *name && field.kind == FieldKind::Time)
        };
        let has_time = stored.parts().iter().flat_map(part_fields).any(is_time);
        Some(LargestRow { bytes, grows: !has_time })
    }

    /// Returns the measurement of these access patterns on the table in its current state; `None`
    /// if the table is not complete.
    fn measuring(&mut self, supply: Supply, queries: &[NamedQuery]) -> Option<&mut Measuring> {
        let is_complete = supply.total == Some(self.table.built())
            && !self.is_settling(supply)
            && !self.has_uncounted_events();
        if !is_complete || self.mapping.is_none() || !self.problems.is_empty() {
            self.measuring = None;
            return None;
        }
        let content = self.table.content();
        let measuring = self.measuring.take().filter(|measuring| measuring.is_of(content));
        let mut measuring = measuring.unwrap_or_else(|| Measuring::new(content));
        measuring.follow(queries);
        Some(self.measuring.insert(measuring))
    }
}
