//! Examples of filters, made of the columns of the table.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use tabletop_model::pattern::literal;
use tabletop_model::{Bytes, RowFilter};
use tabletop_texts::messages;

/// A filter with a name that describes its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// The name in the menu.
    pub name: String,
    /// The filter.
    pub filter: RowFilter,
}

/// Returns examples for a table with these families, in the order of creation, and columns, the
/// most frequent first.
pub fn examples(families: &[String], columns: &[(String, Bytes)]) -> Vec<Example> {
    let says = &messages().filter.example;
    let mut list = Vec::new();
    let mut add = |name: String, filter: RowFilter| list.push(Example { name, filter });

    if families.len() > 1 {
        for family in families.iter().take(3) {
            add((says.only_family)(family), RowFilter::FamilyNameRegex(literal(family.as_bytes())));
        }
    }
    add(says.newest_cell.into(), RowFilter::CellsPerColumnLimit(1));
    add(
        says.keys_only.into(),
        RowFilter::Chain(vec![RowFilter::CellsPerRowLimit(1), RowFilter::StripValue(true)]),
    );

    let picks = picks(columns);
    if let [first, second, ..] = picks.as_slice() {
        let name = if first.facet { says.two_facets } else { says.two_columns };
        add(name(&first.name, &second.name), RowFilter::Interleave(vec![first.filter(), second.filter()]));
    }
    if let Some(pick) = picks.first() {
        let (label, rows) = if pick.facet {
            (says.label_facet, says.rows_with_facet)
        } else {
            (says.label_column, says.rows_with_column)
        };
        add(label(&pick.name), RowFilter::Chain(vec![pick.filter(), RowFilter::ApplyLabel("match".into())]));
        add(
            rows(&pick.name),
            RowFilter::Condition {
                predicate: Box::new(pick.filter()),
                on_true: Some(Box::new(RowFilter::PassAll(true))),
                on_false: None,
            },
        );
    }
    add(says.values_with_one.into(), RowFilter::ValueRegex("\\C*1\\C*".into()));
    add(says.sample.into(), RowFilter::RowSample(0.1));
    list
}

/// Columns with a common short name.
struct Pick {
    name: String,
    pattern: Bytes,
    facet: bool,
}

impl Pick {
    fn filter(&self) -> RowFilter {
        RowFilter::ColumnQualifierRegex(self.pattern.clone())
    }
}

/// Returns the first two facets, if qualifiers are `event type,event name,facet`, else the first
/// two columns.
fn picks(columns: &[(String, Bytes)]) -> Vec<Pick> {
    let mut picks: Vec<Pick> = Vec::new();
    for (_, qualifier) in columns {
        let parts: Vec<&[u8]> = qualifier.split(|&byte| byte == b',').collect();
        let facet = parts.len() == 3;
        let short = if facet { parts[2] } else { qualifier.as_slice() };
        let name = tabletop_model::escape(short);
        if short.is_empty() || name.chars().count() > 24 || picks.iter().any(|pick| pick.name == name) {
            continue;
        }
        let pattern = if facet { format!("\\C*,{}", literal(short)) } else { literal(short) };
        picks.push(Pick { name, pattern: pattern.into(), facet });
    }
    if picks.iter().filter(|pick| pick.facet).count() >= 2 {
        picks.retain(|pick| pick.facet);
    }
    picks.truncate(2);
    picks
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn names(families: &[&str], qualifiers: &[&str]) -> Vec<String> {
        let families: Vec<String> = families.iter().map(alloc::string::ToString::to_string).collect();
        let columns: Vec<(String, Bytes)> =
            qualifiers.iter().map(|&qualifier| (families[0].clone(), qualifier.into())).collect();
        let list = examples(&families, &columns);
        for example in &list {
            assert_eq!(example.filter.validate(), Ok(()), "{}", example.name);
        }
        list.into_iter().map(|example| example.name).collect()
    }

    #[test]
    fn a_wide_table_offers_its_facets() {
        let names = names(&["e"], &["click,View Item,brand", "click,View Item,color", "view,Seen,brand"]);
        assert!(names.contains(&"Facets brand and color (interleave)".to_string()), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("Only family")), "one family is no choice");
    }

    #[test]
    fn a_narrow_table_offers_its_families_and_columns() {
        let names = names(&["click", "view", "conversion"], &["View Item", "Buy"]);
        assert!(names.contains(&"Only family click".to_string()), "{names:?}");
        assert!(names.contains(&"Columns View Item and Buy (interleave)".to_string()), "{names:?}");
    }

    #[test]
    fn an_empty_table_still_has_some() {
        assert!(examples(&[], &[]).len() >= 4);
    }
}
