//! A design as files for a real Bigtable.

use alloc::format;
use alloc::string::String;

/// Texts of the dialog.
pub struct Export {
    pub title: &'static str,
    pub about: &'static str,
    pub template_invalid: &'static str,
    /// Labels of the fields.
    pub what: &'static str,
    pub project: &'static str,
    pub instance: &'static str,
    pub table: &'static str,
    pub content: &'static str,
    pub pre_split: &'static str,
    /// The choice of tables of a design with index tables, and its first choice.
    pub tables: &'static str,
    pub all_tables: fn(count: usize) -> String,
    /// The name of the query shown, if it is not saved.
    pub unsaved: &'static str,
    pub waits: &'static str,
    pub template_of_invalid: fn(table: &str) -> String,
}

pub const ENGLISH: Export = Export {
    title: "Export to Bigtable",
    about: "This design for a real instance: the column families, garbage collection rules and current splits of its tables, and the \
            queries. Nothing is sent anywhere.",
    template_invalid: "The row key template has an error. Fix it, then come back.",
    what: "What",
    project: "Project",
    instance: "Instance",
    table: "Table",
    content: "Content of the file",
    pre_split: "Pre-split at the keys seen here",
    tables: "Tables",
    all_tables: |count| format!("All {count} tables"),
    unsaved: "Current query",
    waits: "Reading the tables…",
    template_of_invalid: |table| {
        format!("The row key template of {table} has an error. Fix it, then come back.")
    },
};
