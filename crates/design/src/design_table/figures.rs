//! The figures of a design for a comparison with others.

use tabletop_advice::{Answers, Arrival, DesignFigures, Losses, Verdict, judge};
use tabletop_model::TableView;

use super::DesignTable;
use crate::size_count::SizeCount;
use crate::supply::Supply;

impl DesignTable {
    /// Returns the current figures of the design. Once all events are in the table, each call also
    /// counts a slice of its rows, until all are counted.
    pub fn figures(&mut self, supply: Supply) -> DesignFigures {
        let complete = supply.total == Some(self.table.built());
        let may_grow = !complete || self.is_settling(supply);
        if !may_grow && self.mapping.is_some() {
            self.count_size();
        }
        let logical_bytes = self.size.as_ref().filter(|_| !may_grow).and_then(SizeCount::counted);
        let is_counting = !may_grow && self.mapping.is_some() && logical_bytes.is_none();
        let is_judging = complete && (self.has_uncounted_events() || self.has_unchecked_answers(supply));
        let table = self.tablets();
        let verdict = self.verdict(supply, &table);
        DesignFigures {
            design: self.design.clone(),
            problems: self.problems.clone(),
            events_built: self.table.built(),
            events_refused: self.table.refused().events,
            events_shared: self.losses().shared,
            events_total: supply.total.unwrap_or(supply.events.len() as u32),
            changes: supply.playing
                || self.is_behind(supply)
                || self.is_settling(supply)
                || is_counting
                || is_judging,
            verdict,
            key_bytes_max: self.key_bytes_max(),
            logical_bytes,
            compressed_bytes: self.size.as_ref().filter(|_| !may_grow).and_then(SizeCount::compressed_bytes),
            table,
            indexes: Vec::new(),
        }
    }

    /// Returns what the design loses of all events; nothing until they are counted.
    pub fn losses(&self) -> Losses {
        self.pictures.advice().losses.unwrap_or_default()
    }

    /// Returns whether advice is still being measured.
    pub(crate) fn is_advising(&self, supply: Supply) -> bool {
        let is_built = supply.total == Some(self.table.built());
        self.mapping.is_some()
            && !supply.events.is_empty()
            && (self.pictures.is_awaited(self.revision, is_built)
                || is_built && self.has_unchecked_answers(supply))
    }

    /// Returns whether what the design loses is not counted yet.
    pub(crate) fn has_uncounted_events(&self) -> bool {
        self.mapping.is_some() && self.table.built() > 0 && self.pictures.advice().losses.is_none()
    }

    /// Judges the design by its tablets.
    pub(crate) fn verdict(&self, supply: Supply, table: &TableView) -> Verdict {
        let arrival =
            if supply.total == Some(self.table.built()) { Arrival::Complete } else { Arrival::Ongoing };
        let wrong = self.own_wrong_answers(supply);
        let answers = wrong.as_deref().map_or(Answers::Awaited, Answers::Compared);
        let verdict =
            judge(self.pictures.advice(), table, arrival).with_answers(answers, self.pictures.advice());
        if self.problems.is_empty() { verdict } else { verdict.of_last_valid() }
    }

    /// Counts the next slice of rows, unless all are counted.
    pub(super) fn count_size(&mut self) {
        let content = self.table.content();
        let mut size =
            self.size.take().filter(|size| size.is_of(content)).unwrap_or_else(|| SizeCount::new(content));
        size.count(|read| self.read(read));
        self.size = Some(size);
    }
}
