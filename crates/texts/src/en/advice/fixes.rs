//! Labels of the buttons that change a design.

use alloc::format;
use alloc::string::String;

use tabletop_advice::FixKind;

use super::phrases::list;

#[inline(never)]
pub fn label(fix: &FixKind) -> String {
    match fix {
        FixKind::PutBefore { field, next } => format!("Put {field} before {next}"),
        FixKind::PutBeforeTime(field) => format!("Put {field} before the time"),
        FixKind::AddToEnd(fields) => format!("Add {} to the end", list(fields)),
        FixKind::MoveToEnd(field) => format!("Move {field} to the end"),
        FixKind::Remove(part) => format!("Remove {part}"),
        FixKind::Salt(salts) => format!("Salt with {salts}"),
        FixKind::SaltOverKey => "Salt over the whole key".into(),
        FixKind::RemoveSalt => "Remove the salt".into(),
        FixKind::RemoveCutOver => "Salt all events".into(),
        FixKind::WriteAsIso(field) => format!("Write {field} as iso"),
        FixKind::UseNarrow => "Use Narrow".into(),
        FixKind::ReverseTime => "Use reverse_time".into(),
        FixKind::ReverseTimeAtEnd => "Use reverse_time at the end".into(),
        FixKind::StartWithAndReverseTime(field) => format!("Start with {field} and use reverse_time"),
        FixKind::ReverseTimeAndSalt(salts) => format!("Use reverse_time and salt with {salts}"),
        FixKind::Pad(digits) => format!("Pad to {digits}"),
        FixKind::ZOrder { x, y } => format!("Use zorder({x}, {y})"),
        FixKind::SeparateWith(separator) => format!("Separate with {separator}"),
        FixKind::Hash(field) => format!("Hash {field}"),
    }
}
