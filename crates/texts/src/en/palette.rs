//! The list of all actions, and the list of shortcuts.

use alloc::format;

texts!(Palette {
    title: "All actions",
    search: "Find an action",
    list: "Actions",
    none: "No matching actions.",
    found: |actions: usize| super::numbers::count(actions as u64, "action", "actions"),
    /// Before the name of an action.
    groups: Groups {
        view: "View",
        /// For controls that do not belong to a named part of the view.
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
        locale: "Language",
        tablets: "Tablets",
        shell: "Shell",
        help: "Help",
    },
    /// The keys of actions.
    shortcuts: Shortcuts {
        undo: "Ctrl+Z",
        redo: "Ctrl+Shift+Z",
        run: "Ctrl+Enter",
        shell: "Ctrl+`",
        keys: "?",
        play: "Space",
    },
    /// Actions that have no other text on the page.
    duplicate: |design: &str| format!("Duplicate {design}"),
    /// The list of keys.
    keys: Keys {
        title: "Keyboard shortcuts",
        place: "Where",
        key: "Keys",
        action: "Action",
        /// Lines of place, keys and action, divided by ` | `. A single text is fetched with the dialog;
        /// the parts of an array would be fetched with the first load.
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
});
