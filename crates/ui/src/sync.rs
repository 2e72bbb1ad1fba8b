//! What to tell the engine next, so that it has the workspace that is on the screen. The decision is a value; `session` does it.

use tabletop_schema::{ClusterSettings, DesignLimits, DesignPatch, Field, NamedQuery, Query, Source, Workspace};

/// One thing to ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Begin again with all of it.
    Open,
    /// Other kinds of the own events' fields.
    SetFields(Vec<Field>),
    /// A design too many.
    RemoveDesign(u32),
    /// A design that is new or other.
    Design(u32, DesignPatch),
    /// Other thresholds or pace.
    Cluster(ClusterSettings),
    /// Another question.
    KeepQuery(Query),
    /// Other access patterns or limits.
    KeepQueries(Vec<NamedQuery>, DesignLimits),
}

/// The first thing in which the engine's workspace (`told`) differs from the one that is wanted.
pub fn next_step(told: &Workspace, wanted: &Workspace) -> Option<Step> {
    if !same_events(&told.source, &wanted.source) || told.name != wanted.name {
        return Some(Step::Open);
    }
    // Fields come before designs: a template is checked against them. None are wanted until some were detected.
    if let (Source::Own(told), Source::Own(wanted)) = (&told.source, &wanted.source)
        && told.fields != wanted.fields
        && !wanted.fields.is_empty()
    {
        return Some(Step::SetFields(wanted.fields.clone()));
    }
    if told.designs.len() > wanted.designs.len() {
        return Some(Step::RemoveDesign(told.designs.len() as u32 - 1));
    }
    for (index, wanted) in wanted.designs.iter().enumerate() {
        let told = told.designs.get(index);
        let patch = DesignPatch {
            name: (told.map(|told| &told.name) != Some(&wanted.name)).then(|| wanted.name.clone()),
            template: (told.map(|told| &told.template) != Some(&wanted.template)).then(|| wanted.template.clone()),
            layout: (told.map(|told| &told.layout) != Some(&wanted.layout)).then(|| wanted.layout.clone()),
        };
        if patch != DesignPatch::default() {
            return Some(Step::Design(index as u32, patch));
        }
    }
    if told.cluster != wanted.cluster {
        return Some(Step::Cluster(wanted.cluster.clone()));
    }
    if told.query != wanted.query {
        return Some(Step::KeepQuery(wanted.query.clone()));
    }
    let same = told.queries == wanted.queries && told.limits == wanted.limits;
    (!same).then(|| Step::KeepQueries(wanted.queries.clone(), wanted.limits.clone()))
}

/// Whether two sources give the same events, kinds of fields aside.
pub fn same_events(told: &Source, wanted: &Source) -> bool {
    match (told, wanted) {
        (Source::Own(told), Source::Own(wanted)) => {
            (&told.name, told.format, told.on_bad_line) == (&wanted.name, wanted.format, wanted.on_bad_line)
        }
        _ => told == wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_schema::LayoutKind;

    /// Follows the steps until the engine has what is wanted, as `session` does.
    fn steps(told: &Workspace, wanted: &Workspace) -> Vec<Step> {
        let mut told = told.clone();
        let mut steps = Vec::new();
        while let Some(step) = next_step(&told, wanted) {
            match &step {
                Step::Open => told = wanted.clone(),
                Step::SetFields(fields) => {
                    if let Source::Own(own) = &mut told.source {
                        own.fields.clone_from(fields);
                    }
                }
                Step::RemoveDesign(index) => told.remove_design(*index).expect("a design too many"),
                Step::Design(index, patch) => told.patch_design(*index, patch).expect("a known or the next design"),
                Step::Cluster(cluster) => told.cluster = cluster.clone(),
                Step::KeepQuery(query) => told.query = query.clone(),
                Step::KeepQueries(queries, limits) => {
                    told.queries.clone_from(queries);
                    told.limits.clone_from(limits);
                }
            }
            steps.push(step);
        }
        assert_eq!(&told, wanted);
        steps
    }

    #[test]
    fn a_keystroke_is_one_small_step() {
        let told = Workspace::default();
        let mut wanted = told.clone();
        wanted.designs[0].template.push('x');
        let patch = DesignPatch { template: Some(wanted.designs[0].template.clone()), ..DesignPatch::default() };
        assert_eq!(steps(&told, &wanted), [Step::Design(0, patch)]);
    }

    #[test]
    fn designs_come_and_go() {
        let one = Workspace::default();
        let mut two = one.clone();
        two.designs.push(one.designs[0].clone());
        two.designs[1].layout.kind = LayoutKind::RowPerEntity;
        two.query.rows_limit += 1;
        two.limits.key_bytes_max = Some(64);
        assert_eq!(steps(&one, &two).len(), 3);
        assert_eq!(steps(&two, &one).len(), 3);
    }

    #[test]
    fn other_events_begin_everything_again() {
        let told = Workspace::default();
        let wanted = Workspace { source: Source::Sample("earthquakes".into()), ..told.clone() };
        assert_eq!(steps(&told, &wanted), [Step::Open]);
    }
}
