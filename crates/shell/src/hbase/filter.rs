//! The part of HBase's filter language for which Bigtable has equivalent filters:
//! `PrefixFilter('a') AND ValueFilter(=, 'binary:1')`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::pattern::literal;
use tabletop_model::{Bytes, ColumnRange, RowFilter, TimestampRange, ValueRange, did_you_mean};

/// The deepest nesting of parentheses: more than any filter needs, and small enough for the stack.
const DEPTH_MAX: usize = 20;

/// The supported filters.
const NAMES: [&str; 15] = [
    "ColumnCountGetFilter",
    "ColumnPaginationFilter",
    "ColumnPrefixFilter",
    "ColumnRangeFilter",
    "FamilyFilter",
    "FirstKeyOnlyFilter",
    "KeyOnlyFilter",
    "MultipleColumnPrefixFilter",
    "PageFilter",
    "PrefixFilter",
    "QualifierFilter",
    "RowFilter",
    "SingleColumnValueFilter",
    "TimestampsFilter",
    "ValueFilter",
];

/// A parsed filter.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parsed {
    pub filter: Option<RowFilter>,
    /// The number in a `PageFilter`.
    pub rows: Option<u64>,
}

/// Parses a filter.
pub(super) fn parse(text: &str) -> Result<Parsed, String> {
    let mut parser = Parser { text, at: 0, rows: None };
    let filter = parser.any_of(0)?;
    parser.skip();
    if parser.at < text.len() {
        return Err(format!("\"{}\" follows the end of the filter", &text[parser.at..]));
    }
    Ok(Parsed { filter, rows: parser.rows })
}

/// Returns the most copies of one cell that a filter may return: one for each branch that the cell
/// passes.
pub(super) fn copies_max(filter: &RowFilter) -> i32 {
    match filter {
        RowFilter::Chain(filters) => filters.iter().map(copies_max).fold(1, i32::saturating_mul),
        RowFilter::Interleave(filters) => filters.iter().map(copies_max).fold(0, i32::saturating_add),
        RowFilter::Condition { on_true, on_false, .. } => {
            [on_true, on_false].into_iter().flatten().map(|branch| copies_max(branch)).fold(1, i32::max)
        }
        _ => 1,
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    rows: Option<u64>,
}

#[derive(Debug)]
enum Argument {
    Text(Vec<u8>),
    Number(i64),
    Compare(Compare),
    Flag(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.skip();
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn any_of(&mut self, depth: usize) -> Result<Option<RowFilter>, String> {
        let mut filters: Vec<RowFilter> = self.all_of(depth)?.into_iter().collect();
        while self.take("OR ") {
            filters.extend(self.all_of(depth)?);
        }
        Ok(match filters.len() {
            0 | 1 => filters.pop(),
            _ => Some(RowFilter::Interleave(filters)),
        })
    }

    fn all_of(&mut self, depth: usize) -> Result<Option<RowFilter>, String> {
        let mut filters: Vec<RowFilter> = self.one(depth)?.into_iter().collect();
        while self.take("AND ") {
            filters.extend(self.one(depth)?);
        }
        Ok(match filters.len() {
            0 | 1 => filters.pop(),
            _ => Some(RowFilter::Chain(filters)),
        })
    }

    fn one(&mut self, depth: usize) -> Result<Option<RowFilter>, String> {
        if self.take("(") {
            if depth == DEPTH_MAX {
                return Err("it is nested too deeply".into());
            }
            let filter = self.any_of(depth + 1)?;
            return if self.take(")") { Ok(filter) } else { Err("a `)` is missing".into()) };
        }
        self.skip();
        let rest = self.rest();
        let name = &rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())];
        if !NAMES.contains(&name) {
            let name = if name.is_empty() { rest } else { name };
            return Err(format!("there is no filter {name} here{}", did_you_mean(name, NAMES)));
        }
        self.at += name.len();
        let arguments = self.arguments()?;
        if name == "PageFilter" {
            let [Argument::Number(rows @ 1..)] = arguments.as_slice() else {
                return Err("PageFilter takes a number".into());
            };
            self.rows = Some(rows.unsigned_abs());
            return Ok(None);
        }
        build(name, &arguments).map(Some)
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, String> {
        if !self.take("(") {
            return Err("`(` is missing after the name of a filter".into());
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            self.skip();
            arguments.push(self.argument()?);
            if !self.take(",") && !self.rest().trim_start().starts_with(')') {
                return Err("a comma or `)` is missing".into());
            }
        }
        Ok(arguments)
    }

    fn argument(&mut self) -> Result<Argument, String> {
        const COMPARES: [(&str, Compare); 6] = [
            ("<=", Compare::LessOrEqual),
            ("<", Compare::Less),
            (">=", Compare::GreaterOrEqual),
            (">", Compare::Greater),
            ("!=", Compare::NotEqual),
            ("=", Compare::Equal),
        ];
        if let Some((_, compare)) = COMPARES.iter().find(|(token, _)| self.take(token)) {
            return Ok(Argument::Compare(*compare));
        }
        for (word, flag) in [("true", true), ("false", false)] {
            if self.take(word) {
                return Ok(Argument::Flag(flag));
            }
        }
        if self.take("'") {
            return self.text().map(Argument::Text);
        }
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        self.at += end;
        rest[..end]
            .parse()
            .map(Argument::Number)
            .map_err(|_| "a text in single quotes, a number or a comparison is expected".into())
    }

    /// Reads `'…'`, where two quotes stand for one.
    fn text(&mut self) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        loop {
            let rest = self.rest();
            let end = rest.find('\'').ok_or("a quote is open")?;
            out.extend_from_slice(&rest.as_bytes()[..end]);
            self.at += end + 1;
            if !self.rest().starts_with('\'') {
                return Ok(out);
            }
            out.push(b'\'');
            self.at += 1;
        }
    }
}

