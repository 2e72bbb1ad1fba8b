//! What a query reads of the tablets, by its plan: shown on the strip before and after it runs.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Bound;

use tabletop_keys::Plan;
use tabletop_model::{RowKey, RowRange, TabletView};

/// How much of a tablet's keys a query reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// All of its keys.
    Whole,
    /// Some of its keys: single keys, or a range that begins or ends within the tablet.
    Part,
}

/// Returns what the query of a plan reads of each tablet.
pub fn asked_of(plan: &Plan, tablets: &[TabletView]) -> Vec<Option<Asked>> {
    let mut asked = vec![None; tablets.len()];
    // The tablet that contains a key.
    let place = |key: &RowKey| tablets.partition_point(|tablet| tablet.start <= *key).saturating_sub(1);
    for part in &plan.parts {
        for key in &part.keys {
            if let Some(asked) = asked.get_mut(place(key)) {
                asked.get_or_insert(Asked::Part);
            }
        }
        for range in &part.ranges {
            let first = match &range.start {
                Bound::Included(key) | Bound::Excluded(key) => place(key),
                Bound::Unbounded => 0,
            };
            for (tablet, asked) in tablets.iter().zip(&mut asked).skip(first) {
                match overlap(range, tablet) {
                    Some(Asked::Whole) => *asked = Some(Asked::Whole),
                    Some(Asked::Part) => drop(asked.get_or_insert(Asked::Part)),
                    None => break,
                }
            }
        }
    }
    asked
}

/// Returns how much of a tablet a range covers, if the range does not end before it.
fn overlap(range: &RowRange, tablet: &TabletView) -> Option<Asked> {
    let begins_before = match &range.start {
        Bound::Unbounded => true,
        Bound::Included(key) => *key <= tablet.start,
        Bound::Excluded(key) => *key < tablet.start,
    };
    let (ends_after, reaches) = match &range.end {
        Bound::Unbounded => (true, true),
        Bound::Included(key) => (!tablet.end.is_empty() && *key >= tablet.end, *key >= tablet.start),
        Bound::Excluded(key) => (!tablet.end.is_empty() && *key >= tablet.end, *key > tablet.start),
    };
    reaches.then_some(if begins_before && ends_after { Asked::Whole } else { Asked::Part })
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use tabletop_keys::{Field, FieldKind, Layout, LayoutKind, RowChoice, Template};
    use tabletop_model::TabletId;

    use super::*;

    fn tablet(start: &str, end: &str) -> TabletView {
        TabletView {
            id: TabletId(0),
            parent: None,
            start: start.into(),
            end: end.into(),
            rows: 1,
            cells: 1,
            exact: true,
            bytes: 1,
            memtable_bytes: 0,
            sstables: 1,
            reads: 0,
            writes: 1,
            reads_per_second: 0.0,
            writes_per_second: 0.0,
        }
    }

    fn marks(template: &str, rows: RowChoice) -> String {
        let fields = [Field::new("user", FieldKind::Text)];
        let template = Template::parse(template, &fields).0;
        let plan = template.plan(&rows, &Layout::new(LayoutKind::Narrow)).expect("a plan");
        let tablets = [tablet("", "b"), tablet("b", "bd"), tablet("bd", "c"), tablet("c", "")];
        let mark = |asked: Option<Asked>| match asked {
            None => '-',
            Some(Asked::Part) => 'p',
            Some(Asked::Whole) => 'W',
        };
        asked_of(&plan, &tablets).into_iter().map(mark).collect()
    }

    #[test]
    fn a_query_marks_the_tablets_that_it_reads() {
        let range = |start: &str, end: &str| {
            RowChoice::Range(RowRange {
                start: Bound::Included(start.into()),
                end: Bound::Excluded(end.into()),
            })
        };
        assert_eq!(marks("{user}", RowChoice::Prefix("b".into())), "-WW-");
        assert_eq!(marks("{user}", RowChoice::Prefix("bd".into())), "--p-");
        assert_eq!(marks("{user}", range("a", "bd")), "pW--", "an end that is not read marks nothing");
        assert_eq!(marks("{user}", range("c", "d")), "---p");
        assert_eq!(marks("{user}", RowChoice::Keys(vec!["a".into(), "bd".into()])), "p-p-");
        // A salt reads a range of each bucket.
        assert_eq!(marks("{salt(2)}-{user}", RowChoice::Prefix("x".into())), "p---");
    }
}
