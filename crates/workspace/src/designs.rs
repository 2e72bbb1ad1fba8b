//! Changes of a workspace's list of designs: adding, duplicating, renaming, moving and removing
//! designs. The index tables of a design follow it in the list, and move with it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::{Design, Proposal};

/// The maximum number of designs that the user can add. Each has a table with all events.
pub const DESIGNS_OF_A_PERSON_MAX: usize = 8;
/// The maximum number of index tables that the user can add to a design.
const INDEXES_OF_A_DESIGN_MAX: usize = 4;
/// The maximum number of tables, including index tables.
pub(super) const TABLES_MAX: usize = 16;
/// The maximum length of a design's name that the user can type, in characters.
pub const DESIGN_NAME_CHARS_MAX: usize = 60;

/// A change of the list. Indices are those before the change.
#[derive(Clone, Debug, PartialEq)]
pub enum DesignsChange {
    /// Adds these designs at the end, each followed by its index tables. A design whose name is
    /// already used gets a free name.
    Add(Vec<Design>),
    /// Adds the design as it was before its last edit, to compare the two.
    AddEarlier(Design),
    /// Adds proposed designs, with their index tables.
    AddProposed(Vec<Proposal>),
    /// Adds an index table to the design to which this table belongs. It begins as a copy of the
    /// design's own table.
    AddIndex(usize),
    /// Adds a copy after the design, with free names.
    Duplicate(usize),
    /// Renames the design. Spaces around the name are removed.
    Rename(usize, String),
    /// Moves the design from one index to another, and past the index tables of a design there.
    Move {
        /// The index before.
        from: usize,
        /// The index after.
        to: usize,
    },
    /// Removes the design.
    Remove(usize),
}

/// The reason why a change of the list is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesignsProblem {
    /// No design has this index.
    NotThere {
        /// The number of designs.
        count: usize,
    },
    /// There would be too many designs.
    TooMany {
        /// The maximum.
        most: usize,
    },
    /// There would be too many tables.
    TooManyTables {
        /// The maximum.
        most: usize,
    },
    /// The design would have too many index tables.
    TooManyIndexes {
        /// The maximum.
        most: usize,
    },
    /// The design would stay where it is.
    Stays,
    /// The design is the only one.
    LastOne,
    /// The name is empty.
    NoName,
    /// The name is too long.
    LongName {
        /// The maximum number of characters.
        most: usize,
    },
    /// Another design has this name.
    NameTaken(String),
}

/// A list of designs, and the design that is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignList {
    /// The designs, at least one.
    pub designs: Vec<Design>,
    /// Index of the design that is shown.
    pub shown: usize,
}

impl DesignList {
    /// Returns the indices of all tables of the design to which the table at `at` belongs: its own
    /// table first.
    pub fn tables_of(&self, at: usize) -> Range<usize> {
        let is_own = |at: &usize| self.designs[*at].index_of.is_none();
        let start = (0..=at).rev().find(is_own).unwrap_or(0);
        start..(start + 1..self.designs.len()).find(is_own).unwrap_or(self.designs.len())
    }

    /// Applies a change. Afterwards, a new or duplicated design is shown; otherwise the same design as
    /// before, also next to designs that are added to be compared with it.
    ///
    /// # Errors
    /// The reason why the change is not possible. The list is unchanged in this case.
    pub fn apply(&mut self, change: DesignsChange) -> Result<(), DesignsProblem> {
        if let Some(why) = self.prevents(&change) {
            return Err(why);
        }
        match change {
            DesignsChange::Add(designs) => self.shown = self.add_all(designs),
            DesignsChange::AddEarlier(design) => _ = self.add_all(alloc::vec![design]),
            DesignsChange::AddProposed(proposals) => _ = self.add_all(tables_of_proposals(&proposals)),
            DesignsChange::AddIndex(at) => {
                let tables = self.tables_of(at);
                let own = &self.designs[tables.start];
                // A name is saved and the user can change it, so it does not depend on the language.
                let name = format!("{}, index", own.name);
                self.insert(tables.end, Design { name, index_of: Some(own.name.clone()), ..own.clone() });
            }
            DesignsChange::Duplicate(at) if self.designs[at].index_of.is_some() => {
                self.insert(at + 1, self.designs[at].clone());
            }
            DesignsChange::Duplicate(at) => {
                let tables = self.tables_of(at);
                let copies = self.designs[tables.clone()].to_vec();
                for (offset, table) in copies.into_iter().enumerate() {
                    self.insert(tables.end + offset, table);
                    let own = self.designs[tables.end].name.clone();
                    self.designs[tables.end + offset].index_of = (offset > 0).then_some(own);
                }
                self.shown = tables.end;
            }
            DesignsChange::Rename(at, name) => {
                if self.designs[at].index_of.is_none() {
                    let indexes = self.tables_of(at).skip(1);
                    indexes.for_each(|index| self.designs[index].index_of = Some(name.trim().into()));
                }
                self.designs[at].name = name.trim().into();
            }
            DesignsChange::Move { from, to } => {
                let order = self.order_after(from, to);
                self.designs = order.iter().map(|&at| self.designs[at].clone()).collect();
                self.shown = order.iter().position(|at| *at == self.shown).unwrap_or(0);
            }
            DesignsChange::Remove(at) => {
                let removed =
                    if self.designs[at].index_of.is_some() { at..at + 1 } else { self.tables_of(at) };
                self.shown = match self.shown {
                    shown if shown >= removed.end => shown - removed.len(),
                    shown if shown >= removed.start => removed.start,
                    shown => shown,
                };
                self.designs.drain(removed);
                self.shown = self.shown.min(self.designs.len() - 1);
            }
        }
        Ok(())
    }