fn build(name: &str, arguments: &[Argument]) -> Result<RowFilter, String> {
    use Argument::{Compare as By, Flag, Number, Text};
    let limit = |count: &i64| i32::try_from(*count).map_err(|_| format!("a number of {name} is too large"));
    Ok(match (name, arguments) {
        ("KeyOnlyFilter", []) => RowFilter::StripValue(true),
        ("FirstKeyOnlyFilter", []) => RowFilter::CellsPerRowLimit(1),
        ("ColumnCountGetFilter", [Number(count)]) => RowFilter::Chain(vec![
            RowFilter::CellsPerColumnLimit(1),
            RowFilter::CellsPerRowLimit(limit(count)?),
        ]),
        ("ColumnPaginationFilter", [Number(count), Number(offset)]) => RowFilter::Chain(vec![
            RowFilter::CellsPerColumnLimit(1),
            RowFilter::CellsPerRowOffset(limit(offset)?),
            RowFilter::CellsPerRowLimit(limit(count)?),
        ]),
        ("PrefixFilter", [Text(prefix)]) => RowFilter::RowKeyRegex(beginning(prefix).into()),
        ("ColumnPrefixFilter", [Text(prefix)]) => RowFilter::ColumnQualifierRegex(beginning(prefix).into()),
        ("MultipleColumnPrefixFilter", prefixes @ [_, ..]) => {
            let mut patterns = Vec::new();
            for prefix in prefixes {
                let Text(prefix) = prefix else { return Err(format!("{name} takes texts")) };
                patterns.push(beginning(prefix));
            }
            RowFilter::ColumnQualifierRegex(patterns.join("|").into())
        }
        ("TimestampsFilter", times @ [_, ..]) => {
            let mut ranges = Vec::new();
            for time in times {
                let Number(millis) = time else { return Err(format!("{name} takes times in milliseconds")) };
                let start = millis.saturating_mul(1_000);
                ranges.push(RowFilter::TimestampRange(TimestampRange {
                    start,
                    end: start.saturating_add(1_000),
                }));
            }
            if ranges.len() > 1 { RowFilter::Interleave(ranges) } else { ranges.remove(0) }
        }
        ("RowFilter", [By(compare), Text(comparator)]) => {
            RowFilter::RowKeyRegex(pattern(name, *compare, comparator)?)
        }
        ("QualifierFilter", [By(compare), Text(comparator)]) => {
            RowFilter::ColumnQualifierRegex(pattern(name, *compare, comparator)?)
        }
        ("FamilyFilter", [By(compare), Text(comparator)]) => {
            let pattern = pattern(name, *compare, comparator)?;
            RowFilter::FamilyNameRegex(String::from_utf8_lossy(&pattern).to_string())
        }
        ("ValueFilter", [By(compare), Text(comparator)]) => value(*compare, comparator)?,
        ("ColumnRangeFilter", _) => {
            return Err("ColumnRangeFilter is for all families: Bigtable's column_range names one".into());
        }
        (
            "SingleColumnValueFilter",
            [Text(family), Text(qualifier), By(compare), Text(comparator), rest @ ..],
        ) => {
            let if_missing = !matches!(rest.first(), Some(Flag(true)));
            single_column(family, qualifier, value(*compare, comparator)?, if_missing)
        }
        _ => return Err(format!("{name} does not take these arguments")),
    })
}

