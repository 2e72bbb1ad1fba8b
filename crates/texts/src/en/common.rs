//! The texts of several views: counts, buttons of all dialogs, announcements for screen readers.

use alloc::format;
use alloc::string::{String, ToString};

use super::numbers::{count, thousands};

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
    /// Announcements for screen readers.
    pub undone: &'static str,
    pub redone: &'static str,
    /// Announcements on manual writes.
    pub write_undone: &'static str,
    pub write_redone: &'static str,
    pub copied: &'static str,
    pub deleted: &'static str,
    pub downloaded: &'static str,
    pub copy_forbidden: &'static str,
    /// Next to a text while it is typed.
    pub completions: &'static str,
    pub completion_count: fn(u64) -> String,
    pub download_forbidden: &'static str,
    pub load_finished: fn(events: u64) -> String,
    pub load_cancelled: &'static str,
    pub engine_restarted: &'static str,
    pub started_over: &'static str,
    pub workspace_saved: &'static str,
    /// The numbers that a field takes.
    pub numbers: NumberRules,
    /// Errors of files.
    pub workspace_too_large: &'static str,
    pub file_unreadable: &'static str,
}

/// The kind of numbers that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Without a fraction.
    Whole,
    /// With or without a fraction.
    Any,
}

/// The numbers that a field takes.
pub struct NumberRules {
    pub any: fn(kind: NumberKind) -> String,
    pub still_used: fn(text: &str) -> String,
    pub at_least: fn(kind: NumberKind, min: f64) -> String,
    pub between: fn(kind: NumberKind, min: f64, max: f64) -> String,
}

fn number(kind: NumberKind) -> &'static str {
    match kind {
        NumberKind::Whole => "a whole number",
        NumberKind::Any => "a number",
    }
}

/// A number of a field, with separators of thousands if it is whole.
pub fn figure(number: f64) -> String {
    if libm::trunc(number) == number && number >= 0.0 { thousands(number as u64) } else { number.to_string() }
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
    write_undone: "Manual write undone",
    write_redone: "Manual write redone",
    copied: "Copied",
    deleted: "Deleted",
    downloaded: "Downloaded",
    completions: "Suggestions",
    completion_count: |suggestions| {
        format!("{}. Press Down to choose.", count(suggestions, "suggestion", "suggestions"))
    },
    copy_forbidden: "The browser blocked copying. Select the text and copy it yourself.",
    download_forbidden: "The browser blocked the download.",
    load_finished: |events| format!("{} loaded", count(events, "event", "events")),
    load_cancelled: "Load cancelled",
    engine_restarted: "The engine is running again",
    started_over: "Started over. Undo restores the workspace.",
    workspace_saved: "Workspace file saved",
    numbers: NumberRules {
        still_used: |text| format!("{text} is still in use."),
        any: |kind| format!("Enter {}.", number(kind)),
        at_least: |kind, min| format!("Enter {}, {} or more.", number(kind), figure(min)),
        between: |kind, min, max| format!("Enter {} from {} to {}.", number(kind), figure(min), figure(max)),
    },
    workspace_too_large: "this file is too large for a workspace. To load it as events, drop it on the page",
    file_unreadable: "the file cannot be read. Choose it again",
};
