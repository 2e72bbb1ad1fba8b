//! Rows as objects: data types, subtypes, versions, and the fields of their messages.

use alloc::format;

use tabletop_objects::READ_MICROS_P99_MAX;

use super::numbers::{bytes, count, duration};

texts!(Objects {
    /// What the values of the table mean.
    schema: |with_message: usize, families: usize| {
        format!(
            "Data types: {with_message} of {} with a message",
            count(families as u64, "family", "families")
        )
    },
    schema_about: "A row is an object, named by its key. A column family is a data type: values of one \
                   protobuf message, with an owner and a provenance. A column is a subtype. An object should \
                   be under 1 MB, and the p99 of its reads under 20 ms. A line below compares the average of \
                   one read with 20 ms; the Traffic view measures the p99 of streams.",
    proto: "Messages (.proto)",
    /// In the empty field.
    proto_example: "syntax = \"proto3\";\nmessage Profile {\n  repeated string interests = 1;\n}",
    /// The text is full.
    proto_full: "The field is full: it holds 65,536 bytes, and the rest was cut off. Remove what no value \
                 needs.",
    problem: |line: usize, column: usize, message: &str| format!("Line {line}, column {column}: {message}"),
    messages_read: |messages: usize| {
        format!("{} in the text.", count(messages as u64, "message", "messages"))
    },
    data_types: "Data types",
    data_type_columns: ["Family", "Message", "Owner", "Provenance"],
    no_message: "None",
    /// A message that the text does not declare.
    not_declared: |message: &str| format!("{message} (not in the text)"),
    message_of: |family: &str| format!("Message of {family}"),
    owner_of: |family: &str| format!("Owner of {family}"),
    provenance_of: |family: &str| format!("Provenance of {family}"),
    /// The list of objects.
    sheet: |objects: usize| count(objects as u64, "object", "objects"),
    columns: ["Object", "Size", "Data types", "Values", "Newest"],
    summary: |objects: usize, largest: u64, over: usize, is_complete: bool| {
        let over = match (objects, over) {
            (1, 0) => "Not over 1 MB".into(),
            (_, 0) => "None is over 1 MB".into(),
            (_, over) => format!("{} over 1 MB", count(over as u64, "object is", "objects are")),
        };
        let so_far = if is_complete { "" } else { " so far" };
        let size = if objects == 1 { " with" } else { ", the largest with" };
        format!("{}{so_far}{size} {}. {over}.", count(objects as u64, "object", "objects"), bytes(largest))
    },
    /// The mean of the objects of a read, and whether it meets the limit.
    read_time: |micros: u64, is_kept: bool| {
        let (limit, verdict) = (READ_MICROS_P99_MAX / 1_000, if is_kept { "met" } else { "exceeded" });
        format!(
            "Average time per object in this read: {}. The limit of {limit} ms is {verdict}.",
            duration(micros)
        )
    },
    over: "over 1 MB",
    size: |size: u64| bytes(size),
    /// The object of the cursor.
    object: |key: &str| format!("Object {key}"),
    content: "Data types, subtypes and versions",
    object_over: |size: u64| {
        format!(
            "{} is more than 1 MB, so reads are slow. Move rarely read versions or subtypes to another \
             object.",
            bytes(size)
        )
    },
    data_type: |message: Option<&str>, size: u64| {
        format!("{}{}", message.map(|message| format!("{message} · ")).unwrap_or_default(), bytes(size))
    },
    owned: |owner: &str| format!("owner {owner}"),
    from: |provenance: &str| format!("from {provenance}"),
    versions: |versions: usize| count(versions as u64, "version", "versions"),
    versions_left_out: |versions: usize| {
        format!("and {}", count(versions as u64, "older version", "older versions"))
    },
    subtypes_left_out: |subtypes: usize| {
        format!("and {}", count(subtypes as u64, "more subtype", "more subtypes"))
    },
    no_subtype: "no qualifier",
    fields_left_out: "More fields are not shown.",
    no_fields: "All fields have their defaults.",
    unknown: |at: usize| format!("unknown field, byte {at}"),
    vector: |numbers: usize, least: f64, most: f64| {
        format!("{} from {least:.3} to {most:.3}", count(numbers as u64, "number", "numbers"))
    },
    values: |values: usize| count(values as u64, "value", "values"),
});
