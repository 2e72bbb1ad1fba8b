//! The commands `!families` and `!table`.

use tabletop_model::{Aggregate, ColumnFamily, FamilyModification, GcRule, Response, TableRequest};

use super::notation::repeated;
use super::{Output, Script, describe_error, number, text};
use crate::Database;

impl<D: Database> Script<D> {
    /// The families and splits of a table.
    pub(super) fn describe(&mut self, table: String) -> Output {
        match self.database.handle(self.now, TableRequest::Describe.of(table)) {
            Response::Spec(spec) => {
                let families = spec.families.iter().map(|family| {
                    let aggregate =
                        family.aggregate.map_or(String::new(), |kind| format!(" {}", aggregate_name(kind)));
                    format!("{}{aggregate} {}\n", family.name, rule_text(&family.gc_rule))
                });
                let splits = spec.initial_splits.iter().map(|key| format!("split {key}\n"));
                Ok(families.chain(splits).collect())
            }
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }
}

/// Parses `create f sum RULE`, `update f RULE`, `drop f`.
pub(super) fn modification(command: &str) -> Result<FamilyModification, String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let family = |name: &str| text(name);
    Ok(match words[..] {
        ["create", name, ref options @ ..] => {
            let mut created = ColumnFamily::new(family(name)?);
            for option in options {
                match AGGREGATES.iter().find(|(_, name)| name == option) {
                    Some((kind, _)) => created.aggregate = Some(*kind),
                    None => created.gc_rule = rule(option)?,
                }
            }
            FamilyModification::Create(created)
        }
        ["update", name, gc_rule] => {
            FamilyModification::Update { family: family(name)?, gc_rule: rule(gc_rule)? }
        }
        ["drop", name] => FamilyModification::Drop { family: family(name)? },
        _ => return Err(format!("{command} is not a change of families")),
    })
}

const AGGREGATES: [(Aggregate, &str); 4] = [
    (Aggregate::Sum, "sum"),
    (Aggregate::Min, "min"),
    (Aggregate::Max, "max"),
    (Aggregate::DistinctCount, "distinct"),
];

fn aggregate_name(kind: Aggregate) -> &'static str {
    AGGREGATES.iter().find(|(known, _)| *known == kind).map_or("?", |(_, name)| name)
}

fn rule(rule: &str) -> Result<GcRule, String> {
    match rule_and_rest(&repeated(rule))? {
        (rule, "") => Ok(rule),
        (_, rest) => Err(format!("{rest} follows a rule")),
    }
}

fn rule_and_rest(text: &str) -> Result<(GcRule, &str), String> {
    if let Some(rest) = text.strip_prefix("never") {
        return Ok((GcRule::KeepAll, rest));
    }
    let (name, rest) = text.split_once('(').ok_or_else(|| format!("{text} is not a rule"))?;
    let value = |rest: &'_ str| {
        rest.split_once(')').map(|(value, rest)| (value.to_string(), rest.len())).ok_or("a rule ends with )")
    };
    match name {
        "maxversions" => {
            let (count, left) = value(rest)?;
            Ok((GcRule::MaxVersions(number(&count)?), &rest[rest.len() - left..]))
        }
        "maxage" => {
            let (micros, left) = value(rest)?;
            Ok((GcRule::MaxAge { micros: number(&micros)? }, &rest[rest.len() - left..]))
        }
        "union" | "intersection" => {
            let (mut rules, mut rest) = (Vec::new(), rest);
            while !rest.starts_with(')') {
                let (rule, tail) = rule_and_rest(rest)?;
                rules.push(rule);
                rest = tail.strip_prefix(',').unwrap_or(tail);
            }
            Ok((if name == "union" { GcRule::Union(rules) } else { GcRule::Intersection(rules) }, &rest[1..]))
        }
        _ => Err(format!("there is no rule {name}")),
    }
}

fn rule_text(rule: &GcRule) -> String {
    let all = |rules: &[GcRule]| rules.iter().map(rule_text).collect::<Vec<_>>().join(",");
    match rule {
        GcRule::KeepAll => "never".into(),
        GcRule::MaxVersions(count) => format!("maxversions({count})"),
        GcRule::MaxAge { micros } => format!("maxage({micros})"),
        GcRule::Union(rules) => format!("union({})", all(rules)),
        GcRule::Intersection(rules) => format!("intersection({})", all(rules)),
    }
}
