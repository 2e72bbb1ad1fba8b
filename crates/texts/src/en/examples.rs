//! The dialog of examples. What each of them shows is in
//! `example_texts`.

use alloc::format;

texts!(Examples {
    title: "Examples",
    about: "Examples open in this tab only: your own workspace is unchanged, and Undo returns to it.",
    profiles: "User profiles",
    profiles_about: "Each opens the Profiles view, at the section that its text names first.",
    under_load: "Under load",
    under_load_about: "Each is simulated: nodes, tablets that split and move, latencies, and the Key Visualizer.",
    opened: |title: &str, about: &str| format!("Example: {title}. {about}"),
    note: "What to look at",
    changed: "You have changed it since. Originally:",
    show: "Show on the page",
    close_note: "Close this note",
});
