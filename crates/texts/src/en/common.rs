//! The texts of several views: counts, buttons of all dialogs, announcements for screen readers.

use alloc::format;
use alloc::string::{String, ToString};

use tabletop_workspace::Changed;

use super::numbers::{count, thousands};

/// The kind of numbers that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Without a fraction.
    Whole,
    /// With or without a fraction.
    Any,
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

/// Says what was undone or redone.
fn said(what: &str, changed: Option<&Changed>) -> String {
    let Some(changed) = changed else { return what.into() };
    let changed = match changed {
        Changed::RowKey(template) => format!("row key {template}"),
        Changed::Layout => "layout".into(),
        Changed::DesignsAdded(added) => format!("{} added", count(*added as u64, "design", "designs")),
        Changed::DesignsRemoved(removed) => {
            format!("{} removed", count(*removed as u64, "design", "designs"))
        }
        Changed::Designs => "list of designs".into(),
        Changed::Events => "events".into(),
        Changed::Roles => "roles of fields".into(),
        Changed::Query => "query".into(),
        Changed::Patterns => "access patterns".into(),
        Changed::Settings => "settings of the simulation".into(),
        Changed::Traffic => "traffic".into(),
        Changed::Strategy => "strategy".into(),
        Changed::Estimate => "rates and prices".into(),
        Changed::Limits => "limits".into(),
        Changed::Name => "name of the workspace".into(),
    };
    format!("{what}: {changed}")
}

texts!(Common {
    /// Counts with their nouns.
    events: |number: u64| count(number, "event", "events"),
    /// Buttons.
    close: "Close",
    copy: "Copy",
    download: "Download",
    storage: "Data in this browser",
    /// The promise that all data stays here.
    stays_here: "Nothing leaves this browser.",
    /// Announcements for screen readers.
    undone: |changed: Option<&Changed>| said("Undone", changed),
    redone: |changed: Option<&Changed>| said("Redone", changed),
    /// Announcements on manual writes.
    write_undone: "Manual write undone",
    write_redone: "Manual write redone",
    copied: "Copied",
    deleted: "Deleted",
    downloaded: "Downloaded",
    copy_forbidden: "The browser blocked copying. Select the text and copy it yourself.",
    /// Next to a text while it is typed.
    completions: "Suggestions",
    completion_count: |suggestions: u64| {
        format!("{}. Press Down to choose.", count(suggestions, "suggestion", "suggestions"))
    },
    download_forbidden: "The browser blocked the download.",
    load_finished: |events: u64| format!("{} loaded", count(events, "event", "events")),
    load_cancelled: "Load cancelled",
    engine_restarted: "The engine is running again",
    started_over: "Started over. Undo restores the workspace.",
    workspace_saved: "Workspace file saved",
    /// The numbers that a field takes.
    numbers: NumberRules {
        any: |kind: NumberKind| format!("Enter {}.", number(kind)),
        still_used: |text: &str| format!("{text} is still in use."),
        at_least: |kind: NumberKind, min: f64| format!("Enter {}, {} or more.", number(kind), figure(min)),
        between: |kind: NumberKind, min: f64, max: f64| {
            format!("Enter {} from {} to {}.", number(kind), figure(min), figure(max))
        },
    },
    /// Errors of files.
    workspace_too_large: "This file is too large for a workspace. To load it as events, drop it on the page.",
    file_unreadable: "the file cannot be read. Choose it again",
});