    /// Returns the indices of the tables in their new order. An index table stays with its design,
    /// and a design moves together with its index tables, past the index tables of other designs.
    fn order_after(&self, from: usize, to: usize) -> Vec<usize> {
        let moved = if self.designs[from].index_of.is_some() { from..from + 1 } else { self.tables_of(from) };
        let mut order: Vec<usize> = (0..self.designs.len()).filter(|at| !moved.contains(at)).collect();
        let is_place = |at: &usize| match &self.designs[from].index_of {
            Some(_) => self.tables_of(from).contains(at) && *at > self.tables_of(from).start,
            None => order.get(*at).is_none_or(|&at| self.designs[at].index_of.is_none()),
        };
        let place = if to > from { (to..=order.len()).find(is_place) } else { (0..=to).rev().find(is_place) };
        let place = place.unwrap_or(moved.start);
        order.splice(place..place, moved);
        order
    }

    /// Returns why a change is not possible; `None` if it is possible.
    pub fn prevents(&self, change: &DesignsChange) -> Option<DesignsProblem> {
        let count = self.designs.len();
        let at = match change {
            DesignsChange::Add(_) | DesignsChange::AddEarlier(_) | DesignsChange::AddProposed(_) => None,
            DesignsChange::AddIndex(at)
            | DesignsChange::Duplicate(at)
            | DesignsChange::Rename(at, _)
            | DesignsChange::Remove(at) => Some(*at),
            DesignsChange::Move { from, to } => Some(*from.max(to)),
        };
        if at.is_some_and(|at| at >= count) {
            return Some(DesignsProblem::NotThere { count });
        }
        match change {
            DesignsChange::AddIndex(at) => self.prevents_index(*at),
            DesignsChange::Duplicate(at) if self.designs[*at].index_of.is_some() => self.prevents_index(*at),
            DesignsChange::Add(_)
            | DesignsChange::AddEarlier(_)
            | DesignsChange::AddProposed(_)
            | DesignsChange::Duplicate(_) => {
                let (added, tables) = match change {
                    DesignsChange::AddEarlier(_) => (1, 1),
                    DesignsChange::Duplicate(at) => (1, self.tables_of(*at).len()),
                    DesignsChange::Add(designs) => {
                        (designs.iter().filter(|design| design.index_of.is_none()).count(), designs.len())
                    }
                    DesignsChange::AddProposed(proposals) => {
                        (proposals.len(), tables_of_proposals(proposals).len())
                    }
                    _ => (0, 0),
                };
                if self.own_tables() + added > DESIGNS_OF_A_PERSON_MAX {
                    Some(DesignsProblem::TooMany { most: DESIGNS_OF_A_PERSON_MAX })
                } else {
                    (count + tables > TABLES_MAX)
                        .then_some(DesignsProblem::TooManyTables { most: TABLES_MAX })
                }
            }
            DesignsChange::Remove(at) => (self.own_tables() == 1 && self.designs[*at].index_of.is_none())
                .then_some(DesignsProblem::LastOne),
            DesignsChange::Rename(at, name) => self.prevents_name(*at, name.trim()),
            DesignsChange::Move { from, to } => {
                let is_same = self.order_after(*from, *to).into_iter().eq(0..count);
                (is_same && from != to).then_some(DesignsProblem::Stays)
            }
        }
    }

