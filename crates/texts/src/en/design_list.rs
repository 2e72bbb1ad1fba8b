//! Why a change to the list of designs is not possible.

use alloc::format;
use alloc::string::String;

use tabletop_workspace::DesignsProblem;

/// Returns the reason in English, as a sentence.
#[inline(never)]
pub(super) fn english(problem: &DesignsProblem) -> String {
    match problem {
        DesignsProblem::NotThere { count } => {
            format!("There is no such design; the number of designs is {count}.")
        }
        DesignsProblem::TooMany { most } => {
            format!("There are already {most} designs, the maximum. Remove one first.")
        }
        DesignsProblem::TooManyTables { most } => {
            format!("There are already {most} tables, the maximum. Remove one first.")
        }
        DesignsProblem::TooManyIndexes { most } => {
            format!("The design already has {most} index tables, the maximum. Remove one first.")
        }
        DesignsProblem::Stays => "It is already there.".into(),
        DesignsProblem::LastOne => "The last design cannot be removed.".into(),
        DesignsProblem::NoName => "A design needs a name.".into(),
        DesignsProblem::LongName { most } => format!("A name has at most {most} characters."),
        DesignsProblem::NameTaken(name) => format!("Another design is named {name}."),
    }
}
