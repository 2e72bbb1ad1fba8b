//! The row key template and the layout.

use alloc::format;

use tabletop_keys::{CellTime, Encoding};
use tabletop_model::Aggregate;

use super::numbers::count;

texts!(Design {
    design: "Design",
    template: "Row key template",
    /// The problems of the template, in characters from 1.
    at: |start: usize, end: usize| {
        if end <= start { format!("At {start}") } else { format!("At {start} to {end}") }
    },
    problem: |place: &str| format!("{place}:"),
    last_valid: "Still showing the last valid template:",
    refused: |events: u64, first: &str| {
        format!("{} could not be written. First reason: {first}", count(events, "event", "events"))
    },
    warnings: "Warnings",
    export: "Export to Bigtable…",
    /// The layout.
    salt: "Salt",
    no_salt: "Off",
    layout: "Layout",
    narrow: "Narrow",
    wide: "Wide",
    row_per_entity: "Row per entity",
    own_columns: "Columns",
    narrow_about: "One cell per event.",
    wide_facets_about: "One cell per facet, so a server-side filter can return only the ones you need.",
    wide_about: "One cell per field, so a server-side filter can return only the ones you need.",
    row_per_entity_about: "All events of one key in one row: a time in the key becomes the cells' timestamp.",
    /// For a key from which no time moves to the cells.
    row_per_entity_unchanged_about: "All events of one key in one row. The key is unchanged: no time moves \
                                     from it to the cells.",
    own_columns_about: "The columns below: you define what each event writes.",
    /// The form of values, in the order of `Encoding::ALL`.
    encoding: "Encoding",
    encodings: ["JSON", "Protobuf", "Compact list", "MessagePack"],
    encoding_about: |encoding: Encoding| -> &'static str {
        match encoding {
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
        }
    },
    /// What the user looks up.
    look_up: LookUps {
        question: "What do you look up?",
        patterns: "Access patterns",
        edit: |pattern: &str| format!("Edit {pattern} in the Query pane"),
        /// Neither the row key nor the cells contain its fields.
        no_answer: "no answer",
    },
    /// The columns that the user defines.
    columns: Columns {
        title: "Columns",
        about: "Each event writes these cells. Use {field} for a value, with transforms as in the row key, \
                or {*} as a value for the whole event as JSON. An event without a value for a field does \
                not write the column.",
        add: "Add column",
        name: |number: usize| format!("Column {number}"),
        remove: |number: usize| format!("Remove column {number}"),
        family: "Family",
        qualifier: "Qualifier",
        value: "Value",
        text_of: |text: &str, number: usize| format!("{text} of column {number}"),
        time: "Time",
        time_of: |time: CellTime| match time {
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
    /// The table shown is an index.
    index_about: |design: &str| format!("An index table of {design}: each event is also written here."),
    family: "Family",
    one_family: "One for all",
    family_of: |field: &str| format!("Value of {field}"),
    /// The GC rules of the families.
    gc: Gc {
        title: "Families and GC rules",
        /// Where values have an encoding, which is below the same line.
        title_with_encoding: "Encoding, families, GC rules",
        about: "Rules use cbt's notation. Ages count from the newest event that has arrived. Compactions \
                remove the cells; until then, reads return them.",
        no_families: "The table has no families yet.",
        rule_of: |family: &str| format!("GC rule of {family}"),
        /// What the cells of a family hold.
        kind_of: |family: &str| format!("Values of {family}"),
        kind: |aggregate: Option<Aggregate>| -> &'static str {
            match aggregate {
                None => "Bytes",
                Some(Aggregate::Sum) => "Sum",
                Some(Aggregate::Min) => "Minimum",
                Some(Aggregate::Max) => "Maximum",
                Some(Aggregate::DistinctCount) => "Distinct count",
            }
        },
        /// The meaning of a rule.
        keeps_all: "Keeps all cells.",
        collects: |condition: &str| format!("Collects cells that are {condition}."),
        versions: |count: i32| match count {
            1 => "older than the newest version of their column".into(),
            _ => format!("older than the newest {} versions of their column", count.max(1)),
        },
        age: |age: &str| format!("older than {age}"),
        or: " or ",
        and: " and ",
        unused: "No event in the table has this family.",
        /// The table has a different rule than the design.
        in_table: |rule: &str| format!("The shell has set {rule}, which applies until the table is rebuilt."),
        problem: |problem: &str| {
            let end = if problem.ends_with(['.', '?']) { "" } else { "." };
            format!("{problem}{end} The previous rule still applies.")
        },
        use_for_all: "Use for all",
        more: |families: u64| {
            format!(
                "{}. To edit the rules of named families, use the saved file.",
                count(families, "more family", "more families")
            )
        },
    },
    /// Parts of the template.
    parts: "Parts of the row key",
    add_part: "Add part",
    add_salt: "Salt",
    add_zorder: "Z-order of two numbers",
    add_separator: "Separator",
    edit: |part: &str| format!("Edit {part}"),
    chip_keys: "Click to edit, drag to move. Alt+Up and Alt+Down also move it, Delete removes it.",
    move_up: |part: &str| format!("Move {part} up"),
    move_down: |part: &str| format!("Move {part} down"),
    remove: |part: &str| format!("Remove {part}"),
    becomes: "becomes",
    /// The editor of a part.
    editor: Editor {
        separator: "Separator",
        remove_separator: "Remove the separator",
        unchanged: "Unchanged",
        transform: "Transform",
        salts: "Salts",
        hash_of: "Hash of",
        whole_key: "the whole key",
        /// The cut-over of a salt, the meaning of an empty field, and the error for an invalid time.
        salted_from: "Salted from",
        salted_always: "all events",
        not_a_time: "Enter a time, such as 2019-06-01 or 2019-06-01T12:00:00Z, or nothing to salt all \
                     events.",
        /// Transforms of a time, of a number, of any text.
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
        pad: |digits: u8| format!("Pad to {digits} digits"),
        hash: "Hash",
        short_hash: "Hash, 8 digits",
        reverse: "Reverse characters",
        reverse_domain: "Reverse domain: com.cnn.www",
        or: |text: &str| format!("If absent: {text}"),
        upper: "Upper case",
        lower: "Lower case",
        /// A Z-order.
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
});
