//! All events of one entity, read from each design.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use tabletop_advice::ReadCost;
use tabletop_keys::{Query, RowChoice};
use tabletop_model::Error;
use tabletop_workspace::Design;

/// The read of an entity's events, and its cost on each design.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityReads {
    /// The field that names the entity, and its value.
    pub entity: (String, String),
    /// The designs that were read, each with the cost of the read, or why it was refused; `None`
    /// until it is complete.
    pub designs: Vec<(Design, Option<Result<ReadCost, Error>>)>,
}

impl EntityReads {
    /// No reads yet.
    pub fn new(entity: (String, String), designs: &[Design]) -> EntityReads {
        EntityReads { entity, designs: designs.iter().map(|design| (design.clone(), None)).collect() }
    }

    /// Returns the query for all events of the entity.
    pub fn query(&self) -> Query {
        let rows = RowChoice::Fields { equals: vec![self.entity.clone()], from: None, until: None };
        Query { rows, filter: None, rows_limit: 0, reversed: false }
    }

    /// Returns the outcome on a design, unless the design was edited since.
    pub fn of(&self, design: &Design) -> Option<&Result<ReadCost, Error>> {
        let same = |known: &&(Design, _)| known.0.has_same_table(design);
        self.designs.iter().find(same)?.1.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabletop_workspace::Workspace;

    #[test]
    fn the_cost_of_an_edited_design_is_not_shown() {
        let mut design = Workspace::default().designs.swap_remove(0);
        let mut reads = EntityReads::new(("user".into(), "a".into()), core::slice::from_ref(&design));
        assert!(reads.of(&design).is_none());
        reads.designs[0].1 = Some(Err(Error::invalid("no")));
        assert!(reads.of(&design).is_some());
        design.name = "Another".into();
        assert!(reads.of(&design).is_some(), "a name changes no cost");
        design.template.push_str(",x");
        assert!(reads.of(&design).is_none());
    }
}
