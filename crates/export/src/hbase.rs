//! Commands for the HBase shell, with Bigtable's client for HBase or HBase's own.

use alloc::format;
use alloc::string::String;

use tabletop_model::GcRule;

use super::{ExportInput, ExportTable, quote};

/// HBase's value for an unlimited number of versions.
const VERSIONS_MAX: i32 = i32::MAX;

pub(super) fn write(input: &ExportInput) -> String {
    let tables: String = input.tables.iter().map(create).collect();
    let named = input.named().replacen('t', "T", 1);
    format!("# {named}, for the HBase shell: hbase shell table.hbase\n{tables}")
}

/// Returns the command that creates a table, after notes on what HBase does not have.
fn create(input: &ExportTable) -> String {
    let mut notes = String::new();
    let mut families = String::new();
    for family in input.families {
        if family.name.starts_with('.') {
            notes.push_str(&format!(
                "# HBase itself accepts no family that begins with a dot, such as {}; Bigtable does.\n",
                family.name
            ));
        }
        if family.aggregate.is_some() {
            notes.push_str(&format!(
                "# {} is a family of aggregates, which HBase does not have.\n",
                family.name
            ));
        }
        let attributes = attributes(&family.gc_rule).unwrap_or_else(|| {
            notes.push_str(&format!(
                "# HBase cannot express the rule of {}: the family keeps all.\n",
                family.name
            ));
            format!("VERSIONS => {VERSIONS_MAX}")
        });
        families.push_str(&format!(", {{NAME => {}, {attributes}}}", quote::hbase(family.name.as_bytes())));
    }
    let splits: String = input
        .splits
        .iter()
        .enumerate()
        .map(|(at, split)| format!("{}{}", if at > 0 { ", " } else { "" }, quote::hbase(split)))
        .collect();
    let splits = if splits.is_empty() { splits } else { format!(", SPLITS => [{splits}]") };
    format!("{notes}create {}{families}{splits}\n", quote::hbase(input.id.as_bytes()))
}

/// Returns the attributes of HBase for a rule: a number of versions, an age, either of them, or an
/// age with a minimum of versions.
fn attributes(rule: &GcRule) -> Option<String> {
    // HBase counts in seconds. Rounded up: better too late than too early.
    let seconds = |micros: i64| micros.div_euclid(1_000_000) + i64::from(micros % 1_000_000 != 0);
    Some(match rule {
        GcRule::KeepAll => format!("VERSIONS => {VERSIONS_MAX}"),
        GcRule::MaxVersions(count) => format!("VERSIONS => {count}"),
        GcRule::MaxAge { micros } => format!("VERSIONS => {VERSIONS_MAX}, TTL => {}", seconds(*micros)),
        GcRule::Union(rules) => match rules[..] {
            [GcRule::MaxVersions(count), GcRule::MaxAge { micros }]
            | [GcRule::MaxAge { micros }, GcRule::MaxVersions(count)] => {
                format!("VERSIONS => {count}, TTL => {}", seconds(micros))
            }
            [ref one] => attributes(one)?,
            _ => return None,
        },
        GcRule::Intersection(rules) => match rules[..] {
            [GcRule::MaxVersions(count), GcRule::MaxAge { micros }]
            | [GcRule::MaxAge { micros }, GcRule::MaxVersions(count)] => {
                format!("VERSIONS => {VERSIONS_MAX}, MIN_VERSIONS => {count}, TTL => {}", seconds(micros))
            }
            [ref one] => attributes(one)?,
            _ => return None,
        },
    })
}
