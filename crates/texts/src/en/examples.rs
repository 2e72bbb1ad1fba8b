//! The dialog of examples. What each of them shows is in
//! `example_texts`.

use alloc::format;
use alloc::string::String;

/// Texts of the dialog, and of the note on an example.
pub struct Examples {
    pub title: &'static str,
    pub about: &'static str,
    pub profiles: &'static str,
    pub profiles_about: &'static str,
    pub under_load: &'static str,
    pub under_load_about: &'static str,
    pub opened: fn(title: &str, about: &str) -> String,
    pub note: &'static str,
    pub changed: &'static str,
    pub show: &'static str,
    pub close_note: &'static str,
}

pub const ENGLISH: Examples = Examples {
    title: "Examples",
    about: "Examples open in this tab only: your own workspace is unchanged, and Undo returns to it.",
    profiles: "User profiles",
    profiles_about: "Each opens the Profiles view, at the section that its text starts with.",
    under_load: "Under load",
    under_load_about: "Each is simulated: nodes, tablets that split and move, latencies, and the Key Visualizer.",
    opened: |title, about| format!("Example: {title}. {about}"),
    note: "What to look at",
    changed: "You have changed it since. Originally:",
    show: "Show on the page",
    close_note: "Close this note",
};
