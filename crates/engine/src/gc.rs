//! The cells that a major compaction collects. Only a major compaction may collect cells: if
//! another one collected a newer cell, the older version that it had replaced would reappear from
//! another run.

use alloc::vec::Vec;

use tabletop_model::{GcRule, Timestamp, expires_after};

use crate::columns::FamilyId;
use crate::families::Families;

/// Decides which cells to collect. It is asked about the cells of each row in order: families, then
/// qualifiers, then newest first.
#[derive(Debug)]
pub(crate) struct Collector {
    /// GC rules by family number.
    rules: Vec<GcRule>,
    /// By family number, the age beyond which a column's newest version is collected; `None` if it
    /// never is.
    ages: Vec<Option<i64>>,
    now: Timestamp,
    /// The earliest time at which a cell that was kept will be collected.
    next: Timestamp,
    /// The current column, and the number of its versions so far.
    column: Option<u32>,
    versions: u64,
}

impl Collector {
    /// Creates a collector for the rules at `now`, or `None` if they keep everything.
    pub fn new(families: &Families, now: Timestamp) -> Option<Collector> {
        let rules = families.gc_rules();
        let collects = rules.iter().any(|rule| *rule != GcRule::KeepAll);
        collects.then(|| Collector::of(rules, now))
    }

    fn of(rules: Vec<GcRule>, now: Timestamp) -> Collector {
        let ages = rules.iter().map(age_of_newest).collect();
        Collector { rules, ages, now, next: Timestamp::MAX, column: None, versions: 0 }
    }

    /// Returns the earliest time at which the rules will collect a cell that was kept, if nothing
    /// is written in between.
    pub fn next(&self) -> Timestamp {
        self.next
    }

    /// Returns whether the newest version of a column may be collected. If its timestamp is not
    /// known, the answer covers every possible timestamp.
    pub fn may_collect_newest(&mut self, family: FamilyId, timestamp: Option<Timestamp>) -> bool {
        let Some(age) = self.ages.get(usize::from(family)).copied().flatten() else { return false };
        timestamp.is_none_or(|timestamp| self.has_expired(expires_after(timestamp, age)))
    }

    pub fn begin_row(&mut self) {
        self.column = None;
    }

    /// Returns whether the next cell is collected. `ordinal` is equal for all cells of one column
    /// of the row.
    pub fn collects(&mut self, family: FamilyId, ordinal: u32, timestamp: Timestamp) -> bool {
        if self.column.replace(ordinal) != Some(ordinal) {
            self.versions = 0;
        }
        self.versions += 1;
        let expires = self.rules.get(usize::from(family)).map(|rule| rule.expires(self.versions, timestamp));
        expires.is_some_and(|expires| self.has_expired(expires))
    }

    fn has_expired(&mut self, expires: Timestamp) -> bool {
        if expires > self.now {
            self.next = self.next.min(expires);
        }
        expires <= self.now
    }
}

/// Returns whether a rule counts versions. If it does, deleting the newest versions changes what it
/// collects.
pub(crate) fn counts_versions(rule: &GcRule) -> bool {
    match rule {
        GcRule::KeepAll | GcRule::MaxAge { .. } => false,
        GcRule::MaxVersions(_) => true,
        GcRule::Union(rules) | GcRule::Intersection(rules) => rules.iter().any(counts_versions),
    }
}

/// Returns the age beyond which a rule collects the newest version of a column; `None` if it never
/// does.
fn age_of_newest(rule: &GcRule) -> Option<i64> {
    match rule {
        GcRule::KeepAll | GcRule::MaxVersions(_) => None,
        GcRule::MaxAge { micros } => Some(*micros),
        GcRule::Union(rules) => rules.iter().filter_map(age_of_newest).min(),
        // An intersection collects only what all of its rules collect. An empty one, which is
        // rejected elsewhere, collects everything.
        GcRule::Intersection(rules) => {
            rules.iter().map(age_of_newest).try_fold(i64::MIN, |oldest, age| Some(oldest.max(age?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Returns the versions that a rule keeps of six versions, one per second, three seconds after
    /// the newest.
    fn left(rule: &GcRule) -> Vec<i64> {
        let times = (1..=6).rev().map(|second| second * 1_000_000);
        times
            .zip(1..)
            .inspect(|(time, _)| {
                let mut collector = Collector::of(vec![rule.clone()], 9_000_000);
                let goes = rule.expires(1, *time) <= 9_000_000;
                assert_eq!(collector.may_collect_newest(0, Some(*time)), goes, "{rule:?}, {time}");
                assert!(!goes || collector.may_collect_newest(0, None), "{rule:?}");
            })
            .filter(|(time, version)| rule.expires(*version, *time) > 9_000_000)
            .map(|(time, _)| time / 1_000_000)
            .collect()
    }

    #[test]
    fn rules_collect_the_right_cells() {
        let versions = GcRule::MaxVersions(2);
        let age = GcRule::MaxAge { micros: 5_000_000 };
        assert_eq!(left(&GcRule::KeepAll), [6, 5, 4, 3, 2, 1]);
        assert_eq!(left(&versions), [6, 5]);
        assert_eq!(left(&age), [6, 5, 4], "a cell of exactly this age is kept");
        assert_eq!(left(&GcRule::Union(vec![versions.clone(), age.clone()])), [6, 5]);
        assert_eq!(left(&GcRule::Intersection(vec![versions.clone(), age.clone()])), [6, 5, 4]);
        let nested = GcRule::Union(vec![
            GcRule::MaxVersions(5),
            GcRule::Intersection(vec![versions, GcRule::MaxAge { micros: 6_000_000 }]),
        ]);
        assert_eq!(left(&nested), [6, 5, 4, 3]);
    }

    #[test]
    fn versions_are_counted_by_column_and_row() {
        let rules = vec![GcRule::MaxVersions(1), GcRule::KeepAll];
        let mut collector = Collector::of(rules, 0);
        let mut row = |cells: &[(FamilyId, u32)]| {
            collector.begin_row();
            cells.iter().map(|&(family, ordinal)| collector.collects(family, ordinal, 0)).collect::<Vec<_>>()
        };
        assert_eq!(row(&[(0, 1), (0, 1), (0, 2), (1, 3), (1, 3)]), [false, true, false, false, false]);
        assert_eq!(row(&[(0, 3), (0, 3)]), [false, true]);
    }
}
