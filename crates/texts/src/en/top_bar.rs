//! The bar at the top: its buttons, its menu, and the dialog about the page.

texts!(TopBar {
    name: "Tabletop",
    tagline: "Bigtable row keys",
    /// The first link, which moves the focus past the bar and the left column.
    skip: "Skip to the content",
    /// The views.
    views: "Views",
    design: "Design",
    compare: "Compare",
    tablet: "Storage",
    traffic: "Traffic",
    profiles: "Profiles",
    server: "Server",
    undo: "Undo",
    redo: "Redo",
    /// The menu and its items.
    menu: "Menu",
    workspaces: "Workspaces…",
    save: "Save workspace file",
    open: "Open workspace file…",
    download_table: "Download table data (.tabletop)",
    export: "Export to Bigtable…",
    all_actions: "All actions…",
    keys: "Keyboard shortcuts",
    start_over: "Start over",
    workspace_file: "Workspace file",
    /// The dialogs of examples, and the one that shares the workspace.
    examples: "Examples",
    share: "Share",
    /// The themes, in the menu.
    light: "Light theme",
    dark: "Dark theme",
    system: "System theme",
    /// The dialog about the page.
    about: About {
        open: "About",
        title: "About Tabletop",
        what: "Tabletop is a workbench for designing row keys and schemas for Bigtable. A real storage engine (commit log, memtable, \
               SSTables, tablets that split) runs in this page and holds your events. Change the row key or the layout and see what \
               happens to tablets, hotspots, reads and filters.",
        privacy: (
            "Your data stays in this browser.",
            "Events, designs and queries are processed here. Only the Server view of tabletop serve --page connects to a server.",
        ),
        thresholds: (
            "Thresholds are scaled down.",
            "Google does not publish the size or load at which Bigtable splits a tablet. Here they are settings, small enough that a \
             few thousand events show what millions would. Time is the table's own clock: events arrive at the pace that you set, \
             so the same events always give the same picture.",
        ),
        /// The second text ends before the name of the object in JavaScript, which follows it.
        keys: (
            "Keyboard:",
            "Ctrl+K finds any action, ? lists the shortcuts. Ctrl+Z and Ctrl+Shift+Z undo and redo any change. Scripts use the same engine \
             as",
        ),
        /// A link to documentation elsewhere: its text and address.
        guide: (
            "Google's guide to schema design for Bigtable",
            "https://cloud.google.com/bigtable/docs/schema-design",
        ),
        trademark: "Not affiliated with Google. Bigtable is a trademark of Google LLC.",
        /// The word before the number.
        version: "Version",
        /// The licence files of the site with their names.
        licences: [("MIT licence", "./LICENSE-MIT"), ("Apache-2.0 licence", "./LICENSE-APACHE")],
    },
});
