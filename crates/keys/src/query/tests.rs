use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_model::{Bytes, Cell, Row, RowFilter, RowKey, RowRange};

use super::Merge;
use crate::{Field, FieldKind, Layout, LayoutKind, RowChoice, Template};

mod brute_force;
mod examples;

fn fields(list: &[(&str, FieldKind)]) -> Vec<Field> {
    list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect()
}

/// The fields of the events in Algolia's article.
pub(super) fn event_fields() -> Vec<Field> {
    use FieldKind::{Facets, Int, Text, Time};
    fields(&[
        ("app", Text),
        ("user", Text),
        ("timestamp", Time),
        ("event_type", Text),
        ("event_name", Text),
        ("n", Int),
        ("facets", Facets),
    ])
}

/// Without a separator, the keys of device 1000 begin with the digits of device 1.
#[test]
fn a_value_without_a_separator_after_it_excludes_longer_ones() {
    let planned = |text: &str| {
        let (template, problems) = Template::parse(text, &event_fields());
        assert_eq!(problems, []);
        let equals = vec![("n".to_string(), "1".to_string())];
        let choice = RowChoice::Fields { equals, from: None, until: None };
        let plan = template.plan(&choice, &Layout::new(LayoutKind::Narrow)).expect("a plan");
        (plan.scans_more, plan.filter(None))
    };
    let keys = |regex: &str| Some(RowFilter::RowKeyRegex(regex.into()));
    assert_eq!(planned("{n}{timestamp:iso}"), (true, keys(r"1\C{24}")));
    assert_eq!(planned("{n}{user}"), (true, keys(r"1\C*")), "as far as the key shows it");
    for text in ["{n},{timestamp:iso}", "{n:pad(4)}{timestamp:iso}", "{n}", "{user},{n}{timestamp:iso}"] {
        assert_eq!(planned(text).1.is_some(), text.starts_with("{user}"), "{text}");
    }
}

#[test]
fn a_merge_returns_a_row_once_no_smaller_key_can_follow() {
    let (template, _) = Template::parse("{salt(3)}-{user}", &event_fields());
    let rows =
        |keys: &[&str]| keys.iter().map(|key| Row { key: (*key).into(), cells: vec![] }).collect::<Vec<_>>();
    let keys = |rows: Vec<Row>| {
        rows.iter().map(|row| row.key.to_vec()).map(|key| String::from_utf8(key).unwrap()).collect::<Vec<_>>()
    };
    let mut merge = Merge::new(&template, 3, false, 5);
    merge.push(0, rows(&["0-b", "0-d"]), false);
    merge.push(2, rows(&["2-a"]), false);
    assert_eq!(keys(merge.pull()), Vec::<String>::new());
    assert_eq!(merge.waiting().collect::<Vec<_>>(), [1]);
    merge.push(1, rows(&[]), true);
    assert_eq!(keys(merge.pull()), ["2-a"]);
    assert_eq!(merge.waiting().collect::<Vec<_>>(), [2]);
    merge.push(2, rows(&["2-c", "2-e", "2-f", "2-g"]), false);
    assert_eq!(keys(merge.pull()), ["0-b", "2-c", "0-d"]);
    merge.push(0, rows(&[]), true);
    assert_eq!(keys(merge.pull()), ["2-e"]);
    assert!(merge.is_complete(), "the limit is five");
    assert_eq!(merge.waiting().count(), 0);
}

#[test]
fn a_merge_joins_the_rows_of_both_sides_of_a_cut_over() {
    let (template, _) = Template::parse("{salt(3, from=2019-06-01)}-{user}", &event_fields());
    let cell = |family: &str, qualifier: &str, timestamp: i64| Cell {
        family: family.into(),
        qualifier: qualifier.into(),
        timestamp,
        value: Bytes::default(),
        label: None,
    };
    let row = |key: &str, cells: &[(&str, &str, i64)]| Row {
        key: key.into(),
        cells: cells
            .iter()
            .map(|(family, qualifier, timestamp)| cell(family, qualifier, *timestamp))
            .collect(),
    };
    for reversed in [false, true] {
        let mut merge = Merge::new(&template, 3, reversed, 3);
        let ordered = |mut rows: Vec<Row>| {
            if reversed {
                rows.reverse();
            }
            rows
        };
        merge.push(
            0,
            ordered(vec![row("0-ann", &[("e", "a", 9)]), row("0-bob", &[("e", "a", 9), ("f", "a", 8)])]),
            true,
        );
        merge.push(2, ordered(vec![row("ann", &[("d", "z", 1), ("e", "a", 2)]), row("c", &[])]), false);
        assert_eq!(merge.pull(), []);
        merge.push(1, ordered(vec![row("1-bob", &[("e", "a", 7)])]), true);
        let mut rows = merge.pull();
        merge.push(2, Vec::new(), true);
        rows.extend(merge.pull());
        let ann = row("0-ann", &[("d", "z", 1), ("e", "a", 9), ("e", "a", 2)]);
        // Both rows are salted: the user has written one of them manually.
        let bobs = [row("0-bob", &[("e", "a", 9), ("f", "a", 8)]), row("1-bob", &[("e", "a", 7)])];
        let expected = if reversed {
            vec![row("c", &[]), bobs[0].clone(), bobs[1].clone()]
        } else {
            vec![ann, bobs[0].clone(), bobs[1].clone()]
        };
        assert_eq!(rows, expected);
        assert!(merge.is_complete());
    }
}

#[test]
fn an_empty_end_means_no_end_under_every_salt() {
    let (template, _) = Template::parse("{salt(4)}-{user}", &event_fields());
    let layout = Layout::new(LayoutKind::Narrow);
    let plan = |end| {
        template
            .plan(&RowChoice::Range(RowRange { start: Bound::Included("a".into()), end }), &layout)
            .unwrap()
    };
    assert_eq!(plan(Bound::Excluded(RowKey::default())), plan(Bound::Unbounded));
}
