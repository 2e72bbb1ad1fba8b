//! What this browser stores: the dialog, and the banner above the panes.

use alloc::format;

use super::numbers::{bytes, count};

texts!(Storage {
    title: "Storage in this browser",
    /// The list of saved sets of events, and when it is empty.
    list: "Saved events",
    nothing: "Nothing is saved yet. Files and texts that you load are saved here.",
    /// The button with which this tab takes over.
    save_here: "Save data in this tab",
    close_note: "Close this note",
    /// A set: its events and bytes, and why it is incomplete.
    size: |events: u64, size: u64| format!("{} · {}", count(events, "event", "events"), bytes(size)),
    /// What distinguishes a file from others of its name.
    content: |digits: &str| format!(" · content {digits}"),
    read_as: |format: &str, skips: bool| {
        format!(" · {format}, {} invalid lines", if skips { "skips" } else { "stops at" })
    },
    storing: " · being saved",
    interrupted: " · incomplete: the load was interrupted",
    cancelled: " · incomplete: the load was cancelled",
    failed: " · incomplete: the load failed",
    shown: "Shown now",
    show: "Show",
    show_set: |name: &str| format!("Show {name}"),
    export: "Export",
    export_set: |name: &str| format!("Export {name}"),
    /// The buttons that delete, and the second press.
    delete: "Delete",
    delete_all: "Delete all",
    delete_confirm: "Delete permanently",
    keep: "Keep",
    delete_group: |button: &str, what: &str| format!("{button}: {what}"),
    press_again: |what: &str| format!("Press again to delete {what}."),
    events_of: |events: u64, name: &str| format!("{} of {name}", count(events, "event", "events")),
    sets: |number: u64| count(number, "set", "sets"),
    everything: "everything saved",
    /// The storage space.
    room: |used: u64, quota: u64| format!("{} of {}", bytes(used), bytes(quota)),
    room_shared: "in use by all pages of this site.",
    safe: "Saved data stays until you delete it, here or in the browser settings.",
    not_safe: "The browser may delete it when the disk is full.",
    not_agreed: "The browser declined. It decides by how often you use a page: a bookmark or another visit \
                 may help.",
    ask_to_keep: "Ask the browser not to delete it",
    /// Where events are stored that are loaded now.
    opening: "Opening storage…",
    here: "Files and texts that you load are saved in this browser and come back after a reload. Samples \
           and generated events are regenerated.",
    other_tab: "This site's data is open in another tab. Files you load here will not be saved.",
    other_tab_closed: "The other tab is closed. This tab can take over its data and save what you load.",
    read_only: |why: &str| {
        format!("New events are no longer saved: {why}. What is loaded stays until you close the page.")
    },
    no_room: "the browser gives this page no more space. Delete what you do not need; saving resumes when \
              there is space",
    write_refused: "the browser refuses to write. The page retries every few seconds",
    damaged: "Part of the saved data is damaged, by the disk or by another program.",
    export_then_delete: |what: &str| {
        format!("{what} Export what can be read, then delete all. Until then, nothing is saved.")
    },
    nothing_saved_until_then: |what: &str| format!("{what} Until then, nothing is saved."),
    /// Files that the page offers, and reasons why it cannot.
    events_downloaded: "Events downloaded",
    table_downloaded: "Table downloaded",
    rows_downloaded: "Rows downloaded",
    events_lost: |file: &str, events: u64| {
        format!(
            "{file} contains what can still be read: {} could not be read",
            count(events, "event", "events")
        )
    },
    too_many_columns: "the table has more than 1,000 columns, and each would be a field in every line of \
                       the file. Download the table data instead",
    table_changed: "the table changed during the download. Download it again",
    no_room_for_file: "the browser has no space for the file",
});
