//! Designs with index tables: which tables belong to a design, and which of them an access pattern
//! reads.
//!
//! An index table has its own row key and layout, and gets the same events: the second write of an
//! application that maintains an index, or a continuous materialized view. Its costs are part of
//! its design's costs.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{Design, NamedQuery};

/// Returns the indices of the tables of each design: its own table first, then its index tables.
pub fn tables_of_designs(designs: &[Design]) -> Vec<Range<usize>> {
    let mut tables: Vec<Range<usize>> = Vec::new();
    for (at, design) in designs.iter().enumerate() {
        match (tables.last_mut(), &design.index_of) {
            (Some(last), Some(of)) if designs[last.start].is_table_of(of) => last.end = at + 1,
            _ => tables.push(at..at + 1),
        }
    }
    tables
}

impl NamedQuery {
    /// Returns the index of the table that the pattern reads, among the tables of one design: the
    /// first index table that the pattern names, otherwise the design's own table.
    pub fn table_of(&self, designs: &[Design], tables: &Range<usize>) -> usize {
        let is_named = |at: &usize| self.tables.contains(&designs[*at].name);
        tables.clone().skip(1).find(is_named).unwrap_or(tables.start)
    }

    /// Makes the pattern read this table of its design, and no other table of that design.
    pub fn read_table(&mut self, designs: &[Design], tables: &Range<usize>, table: usize) {
        self.tables.retain(|name| !tables.clone().any(|at| designs[at].name == *name));
        if table != tables.start {
            self.tables.push(designs[table].name.clone());
        }
    }
}

/// Returns the displayed name of a table. The name of an index table begins with the name of its
/// design.
pub fn table_name(design: &Design) -> String {
    match &design.index_of {
        Some(own) if !design.name.starts_with(own.as_str()) => alloc::format!("{own} / {}", design.name),
        _ => design.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workspace;
    use alloc::vec;

    fn tables() -> Vec<Design> {
        let design = Workspace::default().designs.swap_remove(0);
        let own = |name: &str| Design { name: name.into(), ..design.clone() };
        let index = |name: &str, of: &str| Design { index_of: Some(of.into()), ..own(name) };
        vec![
            own("a"),
            index("a by type", "a"),
            index("a by time", "a"),
            own("b"),
            own("c"),
            index("c by type", "c"),
        ]
    }

    #[test]
    fn an_index_table_without_its_design_is_alone() {
        let designs = tables();
        let chosen = vec![designs[3].clone(), designs[5].clone(), designs[1].clone(), designs[2].clone()];
        assert_eq!(tables_of_designs(&chosen), [0..1, 1..2, 2..4]);
    }

    #[test]
    fn a_pattern_reads_the_index_tables_that_it_names() {
        let designs = tables();
        let groups = tables_of_designs(&designs);
        assert_eq!(groups, [0..3, 3..4, 4..6]);
        let query = Workspace::default().query;
        let mut named = NamedQuery::new("q", query);
        let read =
            |named: &NamedQuery| groups.iter().map(|of| named.table_of(&designs, of)).collect::<Vec<usize>>();
        assert_eq!(read(&named), [0, 3, 4]);
        named.read_table(&designs, &groups[0], 2);
        named.read_table(&designs, &groups[2], 5);
        assert_eq!(
            (read(&named), named.tables.clone()),
            (vec![2, 3, 5], vec!["a by time".into(), "c by type".into()])
        );
        named.read_table(&designs, &groups[0], 1);
        assert_eq!(read(&named), [1, 3, 5]);
        named.read_table(&designs, &groups[0], 0);
        assert_eq!((read(&named), named.tables), (vec![0, 3, 5], vec!["c by type".into()]));
    }

    #[test]
    fn an_index_table_is_named_with_its_design() {
        let names: Vec<String> = tables().iter().map(table_name).collect();
        assert_eq!(names, ["a", "a by type", "a by time", "b", "c", "c by type"]);
        let design = Design { index_of: Some("a".into()), name: "types".into(), ..tables()[1].clone() };
        assert_eq!(table_name(&design), "a / types");
    }
}
