//! The names of the panes, the lines between them, and the texts over all of them.

/// Texts of the panes as a whole.
pub struct Panes {
    /// The list of tabs on a narrow screen.
    pub list: &'static str,
    pub data: &'static str,
    pub design: &'static str,
    /// The title of the design pane on a tab.
    pub design_tab: &'static str,
    pub tablets: &'static str,
    pub keys: &'static str,
    pub query: &'static str,
    pub results: &'static str,
    pub shell: &'static str,
    /// Lines that the user moves.
    pub side_width: &'static str,
    pub fold_side: &'static str,
    pub show_side: &'static str,
    pub tablets_height: &'static str,
    pub shell_height: &'static str,
    /// While a file is held over the page.
    pub drop: &'static str,
    pub drop_formats: &'static str,
    /// Next to the heading of the results.
    pub results_old: &'static str,
    /// Columns of keys.
    pub first_keys: &'static str,
    pub middle_keys: &'static str,
    pub last_keys: &'static str,
    pub hex: &'static str,
}

pub const ENGLISH: Panes = Panes {
    list: "Panes",
    data: "Data",
    design: "Row key & layout",
    design_tab: "Row key",
    tablets: "Tablets",
    keys: "Keys",
    query: "Query",
    results: "Results",
    shell: "Shell",
    side_width: "Width of the left column",
    fold_side: "Collapse the left column",
    show_side: "Show the left column",
    tablets_height: "Height of the tablets",
    shell_height: "Height of the shell",
    drop: "Drop the file to load its events.",
    drop_formats: "CSV with a header line, JSON lines, a JSON array, or a Tabletop workspace (.json). Nothing leaves this browser.",
    results_old: "Query or design changed. Run again.",
    first_keys: "First keys",
    middle_keys: "Middle keys",
    last_keys: "Last keys",
    hex: "Hex",
};
