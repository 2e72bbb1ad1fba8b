//! A design as files for a real Bigtable.

use alloc::format;

texts!(Export {
    title: "Export to Bigtable",
    about: "This design for a real instance: the column families, garbage collection rules and current splits of its tables, and the \
            queries. Nothing is sent anywhere.",
    template_invalid: "The row key template has an error. Fix it, then come back.",
    /// Labels of the fields.
    what: "What",
    project: "Project",
    instance: "Instance",
    table: "Table",
    content: "Content of the file",
    pre_split: "Pre-split at the keys seen here",
    /// The choice of tables of a design with index tables, and its first choice.
    tables: "Tables",
    all_tables: |count: usize| format!("All {count} tables"),
    /// The name of the query shown, if it is not saved.
    unsaved: "Current query",
    waits: "Reading the tables…",
    template_of_invalid: |table: &str| {
        format!("The row key template of {table} has an error. Fix it, then come back.")
    },
});
