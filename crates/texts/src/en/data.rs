//! The source of the events, and the events themselves.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count, thousands};

/// Texts of the data pane, and of the banners that ask for a file again.
pub struct Data {
    pub source: &'static str,
    /// Generated events, a sample, the user's own events.
    pub sources: [&'static str; 3],
    pub generated: fn(events: u64) -> String,
    pub named: fn(events: u64, name: &str) -> String,
    pub download_file: fn(file: &str) -> String,
    /// Settings of the generator.
    pub events: &'static str,
    pub users: &'static str,
    pub apps: &'static str,
    pub user_skew: &'static str,
    pub seed: &'static str,
    pub sample: &'static str,
    pub sample_size: fn(events: u64, bytes: u64) -> String,
    /// Lines that cannot be read.
    pub problem: fn(line: u64, column: u64, message: &str) -> String,
    pub bad_lines: fn(u64) -> String,
    pub notes: fn(u64) -> String,
    pub more_lines: fn(u64) -> String,
    /// The user's own events.
    pub format: &'static str,
    pub formats: [&'static str; 3],
    pub invalid_lines: &'static str,
    /// Skip them, or stop at the first.
    pub invalid_lines_choices: [&'static str; 2],
    pub paste: &'static str,
    pub no_text: &'static str,
    pub load_text: &'static str,
    pub choose_file: &'static str,
    pub or_drop: &'static str,
    /// The request for the file or the text of the workspace, and the reason. The user may never
    /// have had it, as with a link.
    pub needs_file: fn(name: &str) -> String,
    pub needs_text: &'static str,
    pub choose: fn(name: &str) -> String,
    pub paste_here: &'static str,
    pub in_other_tab: &'static str,
    pub saved_as_read_before: &'static str,
    pub other_file_saved: &'static str,
    pub perhaps_in_closed_tab: &'static str,
    pub not_here: &'static str,
    pub not_in_link: &'static str,
    /// What was given for a missing file has another name or other content: what that means, and
    /// what can be done.
    pub other_file: fn(given: &str, missing: &str) -> String,
    pub designs_stay: &'static str,
    pub fields_lack: fn(fields: &[String], missing: &str) -> String,
    pub new_design: &'static str,
    pub load_incomplete: fn(name: &str) -> String,
    pub some_are_saved: fn(events: u64) -> String,
    /// The progress of a load.
    pub reading: fn(name: &str) -> String,
    pub loading: &'static str,
    pub cancel_load: &'static str,
    pub summary: fn(events: u64, fields: u64) -> String,
    pub cancelled: &'static str,
    pub all_saved: &'static str,
    pub saved_so_far: fn(events: u64) -> String,
    pub only_saved: fn(events: u64) -> String,
    pub read_of: fn(read: u64, total: u64, events: u64) -> String,
    pub read: fn(read: u64, events: u64) -> String,
    pub events_of: fn(done: u64, total: u64) -> String,
    /// Fields and their types.
    pub fields: &'static str,
    pub fields_and_types: &'static str,
    pub field: &'static str,
    pub field_type: &'static str,
    pub type_of: fn(field: &str) -> String,
    pub first_value: &'static str,
    pub first_events: &'static str,
    pub types: Types,
    /// The format of a time.
    pub time_format_of: fn(field: &str) -> String,
    pub time_format_example: &'static str,
    pub time_reads_as: fn(text: &str, time: &str) -> String,
    pub time_does_not_read: fn(text: &str) -> String,
}

/// Types of fields.
pub struct Types {
    pub text: &'static str,
    pub integer: &'static str,
    pub number: &'static str,
    pub boolean: &'static str,
    pub time: &'static str,
    pub facets: &'static str,
    pub json: &'static str,
}

fn events(number: u64) -> String {
    count(number, "event", "events")
}

pub const ENGLISH: Data = Data {
    source: "Source of the events",
    sources: ["Generated", "Sample", "My data"],
    generated: |number| {
        format!("{} generated {}", thousands(number), if number == 1 { "event" } else { "events" })
    },
    named: |number, name| format!("{} · {name}", events(number)),
    download_file: |file| format!("Download {file}"),
    events: "Events",
    users: "Users",
    apps: "Apps",
    user_skew: "User skew (Zipf)",
    seed: "Seed",
    sample: "Sample",
    sample_size: |number, size| format!("{} · {}", events(number), bytes(size)),
    problem: |line, column, message| format!("Line {line}, column {column}: {message}"),
    bad_lines: |number| format!("{} could not be read", count(number, "line", "lines")),
    notes: |number| format!("{} about the file", count(number, "note", "notes")),
    more_lines: |number| format!("and {} more", thousands(number)),
    format: "Format",
    formats: ["Detect", "CSV", "JSON lines"],
    invalid_lines: "Invalid lines",
    invalid_lines_choices: ["Skip", "Stop"],
    paste: "Paste CSV with a header line, or JSON lines",
    no_text: "No text yet. Paste it into the box, or choose a file.",
    load_text: "Load the text",
    choose_file: "Choose a file",
    or_drop: "or drop a file anywhere on the page",
    needs_file: |name| format!("This workspace needs the file {name}."),
    needs_text: "This workspace needs the text that was pasted for it.",
    choose: |name| format!("Choose {name}"),
    paste_here: "Paste the text",
    in_other_tab: "Its events may be in another tab. This tab does not have them.",
    saved_as_read_before: "Its events are saved as read with the earlier settings. To read them \
                           differently, the page needs the original.",
    other_file_saved: "This browser has saved a different file with this name. It is not shown here.",
    perhaps_in_closed_tab: "The closed tab may have saved its events. To see them, save data in this tab.",
    not_here: "Its designs and queries are here, but its events are not saved in this browser.",
    not_in_link: "A link contains designs and queries, but not the events of a file. If you do not have the \
                  file, ask whoever made the link.",
    other_file: |given, missing| {
        if given == missing {
            format!("This {given} has different content from the file this workspace was made with.")
        } else {
            format!("{given} is not {missing}, the file this workspace was made with.")
        }
    },
    designs_stay: "Designs, queries and access patterns are unchanged.",
    fields_lack: |fields, missing| {
        const NAMED_MAX: usize = 5;
        let named = fields[..fields.len().min(NAMED_MAX)].join(", ");
        let more = match fields.len() - fields.len().min(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {} more", thousands(more as u64)),
        };
        let noun = if fields.len() == 1 { "field" } else { "fields" };
        format!(
            "It lacks the {noun} {named}{more}, which the designs use. Choose {missing}, change the \
             designs, or create a new design for this file."
        )
    },
    new_design: "New design for this file",
    load_incomplete: |name| format!("The load of {name} did not finish."),
    some_are_saved: |number| format!("{} saved. Provide it again to load the rest.", events(number)),
    reading: |name| format!("Reading {name}"),
    loading: "Loading events",
    cancel_load: "Cancel the load",
    summary: |number, fields| format!("{} · {}", events(number), count(fields, "field", "fields")),
    cancelled: " · load cancelled",
    all_saved: " · saved in this browser",
    saved_so_far: |number| format!(" · {} saved so far", thousands(number)),
    only_saved: |number| format!(" · only {} saved", thousands(number)),
    read_of: |read, total, number| format!("{} of {} · {}", bytes(read), bytes(total), events(number)),
    read: |read, number| format!("{} · {}", bytes(read), events(number)),
    events_of: |done, total| format!("{} of {} events", thousands(done), thousands(total)),
    fields: "Fields",
    fields_and_types: "Fields and their types",
    field: "Field",
    field_type: "Type",
    type_of: |field| format!("Type of {field}"),
    first_value: "First value",
    first_events: "First events",
    time_format_of: |field| format!("Time format of {field}"),
    time_format_example: "ISO 8601 or Unix time",
    time_reads_as: |text, time| format!("{text} is {time}"),
    time_does_not_read: |text| format!("{text} does not match this format"),
    types: Types {
        text: "Text",
        integer: "Integer",
        number: "Number",
        boolean: "Boolean",
        time: "Time",
        facets: "Facets",
        json: "JSON",
    },
};
