//! GC rules in the notations of other programs.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Aggregate, GcRule};

/// Returns a rule in the notation of cbt and gcloud, which is read from left to right without
/// precedence: `maxage=7d || maxversions=2`, with the texts `and` and `or` as operators. Returns
/// `None` if the rule is nested in another way.
pub(super) fn from_the_left(rule: &GcRule, and: &str, or: &str, age: fn(i64) -> String) -> Option<String> {
    let (rules, joint) = match rule {
        GcRule::KeepAll => return Some("never".into()),
        GcRule::MaxVersions(count) => return Some(format!("maxversions={count}")),
        GcRule::MaxAge { micros } => return Some(format!("maxage={}", age(*micros))),
        GcRule::Union(rules) => (rules, or),
        GcRule::Intersection(rules) => (rules, and),
    };
    let (nested, mut plain): (Vec<&GcRule>, Vec<&GcRule>) =
        rules.iter().partition(|rule| matches!(rule, GcRule::Union(_) | GcRule::Intersection(_)));
    match nested[..] {
        [] => {}
        // The nested rule comes first. The order has no other meaning.
        [first] => plain.insert(0, first),
        _ => return None,
    }
    let texts: Option<Vec<String>> =
        plain.into_iter().map(|rule| from_the_left(rule, and, or, age)).collect();
    Some(texts?.join(joint))
}

/// Formats an age in the largest of these units that divides it, else in the last one.
pub(super) fn age(micros: i64, units: &[(&str, i64)]) -> String {
    let (name, unit) = units
        .iter()
        .find(|(_, unit)| micros % unit == 0)
        .or(units.last())
        .copied()
        .unwrap_or(("s", 1_000_000));
    // Rounded up: better too late than too early.
    format!("{}{name}", micros.div_euclid(unit) + i64::from(micros % unit != 0))
}

/// Returns the name of an aggregate type in cbt and Terraform.
pub(super) fn type_name(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Sum => "intsum",
        Aggregate::Min => "intmin",
        Aggregate::Max => "intmax",
        Aggregate::DistinctCount => "inthll",
    }
}

/// Microseconds of each unit.
pub(super) const DAY: (&str, i64) = ("d", 86_400_000_000);
pub(super) const HOUR: (&str, i64) = ("h", 3_600_000_000);
pub(super) const MINUTE: (&str, i64) = ("m", 60_000_000);
pub(super) const SECOND: (&str, i64) = ("s", 1_000_000);
pub(super) const MILLISECOND: (&str, i64) = ("ms", 1_000);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn days(micros: i64) -> String {
        age(micros, &[DAY, HOUR, MINUTE, SECOND])
    }

    #[test]
    fn rules_from_the_left() {
        use GcRule::{Intersection, MaxAge, MaxVersions, Union};
        let week = MaxAge { micros: 7 * DAY.1 };
        let check = |rule: &GcRule| from_the_left(rule, " and ", " or ", days);
        let both = Intersection(vec![week.clone(), MaxVersions(2)]);
        assert_eq!(check(&both).as_deref(), Some("maxage=7d and maxversions=2"));
        let nested = Union(vec![MaxVersions(9), both.clone()]);
        assert_eq!(check(&nested).as_deref(), Some("maxage=7d and maxversions=2 or maxversions=9"));
        assert_eq!(check(&Union(vec![both.clone(), both])), None);
        assert_eq!(check(&GcRule::KeepAll).as_deref(), Some("never"));
    }

    #[test]
    fn ages_are_whole_and_never_too_short() {
        assert_eq!(days(90 * MINUTE.1), "90m");
        assert_eq!(days(1), "1s");
        assert_eq!(age(1_500_000, &[SECOND, MILLISECOND]), "1500ms");
    }
}
