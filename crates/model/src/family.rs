//! Column families: their names, GC rules and kinds of cells.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::limits::{FAMILY_NAME_CHARS_MAX, GC_RULE_BYTES_MAX};
use crate::protobuf_len::{field, tag, varint};
use crate::sketch::Sketch;
use crate::{Error, Result, Timestamp};

/// A named group of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnFamily {
    /// 1 to 64 characters of `[-_.a-zA-Z0-9]`.
    pub name: String,
    /// The cells that compaction may collect.
    pub gc_rule: GcRule,
    /// How the family aggregates; `None` for a family of plain cells. It never changes.
    pub aggregate: Option<Aggregate>,
    /// The locality group. Families of one group are stored together, separately from other groups.
    /// It never changes.
    pub locality_group: u8,
}

/// The way in which an aggregate family combines the inputs into one cell (one column and time).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    /// The sum of 64-bit integers, which wraps around.
    Sum,
    /// The smallest of 64-bit integers.
    Min,
    /// The largest of 64-bit integers.
    Max,
    /// The approximate number of distinct inputs: HyperLogLog++.
    DistinctCount,
}

/// The cells that compaction may collect, as in `google.bigtable.admin.v2.GcRule`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GcRule {
    /// No cells.
    #[default]
    KeepAll,
    /// All versions of each column except this number of the newest ones; at least 1.
    MaxVersions(i32),
    /// Cells that are older than this.
    MaxAge {
        /// The age; at least a millisecond.
        micros: i64,
    },
    /// Cells that any of the rules collects.
    Union(Vec<GcRule>),
    /// Cells that all of the rules collect.
    Intersection(Vec<GcRule>),
}

/// Returns whether a family can have this name: 1 to 64 characters of `[-_.a-zA-Z0-9]`.
pub fn is_family_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=FAMILY_NAME_CHARS_MAX).contains(&name.len()) && name.bytes().all(is_allowed)
}

impl ColumnFamily {
    /// Creates a family that keeps all cells, in the first locality group.
    pub fn new(name: impl Into<String>) -> Self {
        ColumnFamily { name: name.into(), ..ColumnFamily::default() }
    }
}

impl Aggregate {
    /// Returns the number in a cell's value: the aggregate, or the approximate count of distinct
    /// inputs. Returns `None` if it is not a value of such a family.
    pub fn number(self, value: &[u8]) -> Option<i64> {
        match self {
            Aggregate::Sum | Aggregate::Min | Aggregate::Max => {
                Some(i64::from_be_bytes(value.try_into().ok()?))
            }
            Aggregate::DistinctCount => Some(Sketch::decode(value)?.estimate() as i64),
        }
    }
}

impl GcRule {
    /// Rejects rules that production rejects.
    ///
    /// # Errors
    /// `InvalidArgument`, with the position within the rule.
    pub fn validate(&self) -> Result<()> {
        let bytes = self.encoded_bytes();
        if bytes > GC_RULE_BYTES_MAX {
            return Err(Error::invalid(format!(
                "Error in field 'gc_rule' : the serialized rule has {bytes} bytes; the limit is {GC_RULE_BYTES_MAX}: join rules that \
                 are equal"
            )));
        }
        self.check().map_err(|problem| Error::invalid(format!("Error in field 'gc_rule' : {problem}")))
    }

    /// Returns the time from which the rule collects the `version`th newest version of a column,
    /// counted from 1. Returns `Timestamp::MAX` for never, `Timestamp::MIN` for any time.
    pub fn expires(&self, version: u64, timestamp: Timestamp) -> Timestamp {
        match self {
            GcRule::KeepAll => Timestamp::MAX,
            GcRule::MaxVersions(count) if version > (*count).max(1) as u64 => Timestamp::MIN,
            GcRule::MaxVersions(_) => Timestamp::MAX,
            GcRule::MaxAge { micros } => expires_after(timestamp, *micros),
            GcRule::Union(rules) => {
                rules.iter().map(|rule| rule.expires(version, timestamp)).min().unwrap_or(Timestamp::MAX)
            }
            GcRule::Intersection(rules) => {
                rules.iter().map(|rule| rule.expires(version, timestamp)).max().unwrap_or(Timestamp::MIN)
            }
        }
    }