    /// Adds designs at the end. An index table belongs to the design before it. Returns the index of
    /// the last one that is no index table, or of the design shown if there is none.
    fn add_all(&mut self, designs: Vec<Design>) -> usize {
        let mut own = None;
        for mut design in designs {
            if design.index_of.is_some() {
                design.index_of = own.map(|own: usize| self.designs[own].name.clone());
            } else {
                own = Some(self.designs.len());
            }
            design.name = self.free_name(&design.name);
            self.designs.push(design);
        }
        own.unwrap_or(self.shown)
    }

    /// Returns the number of designs, without index tables.
    fn own_tables(&self) -> usize {
        self.designs.iter().filter(|design| design.index_of.is_none()).count()
    }

    fn prevents_index(&self, at: usize) -> Option<DesignsProblem> {
        if self.tables_of(at).len() > INDEXES_OF_A_DESIGN_MAX {
            return Some(DesignsProblem::TooManyIndexes { most: INDEXES_OF_A_DESIGN_MAX });
        }
        (self.designs.len() >= TABLES_MAX).then_some(DesignsProblem::TooManyTables { most: TABLES_MAX })
    }

    fn prevents_name(&self, at: usize, name: &str) -> Option<DesignsProblem> {
        let is_taken =
            self.designs.iter().enumerate().any(|(other, design)| other != at && design.name == name);
        if name.is_empty() {
            Some(DesignsProblem::NoName)
        } else if name.chars().count() > DESIGN_NAME_CHARS_MAX {
            Some(DesignsProblem::LongName { most: DESIGN_NAME_CHARS_MAX })
        } else {
            is_taken.then(|| DesignsProblem::NameTaken(name.into()))
        }
    }

    fn insert(&mut self, at: usize, mut design: Design) {
        design.name = self.free_name(&design.name);
        self.designs.insert(at, design);
        self.shown = at;
    }

    /// Returns the name if it is free, otherwise the name with the next free number: `Design 2`
    /// after `Design 1`.
    fn free_name(&self, name: &str) -> String {
        let is_free = |name: &str| self.designs.iter().all(|design| design.name != name);
        if is_free(name) {
            return name.into();
        }
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let has_number = stem.len() < name.len() && stem.ends_with(' ');
        let stem = if has_number { stem.trim_end() } else { name };
        let mut numbered = (2..).map(|number: usize| {
            let number = number.to_string();
            let room = DESIGN_NAME_CHARS_MAX - number.len() - 1;
            format!("{} {number}", stem.chars().take(room).collect::<String>())
        });
        numbered.find(|name| is_free(name)).expect("there are more numbers than designs")
    }
}

