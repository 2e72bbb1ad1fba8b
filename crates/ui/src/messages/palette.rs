//! The list of all actions, and the list of keys.

/// Texts of both dialogs.
pub struct Palette {
    pub title: &'static str,
    pub open: &'static str,
    pub search: &'static str,
    pub list: &'static str,
    pub none: &'static str,
    pub found: fn(actions: usize) -> String,
    pub groups: Groups,
    /// Actions that have no other text on the page.
    pub duplicate: fn(design: &str) -> String,
    pub keys: Keys,
}

/// Before the name of an action.
pub struct Groups {
    pub view: &'static str,
    pub show_design: &'static str,
    pub designs: &'static str,
    pub edit: &'static str,
    pub fix: &'static str,
    pub layout: &'static str,
    pub salt: &'static str,
    pub query: &'static str,
    pub events: &'static str,
    pub example: &'static str,
    pub sample: &'static str,
    pub workspace: &'static str,
    pub theme: &'static str,
    pub tablets: &'static str,
    pub shell: &'static str,
    pub help: &'static str,
}

/// The list of keys.
pub struct Keys {
    pub open: &'static str,
    pub title: &'static str,
    pub place: &'static str,
    pub key: &'static str,
    pub action: &'static str,
    /// Place, keys, action.
    pub all: [(&'static str, &'static str, &'static str); 21],
    pub single: &'static str,
}

pub const ENGLISH: Palette = Palette {
    title: "All actions",
    open: "All actions …",
    search: "Find an action",
    list: "Actions",
    none: "No action has these words.",
    found: |actions| super::numbers::count(actions as u64, "action", "actions"),
    groups: Groups {
        view: "View",
        show_design: "Show design",
        designs: "Designs",
        edit: "Edit",
        fix: "Fix",
        layout: "Layout",
        salt: "Salt",
        query: "Query",
        events: "Events",
        example: "Open example",
        sample: "Load sample",
        workspace: "Workspace",
        theme: "Theme",
        tablets: "Tablets",
        shell: "Shell",
        help: "Help",
    },
    duplicate: |design| format!("Duplicate {design}"),
    keys: Keys {
        open: "Keys",
        title: "Keys",
        place: "Where",
        key: "Keys",
        action: "What they do",
        all: [
            ("Anywhere", "Ctrl+K", "Find an action"),
            ("Anywhere", "?", "List the keys"),
            ("Anywhere", "Ctrl+Z", "Undo"),
            ("Anywhere", "Ctrl+Shift+Z, Ctrl+Y", "Redo"),
            ("Anywhere", "Ctrl+`", "Go to the shell and back"),
            ("Part of the row key", "Alt+Up, Alt+Down", "Move the part"),
            ("Part of the row key", "Delete", "Remove the part"),
            ("Editor of a part", "Escape", "Close the editor"),
            ("Query", "Ctrl+Enter", "Run the query"),
            ("Tablets", "Left, Right, Home, End", "Move along the tablets"),
            ("Tablets", "Enter", "Open the tablet"),
            ("Results", "Arrow keys, Page Up, Page Down", "Move in the rows"),
            ("Results", "Enter", "Open the details of a cell"),
            ("Design in Compare", "Alt+Up, Alt+Down", "Move the design"),
            ("Events in Compare", "Up, Down, Home, End", "Choose an event"),
            ("Line between panes", "Arrow keys, Home, End", "Resize the panes"),
            ("Menu", "Up, Down, Enter, Escape", "Move, choose, close"),
            ("Shell", "Enter", "Run the command"),
            ("Shell", "Up, Down", "Earlier and later commands"),
            ("Shell", "Tab", "Complete the word"),
            ("Shell", "Escape", "Cancel the command"),
        ],
        single: "Keys without Ctrl or Alt, such as ?, work outside of fields",
    },
};
