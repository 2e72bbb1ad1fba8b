//! What this browser stores: the dialog, and the banner above the panes.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count};

/// Texts of the storage.
pub struct Storage {
    pub title: &'static str,
    /// The list of saved sets of events, and when it is empty.
    pub list: &'static str,
    pub nothing: &'static str,
    /// The button with which this tab takes over.
    pub save_here: &'static str,
    pub close_note: &'static str,
    /// A set: its events and bytes, and why it is incomplete.
    pub size: fn(events: u64, bytes: u64) -> String,
    /// What distinguishes a file from others of its name.
    pub content: fn(digits: &str) -> String,
    pub read_as: fn(format: &str, skips_invalid_lines: bool) -> String,
    pub storing: &'static str,
    pub interrupted: &'static str,
    pub cancelled: &'static str,
    pub failed: &'static str,
    pub shown: &'static str,
    pub show: &'static str,
    pub show_set: fn(name: &str) -> String,
    pub export: &'static str,
    pub export_set: fn(name: &str) -> String,
    /// The buttons that delete, and the second press.
    pub delete: &'static str,
    pub delete_all: &'static str,
    pub delete_confirm: &'static str,
    pub keep: &'static str,
    pub delete_group: fn(button: &str, what: &str) -> String,
    pub press_again: fn(what: &str) -> String,
    pub events_of: fn(events: u64, name: &str) -> String,
    pub sets: fn(u64) -> String,
    pub everything: &'static str,
    /// The storage space.
    pub room: fn(used: u64, quota: u64) -> String,
    pub room_shared: &'static str,
    pub safe: &'static str,
    pub not_safe: &'static str,
    pub not_agreed: &'static str,
    pub ask_to_keep: &'static str,
    /// Where events are stored that are loaded now.
    pub opening: &'static str,
    pub here: &'static str,
    pub other_tab: &'static str,
    pub other_tab_closed: &'static str,
    pub read_only: fn(why: &str) -> String,
    pub no_room: &'static str,
    pub write_refused: &'static str,
    pub damaged: &'static str,
    pub export_then_delete: fn(what: &str) -> String,
    pub nothing_saved_until_then: fn(what: &str) -> String,
    /// Files that the page offers, and reasons why it cannot.
    pub events_downloaded: &'static str,
    pub table_downloaded: &'static str,
    pub rows_downloaded: &'static str,
    pub events_lost: fn(file: &str, events: u64) -> String,
    pub too_many_columns: &'static str,
    pub table_changed: &'static str,
    pub no_room_for_file: &'static str,
}

pub const ENGLISH: Storage = Storage {
    title: "Storage in this browser",
    list: "Saved events",
    nothing: "Nothing is saved yet. Files and texts that you load are saved here.",
    save_here: "Save data in this tab",
    close_note: "Close this note",
    size: |events, size| format!("{} · {}", count(events, "event", "events"), bytes(size)),
    content: |digits| format!(" · content {digits}"),
    read_as: |format, skips| {
        format!(" · {format}, {} invalid lines", if skips { "skips" } else { "stops at" })
    },
    storing: " · being saved",
    interrupted: " · incomplete: the load was interrupted",
    cancelled: " · incomplete: the load was cancelled",
    failed: " · incomplete: the load failed",
    shown: "Shown now",
    show: "Show",
    show_set: |name| format!("Show {name}"),
    export: "Export",
    export_set: |name| format!("Export {name}"),
    delete: "Delete",
    delete_all: "Delete all",
    delete_confirm: "Delete permanently",
    keep: "Keep",
    delete_group: |button, what| format!("{button}: {what}"),
    press_again: |what| format!("Press again to delete {what}."),
    events_of: |events, name| format!("{} of {name}", count(events, "event", "events")),
    sets: |number| count(number, "set", "sets"),
    everything: "everything saved",
    room: |used, quota| format!("{} of {}", bytes(used), bytes(quota)),
    room_shared: "in use by all pages of this site.",
    safe: "Saved data stays until you delete it, here or in the browser settings.",
    not_safe: "The browser may delete it when the disk is full.",
    not_agreed: "The browser declined. It decides by how often you use a page: a bookmark or another visit \
                 may help.",
    ask_to_keep: "Ask the browser not to delete it",
    opening: "Opening storage…",
    here: "Files and texts that you load are saved in this browser and come back after a reload. Samples \
           and generated events are regenerated.",
    other_tab: "This site's data is open in another tab. Files you load here will not be saved.",
    other_tab_closed: "The other tab is closed. This tab can take over its data and save what you load.",
    read_only: |why| {
        format!("New events are no longer saved: {why}. What is loaded stays until you close the page.")
    },
    no_room: "the browser gives this page no more space. Delete what you do not need; saving resumes when \
              there is space",
    write_refused: "the browser refuses to write. The page retries every few seconds",
    damaged: "Part of the saved data is damaged, by the disk or by another program.",
    export_then_delete: |what| {
        format!("{what} Export what can be read, then delete all. Until then, nothing is saved.")
    },
    nothing_saved_until_then: |what| format!("{what} Until then, nothing is saved."),
    events_downloaded: "Events downloaded",
    table_downloaded: "Table downloaded",
    rows_downloaded: "Rows downloaded",
    events_lost: |file, events| {
        format!(
            "{file} contains what can still be read: {} could not be read",
            count(events, "event", "events")
        )
    },
    too_many_columns: "the table has more than 1,000 columns, and each would be a field in every line of \
                       the file. Download the table data instead",
    table_changed: "the table changed during the download. Download it again",
    no_room_for_file: "the browser has no space for the file",
};
