//! How far the figures of all designs and the costs of access patterns are measured. Shared files
//! wait for them.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{DesignFigures, QueryOutcome, TableState};
use tabletop_texts::messages;

use super::known::Known;

/// How much is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Events in the tables, and the total to come, over all tables.
    pub events: (u64, u64),
    /// Tables whose figures are final, and the total.
    pub tables: (usize, usize),
    /// Measured costs of access patterns, and the total that can be measured.
    pub costs: (usize, usize),
    /// Whether the measurement does not continue without the user.
    pub is_done: bool,
}

impl Progress {
    /// Returns how much is known of a workspace.
    pub fn of(known: &Known) -> Progress {
        let designs = &known.workspace.designs;
        let of_design = |design| {
            known
                .figures
                .iter()
                .find(|figures: &&DesignFigures| figures.design.differs_at_most_in_results(design))
        };
        let figures: Vec<&DesignFigures> = designs.iter().filter_map(of_design).collect();
        let mut costs = (0, 0);
        for design in known.costs.iter().filter(|design| design.state != TableState::Invalid) {
            let is_partial =
                figures.iter().any(|each| each.design.name == design.design.name && is_partial(each));
            // A table with only some of the events is not measured.
            if design.state == TableState::Growing && is_partial {
                continue;
            }
            costs.1 += design.outcomes.len();
            if design.state == TableState::Complete {
                costs.0 +=
                    design.outcomes.iter().filter(|outcome| **outcome != QueryOutcome::Waiting).count();
            }
        }
        let settled = figures.iter().filter(|figures| !figures.changes).count();
        Progress {
            events: figures.iter().fold((0, 0), |(built, total), each| {
                (built + u64::from(each.events_built), total + u64::from(each.events_total))
            }),
            tables: (settled, designs.len()),
            costs,
            is_done: known.is_over || (!known.is_loading && settled == designs.len() && costs.0 == costs.1),
        }
    }

    /// Returns whether events wait for the user, who has paused them.
    pub fn has_stopped(&self) -> bool {
        self.is_done && self.events.0 < self.events.1
    }

    /// The share that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        let (done, all) = (
            self.events.0 + (self.tables.0 + self.costs.0) as u64,
            self.events.1 + (self.tables.1 + self.costs.1) as u64,
        );
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
    use alloc::rc::Rc;
    use alloc::vec;
    use alloc::vec::Vec;

    use tabletop_workspace::{NamedQuery, Workspace};

    use super::*;
    use crate::compare::Scores;

    fn progress(workspace: &Rc<Workspace>, figures: &[DesignFigures]) -> Progress {
        let costs = Scores::default().of(workspace);
        let (fields, preview) = (Rc::default(), Rc::default());
        let known = Known {
            workspace,
            fields: &fields,
            preview: &preview,
            figures,
            costs,
            is_loading: false,
            is_over: false,
        };
        Progress::of(&known)
    }

    fn figures(workspace: &Workspace, built: u32, changes: bool) -> Vec<DesignFigures> {
        vec![DesignFigures {
            design: workspace.designs[0].clone(),
            problems: vec![],
            events_built: built,
            events_refused: 0,
            events_shared: 0,
            events_total: 100,
            changes,
            verdict: Default::default(),
            key_bytes_max: 1,
            logical_bytes: None,
            compressed_bytes: None,
            table: Default::default(),
            indexes: vec![],
        }]
    }

    #[test]
    fn what_is_not_measured_is_waited_for_and_marked() {
        let workspace = Rc::new(Workspace { queries: vec![], ..Workspace::default() });
        let after = |built, changes| progress(&workspace, &figures(&workspace, built, changes));
        let unknown = progress(&workspace, &[]);
        assert!(!unknown.is_done && unknown.note().is_some(), "nothing is known");
        let filling = after(40, true);
        assert!(!filling.is_done && !filling.has_stopped());
        assert!(filling.note().unwrap().contains("40 of 100"), "{:?}", filling.note());
        let stopped = after(40, false);
        assert!(stopped.is_done && stopped.has_stopped() && stopped.note().is_some(), "{stopped:?}");
        let done = after(100, false);
        assert!(done.is_done && done.note().is_none() && done.share() >= 1.0, "{done:?}");
    }

    #[test]
    fn access_patterns_are_waited_for() {
        let workspace = Workspace::default();
        let queries = vec![NamedQuery::new("one", workspace.query.clone())];
        let workspace = Rc::new(Workspace { queries, ..workspace });
        let waiting = progress(&workspace, &figures(&workspace, 100, false));
        assert_eq!((waiting.is_done, waiting.costs), (false, (0, 1)));
    }
}
