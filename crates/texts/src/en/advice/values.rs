//! Values that do not suit their place in the key.

use alloc::format;
use alloc::string::String;

use tabletop_advice::{Unsorted, ValueCause};
use tabletop_keys::FieldKind;

use super::phrases::{list, of_events};

#[inline(never)]
pub fn message(cause: &ValueCause) -> String {
    match cause {
        ValueCause::OtherKind { field, kind, .. } => {
            let kind = match kind {
                FieldKind::Int => "integer",
                FieldKind::Float => "number",
                FieldKind::Bool => "true or false",
                FieldKind::Time => "time",
                FieldKind::Facets => "facets",
                FieldKind::Json => "JSON",
                FieldKind::Text => "text",
            };
            format!(
                "Some values of {field} are not of its type ({kind}) and are treated as text. Correct the type in the data \
                 pane."
            )
        }
        ValueCause::Unseparated { fields, next, .. } => format!(
            "Nothing separates {} from {}, so a key can be read in two ways. Put a separator between them.",
            list(fields),
            list(next)
        ),
        ValueCause::SeparatorInside { fields, separator, .. } => format!(
            "Values of {0} contain \"{separator}\", the separator after them, so a prefix also matches other values and a key \
             can be read in two ways. Choose another separator, or hash {0}.",
            list(fields)
        ),
        ValueCause::OutOfOrder { of, .. } => out_of_order(of),
        ValueCause::ReversedTime { time, .. } => format!(
            "reverse reverses the characters of {time}, so keys are not in time order. To read the newest first, use \
             reverse_time, which counts down."
        ),
    }
}

#[inline(never)]
pub fn evidence(cause: &ValueCause) -> String {
    match cause {
        ValueCause::OtherKind { count, events, example, .. }
        | ValueCause::SeparatorInside { count, events, example, .. } => {
            format!("{}, including \"{example}\".", of_events(*count, *events))
        }
        ValueCause::Unseparated { lengths: [one, other], .. } => {
            format!("\"{one}\" and \"{other}\" have different lengths.")
        }
        ValueCause::OutOfOrder { first, second, .. } => format!("\"{first}\" sorts before \"{second}\"."),
        ValueCause::ReversedTime { example, reversed, .. } => {
            format!("\"{example}\" becomes \"{reversed}\".")
        }
    }
}

fn out_of_order(of: &Unsorted) -> String {
    match of {
        Unsorted::Integers(field) => {
            format!(
                "Row keys sort as bytes, so values of {field} are not in numeric order. Pad them with zeros."
            )
        }
        Unsorted::Times(field) => {
            format!(
                "Row keys sort as bytes, so values of {field} are not in time order. Write {{{field}:iso}}."
            )
        }
        Unsorted::Numbers(field) => format!(
            "Row keys sort as bytes, so values of {field} are not in numeric order. Store an integer (for example cents) and pad \
             it, or combine two fields with zorder."
        ),
        Unsorted::Coordinates { x, y } => format!(
            "Row keys sort as bytes, so values of {x} and {y} are not in numeric order. Combine them with zorder, so that nearby \
             points get nearby keys."
        ),
    }
}
