//! The parts that the patterns of a filter name in cells that it has let through, for display
//! without access to the table.

use alloc::vec::Vec;

use tabletop_model::{CellPart, PatternMatch, Result, Row, RowFilter};

use super::compile::matcher;
use super::highlight::{Highlight, pattern_of, text_of};
use super::matcher::Matcher;

/// The maximum number of bytes of a text that is compared with patterns; longer texts are not
/// marked.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The patterns of a filter.
#[derive(Debug)]
pub struct Marker(Vec<(CellPart, Matcher, Highlight)>);

impl Marker {
    /// Compiles all patterns of a filter, including those of conditions, because they explain why a
    /// row is in the result.
    ///
    /// # Errors
    /// `InvalidArgument` for a filter that a read would reject.
    pub fn new(filter: &RowFilter) -> Result<Marker> {
        filter.validate()?;
        let mut marker = Marker(Vec::new());
        marker.add(filter)?;
        Ok(marker)
    }

    fn add(&mut self, filter: &RowFilter) -> Result<()> {
        if let Some((part, pattern)) = pattern_of(filter) {
            let matcher = matcher("filter", pattern)?;
            self.0.extend(Highlight::of(pattern).map(|highlight| (part, matcher, highlight)));
        }
        filter.children().into_iter().flatten().try_for_each(|child| self.add(child))
    }

    /// Returns, for each cell of a row, the parts that matching patterns name in it, sorted by part
    /// and position. A pattern that names nothing marks nothing.
    pub fn mark(&mut self, row: &Row) -> Vec<Vec<PatternMatch>> {
        let mut marks = Vec::with_capacity(row.cells.len());
        for cell in &row.cells {
            let mut of_cell = Vec::new();
            for (part, matcher, highlight) in &mut self.0 {
                let text = text_of(*part, &row.key, cell);
                if text.len() <= TEXT_BYTES_MAX && matcher.matches(text) {
                    of_cell.extend(
                        highlight
                            .matches(*part, &row.key, cell)
                            .into_iter()
                            .filter(|found| found.start < found.end),
                    );
                }
            }
            of_cell.sort_unstable_by_key(|found: &PatternMatch| (found.part as u8, found.start, found.end));
            of_cell.dedup();
            marks.push(of_cell);
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use tabletop_model::Cell;

    use super::*;

    fn marks(filter: &str, value: &str) -> String {
        let cell = Cell {
            family: "fam".into(),
            qualifier: "brand".into(),
            timestamp: 0,
            value: value.into(),
            label: None,
        };
        let row = Row { key: "user#1".into(), cells: Vec::from([cell]) };
        let filter = RowFilter::parse(filter).0.expect("a filter");
        let marks = Marker::new(&filter).expect("its patterns are right").mark(&row);
        marks[0].iter().map(|found| format!("{:?} {}..{} ", found.part, found.start, found.end)).collect()
    }

    #[test]
    fn each_pattern_that_matches_marks_all_that_it_names() {
        assert_eq!(marks(r#"value_regex("\\C*ab\\C*")"#, "ab xab"), "Value 0..2 Value 4..6 ");
        assert_eq!(marks(r#"value_regex("ab\\C*")"#, "x ab"), "", "it does not match");
        assert_eq!(
            marks(
                r#"chain(row_key_regex("user\\C*"), column_qualifier_regex("br.*"), family_name_regex(".*"))"#,
                ""
            ),
            "Key 0..4 Qualifier 0..2 "
        );
        let either =
            r#"interleave(value_regex("\\C*a\\C*"), value_regex("\\C*ab\\C*"), value_regex("\\C*ab\\C*"))"#;
        assert_eq!(marks(either, "cab"), "Value 1..2 Value 1..3 ", "branches may overlap");
        assert_eq!(marks(r#"condition(value_regex("\\C*a\\C*"), then=pass_all)"#, "ba"), "Value 1..2 ");
        assert_eq!(marks("cells_per_row_limit(1)", "a"), "");
        assert!(Marker::new(&RowFilter::ValueRegex("(".into())).is_err());
    }
}
