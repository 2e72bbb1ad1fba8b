//! The commands `!check` and `!rmw`, which change a row depending on its contents.

use tabletop_model::{
    CheckAndMutateRow, ReadModify, ReadModifyWriteRow, ReadModifyWriteRule, Response, RowFilter, TableRequest,
};

use super::notation::repeated;
use super::{Output, Script, all_mutations, bytes, column, describe_error, number, shown};
use crate::Database;

impl<D: Database> Script<D> {
    /// Parses and runs `row [if FILTER] [then OPERATIONS] [else OPERATIONS]`.
    pub(super) fn check_and_mutate(&mut self, table: String, rest: &str) -> Output {
        let (rest, otherwise) = rest.split_once(" else ").unwrap_or((rest, ""));
        let (rest, on_match) = rest.split_once(" then ").unwrap_or((rest, ""));
        let (key, predicate) = match rest.split_once(" if ") {
            Some((key, filter)) => (key, Some(filter_of(filter)?)),
            None => (rest, None),
        };
        let (on_match, otherwise) = (all_mutations(on_match)?, all_mutations(otherwise)?);
        let check = CheckAndMutateRow { key: bytes(key.trim())?.into(), predicate, on_match, otherwise };
        match self.database.handle(self.now, TableRequest::CheckAndMutateRow(check).of(table)) {
            Response::PredicateMatched(matched) => {
                Ok(if matched { "matched\n" } else { "not matched\n" }.into())
            }
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }

    /// Parses and runs `row increment f:q 5; append f:q abc`.
    pub(super) fn read_modify_write(&mut self, table: String, rest: &str) -> Output {
        let (key, rules) = rest.split_once(' ').unwrap_or((rest, ""));
        let rules = rules
            .split(';')
            .map(str::trim)
            .filter(|rule| !rule.is_empty())
            .map(rule)
            .collect::<Result<_, _>>()?;
        let row = ReadModifyWriteRow { key: bytes(key)?.into(), rules };
        match self.database.handle(self.now, TableRequest::ReadModifyWriteRow(row).of(table)) {
            Response::Row(row) => Ok(shown(&row)),
            Response::Refused(error) => Ok(describe_error(&error)),
            other => Err(format!("an unexpected answer: {other:?}")),
        }
    }
}

fn rule(rule: &str) -> Result<ReadModifyWriteRule, String> {
    let words: Vec<&str> = rule.split_whitespace().collect();
    let (name, modify) = match words[..] {
        ["increment", name, amount] => (name, ReadModify::Increment(number(amount)?)),
        ["append", name, value] => (name, ReadModify::Append(bytes(value)?.into())),
        ["append", name] => (name, ReadModify::Append(Vec::new().into())),
        _ => return Err(format!("{rule} is not a rule")),
    };
    let (family, qualifier) = column(name)?;
    Ok(ReadModifyWriteRule { family, qualifier: qualifier.into(), modify })
}

fn filter_of(text: &str) -> Result<RowFilter, String> {
    let text = repeated(text);
    let (filter, problems) = RowFilter::parse(&text);
    match (filter, problems.first()) {
        (_, Some(problem)) => {
            Err(format!("in the filter, at byte {}: {}", problem.span.start, problem.message))
        }
        (filter, None) => filter.ok_or_else(|| "a filter is missing".into()),
    }
}
