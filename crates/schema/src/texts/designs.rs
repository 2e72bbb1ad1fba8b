//! The list of designs.

use alloc::format;
use alloc::string::String;

/// Errors of changes to the list of designs, and names of new ones.
pub(crate) struct Designs {
    pub not_there: fn(count: usize) -> String,
    pub too_many: fn(most: usize) -> String,
    pub too_many_tables: fn(most: usize) -> String,
    pub too_many_indexes: fn(most: usize) -> String,
    pub index: fn(design: &str) -> String,
    pub stays: &'static str,
    pub last_one: &'static str,
    pub no_name: &'static str,
    pub long_name: fn(most: usize) -> String,
    pub name_taken: fn(name: &str) -> String,
}

pub(super) const ENGLISH: Designs = Designs {
    not_there: |count| format!("There is no such design; the number of designs is {count}."),
    too_many: |most| format!("There are already {most} designs, the maximum. Remove one first."),
    too_many_tables: |most| format!("There are already {most} tables, the maximum. Remove one first."),
    too_many_indexes: |most| {
        format!("The design already has {most} index tables, the maximum. Remove one first.")
    },
    index: |design| format!("{design}, index"),
    stays: "It is already there.",
    last_one: "The last design cannot be removed.",
    no_name: "A design needs a name.",
    long_name: |most| format!("A name has at most {most} characters."),
    name_taken: |name| format!("Another design is named {name}."),
};
