//! Labels of the buttons that change a design.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_advice::{FixEffect, FixKind, PatternEffect, RowsFound};

use super::super::numbers::thousands;
use super::phrases::{join, list, percent};

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
        FixKind::Reverse(field) => format!("Reverse the characters of {field}"),
        FixKind::Or { field, text } => format!("Write {text} if {field} is absent"),
        FixKind::Replace { field, with } => format!("Use {with} instead of {field}"),
        FixKind::Several(fixes) => {
            let labels: Vec<String> = fixes.iter().map(label).collect();
            let lower = |text: &String| {
                let mut characters = text.chars();
                let first = characters.next().into_iter().flat_map(char::to_lowercase);
                first.chain(characters).collect::<String>()
            };
            let rest = labels.iter().skip(1).map(lower);
            join(&labels.iter().take(1).cloned().chain(rest).collect::<Vec<String>>())
        }
    }
}

/// What a fix changes, as measured: `hottest tablet 100% → 13%; One user: 1 range → 8`. Empty if it
/// changes nothing that is measured.
#[inline(never)]
pub fn effect(effect: &FixEffect) -> String {
    let mut changes: Vec<String> = Vec::new();
    if let Some([before, after]) = effect.heat {
        let [before, after] = [percent(before), percent(after)];
        if before != after {
            changes.push(format!("hottest tablet {before} \u{2192} {after}"));
        }
    }
    if effect.lost[0] != effect.lost[1] {
        let [before, after] = effect.lost.map(|lost| thousands(lost.into()));
        changes.push(format!("events without a row of their own {before} \u{2192} {after}"));
    }
    changes.extend(effect.patterns.iter().map(of_pattern));
    changes.join("; ")
}

fn of_pattern(of: &PatternEffect) -> String {
    let [before, after] = [of.before, of.after].map(|found| match found {
        RowsFound::Ranges(1) => "1 range".into(),
        RowsFound::Ranges(ranges) => format!("{} ranges", thousands(ranges.into())),
        RowsFound::RangesWithOthers(1) => "1 range with other rows".into(),
        RowsFound::RangesWithOthers(ranges) => {
            format!("{} ranges with other rows", thousands(ranges.into()))
        }
        RowsFound::Scan => "full scan".into(),
        RowsFound::Impossible => "no answer".into(),
    });
    format!("{}: {before} \u{2192} {after}", of.name)
}
