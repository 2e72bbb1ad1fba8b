//! The list of all actions, and the list of shortcuts.

use alloc::format;
use alloc::string::String;

/// Texts of both dialogs.
pub struct Palette {
    pub title: &'static str,
    pub search: &'static str,
    pub list: &'static str,
    pub none: &'static str,
    pub found: fn(actions: usize) -> String,
    pub groups: Groups,
    pub shortcuts: Shortcuts,
    /// Actions that have no other text on the page.
    pub duplicate: fn(design: &str) -> String,
    pub keys: Keys,
}

/// Before the name of an action.
pub struct Groups {
    pub view: &'static str,
    /// For controls that do not belong to a named part of the view.
    pub here: &'static str,
    pub go_to: &'static str,
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
    pub open_workspace: &'static str,
    pub share: &'static str,
    pub theme: &'static str,
    pub tablets: &'static str,
    pub shell: &'static str,
    pub help: &'static str,
}

/// The keys of actions.
pub struct Shortcuts {
    pub undo: &'static str,
    pub redo: &'static str,
    pub run: &'static str,
    pub shell: &'static str,
    pub keys: &'static str,
    pub play: &'static str,
}

/// The list of keys.
pub struct Keys {
    pub title: &'static str,
    pub place: &'static str,
    pub key: &'static str,
    pub action: &'static str,
    /// Lines of place, keys and action, divided by ` | `. A single text is fetched with the dialog;
    /// the parts of an array would be fetched with the first load.
    pub all: &'static str,
    pub single: &'static str,
}

pub const ENGLISH: Palette = Palette {
    title: "All actions",
    search: "Find an action",
    list: "Actions",
    none: "No matching actions.",
    found: |actions| super::numbers::count(actions as u64, "action", "actions"),
    groups: Groups {
        view: "View",
        here: "Here",
        go_to: "Go to",
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
        open_workspace: "Open workspace",
        share: "Share",
        theme: "Theme",
        tablets: "Tablets",
        shell: "Shell",
        help: "Help",
    },
    shortcuts: Shortcuts {
        undo: "Ctrl+Z",
        redo: "Ctrl+Shift+Z",
        run: "Ctrl+Enter",
        shell: "Ctrl+`",
        keys: "?",
        play: "Space",
    },
    duplicate: |design| format!("Duplicate {design}"),
    keys: Keys {
        title: "Keyboard shortcuts",
        place: "Where",
        key: "Keys",
        action: "Action",
        all: "Anywhere | Ctrl+K | Find an action\n\
              Anywhere | ? | List the shortcuts\n\
              Anywhere | Space, . | Play and pause the events\n\
              Anywhere | Ctrl+Z | Undo\n\
              Anywhere | Ctrl+Shift+Z, Ctrl+Y | Redo\n\
              Anywhere | Ctrl+` | Go to the shell and back\n\
              Row key part | Alt+Up, Alt+Down | Move the part\n\
              Row key part | Delete | Remove the part\n\
              Part editor | Escape | Close the editor\n\
              Query | Ctrl+Enter | Run the query\n\
              Tablets | Left, Right, Home, End | Move along the tablets\n\
              Tablets | Enter | Open the tablet\n\
              Tablets | Escape | Close the tablet\n\
              Map | Ctrl+K, box | Read a rectangle using the query's fields\n\
              Timeline | Arrow keys, Page Up, Page Down, Home, End | Move in time\n\
              Results | Arrow keys, Page Up, Page Down | Move through the rows\n\
              Results | Ctrl+Home, Ctrl+End | Move to the first and last row\n\
              Results | Enter, Escape | Open and close the details of a cell\n\
              Filter block | Alt+Up, Alt+Down | Move the block\n\
              Design in Compare | Alt+Up, Alt+Down | Move the design\n\
              Events in Compare | Up, Down, Home, End | Choose an event\n\
              Access patterns in Compare | Arrow keys | Move in the grid\n\
              Heatmap | Arrow keys, Page Up, Page Down, Home, End | Move by a cell, by a tenth of the keys, to either end\n\
              Heatmap | Ctrl+Home, Ctrl+End | Move to the first and last key\n\
              Heatmap | Shift with any of these | Draw a rectangle\n\
              Heatmap | Enter | Pin a cell, or zoom to the rectangle\n\
              Heatmap | +, -, R | Zoom in, zoom out, show all\n\
              Heatmap | Backspace, Escape | Go back, unpin\n\
              Heatmap prefixes | Arrow keys, Home, Enter | Move, zoom to the keys with the prefix\n\
              Bytes in Tablet | Left, Right, Home, End | Choose a part of the block\n\
              Groups of choices | Arrow keys, Home, End | Choose\n\
              Pane divider | Arrow keys, Home, End | Resize the panes\n\
              Menu | Up, Down, Enter, Escape | Move, choose, close\n\
              Shell | Enter | Run the command\n\
              Shell | Up, Down | Earlier and later commands\n\
              Shell | Tab | Complete the word\n\
              Shell | Escape | Cancel the command",
        single: "Keys without Ctrl or Alt, such as ? and Space, work outside fields",
    },
};
