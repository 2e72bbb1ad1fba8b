//! The source of the events, and the events themselves.

use alloc::format;
use alloc::string::String;

use super::numbers::{bytes, count, thousands};

fn events(number: u64) -> String {
    count(number, "event", "events")
}

texts!(Data {
    source: "Source of the events",
    /// Generated events, a sample, the user's own events.
    sources: ["Generated", "Sample", "My data"],
    generated: |number: u64| {
        format!("{} generated {}", thousands(number), if number == 1 { "event" } else { "events" })
    },
    named: |number: u64, name: &str| format!("{} · {name}", events(number)),
    download_file: |file: &str| format!("Download {file}"),
    /// Settings of the generator.
    events: "Events",
    users: "Users",
    apps: "Apps",
    user_skew: "User skew (Zipf)",
    seed: "Seed",
    sample: "Sample",
    sample_size: |number: u64, size: u64| format!("{} · {}", events(number), bytes(size)),
    /// Lines that cannot be read.
    problem: |line: u64, column: u64, message: &str| format!("Line {line}, column {column}: {message}"),
    bad_lines: |number: u64| format!("{} could not be read", count(number, "line", "lines")),
    notes: |number: u64| format!("{} about the file", count(number, "note", "notes")),
    more_lines: |number: u64| format!("and {} more", thousands(number)),
    /// The user's own events.
    format: "Format",
    formats: ["Detect", "CSV", "JSON lines"],
    invalid_lines: "Invalid lines",
    /// Skip them, or stop at the first.
    invalid_lines_choices: ["Skip", "Stop"],
    /// Choices about what is otherwise detected in the bytes.
    reading_options: "How the file is read",
    encoding: "Encoding",
    first_line: "First line",
    first_line_choices: ["Detect", "Names of the columns", "A record"],
    numbers: "Numbers",
    /// Detect, a decimal point or a decimal comma where both are possible, or texts as they are.
    numbers_choices: ["Detect", "1,234.5 (1,234 is 1234)", "1.234,5 (1,234 is 1.234)", "As written"],
    time_zone: "Times without a zone are in",
    paste: "Paste CSV with a header line, or JSON lines",
    no_text: "No text yet. Paste it into the box, or choose a file.",
    load_text: "Load the text",
    choose_file: "Choose a file",
    or_drop: "or drop a file anywhere on the page",
    /// The request for the file or the text of the workspace, and the reason. The user may never
    /// have had it, as with a link.
    needs_file: |name: &str| format!("This workspace needs the file {name}."),
    needs_text: "This workspace needs the text that was pasted for it.",
    choose: |name: &str| format!("Choose {name}"),
    paste_here: "Paste the text",
    in_other_tab: "Its events may be in another tab. This tab does not have them.",
    saved_as_read_before: "Its events are saved as read with the earlier settings. To read them \
                           differently, the page needs the original.",
    other_file_saved: "This browser has saved a different file with this name. It is not shown here.",
    perhaps_in_closed_tab: "The closed tab may have saved its events. To see them, save data in this tab.",
    not_here: "Its designs and queries are here, but its events are not saved in this browser.",
    not_in_link: "A link contains designs and queries, but not the events of a file. If you do not have the \
                  file, ask whoever made the link.",
    /// What was given for a missing file has another name or other content: what that means, and
    /// what can be done.
    other_file: |given: &str, missing: &str| {
        if given == missing {
            format!("This {given} has different content from the file this workspace was made with.")
        } else {
            format!("{given} is not {missing}, the file this workspace was made with.")
        }
    },
    designs_stay: "Designs, queries and access patterns are unchanged.",
    fields_lack: |fields: &[String], missing: &str| {
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
    load_incomplete: |name: &str| format!("The load of {name} did not finish."),
    some_are_saved: |number: u64| format!("{} saved. Provide it again to load the rest.", events(number)),
    /// The reason why a file could not be read.
    kept_earlier: |why: &str| format!("{why} The events before are shown again."),
    /// The progress of a load.
    reading: |name: &str| format!("Reading {name}"),
    loading: "Loading events",
    cancel_load: "Cancel the load",
    summary: |number: u64, fields: u64| format!("{} · {}", events(number), count(fields, "field", "fields")),
    cancelled: " · load cancelled",
    all_saved: " · saved in this browser",
    saved_so_far: |number: u64| format!(" · {} saved so far", thousands(number)),
    only_saved: |number: u64| format!(" · only {} saved", thousands(number)),
    read_of: |read: u64, total: u64, number: u64| {
        format!("{} of {} · {}", bytes(read), bytes(total), events(number))
    },
    read: |read: u64, number: u64| format!("{} · {}", bytes(read), events(number)),
    events_of: |done: u64, total: u64| format!("{} of {} events", thousands(done), thousands(total)),
    /// Fields and their types.
    fields: "Fields",
    fields_and_types: "Fields and their types",
    field: "Field",
    field_type: "Type",
    type_of: |field: &str| format!("Type of {field}"),
    /// What the values of a field are to a key.
    role: "Role",
    role_of: |field: &str| format!("Role of {field}"),
    role_about: "Roles are found in the values. A key begins with a shared ID.",
    /// The fields whose values allow several roles.
    by_name: |fields: &[String]| match fields {
        [field] => format!("The values of {field} allow several roles, so its name decided. Check it."),
        fields => format!(
            "The values of {} allow several roles, so their names decided. Check them.",
            fields.join(", ")
        ),
    },
    roles: Roles {
        event_time: "Event time",
        other_time: "Other time",
        part_of_time: "Part of time",
        shared_identifier: "Shared ID",
        unique_identifier: "Unique ID",
        category: "Category",
        measure: "Measure",
        counter: "Counter",
        free_text: "Content",
        place: "Place",
        url: "Web address",
    },
    first_events: "First events",
    /// Types of fields.
    types: Types {
        text: "Text",
        integer: "Integer",
        number: "Number",
        boolean: "Boolean",
        time: "Time",
        facets: "Facets",
        json: "JSON",
    },
    /// The format of a time.
    time_format_of: |field: &str| format!("Time format of {field}"),
    time_format_example: "ISO 8601 or Unix time",
    time_reads_as: |text: &str, time: &str| format!("{text} is {time}"),
    time_does_not_read: |text: &str| format!("{text} does not match this format"),
});
