//! Every input of a query has a spot, and a text in a spot makes another query. The panel is drawn
//! from the query and sends back spots and texts. They are applied here, without a browser.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::{Query, RowChoice};
use tabletop_model::{RowFilter, RowRange};

use super::boxes::edit_box;
use super::filter::{Path, address, get, put};
use super::notation::{bytes, limit, lines};
use super::part::{BlockPart, with_part};
use super::range_end::RangeEnd;

/// One input of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    /// The keys, one per line.
    Keys,
    /// The prefix of keys.
    Prefix,
    /// The kind of an end of the row range.
    Is(RangeEnd),
    /// The key of an end of the row range.
    Key(RangeEnd),
    /// The value of a field.
    Field(String),
    /// An end of an axis of the box.
    Edge(BoxAxis, RangeEnd),
    /// The depth of the box.
    Depth,
    /// The time from which events are read.
    From,
    /// The time before which events are read.
    Until,
    /// The limit of rows.
    Limit,
    /// The filter as text.
    Filter,
    /// One field of one block of the filter.
    Block(Path, BlockPart),
}

/// An axis of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxAxis {
    /// The first number of the Z-order.
    X,
    /// The second one.
    Y,
}

impl Spot {
    /// Returns the id of the element, unique in the page.
    pub fn id(&self) -> String {
        match self {
            Spot::Keys => "query-keys".into(),
            Spot::Prefix => "query-prefix".into(),
            Spot::Is(end) => format!("query-{}-is", end.id()),
            Spot::Key(end) => format!("query-{}", end.id()),
            // An id must not have spaces.
            Spot::Field(name) => format!("field-{}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "-")),
            Spot::Edge(axis, end) => {
                format!("box-{}-{}", if *axis == BoxAxis::X { "x" } else { "y" }, end.id())
            }
            Spot::Depth => "box-depth".into(),
            Spot::From => "query-from".into(),
            Spot::Until => "query-until".into(),
            Spot::Limit => "query-limit".into(),
            Spot::Filter => "filter-text".into(),
            Spot::Block(path, part) => block_id(path) + part.id(),
        }
    }
}

/// Returns the id of a block's line.
pub fn block_id(path: &[usize]) -> String {
    format!("block-{}", address(path).replace('.', "-"))
}

/// Returns the query with `text` in `spot`; `None` if the text is invalid or the query has no such
/// spot.
pub fn edit(query: &Query, spot: &Spot, text: &str) -> Option<Query> {
    let mut next = query.clone();
    match spot {
        Spot::Keys => next.rows = RowChoice::Keys(lines(text).ok()?),
        Spot::Prefix => next.rows = RowChoice::Prefix(bytes(text).ok()?),
        Spot::Is(_) | Spot::Key(_) => {
            let RowChoice::Range(range) = &mut next.rows else { return None };
            edit_range(range, spot, text)?;
        }
        Spot::Field(_) | Spot::From | Spot::Until => {
            let RowChoice::Fields { equals, from, until } = &mut next.rows else { return None };
            let given = (!text.is_empty()).then(|| text.to_string());
            match spot {
                Spot::Field(name) => set_field(equals, name, text),
                Spot::From => *from = given,
                _ => *until = given,
            }
        }
        Spot::Edge(..) | Spot::Depth => return edit_box(query, spot, text),
        Spot::Limit => next.rows_limit = limit(text).ok()?,
        Spot::Filter => {
            let (filter, problems) = RowFilter::parse(text);
            let accepted = filter.as_ref().is_none_or(|filter| filter.validate().is_ok());
            next.filter = if problems.is_empty() && accepted { filter } else { return None };
        }
        Spot::Block(path, part) => {
            let tree = next.filter.take()?;
            let block = with_part(get(&tree, path)?, *part, text)?;
            next.filter = Some(put(tree, path, block));
        }
    }
    Some(next)
}

fn edit_range(range: &mut RowRange, spot: &Spot, text: &str) -> Option<()> {
    match spot {
        Spot::Is(RangeEnd::Start) => range.start = RangeEnd::Start.with_choice(&range.start, text),
        Spot::Is(RangeEnd::End) => range.end = RangeEnd::End.with_choice(&range.end, text),
        Spot::Key(RangeEnd::Start) => range.start = RangeEnd::with_text(&range.start, text)?,
        _ => range.end = RangeEnd::with_text(&range.end, text)?,
    }
    Some(())
}

/// Sets the value of a field. An empty text removes it.
fn set_field(equals: &mut Vec<(String, String)>, name: &str, text: &str) {
    equals.retain(|(given, _)| given != name || !text.is_empty());
    match equals.iter_mut().find(|(given, _)| given == name) {
        Some((_, value)) => *value = text.into(),
        None if text.is_empty() => {}
        None => equals.push((name.into(), text.into())),
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use core::ops::Bound;

    use tabletop_model::{Bytes, RowRange};

    use super::*;

    fn query(rows: RowChoice, filter: Option<RowFilter>) -> Query {
        Query { rows, filter, rows_limit: 100, reversed: false }
    }

    #[test]
    fn rows_are_what_is_typed() {
        let all = query(RowChoice::All, None);
        let rows = |spot, text| edit(&all, &spot, text).map(|query| query.rows);
        assert_eq!(rows(Spot::Keys, "a\nb"), Some(RowChoice::Keys(vec!["a".into(), "b".into()])));
        assert_eq!(rows(Spot::Prefix, "a\\n"), Some(RowChoice::Prefix("a\n".into())));
        assert_eq!(rows(Spot::Prefix, "a\\q"), None);
        assert_eq!(rows(Spot::Key(RangeEnd::Start), "a"), None, "there is no range");
        assert_eq!(edit(&all, &Spot::Limit, "1,000").map(|query| query.rows_limit), Some(1_000));
    }

    #[test]
    fn an_end_of_a_range_keeps_its_bytes() {
        let range = |start, end| query(RowChoice::Range(RowRange { start, end }), None);
        let from_a = range(Bound::Included("a".into()), Bound::Unbounded);
        let after_a = edit(&from_a, &Spot::Is(RangeEnd::Start), "after").unwrap();
        assert_eq!(after_a, range(Bound::Excluded("a".into()), Bound::Unbounded));
        assert_eq!(
            edit(&after_a, &Spot::Key(RangeEnd::Start), "b").unwrap(),
            range(Bound::Excluded("b".into()), Bound::Unbounded)
        );
        let ended = edit(&from_a, &Spot::Is(RangeEnd::End), "through").unwrap();
        assert_eq!(ended, range(Bound::Included("a".into()), Bound::Included(Bytes::default())));
        assert_eq!(edit(&ended, &Spot::Is(RangeEnd::End), "to the last").unwrap(), from_a);
    }

    #[test]
    fn a_field_without_a_text_requests_nothing() {
        let fields = |equals: &[(&str, &str)], from: Option<&str>| {
            let equals = equals.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            query(RowChoice::Fields { equals, from: from.map(Into::into), until: None }, None)
        };
        let user = Spot::Field("user".into());
        let seven = edit(&fields(&[], None), &user, "7").unwrap();
        assert_eq!(seven, fields(&[("user", "7")], None));
        assert_eq!(edit(&seven, &user, "8"), Some(fields(&[("user", "8")], None)));
        assert_eq!(edit(&seven, &user, ""), Some(fields(&[], None)));
        assert_eq!(
            edit(&seven, &Spot::From, "2019-05-28"),
            Some(fields(&[("user", "7")], Some("2019-05-28")))
        );
    }

    #[test]
    fn half_typed_text_leaves_the_filter_alone() {
        let none = query(RowChoice::All, None);
        let pass = query(RowChoice::All, Some(RowFilter::PassAll(true)));
        assert_eq!(edit(&none, &Spot::Filter, "pass_all"), Some(pass.clone()));
        assert_eq!(edit(&pass, &Spot::Filter, "chain(pass_al"), None);
        assert_eq!(edit(&pass, &Spot::Filter, "chain(pass_all)"), None, "the engine refuses it");
        assert_eq!(edit(&pass, &Spot::Filter, " "), Some(none));
    }

    #[test]
    fn a_block_is_changed_where_it_stands() {
        let tree = RowFilter::Chain(vec![RowFilter::PassAll(true), RowFilter::CellsPerRowLimit(1)]);
        let chain = query(RowChoice::All, Some(tree));
        let changed = edit(&chain, &Spot::Block(vec![1], BlockPart::Cells), "3").unwrap();
        assert_eq!(
            changed.filter,
            Some(RowFilter::Chain(vec![RowFilter::PassAll(true), RowFilter::CellsPerRowLimit(3)]))
        );
        assert_eq!(edit(&chain, &Spot::Block(vec![1], BlockPart::Cells), "3x"), None);
        assert_eq!(edit(&chain, &Spot::Block(vec![7], BlockPart::Cells), "3"), None);
    }
}
