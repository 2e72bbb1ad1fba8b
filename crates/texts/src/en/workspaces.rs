//! The saved workspaces.

use alloc::format;
use alloc::string::String;

use super::numbers::count;

texts!(Workspaces {
    title: "Workspaces",
    about: "Each is saved in this browser as you change it. Undo covers what you did in a workspace since \
            you opened this tab.",
    list: "Saved workspaces",
    new: "New workspace",
    find: "Find a workspace",
    none_found: "No matching workspaces.",
    more: |more: usize| {
        format!("{} not shown: search by name.", count(more as u64, "workspace", "workspaces"))
    },
    /// A line, and the actions on its workspace.
    designs: |designs: u64| count(designs, "design", "designs"),
    generated: |events: u64| count(events, "generated event", "generated events"),
    sample: |name: &str| format!("sample {name}"),
    own: |file: &str| format!("events of {file}"),
    shown: "Shown now",
    shown_apart: "Another version is shown",
    open: "Open",
    open_named: |name: &str| format!("Open {name}"),
    rename: "Rename",
    rename_named: |name: &str| format!("Rename {name}"),
    duplicate: "Duplicate",
    duplicate_named: |name: &str| format!("Duplicate {name}"),
    download_named: |name: &str| format!("Download {name}"),
    delete_named: |name: &str| format!("Delete {name}"),
    name: "Name of the workspace",
    save_name: "Save name",
    no_name: "A workspace needs a name.",
    long_name: |chars_max: usize| format!("A name has at most {chars_max} characters."),
    /// A workspace that cannot be read.
    damaged: "A workspace that cannot be read",
    damaged_why: |why: &str| format!("{} Download the text to keep it.", place_in_words(why)),
    /// A change after which the workspace could not be read again.
    refused_edit: |why: &str| format!("Not changed: {}", place_in_words(why)),
    damaged_at_start: |why: &str| {
        let why = place_in_words(why);
        format!(
            "the saved workspace cannot be read: {why} A new one is open; the text of the old one is in the \
             list of workspaces"
        )
    },
    damaged_writes: "the manual writes stored in this browser cannot be read: the tables contain only the \
                     events. Write what you need again",
    /// Announcements and refusals.
    opened: |name: &str| format!("{name} is open"),
    saved_as: |name: &str| format!("Saved as {name}"),
    renamed: |name: &str| format!("Renamed to {name}"),
    duplicated: |name: &str| format!("Saved a copy as {name}"),
    deleted: |name: &str| format!("Deleted: {name}"),
    already_new: "This is already a new workspace.",
    gone: "this workspace is no longer saved: another tab may have deleted it",
    no_room: "the browser has no more space for workspaces, or refuses to save. Delete some, or save this one as a file",
    /// The browser refuses to save.
    unsaved: "Your changes are not saved.",
    unsaved_what_now: "The browser has no more space for workspaces, or refuses to save. Save this one as a file, or delete others.",
});

/// Replaces the JSON path at the start of a message about a workspace with the words of the page,
/// and ends the sentence.
fn place_in_words(why: &str) -> String {
    let end = if why.ends_with(['.', '?', '!']) { "" } else { "." };
    let lists = [("queries[", "Access pattern"), ("designs[", "Design"), ("traffic.streams[", "Stream")];
    let placed = lists.iter().find_map(|(start, name)| {
        let (number, rest) = why.strip_prefix(start)?.split_once(']')?;
        let number = number.parse::<usize>().ok()? + 1;
        let rest = rest.trim_start_matches('.');
        Some(format!("{name} {number}: {rest}{end}"))
    });
    placed.unwrap_or_else(|| format!("{why}{end}"))
}

#[cfg(test)]
mod tests {
    use super::place_in_words;

    #[test]
    fn a_place_is_named_as_on_the_page() {
        let long = "queries[0].name is longer than 100 characters.";
        assert_eq!(place_in_words(long), "Access pattern 1: name is longer than 100 characters.");
        assert_eq!(
            place_in_words("traffic.streams[2].per_second is -1; it must be from 0 to 9"),
            "Stream 3: per_second is -1; it must be from 0 to 9."
        );
        assert_eq!(place_in_words("Not a Tabletop workspace."), "Not a Tabletop workspace.");
    }
}
