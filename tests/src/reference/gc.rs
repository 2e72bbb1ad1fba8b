//! The GC rules that production refuses, and the cells that a rule collects.

use tabletop_model::{Code, GcRule, Result, limits};

use super::refusal;

/// Refuses invalid rules.
pub(super) fn check(rule: &GcRule) -> Result<()> {
    let too_long = length(rule) > limits::GC_RULE_BYTES_MAX;
    if too_long || !(*rule == GcRule::KeepAll || is_right(rule)) {
        Err(refusal(Code::InvalidArgument))
    } else {
        Ok(())
    }
}

/// Returns whether a rule collects the `rank`th newest version of a column (the newest has rank 1),
/// which is `age` microseconds old.
pub(super) fn collects(rule: &GcRule, rank: i64, age: i64) -> bool {
    match rule {
        GcRule::KeepAll => false,
        GcRule::MaxVersions(count) => rank > i64::from(*count),
        GcRule::MaxAge { micros } => age > *micros,
        GcRule::Union(rules) => rules.iter().any(|rule| collects(rule, rank, age)),
        GcRule::Intersection(rules) => rules.iter().all(|rule| collects(rule, rank, age)),
    }
}

fn is_right(rule: &GcRule) -> bool {
    match rule {
        GcRule::KeepAll => false,
        GcRule::MaxVersions(count) => *count >= 1,
        GcRule::MaxAge { micros } => *micros >= 1_000,
        GcRule::Union(rules) | GcRule::Intersection(rules) => !rules.is_empty() && rules.iter().all(is_right),
    }
}

/// Returns the length of the encoded message `GcRule` (`google/bigtable/admin/v2/table.proto`).
fn length(rule: &GcRule) -> usize {
    let varint = |value: i64| (1..10).find(|bytes| (value as u64) >> (7 * bytes) == 0).unwrap_or(10);
    let number = |value: i64| if value == 0 { 0 } else { 1 + varint(value) };
    let field = |content: usize| 1 + varint(content as i64) + content;
    match rule {
        GcRule::KeepAll => 0,
        GcRule::MaxVersions(count) => 1 + varint((*count).into()),
        GcRule::MaxAge { micros } => field(number(micros / 1_000_000) + number(micros % 1_000_000 * 1_000)),
        GcRule::Union(rules) | GcRule::Intersection(rules) => {
            field(rules.iter().map(|rule| field(length(rule))).sum())
        }
    }
}
