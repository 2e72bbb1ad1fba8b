//! How far the figures of all designs and the costs of access patterns are measured. Shared files
//! wait for them.

use tabletop_schema::{DesignFigures, LoadState, QueryOutcome, TableState};

use crate::messages::messages;
use crate::state::{EngineState, PageState};

/// How much is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Events in the tables, and the total to come, over all tables.
    pub events: (u64, u64),
    /// Tables whose figures are final, and the total.
    pub tables: (usize, usize),
    /// Measured costs of access patterns, and the total that can be measured.
    pub costs: (usize, usize),
    /// The measurement does not continue without the user.
    pub is_done: bool,
}

impl Progress {
    /// Returns what is known of the current workspace.
    pub fn of(state: &PageState) -> Progress {
        let designs = &state.workspace.designs;
        let known =
            |design| state.compared.iter().find(|figures: &&DesignFigures| figures.design.differs_at_most_in_results(design));
        let figures: Vec<&DesignFigures> = designs.iter().filter_map(known).collect();
        let is_loading = matches!(state.data.state, LoadState::Loading);
        let mut costs = (0, 0);
        for design in state.costs().iter().filter(|design| design.state != TableState::Invalid) {
            let is_partial = figures.iter().any(|each| each.design.name == design.design.name && is_partial(each));
            // A table with only some of the events is not measured.
            if design.state == TableState::Growing && is_partial {
                continue;
            }
            costs.1 += design.outcomes.len();
            if design.state == TableState::Complete {
                costs.0 += design.outcomes.iter().filter(|outcome| **outcome != QueryOutcome::Waiting).count();
            }
        }
        let settled = figures.iter().filter(|figures| !figures.changes).count();
        let is_over = state.own_missing || matches!(state.engine, EngineState::Crashed(_));
        Progress {
            events: figures.iter().fold((0, 0), |(built, total), each| {
                (built + u64::from(each.events_built), total + u64::from(each.events_total))
            }),
            tables: (settled, designs.len()),
            costs,
            is_done: is_over || (!is_loading && settled == designs.len() && costs.0 == costs.1),
        }
    }

    /// Returns whether events wait for the user, who has paused them.
    pub fn has_stopped(&self) -> bool {
        self.is_done && self.events.0 < self.events.1
    }

    /// The share that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        let (done, all) =
            (self.events.0 + (self.tables.0 + self.costs.0) as u64, self.events.1 + (self.tables.1 + self.costs.1) as u64);
        done as f64 / all.max(1) as f64
    }

    /// Returns the sentence that marks what is made now as incomplete; `None` if it is complete.
    pub fn note(&self) -> Option<String> {
        let says = &messages().share;
        if self.is_done && self.events.0 >= self.events.1 {
            return None;
        }
        let (tables, all) = (self.tables.1.max(1) as u64, self.events.1);
        Some((says.incomplete)(self.events.0 / tables, all / tables, self.costs))
    }
}

fn is_partial(figures: &DesignFigures) -> bool {
    figures.events_built < figures.events_total && !figures.changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use tabletop_schema::Workspace;

    fn figures(state: &PageState, built: u32, changes: bool) -> DesignFigures {
        DesignFigures {
            design: state.design().clone(),
            problems: vec![],
            events_built: built,
            events_refused: 0,
            events_total: 100,
            changes,
            verdict: Default::default(),
            key_bytes_max: 1,
            logical_bytes: None,
            table: Default::default(),
            indexes: vec![],
        }
    }

    #[test]
    fn what_is_not_measured_is_waited_for_and_marked() {
        let mut state = PageState::new(Workspace { queries: vec![], ..Workspace::default() });
        assert!(!Progress::of(&state).is_done, "nothing is known");
        assert!(Progress::of(&state).note().is_some());
        state.compared = Rc::new(vec![figures(&state, 40, true)]);
        let filling = Progress::of(&state);
        assert!(!filling.is_done && !filling.has_stopped());
        assert!(filling.note().unwrap().contains("40 of 100"), "{:?}", filling.note());
        state.compared = Rc::new(vec![figures(&state, 40, false)]);
        let stopped = Progress::of(&state);
        assert!(stopped.is_done && stopped.has_stopped() && stopped.note().is_some(), "{stopped:?}");
        state.compared = Rc::new(vec![figures(&state, 100, false)]);
        let done = Progress::of(&state);
        assert!(done.is_done && done.note().is_none() && done.share() >= 1.0, "{done:?}");
    }

    #[test]
    fn access_patterns_are_waited_for() {
        let mut state = PageState::new(Workspace::default());
        let mut workspace = (*state.workspace).clone();
        workspace.queries = vec![tabletop_schema::NamedQuery::new("one", workspace.query.clone())];
        state.workspace = Rc::new(workspace);
        state.compared = Rc::new(vec![figures(&state, 100, false)]);
        let waiting = Progress::of(&state);
        assert_eq!((waiting.is_done, waiting.costs), (false, (0, 1)));
    }
}
