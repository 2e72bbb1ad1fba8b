//! A design as files for a real Bigtable.

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
    /// The other tables of a design with index tables, by name.
    pub other_tables: fn(names: &[&str]) -> String,
}

pub const ENGLISH: Export = Export {
    title: "Export to Bigtable",
    about: "This design for a real instance: its column families and garbage collection rules, its current splits, and the saved \
            queries. Nothing is sent anywhere.",
    template_invalid: "The row key template has an error. Fix it, then come back.",
    what: "What",
    project: "Project",
    instance: "Instance",
    table: "Table",
    content: "Content of the file",
    pre_split: "Pre-split at the keys seen here",
    other_tables: |names| {
        format!("The design has other tables, with exports of their own: {}. Choose one under Design.", names.join(", "))
    },
};
