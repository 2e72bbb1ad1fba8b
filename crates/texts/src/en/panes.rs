//! The names of the panes, the lines between them, and the texts over all of them.

texts!(Panes {
    /// The list of tabs on a narrow screen.
    list: "Panes",
    data: "Data",
    design: "Row key & layout",
    /// The title of the design pane on a tab.
    design_tab: "Row key",
    tablets: "Tablets",
    keys: "Keys",
    query: "Query",
    results: "Results",
    shell: "Shell",
    /// Lines that the user moves.
    side_width: "Width of the left column",
    fold_side: "Collapse the left column",
    show_side: "Show the left column",
    tablets_height: "Height of the tablets",
    shell_height: "Height of the shell",
    /// While a file is held over the page.
    drop: "Drop the file to load its events.",
    drop_formats: "CSV with a header line, JSON lines, a JSON array, or a Tabletop workspace (.json). Nothing leaves this browser.",
    /// Next to the heading of the results.
    results_old: "Query or design changed. Run again.",
    /// Columns of keys.
    first_keys: "First",
    middle_keys: "Middle",
    last_keys: "Last",
    hex: "Hex",
});