/// Returns a filter for rows whose newest cell of a column passes and, with `if_missing`, for rows
/// without such a cell.
fn single_column(family: &[u8], qualifier: &[u8], value: RowFilter, if_missing: bool) -> RowFilter {
    let family = String::from_utf8_lossy(family).to_string();
    let bound = || Bound::Included(Bytes::from(qualifier));
    let column = RowFilter::ColumnRange(ColumnRange { family, start: bound(), end: bound() });
    let newest = RowFilter::Chain(vec![column.clone(), RowFilter::CellsPerColumnLimit(1), value]);
    let pass = || Some(Box::new(RowFilter::PassAll(true)));
    let missing = if_missing.then(|| {
        Box::new(RowFilter::Condition { predicate: Box::new(column), on_true: None, on_false: pass() })
    });
    RowFilter::Condition { predicate: Box::new(newest), on_true: pass(), on_false: missing }
}

/// Splits `kind:text`.
fn comparator(text: &[u8]) -> Result<(&str, &[u8]), String> {
    let colon = text.iter().position(|&byte| byte == b':');
    let kind = colon.and_then(|at| core::str::from_utf8(&text[..at]).ok());
    match (kind, colon) {
        (Some(kind @ ("binary" | "binaryprefix" | "regexstring" | "substring")), Some(at)) => {
            Ok((kind, &text[at + 1..]))
        }
        _ => Err("a comparator is 'binary:…', 'binaryprefix:…', 'regexstring:…' or 'substring:…'".into()),
    }
}

/// Returns a regex that matches whole values that compare as equal.
fn pattern(name: &str, compare: Compare, text: &[u8]) -> Result<Bytes, String> {
    let (kind, text) = comparator(text)?;
    if compare != Compare::Equal {
        return Err(format!(
            "{name} only compares with = here: Bigtable's filters have no other comparison for it"
        ));
    }
    Ok(match kind {
        "binary" => literal(text).into(),
        "binaryprefix" => beginning(text).into(),
        "regexstring" => [b"\\C*(?:", text, b")\\C*"].concat().into(),
        _ => ["(?i)\\C*", &literal(text), "\\C*"].concat().into(),
    })
}

fn value(compare: Compare, text: &[u8]) -> Result<RowFilter, String> {
    let (kind, bytes) = comparator(text)?;
    if kind != "binary" {
        return pattern("ValueFilter", compare, text).map(RowFilter::ValueRegex);
    }
    let range = |start, end| RowFilter::ValueRange(ValueRange { start, end });
    let bytes = Bytes::from(bytes);
    let (included, excluded) = (Bound::Included(bytes.clone()), Bound::Excluded(bytes));
    Ok(match compare {
        Compare::Equal => range(included.clone(), included),
        Compare::Less => range(Bound::Unbounded, excluded),
        Compare::LessOrEqual => range(Bound::Unbounded, included),
        Compare::Greater => range(excluded, Bound::Unbounded),
        Compare::GreaterOrEqual => range(included, Bound::Unbounded),
        Compare::NotEqual => RowFilter::Interleave(vec![
            range(Bound::Unbounded, excluded.clone()),
            range(excluded, Bound::Unbounded),
        ]),
    })
}

/// Returns a regex that matches texts with this prefix.
fn beginning(prefix: &[u8]) -> String {
    literal(prefix) + "\\C*"
}
