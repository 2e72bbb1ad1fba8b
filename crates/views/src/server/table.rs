//! A table of the server as the page has it: merged answers.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::heatmap::HeatMatrix;
use tabletop_protocol::{HeatMetric, LiveHave, LiveSecond, LiveTableView, TabletPlaced};

/// The maximum number of seconds of the history that the page keeps.
const SECONDS_MAX: usize = 3_600;

/// What the page has of a table.
pub struct SeenTable {
    /// Everything except what is kept below.
    last: LiveTableView,
    history: Vec<LiveSecond>,
    history_from: u32,
    /// Where tablets have been since the counting started.
    pub places: Rc<Vec<TabletPlaced>>,
    /// The heatmap.
    pub heat: Rc<HeatMatrix>,
}

impl SeenTable {
    /// Starts with the first answer.
    pub fn new(mut first: LiveTableView) -> SeenTable {
        let heat = HeatMatrix::default().extend(core::mem::take(&mut first.heat));
        let (history, places) = (core::mem::take(&mut first.history), core::mem::take(&mut first.places));
        SeenTable {
            history,
            history_from: first.history_from,
            places: Rc::new(places),
            heat: Rc::new(heat),
            last: first,
        }
    }

    /// Adds an answer. An answer of another counting replaces all previous ones.
    pub fn with(mut self, mut more: LiveTableView) -> SeenTable {
        if more.epoch != self.last.epoch {
            return SeenTable::new(more);
        }
        let history = core::mem::take(&mut more.history);
        // An answer that begins later leaves a gap, so the earlier data are dropped.
        match more
            .history_from
            .checked_sub(self.history_from)
            .filter(|before| *before as usize <= self.history.len())
        {
            Some(before) => self.history.truncate(before as usize),
            None => (self.history, self.history_from) = (Vec::new(), more.history_from),
        }
        self.history.extend(history);
        let too_many = self.history.len().saturating_sub(SECONDS_MAX);
        self.history.drain(..too_many);
        self.history_from += too_many as u32;
        let places = core::mem::take(&mut more.places);
        if !places.is_empty() {
            Rc::make_mut(&mut self.places).extend(places);
        }
        let heat = Rc::make_mut(&mut self.heat);
        *heat = core::mem::take(heat).extend(core::mem::take(&mut more.heat));
        self.last = more;
        self
    }

    /// Makes the next answer replace all previous ones, as the first slice of another run must: it
    /// starts from nothing.
    pub fn forget(&mut self) {
        self.last.epoch = 0;
    }

    /// Returns what the page has, to request the rest with the columns of this metric.
    pub fn have(&self, metric: HeatMetric) -> LiveHave {
        LiveHave {
            epoch: self.last.epoch,
            seconds: self.history_from + self.history.len() as u32,
            places: self.places.len() as u32,
            metric,
            heat: if self.heat.metric() == metric { self.heat.revision() } else { 0 },
        }
    }

    /// The last answer, without what was taken out of it.
    pub fn last(&self) -> &LiveTableView {
        &self.last
    }

    /// The seconds of the last hour, and the number of the first of them.
    pub fn history(&self) -> (&[LiveSecond], u32) {
        (&self.history, self.history_from)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use tabletop_model::{TableSpec, TableView};
    use tabletop_protocol::HeatColumns;

    fn answer(epoch: u64, history_from: u32, reads: &[u32], revision: u32) -> LiveTableView {
        let second = |reads: &u32| LiveSecond { reads: *reads, ..LiveSecond::default() };
        LiveTableView {
            epoch,
            began: 0,
            seconds: history_from + reads.len() as u32,
            view: TableView::default(),
            spec: TableSpec::default(),
            history_from,
            history: reads.iter().map(second).collect(),
            places: vec![TabletPlaced { second: 0, tablet: revision, start: "".into(), node: Some(0) }],
            heat: HeatColumns { revision, ..HeatColumns::default() },
            diagnoses: Vec::new(),
        }
    }

    fn reads(table: &SeenTable) -> (Vec<u32>, u32) {
        let (history, from) = table.history();
        (history.iter().map(|second| second.reads).collect(), from)
    }

    #[test]
    fn answers_are_put_together() {
        let table = SeenTable::new(answer(1, 0, &[1, 2], 5));
        assert_eq!(
            table.have(HeatMetric::Requests),
            LiveHave { epoch: 1, seconds: 2, places: 1, heat: 5, ..LiveHave::default() }
        );
        assert_eq!(table.have(HeatMetric::Writes).heat, 0, "it has no columns of another metric");
        let table = table.with(answer(1, 2, &[3], 6));
        assert_eq!((reads(&table), table.places.len()), ((vec![1, 2, 3], 0), 2));
        let table = table.with(answer(1, 2, &[4, 5], 7));
        assert_eq!(reads(&table), (vec![1, 2, 4, 5], 0), "a second that comes twice counts once");
        let table = table.with(answer(1, 9, &[6], 8));
        assert_eq!(reads(&table), (vec![6], 9), "what is missing is not drawn as something else");
        let mut table = table.with(answer(2, 0, &[7], 1));
        assert_eq!(
            (reads(&table), table.places.len(), table.have(HeatMetric::Requests).epoch),
            ((vec![7], 0), 1, 2)
        );
        table.forget();
        let table = table.with(answer(2, 0, &[7, 8], 2));
        assert_eq!(
            (reads(&table), table.places.len()),
            ((vec![7, 8], 0), 1),
            "another run begins with all that there is"
        );
    }

    #[test]
    fn an_hour_is_kept() {
        let table = SeenTable::new(answer(1, 0, &[1; 3_599], 1)).with(answer(1, 3_599, &[2, 3], 2));
        let (history, from) = reads(&table);
        assert_eq!((history.len(), from, history[3_599]), (3_600, 1, 3));
        assert_eq!(table.have(HeatMetric::Requests).seconds, 3_601);
    }
}
