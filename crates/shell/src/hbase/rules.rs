//! HBase's attributes of a family, and the GC rules with the same meaning.

use alloc::vec;

use tabletop_model::GcRule;

/// The number of versions that means all of them.
pub(super) const ALL_VERSIONS: i32 = i32::MAX;

/// The number of versions to keep, and their age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attributes {
    /// The maximum number of versions to keep.
    pub versions: i32,
    /// The number of versions that are kept even if they are old.
    pub min_versions: i32,
    /// The age in seconds at which a cell is old.
    pub ttl_seconds: Option<i64>,
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes { versions: 1, min_versions: 0, ttl_seconds: None }
    }
}

impl Attributes {
    /// Returns the rule with the same meaning.
    pub fn rule(self) -> GcRule {
        let versions = (self.versions != ALL_VERSIONS).then_some(GcRule::MaxVersions(self.versions));
        let age = self.ttl_seconds.map(|seconds| {
            let age = GcRule::MaxAge { micros: seconds.saturating_mul(1_000_000) };
            match self.min_versions {
                0 => age,
                least => GcRule::Intersection(vec![age, GcRule::MaxVersions(least)]),
            }
        });
        match (versions, age) {
            (None, None) => GcRule::KeepAll,
            (Some(rule), None) | (None, Some(rule)) => rule,
            (Some(versions), Some(age)) => GcRule::Union(vec![versions, age]),
        }
    }
}

/// Returns the attributes of a rule, or `None` if HBase cannot express it.
pub(super) fn attributes(rule: &GcRule) -> Option<Attributes> {
    let all = Attributes { versions: ALL_VERSIONS, ..Attributes::default() };
    match rule {
        GcRule::KeepAll => Some(all),
        GcRule::MaxVersions(versions) if *versions != ALL_VERSIONS => {
            Some(Attributes { versions: *versions, ..all })
        }
        GcRule::MaxAge { .. } | GcRule::Intersection(_) => aged(rule, all),
        GcRule::Union(rules) => match rules.as_slice() {
            [GcRule::MaxVersions(versions), age] if *versions != ALL_VERSIONS => {
                aged(age, Attributes { versions: *versions, ..all })
            }
            _ => None,
        },
        _ => None,
    }
}

fn aged(rule: &GcRule, attributes: Attributes) -> Option<Attributes> {
    let (micros, min_versions) = match rule {
        GcRule::MaxAge { micros } => (*micros, 0),
        GcRule::Intersection(rules) => match rules.as_slice() {
            [GcRule::MaxAge { micros }, GcRule::MaxVersions(least @ 1..)] => (*micros, *least),
            _ => return None,
        },
        _ => return None,
    };
    let is_whole = micros % 1_000_000 == 0 && micros > 0;
    is_whole.then_some(Attributes { min_versions, ttl_seconds: Some(micros / 1_000_000), ..attributes })
}
