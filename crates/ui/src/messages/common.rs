//! What more than one view says: counts, buttons that all dialogs have, what a screen reader hears after a change.

use super::numbers::count;

/// Texts that belong to no view.
pub struct Common {
    /// Counts with their nouns.
    pub events: fn(u64) -> String,
    /// Buttons.
    pub close: &'static str,
    pub copy: &'static str,
    pub download: &'static str,
    pub storage: &'static str,
    /// The promise that all data stays here.
    pub stays_here: &'static str,
    /// What a screen reader hears.
    pub undone: &'static str,
    pub redone: &'static str,
    pub copied: &'static str,
    pub deleted: &'static str,
    pub downloaded: &'static str,
    pub copy_forbidden: &'static str,
    pub download_forbidden: &'static str,
    pub load_finished: fn(events: u64) -> String,
    pub load_cancelled: &'static str,
    pub engine_restarted: &'static str,
    pub started_over: &'static str,
    pub workspace_saved: &'static str,
    /// Errors of files.
    pub workspace_too_large: &'static str,
    pub file_unreadable: &'static str,
}

pub const ENGLISH: Common = Common {
    events: |number| count(number, "event", "events"),
    close: "Close",
    copy: "Copy",
    download: "Download",
    storage: "Storage",
    stays_here: "Nothing leaves this browser.",
    undone: "Undone",
    redone: "Redone",
    copied: "Copied",
    deleted: "Deleted",
    downloaded: "Downloaded",
    copy_forbidden: "The browser does not let this page copy. Select the text and copy it yourself.",
    download_forbidden: "The browser does not let this page offer a download.",
    load_finished: |events| format!("{} loaded", count(events, "event", "events")),
    load_cancelled: "Load cancelled",
    engine_restarted: "The engine is running again",
    started_over: "Started over. Undo restores the workspace.",
    workspace_saved: "Workspace file saved",
    workspace_too_large: "this file is too large for a workspace. To load it as events, drop it on the page",
    file_unreadable: "the file cannot be read. Choose it again",
};
