//! The saved workspaces.

use super::numbers::count;

/// Texts of the dialog, and of its results.
pub struct Workspaces {
    pub title: &'static str,
    pub about: &'static str,
    pub list: &'static str,
    pub new: &'static str,
    pub find: &'static str,
    pub none_found: &'static str,
    pub more: fn(more: usize) -> String,
    /// A line, and the actions on its workspace.
    pub designs: fn(designs: u64) -> String,
    pub generated: fn(events: u64) -> String,
    pub sample: fn(name: &str) -> String,
    pub own: fn(file: &str) -> String,
    pub shown: &'static str,
    pub shown_apart: &'static str,
    pub open: &'static str,
    pub open_named: fn(name: &str) -> String,
    pub rename: &'static str,
    pub rename_named: fn(name: &str) -> String,
    pub duplicate: &'static str,
    pub duplicate_named: fn(name: &str) -> String,
    pub download_named: fn(name: &str) -> String,
    pub delete_named: fn(name: &str) -> String,
    pub name: &'static str,
    pub save_name: &'static str,
    pub no_name: &'static str,
    pub long_name: fn(chars_max: usize) -> String,
    /// A workspace that cannot be read.
    pub damaged: &'static str,
    pub damaged_why: fn(why: &str) -> String,
    /// A change after which the workspace could not be read again.
    pub refused_edit: fn(why: &str) -> String,
    pub damaged_at_start: fn(why: &str) -> String,
    pub damaged_writes: &'static str,
    /// Announcements and refusals.
    pub opened: fn(name: &str) -> String,
    pub saved_as: fn(name: &str) -> String,
    pub renamed: fn(name: &str) -> String,
    pub duplicated: fn(name: &str) -> String,
    pub deleted: fn(name: &str) -> String,
    pub already_new: &'static str,
    pub gone: &'static str,
    pub no_room: &'static str,
    /// The browser refuses to save.
    pub unsaved: &'static str,
    pub unsaved_what_now: &'static str,
}

pub const ENGLISH: Workspaces = Workspaces {
    title: "Workspaces",
    about: "Each is saved in this browser as you change it. Undo covers what you did in a workspace since \
            you opened this tab.",
    list: "Saved workspaces",
    new: "New workspace",
    find: "Find a workspace",
    none_found: "No matching workspaces.",
    more: |more| format!("{} not shown: search by name.", count(more as u64, "workspace", "workspaces")),
    designs: |designs| count(designs, "design", "designs"),
    generated: |events| count(events, "generated event", "generated events"),
    sample: |name| format!("sample {name}"),
    own: |file| format!("events of {file}"),
    shown: "Shown now",
    shown_apart: "Another version is shown",
    open: "Open",
    open_named: |name| format!("Open {name}"),
    rename: "Rename",
    rename_named: |name| format!("Rename {name}"),
    duplicate: "Duplicate",
    duplicate_named: |name| format!("Duplicate {name}"),
    download_named: |name| format!("Download {name}"),
    delete_named: |name| format!("Delete {name}"),
    name: "Name of the workspace",
    save_name: "Save name",
    no_name: "A workspace needs a name.",
    long_name: |chars_max| format!("A name has at most {chars_max} characters."),
    damaged: "A workspace that cannot be read",
    damaged_why: |why| format!("{} Download the text to keep it.", place_in_words(why)),
    refused_edit: |why| format!("Not changed: {}", place_in_words(why)),
    damaged_at_start: |why| {
        let why = place_in_words(why);
        format!(
            "the saved workspace cannot be read: {why} A new one is open; the text of the old one is in the \
             list of workspaces"
        )
    },
    damaged_writes: "the manual writes stored in this browser cannot be read: the tables contain only the \
                     events. Write what you need again",
    opened: |name| format!("{name} is open"),
    saved_as: |name| format!("Saved as {name}"),
    renamed: |name| format!("Renamed to {name}"),
    duplicated: |name| format!("Saved a copy as {name}"),
    deleted: |name| format!("Deleted: {name}"),
    already_new: "The workspace shown is already new.",
    gone: "this workspace is no longer saved: another tab may have deleted it",
    no_room: "the browser has no more space for workspaces, or refuses to save. Delete some, or save this one as a file",
    unsaved: "Your changes are not saved.",
    unsaved_what_now: "The browser has no more space for workspaces, or refuses to save. Save this one as a file, or delete others.",
};

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
