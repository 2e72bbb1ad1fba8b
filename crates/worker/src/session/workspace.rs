//! Compares a new workspace with the current one, so that only the differences are applied.

use tabletop_design::DesignTable;
use tabletop_model::{Result, Timestamp};
use tabletop_protocol::{Answer, LoadSource};
use tabletop_workspace::{Design, Source, Workspace};

use super::stage::Stage;

impl Stage {
    /// Replaces the workspace. Events are loaded if the source differs, corrected fields re-type
    /// the events, and a table is rebuilt only if its design, the fields or the cluster settings
    /// have changed. The position of the workspace is only applied to newly loaded events; an edit
    /// does not change the current position.
    ///
    /// # Errors
    /// The errors of [`Workspace::check`], `NotFound` for a sample that does not exist, and
    /// `InvalidArgument` for fields that do not fit the events. The workspace is unchanged in these
    /// cases.
    pub(super) fn set_workspace(
        &mut self,
        now: Timestamp,
        mut workspace: Workspace,
        load: LoadSource,
    ) -> Result<Answer> {
        workspace.check()?;
        // A workspace that has learned the digest of its file still has the same events.
        let is_loaded = [&self.workspace.source, &self.source_found()]
            .into_iter()
            .any(|loaded| loaded.same_events(&workspace.source));
        if load == LoadSource::Again || !is_loaded {
            self.begin(workspace)?;
        } else {
            self.set_fields(now, &mut workspace.source)?;
            self.set_designs(workspace);
        }
        self.workspace_version += 1;
        self.restore_writes();
        Ok(Answer::Workspace(self.workspace.clone()))
    }

    /// Re-types the user's own events if their fields were corrected, and writes the current fields
    /// to `source`.
    ///
    /// While events are loaded, the reader determines the fields. After that, fields that were sent
    /// to the page earlier do not count as a correction, because the page has not received the
    /// current ones yet.
    fn set_fields(&mut self, now: Timestamp, source: &mut Source) -> Result<()> {
        let Source::Own(own) = source else { return Ok(()) };
        let fields = self.load.events().fields();
        if own.fields == fields {
            self.earlier_fields.clear();
            return Ok(());
        }
        let is_earlier = fields.starts_with(&own.fields)
            || self.earlier_fields.iter().any(|seen| seen.starts_with(&own.fields));
        if !is_earlier && !self.load.is_loading() && !self.load.events().is_empty() {
            // Fields that the page does not know yet stay unchanged.
            let unknown = fields.get(own.fields.len()..).unwrap_or_default();
            let corrected = self.load.events().with_time_formats([own.fields.as_slice(), unknown].concat());
            // The page may have sent a time without the format that was detected for it.
            if corrected != fields {
                self.load.set_fields(corrected)?;
                self.own_data.set_fields(now, &self.load);
            }
            self.earlier_fields.clear();
        }
        own.fields = self.load.events().fields().to_vec();
        Ok(())
    }

    /// Applies the designs and the rest of `workspace`. Its source must be loaded already.
    fn set_designs(&mut self, workspace: Workspace) {
        let before = std::mem::replace(&mut self.workspace, workspace);
        let reused = reused_tables(&before.designs, &self.workspace.designs);
        let mut tables: Vec<_> = self.design_tables.drain(..).map(Some).collect();
        for (from, table) in tables.iter_mut().enumerate().filter(|(from, _)| !reused.contains(&Some(*from)))
        {
            let table = table.iter_mut();
            table.for_each(|table| self.hand_writes.release(&before.source, &before.designs[from], table));
        }
        for (at, reused) in reused.into_iter().enumerate() {
            let Some((from, mut table)) = reused.and_then(|from| Some((from, tables[from].take()?))) else {
                self.add_design_table(at);
                continue;
            };
            let (design, cluster) = (&self.workspace.designs[at], &self.workspace.cluster);
            let continues = before.name == self.workspace.name && before.designs[from].name == design.name;
            let is_another = !continues && !before.designs[from].has_same_table(design);
            if is_another {
                self.hand_writes.release(&before.source, &before.designs[from], &mut table);
            }
            if before.designs[from] != *design {
                table.redesign(design, self.load.events().fields(), cluster);
            }
            if before.cluster != *cluster {
                table.rebuild(cluster);
            }
            if before.roles != self.workspace.roles {
                table.advise_again();
            }
            if is_another && let Some(writes) = self.hand_writes.adopt(&self.workspace.source, design) {
                table.adopt_writes(writes, cluster);
            }
            self.design_tables.push(table);
        }
        self.refit();
    }

    /// Adds a table for the design at this index.
    pub(super) fn add_design_table(&mut self, at: usize) {
        self.last_design_table += 1;
        let (design, fields) = (&self.workspace.designs[at], self.load.events().fields());
        let mut table = DesignTable::new(self.last_design_table, design, fields, &self.workspace.cluster);
        if let Some(writes) = self.hand_writes.adopt(&self.workspace.source, design) {
            table.adopt_writes(writes, &self.workspace.cluster);
        }
        self.design_tables.push(table);
    }
}

/// Returns, for each design of `wanted`, the index in `before` of the design whose table it takes
/// over. An equal design keeps its table at any index. A changed design takes over the table at its
/// own index.
fn reused_tables(before: &[Design], wanted: &[Design]) -> Vec<Option<usize>> {
    let mut reused = vec![None; wanted.len()];
    let mut is_free = vec![true; before.len()];
    for (at, design) in wanted.iter().enumerate() {
        // Try the same index first, so that each of two equal designs keeps its own table.
        let places = std::iter::once(at).chain(0..before.len());
        let equal = places.filter(|&from| before.get(from) == Some(design)).find(|&from| {
            let is_anothers = from != at && wanted.get(from) == Some(design);
            is_free[from] && !is_anothers
        });
        if let Some(from) = equal {
            (reused[at], is_free[from]) = (Some(from), false);
        }
    }
    for (at, reused) in reused.iter_mut().enumerate() {
        if reused.is_none() && is_free.get(at) == Some(&true) {
            (*reused, is_free[at]) = (Some(at), false);
        }
    }
    reused
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls the function with designs whose templates are the letters of a text.
    fn reused(before: &str, wanted: &str) -> Vec<Option<usize>> {
        let designs = |letters: &str| -> Vec<Design> {
            let first = &Workspace::default().designs[0];
            letters.chars().map(|letter| Design { template: letter.into(), ..first.clone() }).collect()
        };
        reused_tables(&designs(before), &designs(wanted))
    }

    #[test]
    fn an_edit_reuses_the_tables_of_the_other_designs() {
        assert_eq!(reused("abc", "axc"), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn adding_removing_or_moving_a_design_builds_no_other_table() {
        assert_eq!(reused("ab", "abc"), [Some(0), Some(1), None]);
        assert_eq!(reused("ab", "cab"), [None, Some(0), Some(1)]);
        assert_eq!(reused("abc", "bc"), [Some(1), Some(2)]);
        assert_eq!(reused("abc", "cab"), [Some(2), Some(0), Some(1)]);
    }

    #[test]
    fn each_of_two_equal_designs_has_a_table() {
        assert_eq!(reused("aab", "aab"), [Some(0), Some(1), Some(2)]);
        assert_eq!(reused("aba", "ba"), [Some(1), Some(0)]);
        assert_eq!(reused("a", "aa"), [Some(0), None]);
        assert_eq!(reused("ba", "aa"), [Some(0), Some(1)]);
    }
}
