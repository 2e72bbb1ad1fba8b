//! The filter of ListBackups, in the form that clients write: comparisons joined by AND.
//!
//! ```text
//! source_table:"projects/p/instances/i/tables/t" AND state = READY AND size_bytes > 1000
//! ```
//! Operators for texts: `=`, `!=`, and `:` for "contains". Sizes also have `<`, `<=`, `>`, `>=`.
//! (`ListBackupsRequest.filter` in the protos.)

use std::cmp::Ordering;

use googleapis_tonic_google_bigtable_admin_v2::google::bigtable::admin::v2 as proto;
use tonic::Status;

use crate::grpc::status::invalid;

/// Longer operators come first, because the first match is taken.
const OPERATORS: [&str; 7] = ["!=", "<=", ">=", "=", "<", ">", ":"];
const FIELDS: [&str; 4] = ["name", "source_table", "state", "size_bytes"];

/// A filter that accepts the backups for which all comparisons hold.
pub(super) struct BackupFilter(Vec<Comparison>);

struct Comparison {
    field: &'static str,
    operator: &'static str,
    value: String,
}

impl BackupFilter {
    /// Parses a filter. An empty text accepts all backups.
    pub fn parse(text: &str) -> Result<BackupFilter, Status> {
        let mut comparisons = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if !comparisons.is_empty() {
                rest = rest
                    .strip_prefix("AND")
                    .ok_or_else(|| refused(rest, "AND between two comparisons"))?
                    .trim_start();
            }
            rest = rest.trim_start_matches(['(', ' ']);
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let field = FIELDS.into_iter().find(|field| *field == &rest[..end]);
            let field = field
                .ok_or_else(|| refused(rest, "one of the fields name, source_table, state, size_bytes"))?;
            rest = rest[end..].trim_start();
            let operator = OPERATORS.into_iter().find(|operator| rest.starts_with(operator));
            let operator = operator.ok_or_else(|| refused(rest, "one of = != < <= > >= :"))?;
            let (value, tail) = value(rest[operator.len()..].trim_start())?;
            if field == "size_bytes" && value.parse::<i64>().is_err() {
                return Err(refused(&value, "a number of bytes"));
            }
            if field != "size_bytes" && !["=", "!=", ":"].contains(&operator) {
                return Err(refused(operator, "one of = != : for a text"));
            }
            comparisons.push(Comparison { field, operator, value });
            rest = tail.trim_start_matches([')', ' ']);
        }
        Ok(BackupFilter(comparisons))
    }

    /// Returns whether the filter accepts a backup.
    pub fn takes(&self, backup: &proto::Backup) -> bool {
        self.0.iter().all(|comparison| comparison.holds(backup))
    }
}

impl Comparison {
    fn holds(&self, backup: &proto::Backup) -> bool {
        let text = match self.field {
            "name" => &backup.name,
            "source_table" => &backup.source_table,
            "state" => backup.state().as_str_name(),
            _ => return self.fits(backup.size_bytes.cmp(&self.value.parse().unwrap_or_default())),
        };
        match self.operator {
            "=" => text == self.value,
            "!=" => text != self.value,
            _ => text.contains(&self.value),
        }
    }

    fn fits(&self, order: Ordering) -> bool {
        match self.operator {
            "!=" => order.is_ne(),
            "<=" => order.is_le(),
            ">=" => order.is_ge(),
            "<" => order.is_lt(),
            ">" => order.is_gt(),
            _ => order.is_eq(),
        }
    }
}

/// Parses a quoted text or a word, and returns it with the text after it.
fn value(text: &str) -> Result<(String, &str), Status> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"').ok_or_else(|| refused(text, "a closing quote"))?;
        return Ok((value.into(), rest));
    }
    let end = text.find([' ', ')']).unwrap_or(text.len());
    match &text[..end] {
        "" => Err(refused(text, "a value")),
        value => Ok((value.into(), &text[end..])),
    }
}

fn refused(found: &str, expected: &str) -> Status {
    let found: String = found.chars().take(100).collect();
    invalid(format!("Error in field 'filter' : \"{}\" : expected {expected} there", found.escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_joined_by_and() {
        let backup = proto::Backup {
            name: "projects/p/instances/i/clusters/c/backups/b".into(),
            source_table: "projects/p/instances/i/tables/t".into(),
            size_bytes: 7,
            state: proto::backup::State::Ready.into(),
            ..Default::default()
        };
        let takes = |text: &str| {
            BackupFilter::parse(text).map(|filter| filter.takes(&backup)).map_err(|status| status.code())
        };
        for taken in [
            "",
            "source_table:projects/p/instances/i/tables/t",
            "(source_table:projects/p/instances/i/tables/t) AND (state = READY)",
            "name:\"backups/b\" AND size_bytes>=7 AND size_bytes < 8",
            "state != CREATING",
        ] {
            assert_eq!(takes(taken), Ok(true), "{taken}");
        }
        for left in
            ["source_table = tables/t", "size_bytes > 7", "name:b AND size_bytes != 7", "state:CREATING"]
        {
            assert_eq!(takes(left), Ok(false), "{left}");
        }
        for bad in [
            "nope:1",
            "name",
            "name=",
            "name=\"x",
            "name:a OR name:b",
            "size_bytes > x",
            "name < a",
            "é:1",
            "name:a AND",
        ] {
            assert_eq!(takes(bad), Err(tonic::Code::InvalidArgument), "{bad}");
        }
    }
}
