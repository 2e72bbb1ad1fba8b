//! Values that do not suit their place in the key.

use alloc::format;
use alloc::string::String;

use super::of_events;
use crate::FieldKind;

/// Messages, and after each its evidence.
pub(crate) struct Values {
    pub other_kind: fn(field: &str, kind: FieldKind) -> String,
    pub among: fn(count: usize, all: usize, example: &str) -> String,
    pub unseparated: fn(field: &str, next: &str) -> String,
    pub lengths: fn(one: &str, other: &str) -> String,
    pub separator_inside: fn(field: &str, separator: &str) -> String,
    pub unpadded: fn(field: &str) -> String,
    pub raw_time: fn(field: &str) -> String,
    pub raw_number: fn(field: &str) -> String,
    pub raw_coordinates: fn(x: &str, y: &str) -> String,
    pub sorts_before: fn(first: &str, second: &str) -> String,
    pub reversed_time: fn(time: &str) -> String,
    pub becomes: fn(text: &str, reversed: &str) -> String,
}

pub(super) const ENGLISH: Values = Values {
    other_kind: |field, kind| {
        let kind = match kind {
            FieldKind::Int => "integer",
            FieldKind::Float => "number",
            FieldKind::Bool => "true or false",
            FieldKind::Time => "time",
            FieldKind::Facets => "facets",
            FieldKind::Json => "JSON",
            FieldKind::Text => "text",
        };
        format!("Some values of {field} are not of its type ({kind}) and count as text. Correct the type in the data pane.")
    },
    among: |count, all, example| format!("{}, among them \"{example}\".", of_events(count, all)),
    unseparated: |field, next| {
        format!("Nothing separates {field} from {next}, so a key can be read in two ways. Put a separator between them.")
    },
    lengths: |one, other| format!("\"{one}\" and \"{other}\" have different lengths."),
    separator_inside: |field, separator| {
        format!(
            "Values of {field} contain \"{separator}\", the separator after them, so a prefix also finds other values and a key can \
             be read in two ways. Choose another separator, or hash {field}."
        )
    },
    unpadded: |field| {
        format!("Row keys sort as bytes, so values of {field} are not in numeric order. Write {{{field}:pad(10)}}.")
    },
    raw_time: |field| format!("Row keys sort as bytes, so values of {field} are not in order of time. Write {{{field}:iso}}."),
    raw_number: |field| {
        format!(
            "Row keys sort as bytes, so values of {field} are not in numeric order. Store an integer (for example cents) and pad \
             it, or combine two fields with zorder."
        )
    },
    raw_coordinates: |x, y| {
        format!(
            "Row keys sort as bytes, so values of {x} and {y} are not in numeric order. Combine them with zorder, so that nearby \
             points get nearby keys."
        )
    },
    sorts_before: |first, second| format!("\"{first}\" sorts before \"{second}\"."),
    reversed_time: |time| {
        format!(
            "reverse turns the characters of {time} around, so keys are in no order of time. To read the newest first, use \
             reverse_time, which counts down."
        )
    },
    becomes: |text, reversed| format!("\"{text}\" becomes \"{reversed}\"."),
};
