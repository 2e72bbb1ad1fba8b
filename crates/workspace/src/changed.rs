//! What an edit has changed in a workspace, in the words of its parts.

use alloc::string::String;

use crate::Workspace;

/// What is different in a later state of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// The row key of a design is now another template, which the text has.
    RowKey(String),
    /// The layout of a design: its kind, its columns, its families or its encoding.
    Layout,
    /// There are more designs than before, by this number.
    DesignsAdded(usize),
    /// There are fewer designs than before, by this number.
    DesignsRemoved(usize),
    /// The names or the order of the designs.
    Designs,
    /// The events, or how they are read.
    Events,
    /// The roles of fields.
    Roles,
    /// The query on the screen.
    Query,
    /// The access patterns.
    Patterns,
    /// The pace of the events or the size of tablets.
    Settings,
    /// The traffic, or the cluster that it runs on.
    Traffic,
    /// The strategy of the profiles.
    Strategy,
    /// The rates and prices of the estimate.
    Estimate,
    /// The limits of the designs.
    Limits,
    /// The name of the workspace.
    Name,
}

impl Changed {
    /// Returns the most important difference between two states of a workspace. `None` if they
    /// differ only in what is not an edit, as the position among the events.
    pub fn between(before: &Workspace, after: &Workspace) -> Option<Changed> {
        let (old, new) = (&before.designs, &after.designs);
        if before.source != after.source {
            return Some(Changed::Events);
        }
        if new.len() > old.len() {
            return Some(Changed::DesignsAdded(new.len() - old.len()));
        }
        if new.len() < old.len() {
            return Some(Changed::DesignsRemoved(old.len() - new.len()));
        }
        let pairs = || old.iter().zip(new);
        let is_same_list = pairs().all(|(old, new)| old.name == new.name);
        if is_same_list && let Some((_, new)) = pairs().find(|(old, new)| old.template != new.template) {
            return Some(Changed::RowKey(new.template.clone()));
        }
        if is_same_list
            && pairs().any(|(old, new)| (&old.layout, &old.families) != (&new.layout, &new.families))
        {
            return Some(Changed::Layout);
        }
        let differs = [
            (old != new, Changed::Designs),
            (before.roles != after.roles, Changed::Roles),
            (before.queries != after.queries, Changed::Patterns),
            (before.query != after.query, Changed::Query),
            (before.traffic != after.traffic, Changed::Traffic),
            (before.strategy != after.strategy, Changed::Strategy),
            (before.rates != after.rates, Changed::Estimate),
            (before.limits != after.limits, Changed::Limits),
            (before.cluster != after.cluster, Changed::Settings),
            (before.name != after.name, Changed::Name),
        ];
        differs.into_iter().find_map(|(differs, change)| differs.then_some(change))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_important_difference_is_named() {
        let before = Workspace::default();
        let changed = |change: fn(&mut Workspace)| {
            let mut after = before.clone();
            change(&mut after);
            (Changed::between(&before, &after), Changed::between(&after, &before))
        };
        assert_eq!(changed(|_| {}), (None, None));
        assert_eq!(changed(|after| after.arrived = Some(7)), (None, None));
        let (there, back) = changed(|after| after.designs[0].template = "{app_id}".into());
        assert_eq!(there, Some(Changed::RowKey("{app_id}".into())));
        assert_eq!(back, Some(Changed::RowKey(before.designs[0].template.clone())));
        let added = changed(|after| after.designs.push(after.designs[0].clone()));
        assert_eq!(added, (Some(Changed::DesignsAdded(1)), Some(Changed::DesignsRemoved(1))));
        let layout = changed(|after| after.designs[0].layout.family_field = Some("app_id".into()));
        assert_eq!(layout.0, Some(Changed::Layout));
        assert_eq!(changed(|after| after.designs[0].name = "Other".into()).0, Some(Changed::Designs));
        assert_eq!(changed(|after| after.query.rows_limit += 1).0, Some(Changed::Query));
        assert_eq!(changed(|after| after.cluster.events_per_second += 1.0).0, Some(Changed::Settings));
        assert_eq!(changed(|after| after.rename("Orders".into())).0, Some(Changed::Name));
    }
}
