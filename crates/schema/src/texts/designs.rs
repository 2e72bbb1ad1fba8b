//! The list of designs.

use alloc::format;
use alloc::string::String;

/// Why a change of the list is not possible.
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
    not_there: |count| format!("There is no such design: there are {count}."),
    too_many: |most| format!("There are {most} designs, the most. Remove one first."),
    too_many_tables: |most| format!("There are {most} tables, the most. Remove one first."),
    too_many_indexes: |most| format!("The design has {most} index tables, the most. Remove one first."),
    index: |design| format!("{design}, index"),
    stays: "It is there already.",
    last_one: "The last design cannot be removed.",
    no_name: "A design needs a name.",
    long_name: |most| format!("A name has at most {most} characters."),
    name_taken: |name| format!("Another design is named {name}."),
};
