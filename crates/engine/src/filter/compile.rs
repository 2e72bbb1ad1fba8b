//! Compilation of a request's filter into nodes and tests.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use tabletop_model::{Error, Result, RowFilter};

use super::matcher::Matcher;
use super::{ColumnTest, Counter, Filter, Node, RowState, RowTest, Tests};
use crate::columns::FamilyId;

impl Filter {
    /// Checks a filter, and compiles it for a table with these families. `seed` decides which rows
    /// a sample takes.
    ///
    /// # Errors
    /// `InvalidArgument` for a filter that [`RowFilter::validate`] rejects, and for patterns that
    /// are not RE2.
    pub fn compile(filter: &RowFilter, families: &[String], seed: u64) -> Result<Filter> {
        filter.validate()?;
        let mut compiler = Compiler {
            families,
            tests: Tests::default(),
            counters: 0,
            labels: Vec::new(),
            has_condition: false,
        };
        let root = compiler.node(filter)?;
        let state =
            RowState { counters: alloc::vec![Counter::default(); compiler.counters], ..RowState::default() };
        let Compiler { tests, labels, has_condition: needs_whole_row, .. } = compiler;
        let (families, needs) = (families.len(), OnceCell::new());
        Ok(Filter { root, tests, state, seed, labels, needs_whole_row, families, needs })
    }
}

struct Compiler<'a> {
    families: &'a [String],
    tests: Tests,
    counters: usize,
    labels: Vec<String>,
    has_condition: bool,
}

impl Compiler<'_> {
    fn node(&mut self, filter: &RowFilter) -> Result<Node> {
        Ok(match filter {
            RowFilter::Chain(filters) => Node::Chain(self.nodes(filters)?),
            RowFilter::Interleave(filters) => Node::Interleave(self.nodes(filters)?),
            RowFilter::Condition { predicate, on_true, on_false } => {
                self.has_condition = true;
                let predicate = Box::new(self.node(predicate)?);
                let mut branch = |filter: &Option<Box<RowFilter>>| {
                    filter.as_ref().map(|filter| self.node(filter).map(Box::new)).transpose()
                };
                Node::Condition { predicate, on_true: branch(on_true)?, on_false: branch(on_false)? }
            }
            RowFilter::Sink(_) => Node::Sink,
            RowFilter::PassAll(_) => Node::PassAll,
            RowFilter::BlockAll(_) => Node::BlockAll,
            RowFilter::RowKeyRegex(pattern) => {
                self.row_test(RowTest::Key(matcher("row_key_regex_filter", pattern)?))
            }
            // Scaling by 2^64 rounds nothing, so every host takes the same rows.
            RowFilter::RowSample(p) => {
                self.row_test(RowTest::Sample((p * 18_446_744_073_709_551_616.0) as u64))
            }
            RowFilter::FamilyNameRegex(pattern) => {
                let mut matcher = matcher("family_name_regex_filter", pattern.as_bytes())?;
                let passing = self.families.iter().map(|family| matcher.matches(family.as_bytes())).collect();
                self.column_test(ColumnTest::Family(passing))
            }
            RowFilter::ColumnQualifierRegex(pattern) => {
                self.column_test(ColumnTest::Qualifier(matcher("column_qualifier_regex_filter", pattern)?))
            }
            RowFilter::ColumnRange(range) => {
                let family = self.families.iter().position(|family| *family == range.family);
                self.column_test(ColumnTest::Range {
                    family: family.map(|index| index as FamilyId),
                    start: range.start.clone(),
                    end: range.end.clone(),
                })
            }
            RowFilter::ValueRegex(pattern) => {
                self.tests.values.push(matcher("value_regex_filter", pattern)?);
                Node::Value(self.tests.values.len() - 1)
            }
            RowFilter::TimestampRange(range) => Node::TimestampRange(*range),
            RowFilter::ValueRange(range) => Node::ValueRange(range.start.clone(), range.end.clone()),
            RowFilter::CellsPerRowOffset(n) => Node::RowOffset(self.counter(), *n as u64),
            RowFilter::CellsPerRowLimit(n) => Node::RowLimit(self.counter(), *n as u64),
            RowFilter::CellsPerColumnLimit(n) => Node::ColumnLimit(self.counter(), *n as u64),
            RowFilter::StripValue(_) => Node::StripValue,
            RowFilter::ApplyLabel(label) => {
                let index = self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
                    self.labels.push(label.clone());
                    self.labels.len() - 1
                });
                Node::Label(index as u16 + 1)
            }
            RowFilter::ValueBitmask(mask) => Node::ValueBitmask(mask.clone()),
        })
    }

    fn nodes(&mut self, filters: &[RowFilter]) -> Result<Vec<Node>> {
        filters.iter().map(|filter| self.node(filter)).collect()
    }

    fn row_test(&mut self, test: RowTest) -> Node {
        self.tests.rows.push(test);
        Node::Row(self.tests.rows.len() - 1)
    }

    fn column_test(&mut self, test: ColumnTest) -> Node {
        self.tests.columns.push(test);
        Node::Column(self.tests.columns.len() - 1)
    }

    fn counter(&mut self) -> usize {
        self.counters += 1;
        self.counters - 1
    }
}

pub(super) fn matcher(field: &str, pattern: &[u8]) -> Result<Matcher> {
    Matcher::compile(pattern).map_err(|error| Error::invalid(format!("Error in field '{field}' : {error}")))
}