/// Returns the tables of proposals, in the order in which they are added.
pub fn tables_of_proposals(proposals: &[Proposal]) -> Vec<Design> {
    let tables = |proposal: &Proposal| {
        let indexes = proposal.indexes.iter().map(|index| index.design.clone());
        core::iter::once(proposal.design.clone()).chain(indexes).collect::<Vec<_>>()
    };
    proposals.iter().flat_map(tables).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workspace;
    use alloc::vec;

    fn list(names: &[&str], shown: usize) -> DesignList {
        let design = Workspace::default().designs[0].clone();
        let designs = names.iter().map(|name| Design { name: (*name).into(), ..design.clone() }).collect();
        DesignList { designs, shown }
    }

    fn after(names: &[&str], shown: usize, change: DesignsChange) -> (Vec<String>, usize) {
        let mut list = list(names, shown);
        list.apply(change).expect("the change is possible");
        (list.designs.into_iter().map(|design| design.name).collect(), list.shown)
    }

    fn refused(names: &[&str], change: DesignsChange) -> DesignsProblem {
        let mut changed = list(names, 0);
        let why = changed.apply(change).expect_err("the change is not possible");
        assert_eq!(changed, list(names, 0), "nothing has changed");
        why
    }

    #[test]
    fn proposed_index_tables_follow_their_design_also_under_a_free_name() {
        let design = |name: &str| Design { name: name.into(), ..Workspace::default().designs[0].clone() };
        let index = Design { index_of: Some("a".into()), ..design("i") };
        let proposal = |design: Design| Proposal {
            design,
            indexes: vec![crate::ProposedIndex { design: index.clone(), patterns: vec![] }],
            trade_offs: vec![],
        };
        let mut list = list(&["a", "i"], 0);
        list.apply(DesignsChange::AddProposed(vec![proposal(design("a")), proposal(design("b"))]))
            .expect("there is room");
        let tables: Vec<(&str, Option<&str>)> =
            list.designs.iter().map(|design| (design.name.as_str(), design.index_of.as_deref())).collect();
        let expected =
            [("a", None), ("i", None), ("a 2", None), ("i 2", Some("a 2")), ("b", None), ("i 3", Some("b"))];
        assert_eq!(tables, expected);
        assert_eq!(list.shown, 0, "the design with which they are compared");
        let many = vec![proposal(design("c")); 5];
        assert!(list.prevents(&DesignsChange::AddProposed(many)).is_some(), "eight designs are the most");
    }

    #[test]
    fn a_new_design_and_a_copy_get_a_free_name_and_are_shown() {
        let design = Workspace::default().designs[0].clone();
        assert_eq!(
            after(&["Design 1"], 0, DesignsChange::Add(vec![design])),
            (vec!["Design 1".into(), "Design 2".into()], 1)
        );
        let earlier =
            after(&["a", "b"], 1, DesignsChange::AddEarlier(Workspace::default().designs[0].clone()));
        assert_eq!(earlier, (vec!["a".into(), "b".into(), "Design 1".into()], 1), "the edited one is shown");
        let copied = after(&["a", "b"], 1, DesignsChange::Duplicate(0));
        assert_eq!(copied, (vec!["a".into(), "a 2".into(), "b".into()], 1));
        let copied = after(&["v 7", "v 2"], 0, DesignsChange::Duplicate(0));
        assert_eq!(copied.0, ["v 7", "v 3", "v 2"]);
        let copied = after(&["v7"], 0, DesignsChange::Duplicate(0));
        assert_eq!(copied.0, ["v7", "v7 2"], "a number that is not a separate word stays");
        let long = "x".repeat(DESIGN_NAME_CHARS_MAX);
        let copied = after(&[&long], 0, DesignsChange::Duplicate(0));
        assert_eq!(copied.0[1].chars().count(), DESIGN_NAME_CHARS_MAX);
    }

    #[test]
    fn the_shown_design_stays_shown_when_designs_move() {
        let moved = |shown, from, to| after(&["a", "b", "c", "d"], shown, DesignsChange::Move { from, to });
        assert_eq!(moved(0, 0, 2), (vec!["b".into(), "c".into(), "a".into(), "d".into()], 2));
        for shown in 0..4 {
            for from in 0..4 {
                for to in 0..4 {
                    let (names, now) = moved(shown, from, to);
                    assert_eq!(names[now], ["a", "b", "c", "d"][shown], "{shown} shown, {from} to {to}");
                    assert_eq!(names[to], ["a", "b", "c", "d"][from]);
                }
            }
        }
    }

    #[test]
    fn removing_shows_the_next_design_or_the_same_one() {
        let removed = |shown, at| after(&["a", "b", "c"], shown, DesignsChange::Remove(at));
        assert_eq!(removed(2, 0), (vec!["b".into(), "c".into()], 1));
        assert_eq!(removed(0, 2), (vec!["a".into(), "b".into()], 0));
        assert_eq!(removed(1, 1), (vec!["a".into(), "c".into()], 1));
        assert_eq!(removed(2, 2), (vec!["a".into(), "b".into()], 1));
    }

    #[test]
    fn a_name_is_trimmed_and_unique() {
        assert_eq!(after(&["a", "b"], 0, DesignsChange::Rename(1, "  c ".into())).0, ["a", "c"]);
        assert_eq!(
            after(&["a", "b"], 0, DesignsChange::Rename(1, "b".into())).0,
            ["a", "b"],
            "its own name is not taken"
        );
        let renamed = |name: &str| refused(&["a", "b"], DesignsChange::Rename(1, name.into()));
        assert_eq!(renamed(" "), DesignsProblem::NoName);
        assert_eq!(renamed("a "), DesignsProblem::NameTaken("a".into()));
        assert_eq!(renamed(&"x".repeat(61)), DesignsProblem::LongName { most: 60 });
    }

    /// Creates a list, with `+` before the names of index tables.
    fn grouped(names: &[&str]) -> DesignList {
        let mut list = list(names, 0);
        let mut own = String::new();
        for design in &mut list.designs {
            match design.name.strip_prefix('+') {
                Some(name) => (design.name, design.index_of) = (name.into(), Some(own.clone())),
                None => own.clone_from(&design.name),
            }
        }
        list
    }

    fn after_grouped(names: &[&str], change: DesignsChange) -> Vec<String> {
        let mut list = grouped(names);
        list.apply(change).expect("the change is possible");
        let workspace = Workspace { designs: list.designs, ..Workspace::default() };
        workspace.check().expect("index tables follow their design");
        let marked = |design: &Design| {
            if design.index_of.is_some() { format!("+{}", design.name) } else { design.name.clone() }
        };
        workspace.designs.iter().map(marked).collect()
    }

    #[test]
    fn index_tables_go_with_their_design() {
        let names = ["a", "+a1", "+a2", "b", "c", "+c1"];
        assert_eq!(
            after_grouped(&names, DesignsChange::Move { from: 0, to: 1 }),
            ["b", "a", "+a1", "+a2", "c", "+c1"]
        );
        assert_eq!(
            after_grouped(&names, DesignsChange::Move { from: 3, to: 4 }),
            ["a", "+a1", "+a2", "c", "+c1", "b"]
        );
        assert_eq!(
            after_grouped(&names, DesignsChange::Move { from: 3, to: 2 }),
            ["b", "a", "+a1", "+a2", "c", "+c1"]
        );
        assert_eq!(
            after_grouped(&names, DesignsChange::Move { from: 1, to: 2 }),
            ["a", "+a2", "+a1", "b", "c", "+c1"]
        );
        assert_eq!(after_grouped(&names, DesignsChange::Remove(0)), ["b", "c", "+c1"]);
        assert_eq!(after_grouped(&names, DesignsChange::Remove(2)), ["a", "+a1", "b", "c", "+c1"]);
        assert_eq!(
            after_grouped(&names, DesignsChange::Rename(0, "z".into())),
            ["z", "+a1", "+a2", "b", "c", "+c1"]
        );
        assert_eq!(
            after_grouped(&names, DesignsChange::Duplicate(4)),
            ["a", "+a1", "+a2", "b", "c", "+c1", "c 2", "+c1 2"]
        );
        assert_eq!(after_grouped(&names, DesignsChange::Duplicate(1))[..3], ["a", "+a1", "+a1 2"]);
        assert_eq!(after_grouped(&names, DesignsChange::AddIndex(2))[..4], ["a", "+a1", "+a2", "+a, index"]);
        let prevented =
            |names: &[&str], change| grouped(names).prevents(&change).expect("it is not possible");
        assert_eq!(prevented(&names, DesignsChange::Move { from: 1, to: 0 }), DesignsProblem::Stays);
        assert_eq!(prevented(&names, DesignsChange::Move { from: 4, to: 5 }), DesignsProblem::Stays);
        assert_eq!(prevented(&["a", "+b"], DesignsChange::Remove(0)), DesignsProblem::LastOne);
        let full = ["a", "+b", "+c", "+d", "+e"];
        assert_eq!(prevented(&full, DesignsChange::AddIndex(0)), DesignsProblem::TooManyIndexes { most: 4 });
        assert_eq!(prevented(&full, DesignsChange::Duplicate(1)), DesignsProblem::TooManyIndexes { most: 4 });
    }

    #[test]
    fn what_is_shown_stays_shown_when_tables_move() {
        for shown in 0..6 {
            let mut list = grouped(&["a", "+a1", "+a2", "b", "c", "+c1"]);
            list.shown = shown;
            let name = list.designs[shown].name.clone();
            list.apply(DesignsChange::Move { from: 0, to: 1 }).expect("it is possible");
            assert_eq!(list.designs[list.shown].name, name);
            let removed = list.tables_of(list.shown).contains(&0);
            list.apply(DesignsChange::Remove(0)).expect("it is possible");
            assert!(removed || list.designs[list.shown].name == name);
        }
    }

    #[test]
    fn limits_are_explained() {
        let eight = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_eq!(refused(&eight, DesignsChange::Duplicate(0)), DesignsProblem::TooMany { most: 8 });
        assert_eq!(refused(&["a"], DesignsChange::Remove(0)), DesignsProblem::LastOne);
        assert_eq!(
            refused(&["a"], DesignsChange::Move { from: 0, to: 1 }),
            DesignsProblem::NotThere { count: 1 }
        );
    }
}