    fn check(&self) -> core::result::Result<(), String> {
        match self {
            GcRule::KeepAll => Ok(()),
            GcRule::MaxVersions(1..) => Ok(()),
            GcRule::MaxVersions(count) => Err(format!("max_num_versions is {count}: keep at least 1")),
            GcRule::MaxAge { micros: 1_000.. } => Ok(()),
            GcRule::MaxAge { micros } => {
                Err(format!("max_age is {micros} microseconds: it must be at least a millisecond"))
            }
            GcRule::Union(rules) => check_all("union", rules),
            GcRule::Intersection(rules) => check_all("intersection", rules),
        }
    }

    /// Returns the rule's length in protobuf encoding (`google/bigtable/admin/v2/table.proto`).
    pub fn encoded_bytes(&self) -> usize {
        match self {
            GcRule::KeepAll => 0,
            GcRule::MaxVersions(count) => tag(1) + varint(i64::from(*count) as u64),
            // A duration: seconds and nanoseconds. A part that is 0 is not written.
            GcRule::MaxAge { micros } => {
                let part =
                    |number, value: i64| if value == 0 { 0 } else { tag(number) + varint(value as u64) };
                field(2, part(1, micros / 1_000_000) + part(2, micros % 1_000_000 * 1_000))
            }
            GcRule::Intersection(rules) => field(3, encoded_list(rules)),
            GcRule::Union(rules) => field(4, encoded_list(rules)),
        }
    }
}

/// Returns the earliest time at which a cell is older than `age`, in microseconds.
pub fn expires_after(timestamp: Timestamp, age: i64) -> Timestamp {
    timestamp.saturating_add(age).saturating_add(1)
}

fn check_all(name: &str, rules: &[GcRule]) -> core::result::Result<(), String> {
    if rules.is_empty() {
        return Err(format!("{name} has no rules: add at least one"));
    }
    for (index, rule) in rules.iter().enumerate() {
        let checked = match rule {
            GcRule::KeepAll => Err("a rule is missing".into()),
            rule => rule.check(),
        };
        checked
            .map_err(|problem| format!("Error in field '{name}' : Error in element #{index} : {problem}"))?;
    }
    Ok(())
}

/// Returns the bytes of a message whose field 1 is the list.
fn encoded_list(rules: &[GcRule]) -> usize {
    rules.iter().map(|rule| field(1, rule.encoded_bytes())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn sizes_are_those_of_protobuf() {
        assert_eq!(GcRule::KeepAll.encoded_bytes(), 0);
        assert_eq!(GcRule::MaxVersions(1).encoded_bytes(), 2);
        assert_eq!(GcRule::MaxVersions(300).encoded_bytes(), 3);
        // seconds 1 = 08 01; nanos 1,000,000 = 10 c0 84 3d
        assert_eq!(GcRule::MaxAge { micros: 1_000_000 }.encoded_bytes(), 2 + 2);
        assert_eq!(GcRule::MaxAge { micros: 1_001_000 }.encoded_bytes(), 2 + 2 + 4);
        assert_eq!(
            GcRule::Union(vec![GcRule::MaxVersions(1), GcRule::MaxVersions(2)]).encoded_bytes(),
            2 + 4 + 4
        );
    }

    #[test]
    fn invalid_rules_are_refused_with_the_position() {
        let refused = |rule: GcRule, expected: &str| {
            let error = rule.validate().unwrap_err();
            assert!(error.message.contains(expected), "{rule:?}: {}", error.message);
        };
        refused(GcRule::MaxVersions(0), "at least 1");
        refused(GcRule::MaxVersions(-1), "at least 1");
        refused(GcRule::MaxAge { micros: 999 }, "at least a millisecond");
        refused(GcRule::Union(vec![]), "union has no rules");
        let inner = GcRule::Intersection(vec![GcRule::MaxVersions(1), GcRule::KeepAll]);
        refused(
            GcRule::Union(vec![inner]),
            "'union' : Error in element #0 : Error in field 'intersection' : Error in element #1",
        );
        // Four bytes each, after three of the union.
        let rules = |count: usize| GcRule::Union(vec![GcRule::MaxVersions(1); count]);
        assert_eq!(rules(124).validate(), Ok(()));
        refused(rules(125), "503 bytes; the limit is 500");
    }

    #[test]
    fn a_family_of_an_older_workspace_is_read() {
        let family = ColumnFamily::new("f");
        assert_eq!(
            family,
            ColumnFamily { name: "f".into(), gc_rule: GcRule::KeepAll, aggregate: None, locality_group: 0 }
        );
    }
}
