//! Changes of a workspace's list of designs: they are added, duplicated, renamed, moved and removed.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Design;
use crate::texts::texts;

/// The most designs that a person can add. Each has a table with all events.
pub const DESIGNS_OF_A_PERSON_MAX: usize = 8;
/// The most characters of a design's name that a person can type.
pub const DESIGN_NAME_CHARS_MAX: usize = 60;

/// A change of the list. An index is that of a design before the change.
#[derive(Clone, Debug, PartialEq)]
pub enum DesignsChange {
    /// Adds these designs at the end. One whose name is taken gets a free one.
    Add(Vec<Design>),
    /// Adds a copy after the design, with a free name.
    Duplicate(usize),
    /// Gives the design another name, without the spaces around it.
    Rename(usize, String),
    /// Moves the design from one index to another.
    Move {
        /// The index before.
        from: usize,
        /// The index after.
        to: usize,
    },
    /// Removes the design.
    Remove(usize),
}

/// A list of designs, and the one that the screen shows.
#[derive(Clone, Debug, PartialEq)]
pub struct DesignList {
    /// At least one.
    pub designs: Vec<Design>,
    /// Index of the design on the screen.
    pub shown: usize,
}

impl DesignList {
    /// Applies a change. A design that is added, duplicated or on the screen already is on the screen afterwards.
    ///
    /// # Errors
    /// A text for the person: why the change is not possible. The list is unchanged then.
    pub fn apply(&mut self, change: DesignsChange) -> Result<(), String> {
        if let Some(why) = self.prevents(&change) {
            return Err(why);
        }
        match change {
            DesignsChange::Add(designs) => {
                for design in designs {
                    self.insert(self.designs.len(), design);
                }
            }
            DesignsChange::Duplicate(at) => self.insert(at + 1, self.designs[at].clone()),
            DesignsChange::Rename(at, name) => self.designs[at].name = name.trim().into(),
            DesignsChange::Move { from, to } => {
                let design = self.designs.remove(from);
                self.designs.insert(to, design);
                self.shown = match self.shown {
                    shown if shown == from => to,
                    shown if from < shown && shown <= to => shown - 1,
                    shown if to <= shown && shown < from => shown + 1,
                    shown => shown,
                };
            }
            DesignsChange::Remove(at) => {
                self.designs.remove(at);
                self.shown = (self.shown - usize::from(self.shown > at)).min(self.designs.len() - 1);
            }
        }
        Ok(())
    }

    /// Returns why a change is not possible, for the person; `None` if it is.
    pub fn prevents(&self, change: &DesignsChange) -> Option<String> {
        let (says, count) = (&texts().designs, self.designs.len());
        let at = match change {
            DesignsChange::Add(_) => None,
            DesignsChange::Duplicate(at) | DesignsChange::Rename(at, _) | DesignsChange::Remove(at) => Some(*at),
            DesignsChange::Move { from, to } => Some(*from.max(to)),
        };
        if at.is_some_and(|at| at >= count) {
            return Some((says.not_there)(count));
        }
        match change {
            DesignsChange::Add(_) | DesignsChange::Duplicate(_) => {
                let added = if let DesignsChange::Add(designs) = change { designs.len() } else { 1 };
                (count + added > DESIGNS_OF_A_PERSON_MAX).then(|| (says.too_many)(DESIGNS_OF_A_PERSON_MAX))
            }
            DesignsChange::Remove(_) => (count == 1).then(|| says.last_one.into()),
            DesignsChange::Rename(at, name) => self.prevents_name(*at, name.trim()),
            DesignsChange::Move { .. } => None,
        }
    }

    fn prevents_name(&self, at: usize, name: &str) -> Option<String> {
        let says = &texts().designs;
        let is_taken = self.designs.iter().enumerate().any(|(other, design)| other != at && design.name == name);
        if name.is_empty() {
            Some(says.no_name.into())
        } else if name.chars().count() > DESIGN_NAME_CHARS_MAX {
            Some((says.long_name)(DESIGN_NAME_CHARS_MAX))
        } else {
            is_taken.then(|| (says.name_taken)(name))
        }
    }

    fn insert(&mut self, at: usize, mut design: Design) {
        design.name = self.free_name(&design.name);
        self.designs.insert(at, design);
        self.shown = at;
    }

    /// Returns the name if no design has it, else the name with the next free number: `Design 2` after `Design 1`.
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

    fn refused(names: &[&str], change: DesignsChange) -> String {
        let mut changed = list(names, 0);
        let why = changed.apply(change).expect_err("the change is not possible");
        assert_eq!(changed, list(names, 0), "nothing has changed");
        why
    }

    #[test]
    fn a_new_design_and_a_copy_get_a_free_name_and_are_shown() {
        let design = Workspace::default().designs[0].clone();
        assert_eq!(after(&["Design 1"], 0, DesignsChange::Add(vec![design])), (vec!["Design 1".into(), "Design 2".into()], 1));
        let copied = after(&["a", "b"], 1, DesignsChange::Duplicate(0));
        assert_eq!(copied, (vec!["a".into(), "a 2".into(), "b".into()], 1));
        let copied = after(&["v 7", "v 2"], 0, DesignsChange::Duplicate(0));
        assert_eq!(copied.0, ["v 7", "v 3", "v 2"]);
        let copied = after(&["v7"], 0, DesignsChange::Duplicate(0));
        assert_eq!(copied.0, ["v7", "v7 2"], "a number that is no word of its own stays");
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
        assert_eq!(after(&["a", "b"], 0, DesignsChange::Rename(1, "b".into())).0, ["a", "b"], "its own name is not taken");
        let renamed = |name: &str| refused(&["a", "b"], DesignsChange::Rename(1, name.into()));
        assert_eq!(renamed(" "), "A design needs a name.");
        assert_eq!(renamed("a "), "Another design is named a.");
        assert_eq!(renamed(&"x".repeat(61)), "A name has at most 60 characters.");
    }

    #[test]
    fn limits_are_explained() {
        let eight = ["a", "b", "c", "d", "e", "f", "g", "h"];
        assert_eq!(refused(&eight, DesignsChange::Duplicate(0)), "There are 8 designs, the most. Remove one first.");
        assert_eq!(refused(&["a"], DesignsChange::Remove(0)), "The last design cannot be removed.");
        assert_eq!(refused(&["a"], DesignsChange::Move { from: 0, to: 1 }), "There is no such design: there are 1.");
    }
}
