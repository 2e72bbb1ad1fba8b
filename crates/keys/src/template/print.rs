//! Prints parts as text.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use tabletop_model::Span;

use super::cut_over::cut_over_text;
use super::parse::Spans;
use super::part::{Part, Transform};
use crate::time::TimeFormat;
use crate::zorder::{BITS, FirstBit, LATITUDE, LONGITUDE, ZOutput};

/// Returns the text that parses into `parts`.
pub(super) fn text(parts: &[Part]) -> String {
    let mut out = String::new();
    parts.iter().for_each(|part| push(&mut out, part));
    out
}

/// Returns the position of each part in [`text`].
pub(super) fn spans(parts: &[Part]) -> Vec<Spans> {
    let mut out = String::new();
    let mut spans = Vec::with_capacity(parts.len());
    for part in parts {
        let start = out.len() as u32;
        push(&mut out, part);
        spans.push(Spans::whole(Span { start, end: out.len() as u32 }));
    }
    spans
}

/// Returns the text of a transform after a colon.
pub(super) fn transform(transform: Transform) -> String {
    match transform {
        Transform::Or(placeholder) => alloc::format!("or({})", placeholder.text()),
        Transform::Time(format) => time_name(format).into(),
        Transform::Bucket(seconds) => alloc::format!("bucket({})", interval(seconds)),
        Transform::Pad(digits) => alloc::format!("pad({digits})"),
        Transform::Hash(16) => "hash".into(),
        Transform::Hash(digits) => alloc::format!("hash({digits})"),
        Transform::Reverse => "reverse".into(),
        Transform::ReverseDomain => "reverse_domain".into(),
        Transform::Upper => "upper".into(),
        Transform::Lower => "lower".into(),
    }
}

/// Formats seconds in the largest unit that divides them.
pub(super) fn interval(seconds: u32) -> String {
    let (unit, name) = [(86_400, "d"), (3600, "h"), (60, "m")]
        .into_iter()
        .find(|(unit, _)| seconds.is_multiple_of(*unit) && seconds > 0)
        .unwrap_or((1, "s"));
    alloc::format!("{}{name}", seconds / unit)
}

fn time_name(format: TimeFormat) -> &'static str {
    TimeFormat::ALL.iter().find(|(_, each)| *each == format).map_or("", |(name, _)| name)
}

fn push(out: &mut String, part: &Part) {
    match part {
        Part::Literal(literal) => {
            for c in literal.chars() {
                out.push(c);
                if matches!(c, '{' | '}') {
                    out.push(c);
                }
            }
            return;
        }
        Part::Field { name, transforms } => {
            out.push('{');
            push_name(out, name);
            for each in transforms {
                out.push(':');
                out.push_str(&transform(*each));
            }
        }
        Part::Salt { buckets, over, from } => {
            let _ = write!(out, "{{salt({buckets}");
            for name in over {
                out.push_str(", ");
                push_name(out, name);
            }
            if let Some(from) = from {
                let _ = write!(out, ", from={}", cut_over_text(*from));
            }
            out.push(')');
        }
        Part::ZOrder(zorder) => {
            out.push_str("{zorder(");
            push_name(out, &zorder.x.field);
            out.push_str(", ");
            push_name(out, &zorder.y.field);
            if zorder.bits != BITS {
                let _ = write!(out, ", bits={}", zorder.bits);
            }
            if zorder.first == FirstBit::Y {
                out.push_str(", first=y");
            }
            match zorder.output {
                ZOutput::Decimal => {}
                ZOutput::Hex => out.push_str(", as=hex"),
                ZOutput::Bytes => out.push_str(", as=bytes"),
            }
            for (name, axis, usual) in [("x", &zorder.x, LONGITUDE), ("y", &zorder.y, LATITUDE)] {
                if (axis.min, axis.max) != usual {
                    let _ = write!(out, ", {name}={}..{}", axis.min, axis.max);
                }
            }
            out.push(')');
        }
    }
    out.push('}');
}

/// Appends a field's name, in quotes if it could be parsed as something else.
fn push_name(out: &mut String, name: &str) {
    let plain =
        !name.is_empty() && name.trim() == name && !name.contains([':', '(', ')', ',', '{', '}', '"', '=']);
    if plain {
        out.push_str(name);
        return;
    }
    out.push('"');
    for c in name.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
}
