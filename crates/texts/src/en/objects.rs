//! Rows as objects: data types, subtypes, versions, and the fields of their messages.

use alloc::format;
use alloc::string::String;

use tabletop_objects::READ_MICROS_P99_MAX;

use super::numbers::{bytes, count, duration};

/// Texts of objects.
pub struct Objects {
    /// What the values of the table mean.
    pub schema: fn(with_message: usize, families: usize) -> String,
    pub schema_about: &'static str,
    pub proto: &'static str,
    /// In the empty field.
    pub proto_example: &'static str,
    /// The text is full.
    pub proto_full: &'static str,
    pub problem: fn(line: usize, column: usize, message: &str) -> String,
    pub messages_read: fn(messages: usize) -> String,
    pub data_types: &'static str,
    pub data_type_columns: [&'static str; 4],
    pub no_message: &'static str,
    /// A message that the text does not declare.
    pub not_declared: fn(message: &str) -> String,
    pub message_of: fn(family: &str) -> String,
    pub owner_of: fn(family: &str) -> String,
    pub provenance_of: fn(family: &str) -> String,
    /// The list of objects.
    pub sheet: fn(objects: usize) -> String,
    pub columns: [&'static str; 5],
    pub summary: fn(objects: usize, largest: u64, over: usize, is_complete: bool) -> String,
    /// The mean of the objects of a read, and whether it meets the limit.
    pub read_time: fn(micros: u64, is_kept: bool) -> String,
    pub over: &'static str,
    pub size: fn(bytes: u64) -> String,
    /// The object of the cursor.
    pub object: fn(key: &str) -> String,
    pub content: &'static str,
    pub object_over: fn(bytes: u64) -> String,
    pub data_type: fn(message: Option<&str>, bytes: u64) -> String,
    pub owned: fn(owner: &str) -> String,
    pub from: fn(provenance: &str) -> String,
    pub versions: fn(versions: usize) -> String,
    pub versions_left_out: fn(versions: usize) -> String,
    pub subtypes_left_out: fn(subtypes: usize) -> String,
    pub no_subtype: &'static str,
    pub fields_left_out: &'static str,
    pub no_fields: &'static str,
    pub unknown: fn(at: usize) -> String,
    pub vector: fn(numbers: usize, least: f64, most: f64) -> String,
    pub values: fn(values: usize) -> String,
}

pub const ENGLISH: Objects = Objects {
    schema: |with_message, families| {
        format!(
            "Data types: {with_message} of {} with a message",
            count(families as u64, "family", "families")
        )
    },
    schema_about: "A row is an object, named by its key. A column family is a data type: values of one \
                   protobuf message, with an owner and a source. A column is a subtype. An object should be \
                   under 1 MB, and the p99 of its reads under 20 ms. A line below compares the average of \
                   one read with 20 ms; the Traffic view measures the p99 of streams.",
    proto: "Messages (.proto)",
    proto_example: "syntax = \"proto3\";\nmessage Profile {\n  repeated string interests = 1;\n}",
    proto_full: "The field is full: it holds 65,536 bytes, and the rest was cut off. Remove what no value \
                 needs.",
    problem: |line, column, message| format!("Line {line}, column {column}: {message}"),
    messages_read: |messages| format!("{} in the text.", count(messages as u64, "message", "messages")),
    data_types: "Data types",
    data_type_columns: ["Family", "Message", "Owner", "Provenance"],
    no_message: "None",
    not_declared: |message| format!("{message} (not in the text)"),
    message_of: |family| format!("Message of {family}"),
    owner_of: |family| format!("Owner of {family}"),
    provenance_of: |family| format!("Provenance of {family}"),
    sheet: |objects| count(objects as u64, "object", "objects"),
    columns: ["Object", "Size", "Data types", "Values", "Newest"],
    summary: |objects, largest, over, is_complete| {
        let over = match (objects, over) {
            (1, 0) => "Not over 1 MB".into(),
            (_, 0) => "None is over 1 MB".into(),
            (_, over) => format!("{} over 1 MB", count(over as u64, "object is", "objects are")),
        };
        let so_far = if is_complete { "" } else { " so far" };
        let size = if objects == 1 { " with" } else { ", the largest with" };
        format!("{}{so_far}{size} {}. {over}.", count(objects as u64, "object", "objects"), bytes(largest))
    },
    read_time: |micros, is_kept| {
        let (limit, verdict) = (READ_MICROS_P99_MAX / 1_000, if is_kept { "met" } else { "missed" });
        format!(
            "Average time of an object in this read: {}. The limit of {limit} ms is {verdict}.",
            duration(micros)
        )
    },
    over: "over 1 MB",
    size: bytes,
    object: |key| format!("Object {key}"),
    content: "Data types, subtypes and versions",
    object_over: |size| {
        format!(
            "{} is more than 1 MB, so reads are slow. Move rarely read versions or subtypes to another \
             object.",
            bytes(size)
        )
    },
    data_type: |message, size| {
        format!("{}{}", message.map(|message| format!("{message} · ")).unwrap_or_default(), bytes(size))
    },
    owned: |owner| format!("owner {owner}"),
    from: |provenance| format!("from {provenance}"),
    versions: |versions| count(versions as u64, "version", "versions"),
    versions_left_out: |versions| {
        format!("and {}", count(versions as u64, "older version", "older versions"))
    },
    subtypes_left_out: |subtypes| format!("and {}", count(subtypes as u64, "more subtype", "more subtypes")),
    no_subtype: "no qualifier",
    fields_left_out: "More fields are not shown.",
    no_fields: "All fields have their defaults.",
    unknown: |at| format!("unknown field, byte {at}"),
    vector: |numbers, least, most| {
        format!("{} from {least:.3} to {most:.3}", count(numbers as u64, "number", "numbers"))
    },
    values: |values| count(values as u64, "value", "values"),
};
