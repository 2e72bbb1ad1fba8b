//! The dialog of examples. What each of them shows is in `schema/texts`.

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
    about: "Each opens in this tab only: your own workspace stays as it is, and Undo brings it back.",
    profiles: "Profiles of users",
    profiles_about: "Each opens the view Profiles, at the section that its text begins with.",
    under_load: "Under load",
    under_load_about: "Each is simulated: nodes, tablets that split and move, latencies, and the Key Visualizer.",
    opened: |title, about| format!("Example: {title}. {about}"),
    note: "What to look at",
    changed: "You have changed it since. As it opened:",
    show: "Show this on the page",
    close_note: "Close this note",
};
