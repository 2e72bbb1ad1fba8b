//! The row key template and the layout.

use alloc::format;
use alloc::string::String;

use tabletop_keys::{CellTime, Encoding};
use tabletop_model::Aggregate;

use super::numbers::count;

/// Texts of the design pane.
pub struct Design {
    pub design: &'static str,
    pub template: &'static str,
    /// The problems of the template, in characters from 1.
    pub at: fn(start: usize, end: usize) -> String,
    pub problem: fn(place: &str) -> String,
    pub last_valid: &'static str,
    pub refused: fn(events: u64, first: &str) -> String,
    pub warnings: &'static str,
    pub export: &'static str,
    /// The layout.
    pub salt: &'static str,
    pub no_salt: &'static str,
    pub layout: &'static str,
    pub narrow: &'static str,
    pub wide: &'static str,
    pub row_per_entity: &'static str,
    pub own_columns: &'static str,
    pub narrow_facets_about: &'static str,
    pub narrow_about: &'static str,
    pub wide_facets_about: &'static str,
    pub wide_about: &'static str,
    pub row_per_entity_about: &'static str,
    /// For a key from which no time moves to the cells.
    pub row_per_entity_unchanged_about: &'static str,
    pub own_columns_about: &'static str,
    /// The form of values, in the order of `Encoding::ALL`.
    pub encoding: &'static str,
    pub encodings: [&'static str; 4],
    pub encoding_about: fn(encoding: Encoding) -> &'static str,
    pub columns: Columns,
    /// The table shown is an index.
    pub index_about: fn(design: &str) -> String,
    pub family: &'static str,
    pub one_family: &'static str,
    pub family_of: fn(field: &str) -> String,
    pub gc: Gc,
    /// Parts of the template.
    pub parts: &'static str,
    pub add_part: &'static str,
    pub add_salt: &'static str,
    pub add_zorder: &'static str,
    pub add_separator: &'static str,
    pub edit: fn(part: &str) -> String,
    pub edit_separator: fn(text: &str) -> String,
    pub chip_keys: &'static str,
    pub move_up: fn(part: &str) -> String,
    pub move_down: fn(part: &str) -> String,
    pub remove: fn(part: &str) -> String,
    pub becomes: &'static str,
    pub editor: Editor,
}

/// The columns that the user defines.
pub struct Columns {
    pub title: &'static str,
    pub about: &'static str,
    pub add: &'static str,
    pub name: fn(number: usize) -> String,
    pub remove: fn(number: usize) -> String,
    pub family: &'static str,
    pub qualifier: &'static str,
    pub value: &'static str,
    pub text_of: fn(text: &str, number: usize) -> String,
    pub time: &'static str,
    pub time_of: fn(CellTime) -> String,
}

/// The GC rules of the families.
pub struct Gc {
    pub title: &'static str,
    pub about: &'static str,
    pub no_families: &'static str,
    pub rule_of: fn(family: &str) -> String,
    /// What the cells of a family hold.
    pub kind_of: fn(family: &str) -> String,
    pub kind: fn(Option<Aggregate>) -> &'static str,
    /// The meaning of a rule.
    pub keeps_all: &'static str,
    pub collects: fn(condition: &str) -> String,
    pub versions: fn(count: i32) -> String,
    pub age: fn(age: &str) -> String,
    pub or: &'static str,
    pub and: &'static str,
    pub unused: &'static str,
    /// The table has a different rule than the design.
    pub in_table: fn(rule: &str) -> String,
    pub problem: fn(problem: &str) -> String,
    pub use_for_all: &'static str,
    pub more: fn(families: u64) -> String,
}

/// The editor of a part.
pub struct Editor {
    pub separator: &'static str,
    pub remove_separator: &'static str,
    pub unchanged: &'static str,
    pub transform: &'static str,
    pub salts: &'static str,
    pub hash_of: &'static str,
    pub whole_key: &'static str,
    /// The cut-over of a salt, the meaning of an empty field, and the error for an invalid time.
    pub salted_from: &'static str,
    pub salted_always: &'static str,
    pub not_a_time: &'static str,
    /// Transforms of a time, of a number, of any text.
    pub iso: &'static str,
    pub date: &'static str,
    pub month: &'static str,
    pub hour: &'static str,
    pub seconds: &'static str,
    pub millis: &'static str,
    pub reverse_time: &'static str,
    pub minute_bucket: &'static str,
    pub hour_bucket: &'static str,
    pub day_bucket: &'static str,
    pub pad: fn(digits: u8) -> String,
    pub hash: &'static str,
    pub short_hash: &'static str,
    pub reverse: &'static str,
    pub upper: &'static str,
    pub lower: &'static str,
    /// A Z-order.
    pub from: &'static str,
    pub to: &'static str,
    pub bits: &'static str,
    pub first_bit: &'static str,
    pub first_bits: [&'static str; 2],
    pub written_as: &'static str,
    pub decimal: &'static str,
    pub hex: &'static str,
    pub bytes: &'static str,
}

pub const ENGLISH: Design = Design {
    design: "Design",
    template: "Row key template",
    at: |start, end| if end <= start { format!("At {start}") } else { format!("At {start} to {end}") },
    problem: |place| format!("{place}:"),
    last_valid: "Still showing the last valid template:",
    refused: |events, first| {
        format!("{} could not be written. First reason: {first}", count(events, "event", "events"))
    },
    warnings: "Warnings",
    export: "Export to Bigtable…",
    salt: "Salt",
    no_salt: "Off",
    layout: "Layout",
    narrow: "Narrow",
    wide: "Wide",
    row_per_entity: "Row per entity",
    own_columns: "Columns",
    narrow_facets_about: "One cell per event: family = event type, column = event name, value = all facets.",
    narrow_about: "One cell per event: the whole record.",
    wide_facets_about: "One cell per facet, so a server-side filter can return only the ones you need.",
    wide_about: "One cell per field, so a server-side filter can return only the ones you need.",
    row_per_entity_unchanged_about: "All events of one key in one row. The key is unchanged: no time moves \
                                     from it to the cells.",
    row_per_entity_about: "All events of one key in one row: a time in the key becomes the cells' timestamp.",
    own_columns_about: "The columns below: you define what each event writes.",
    encoding: "Encoding",
    encodings: ["JSON", "Protobuf", "Compact list", "MessagePack"],
    encoding_about: |encoding| match encoding {
        Encoding::Json => "Any client can read JSON, and filters can match inside it.",
        Encoding::Protobuf => {
            "Numbers instead of names: readers need the .proto text, which is in the generated code. \
             Filters cannot match values."
        }
        Encoding::CompactList => {
            "The fewest bytes. Readers need to know the order of its texts. Filters cannot match values."
        }
        Encoding::MessagePack => {
            "Lists and maps as in JSON, in fewer bytes. Most languages have a library for it. Filters \
             cannot match values."
        }
    },
    columns: Columns {
        title: "Columns",
        about: "Each event writes these cells. Use {field} for a value, with transforms as in the row key, \
                or {*} as a value for the whole event as JSON. An event without a value for a field does \
                not write the column.",
        add: "Add column",
        name: |number| format!("Column {number}"),
        remove: |number| format!("Remove column {number}"),
        family: "Family",
        qualifier: "Qualifier",
        value: "Value",
        text_of: |text, number| format!("{text} of column {number}"),
        time: "Time",
        time_of: |time| match time {
            CellTime::Event => "Event time".into(),
            CellTime::Bucket(60) => "Start of its minute".into(),
            CellTime::Bucket(3_600) => "Start of its hour".into(),
            CellTime::Bucket(86_400) => "Start of its day".into(),
            CellTime::Bucket(seconds) => {
                format!("Start of its {}", count(seconds.into(), "second", "seconds"))
            }
            CellTime::Zero => "None: one cell".into(),
        },
    },
    index_about: |design| format!("An index table of {design}: each event is also written here."),
    family: "Family",
    one_family: "One for all",
    family_of: |field| format!("Value of {field}"),
    gc: Gc {
        title: "Families and GC rules",
        about: "Rules use cbt's notation. Ages count from the newest event that has arrived. Compactions \
                remove the cells; until then, reads return them.",
        no_families: "The table has no families yet.",
        rule_of: |family| format!("GC rule of {family}"),
        kind_of: |family| format!("Values of {family}"),
        kind: |aggregate| match aggregate {
            None => "Bytes",
            Some(Aggregate::Sum) => "Sum",
            Some(Aggregate::Min) => "Minimum",
            Some(Aggregate::Max) => "Maximum",
            Some(Aggregate::DistinctCount) => "Distinct count",
        },
        keeps_all: "Keeps all cells.",
        collects: |condition| format!("Collects cells that are {condition}."),
        versions: |count| match count {
            1 => "older than the newest version of their column".into(),
            _ => format!("older than the newest {} versions of their column", count.max(1)),
        },
        age: |age| format!("older than {age}"),
        or: " or ",
        and: " and ",
        unused: "No event in the table has this family.",
        in_table: |rule| format!("The shell has set {rule}, which applies until the table is rebuilt."),
        problem: |problem| {
            let end = if problem.ends_with(['.', '?']) { "" } else { "." };
            format!("{problem}{end} The previous rule still applies.")
        },
        use_for_all: "Use for all",
        more: |families| {
            format!(
                "{}. To edit the rules of named families, use the saved file.",
                count(families, "more family", "more families")
            )
        },
    },
    parts: "Parts of the row key",
    add_part: "Add part",
    add_salt: "Salt",
    add_zorder: "Z-order of two numbers",
    add_separator: "Separator",
    edit: |part| format!("Edit {part}"),
    edit_separator: |text| format!("Edit the separator {text}"),
    chip_keys: "Click to edit, drag to move. Alt+Up and Alt+Down also move it, Delete removes it.",
    move_up: |part| format!("Move {part} up"),
    move_down: |part| format!("Move {part} down"),
    remove: |part| format!("Remove {part}"),
    becomes: "becomes",
    editor: Editor {
        separator: "Separator",
        remove_separator: "Remove the separator",
        unchanged: "Unchanged",
        transform: "Transform",
        salts: "Salts",
        hash_of: "Hash of",
        whole_key: "the whole key",
        salted_from: "Salted from",
        salted_always: "all events",
        not_a_time: "Enter a time, such as 2019-06-01 or 2019-06-01T12:00:00Z, or nothing to salt all \
                     events.",
        iso: "ISO 8601",
        date: "Date",
        month: "Month",
        hour: "Hour",
        seconds: "Seconds since 1970",
        millis: "Milliseconds since 1970",
        reverse_time: "Reverse time: newest first",
        minute_bucket: "One-minute bucket",
        hour_bucket: "One-hour bucket",
        day_bucket: "One-day bucket",
        pad: |digits| format!("Pad to {digits} digits"),
        hash: "Hash",
        short_hash: "Hash, 8 digits",
        reverse: "Reverse characters",
        upper: "Upper case",
        lower: "Lower case",
        from: "from",
        to: "to",
        bits: "Bits",
        first_bit: "First bit",
        first_bits: ["x first", "y first"],
        written_as: "Written as",
        decimal: "Decimal",
        hex: "Hex",
        bytes: "Bytes",
    },
};
