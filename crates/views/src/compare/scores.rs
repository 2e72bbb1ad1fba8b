//! The measured costs of access patterns, until new ones arrive.

use alloc::rc::Rc;
use alloc::vec::Vec;

use tabletop_advice::{DesignCosts, Measurements, QueryOutcome, TableState};
use tabletop_workspace::{Design, NamedQuery, Workspace};

/// Measured costs, and the workspace to which they belong.
#[derive(Default)]
pub struct Scores {
    of: Option<Rc<Workspace>>,
    measured: Measurements,
}

impl Scores {
    /// The costs of the access patterns of `workspace`.
    pub fn new(workspace: Rc<Workspace>, measured: Measurements) -> Scores {
        Scores { of: Some(workspace), measured }
    }

    /// Returns the costs for a workspace that may have been changed since: each design and each
    /// query that is unchanged has its costs, the others wait.
    pub fn of(&self, workspace: &Workspace) -> Vec<DesignCosts> {
        let earlier = self
            .of
            .as_ref()
            .filter(|of| of.source.same_events(&workspace.source) && of.cluster == workspace.cluster);
        let known: &[NamedQuery] = earlier.map_or(&[], |of| &of.queries);
        let places: Vec<Option<usize>> = workspace
            .queries
            .iter()
            .map(|named| known.iter().position(|before| before.query == named.query))
            .collect();
        let of_design = |design: &Design| {
            let same = |costs: &&DesignCosts| costs.design.has_same_table(design);
            let costs = self.measured.designs.iter().find(same).filter(|_| earlier.is_some());
            let outcome = |place: &Option<usize>| {
                costs.and_then(|costs| costs.outcomes.get((*place)?)).cloned().unwrap_or_default()
            };
            let state = costs.map_or(TableState::Growing, |costs| costs.state);
            DesignCosts {
                design: design.clone(),
                state,
                is_hot: costs.is_some_and(|costs| costs.is_hot),
                lost: costs.map_or(0, |costs| costs.lost),
                events: costs.map_or(0, |costs| costs.events),
                heat: costs.map_or(0.0, |costs| costs.heat),
                largest_row: costs.and_then(|costs| costs.largest_row),
                tables: 1,
                stored_bytes: costs.map_or(0, |costs| costs.stored_bytes),
                outcomes: places.iter().map(outcome).collect::<Vec<QueryOutcome>>(),
            }
        };
        workspace.designs.iter().map(of_design).collect()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use tabletop_keys::{Query, RowChoice};
    use tabletop_model::Error;

    use super::*;

    #[test]
    fn costs_follow_their_design_and_their_query() {
        let named = |name: &str, rows_limit: u64| {
            NamedQuery::new(name, Query { rows: RowChoice::All, filter: None, rows_limit, reversed: false })
        };
        let mut workspace = Workspace { queries: vec![named("a", 1), named("b", 2)], ..Workspace::default() };
        let second =
            Design { name: "Second".into(), template: "{user_token}".into(), ..workspace.designs[0].clone() };
        workspace.designs.push(second);
        let refused = |text: &str| QueryOutcome::Refused(Error::invalid(text));
        let costs = |at: usize, outcomes: &[&str]| DesignCosts {
            design: workspace.designs[at].clone(),
            state: TableState::Complete,
            is_hot: false,
            lost: 0,
            events: 100,
            heat: 0.0,
            largest_row: None,
            tables: 1,
            stored_bytes: 0,
            outcomes: outcomes.iter().map(|text| refused(text)).collect(),
        };
        let measured =
            Measurements { designs: vec![costs(0, &["0a", "0b"]), costs(1, &["1a", "1b"])], more: false };
        let scores = Scores::new(Rc::new(workspace.clone()), measured);
        let mut edited = workspace.clone();
        edited.designs.reverse();
        edited.designs[1].name = "First".into();
        edited.queries.remove(0);
        edited.queries[0].reads_per_second = 9.0;
        edited.queries.push(named("c", 3));
        let now = scores.of(&edited);
        assert_eq!(now[0].outcomes, [refused("1b"), QueryOutcome::Waiting]);
        assert_eq!((now[1].design.name.as_str(), &now[1].outcomes[0]), ("First", &refused("0b")));
        edited.designs[0].template.push_str(",{app_id}");
        assert_eq!(
            (scores.of(&edited)[0].state, &scores.of(&edited)[0].outcomes[0]),
            (TableState::Growing, &QueryOutcome::Waiting)
        );
        edited.cluster.tablet_bytes_max = Some(1);
        assert_eq!(scores.of(&edited)[1].state, TableState::Growing, "the tables are built again");
        assert_eq!(
            Scores::default().of(&workspace)[0].outcomes,
            [QueryOutcome::Waiting, QueryOutcome::Waiting]
        );
    }
}
