//! The bar at the top: its buttons, the menu of the workspace, the theme, and the dialog about the
//! page.

/// Texts of the top bar.
pub struct TopBar {
    pub name: &'static str,
    pub tagline: &'static str,
    /// The views.
    pub views: &'static str,
    pub design: &'static str,
    pub compare: &'static str,
    pub tablet: &'static str,
    pub traffic: &'static str,
    pub profiles: &'static str,
    pub server: &'static str,
    pub undo: &'static str,
    pub redo: &'static str,
    /// The menu of the workspace and its items.
    pub workspace: &'static str,
    pub workspaces: &'static str,
    pub save: &'static str,
    pub open: &'static str,
    pub download_table: &'static str,
    pub export: &'static str,
    pub all_actions: &'static str,
    pub keys: &'static str,
    pub start_over: &'static str,
    pub workspace_file: &'static str,
    /// The dialogs of examples, and the one that shares the workspace.
    pub examples: &'static str,
    pub share: &'static str,
    /// The theme and its choices.
    pub theme: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
    pub system: &'static str,
    /// The dialog about the page.
    pub about: About,
}

/// A paragraph with a lead is a pair.
pub struct About {
    pub open: &'static str,
    pub title: &'static str,
    pub what: &'static str,
    pub privacy: (&'static str, &'static str),
    pub thresholds: (&'static str, &'static str),
    /// The second text ends before the name of the object in JavaScript, which follows it.
    pub keys: (&'static str, &'static str),
    /// A link to documentation elsewhere: its text and address.
    pub guide: (&'static str, &'static str),
    pub trademark: &'static str,
    /// The word before the number.
    pub version: &'static str,
    /// The licence files of the site with their names.
    pub licences: [(&'static str, &'static str); 2],
}

pub const ENGLISH: TopBar = TopBar {
    name: "Tabletop",
    tagline: "Try out Bigtable row keys in your browser",
    views: "Views",
    design: "Design",
    compare: "Compare",
    tablet: "Tablet",
    traffic: "Traffic",
    profiles: "Profiles",
    server: "Server",
    undo: "Undo",
    redo: "Redo",
    workspace: "Workspace",
    workspaces: "Workspaces…",
    save: "Save workspace file",
    open: "Open workspace file…",
    download_table: "Download table data (.tabletop)",
    export: "Export to Bigtable…",
    all_actions: "All actions…",
    keys: "Keyboard shortcuts",
    start_over: "Start over",
    workspace_file: "Workspace file",
    examples: "Examples",
    share: "Share",
    theme: "Theme",
    light: "Light",
    dark: "Dark",
    system: "System",
    about: About {
        open: "About",
        title: "About Tabletop",
        what: "Tabletop is a workbench for designing row keys and schemas for Bigtable. A real storage engine (commit log, memtable, \
               SSTables, tablets that split) runs in this page and holds your events. Change the row key or the layout and see what \
               happens to tablets, hotspots, reads and filters.",
        privacy: (
            "Nothing leaves this browser.",
            "Events, designs and queries are processed here. There is no server behind the page.",
        ),
        thresholds: (
            "Thresholds are scaled down.",
            "Google does not publish the size or load at which Bigtable splits a tablet. Here they are settings, small enough that a \
             few thousand events show what millions would. Time is the table's own clock: events arrive at the pace that you set, \
             so the same events always give the same picture.",
        ),
        keys: (
            "Keyboard:",
            "Ctrl+K finds any action, ? lists the shortcuts. Ctrl+Z and Ctrl+Shift+Z undo and redo any change. Scripts use the same engine \
             as",
        ),
        guide: (
            "Google's guide to schema design for Bigtable",
            "https://cloud.google.com/bigtable/docs/schema-design",
        ),
        trademark: "Not affiliated with Google. Bigtable is a trademark of Google LLC.",
        version: "Version",
        licences: [("MIT licence", "./LICENSE-MIT"), ("Apache-2.0 licence", "./LICENSE-APACHE")],
    },
};
