//! Compares plans with brute force: every query is also evaluated for each event separately.

mod cases;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;
use proptest::sample::select;
use regex::bytes::Regex;
use tabletop_model::{Bytes, Cell, Code, Mutation, Row, RowFilter, RowKey, RowSet};

use super::{event_fields, fields};
use crate::query::Plan;
use crate::zorder::scale;
use crate::{
    AxisSpan, Field, FieldKind, Layout, LayoutKind, LayoutWriter, Merge, Record, Roles, RowChoice, Template,
    time,
};
use cases::{Case, case};

type Event = Vec<Option<String>>;
type Table = BTreeMap<RowKey, Vec<Cell>>;

fn write(template: &Template, layout: &Layout, events: &[Event]) -> Vec<(Event, RowKey, Vec<Cell>)> {
    let writer = LayoutWriter::new(layout, template.fields(), template);
    let mut rows: Vec<(Event, RowKey, Vec<Cell>)> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let values: Vec<Option<&str>> = event.iter().map(Option::as_deref).collect();
        let Ok(row) = writer.write(&Record { fields: template.fields(), values: &values }, index as u64)
        else {
            continue;
        };
        let cells = row.mutations.into_iter().map(|mutation| match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                Cell { family, qualifier, timestamp, value, label: None }
            }
            other => panic!("a layout only sets cells, not {other:?}"),
        });
        rows.push((event.clone(), row.key, cells.collect()));
    }
    // If events replace each other, only the first one is kept, on either side of a cut-over.
    let mut seen: Vec<(RowKey, Option<Column>)> = Vec::new();
    rows.retain(|(_, key, cells)| {
        let column = (layout.kind == LayoutKind::RowPerEntity).then(|| column(&cells[0]));
        let id = (RowKey::from(writer.template().logical(key)), column);
        let is_new = !seen.contains(&id);
        seen.push(id);
        is_new
    });
    rows
}

type Column = (String, Bytes, i64);

fn column(cell: &Cell) -> Column {
    (cell.family.clone(), cell.qualifier.clone(), cell.timestamp)
}

fn table(rows: &[(Event, RowKey, Vec<Cell>)]) -> Table {
    let mut table = Table::new();
    for (_, key, cells) in rows {
        table.entry(key.clone()).or_default().extend(cells.iter().cloned());
    }
    table.values_mut().for_each(|cells| {
        cells.sort_by_key(|cell| (cell.family.clone(), cell.qualifier.clone(), -cell.timestamp));
    });
    table
}

/// Applies the kinds of filters that plans use.
fn filtered(filter: &RowFilter, key: &[u8], cells: Vec<Cell>) -> Vec<Cell> {
    let full = |pattern: &[u8], text: &[u8]| {
        let pattern = core::str::from_utf8(pattern).unwrap().replace("\\C", "(?s-u:.)");
        Regex::new(&format!("(?s-u)^(?:{pattern})$")).unwrap().is_match(text)
    };
    let keep = |test: &dyn Fn(&Cell) -> bool, cells: Vec<Cell>| {
        cells.into_iter().filter(|cell| test(cell)).collect()
    };
    match filter {
        RowFilter::PassAll(true) => cells,
        RowFilter::Chain(filters) => filters.iter().fold(cells, |cells, filter| filtered(filter, key, cells)),
        RowFilter::RowKeyRegex(pattern) => keep(&|_| full(pattern, key), cells),
        RowFilter::FamilyNameRegex(pattern) => {
            keep(&|cell| full(pattern.as_bytes(), cell.family.as_bytes()), cells)
        }
        RowFilter::ColumnQualifierRegex(pattern) => keep(&|cell| full(pattern, &cell.qualifier), cells),
        RowFilter::ValueRegex(pattern) => keep(&|cell| full(pattern, &cell.value), cells),
        RowFilter::TimestampRange(range) => keep(&|cell| range.contains(cell.timestamp), cells),
        RowFilter::Condition { predicate, on_true: Some(on_true), on_false } => {
            match (filtered(predicate, key, cells.clone()).is_empty(), on_false) {
                (false, _) => filtered(on_true, key, cells),
                (true, Some(on_false)) => filtered(on_false, key, cells),
                (true, None) => Vec::new(),
            }
        }
        other => panic!("plans do not use {other:?}"),
    }
}

fn is_in(set: &RowSet, key: &RowKey) -> bool {
    set.is_all() || set.keys.contains(key) || set.ranges.iter().any(|range| range.contains(key))
}

/// Returns all rows that a plan reads, before its filter, for each part.
fn scanned(plan: &Plan, table: &Table) -> Vec<Vec<Row>> {
    let part = |set: &RowSet| {
        let rows = table.iter().filter(|(key, _)| is_in(set, key));
        rows.map(|(key, cells)| Row { key: key.clone(), cells: cells.clone() }).collect()
    };
    plan.parts.iter().map(part).collect()
}

/// Returns the result as a host reads it: parts in slices of a few rows, merged.
fn read(
    template: &Template,
    plan: &Plan,
    table: &Table,
    reversed: bool,
    limit: u64,
    slice: usize,
) -> Vec<Row> {
    let filter = plan.filter(None);
    let mut parts: Vec<Vec<Row>> = scanned(plan, table)
        .into_iter()
        .map(|mut rows| {
            for row in &mut rows {
                if let Some(filter) = &filter {
                    row.cells = filtered(filter, &row.key, core::mem::take(&mut row.cells));
                }
            }
            rows.retain(|row| !row.cells.is_empty());
            if reversed {
                rows.reverse();
            }
            rows
        })
        .collect();
    let mut merge = Merge::new(template, parts.len(), reversed, limit);
    let mut answer = Vec::new();
    while !merge.is_complete() {
        let waiting: Vec<usize> = merge.waiting().collect();
        assert!(!waiting.is_empty(), "a merge that is not complete waits for a part");
        for part in waiting {
            let at = slice.min(parts[part].len());
            let rest = parts[part].split_off(at);
            let rows = core::mem::replace(&mut parts[part], rest);
            merge.push(part, rows, parts[part].is_empty());
        }
        answer.extend(merge.pull());
    }
    answer
}

/// Returns whether an event matches a query by fields.
fn answers(fields: &[Field], event: &Event, choice: &RowChoice) -> bool {
    let RowChoice::Fields { equals, from, until } = choice else { panic!("a query by fields") };
    let text = |name: &str| event[fields.iter().position(|field| field.name == *name).unwrap()].as_deref();
    let at = Roles::of(fields)
        .time
        .and_then(|at| event[at].as_deref())
        .and_then(time::parse)
        .map(|micros| micros.div_euclid(1000));
    let bound = |bound: &Option<String>| bound.as_deref().map(|text| time::parse(text).unwrap());
    let instant = |text: &str| time::parse(text).unwrap().div_euclid(1000);
    equals.iter().all(|(name, asked)| match name.as_str() {
        "timestamp" => at == Some(instant(asked)),
        name => text(name) == Some(asked),
    }) && bound(from).is_none_or(|from| at.is_some_and(|at| at * 1000 >= from))
        && bound(until).is_none_or(|until| at.is_some_and(|at| at * 1000 < until))
}

/// Returns keys without their salt, with their cells, to compare tables that differ in their salt.
fn logical(template: &Template, rows: &[Row]) -> Vec<(Vec<u8>, Vec<Column>)> {
    rows.iter()
        .map(|row| (template.logical(&row.key).to_vec(), row.cells.iter().map(column).collect()))
        .collect()
}

fn check_case(case: &Case) -> core::result::Result<bool, TestCaseError> {
    let (plain, problems) = Template::parse(&case.text, &case.fields);
    prop_assert!(problems.is_empty(), "{problems:?}");
    let mut answer_of_plain: Option<Vec<(Vec<u8>, Vec<Column>)>> = None;
    let texts = ["", &case.salt, &case.cut_over].map(|salt| format!("{salt}{}", case.text));
    // Unsalted keys that begin with a salt are refused.
    let (cut_over, problems) = Template::parse(&texts[2], &case.fields);
    prop_assert!(
        problems.iter().all(|problem| problem.message.starts_with("A key before the cut-over begins")),
        "{problems:?}"
    );
    let is_written =
        |event: &&Event| !write(&cut_over, &case.layout, core::slice::from_ref(event)).is_empty();
    let events: Vec<Event> = case.events.iter().filter(is_written).cloned().collect();
    for text in texts {
        let (template, _) = Template::parse(&text, &case.fields);
        let written = write(&template, &case.layout, &events);
        let table = table(&written);
        let plan = match template.plan(&case.choice, &case.layout) {
            Ok(plan) => plan,
            Err(error) => {
                prop_assert_eq!(error.code, Code::FailedPrecondition, "{}", error.message);
                // A plan may only be refused for a field that the key does not contain.
                let RowChoice::Fields { equals, .. } = &case.choice else { unreachable!() };
                let stored = plain.stored(&case.layout);
                let key_matches = |name: &str| {
                    (0..stored.parts().len()).any(|at| {
                        matches!(&stored.parts()[at], crate::Part::Field { name: held, .. } if held == name)
                            && stored.is_injective(at)
                    })
                };
                prop_assert!(
                    !equals.iter().all(|(name, _)| name == "timestamp" || key_matches(name)),
                    "{}",
                    error.message
                );
                return Ok(false);
            }
        };
        let stored = template.stored(&case.layout);
        let mut rows: BTreeMap<RowKey, Vec<Cell>> = BTreeMap::new();
        for (key, cells) in &table {
            let right: Vec<Column> = written
                .iter()
                .filter(|(event, of, _)| of == key && answers(&case.fields, event, &case.choice))
                .flat_map(|(_, _, cells)| cells.iter().map(column))
                .collect();
            let cells: Vec<Cell> =
                cells.iter().filter(|cell| right.contains(&column(cell))).cloned().collect();
            if !cells.is_empty() {
                rows.entry(stored.logical(key).into()).or_default().extend(cells);
            }
        }
        rows.values_mut().for_each(|cells| {
            cells.sort_by_key(|cell| (cell.family.clone(), cell.qualifier.clone(), -cell.timestamp));
        });
        let of_row = |(key, cells): (RowKey, Vec<Cell>)| (key.to_vec(), cells.iter().map(column).collect());
        let expected: Vec<(Vec<u8>, Vec<Column>)> = rows.into_iter().map(of_row).collect();
        let all = read(&stored, &plan, &table, false, 0, case.slice);
        prop_assert_eq!(&logical(&stored, &all), &expected, "{:?} {}", plan, text);
        let scanned = scanned(&plan, &table);
        let logical_keys: BTreeSet<&[u8]> =
            scanned.iter().flatten().map(|row| stored.logical(&row.key)).collect();
        let rows = logical_keys.len();
        check_reads(&stored, &case.choice, &plan)?;
        prop_assert!(plan.scans_more || rows == all.len(), "{} rows scanned for {}", rows, all.len());

        let mut some = read(&stored, &plan, &table, case.reversed, case.limit, case.slice);
        let mut expected_some = expected;
        if case.reversed {
            expected_some.reverse();
        }
        if case.limit > 0 {
            expected_some.truncate(case.limit as usize);
        }
        prop_assert_eq!(logical(&stored, &some), expected_some);
        some = all;
        let answer = logical(&stored, &some);
        match &answer_of_plain {
            None => answer_of_plain = Some(answer),
            Some(plain) => prop_assert_eq!(&answer, plain, "a salt does not change the result"),
        }
    }
    Ok(true)
}

/// Checks that a query for times on one side of the cut-over does not read the other side.
fn check_reads(
    template: &Template,
    choice: &RowChoice,
    plan: &Plan,
) -> core::result::Result<(), TestCaseError> {
    let (Some(cut_over), RowChoice::Fields { from, until, .. }) = (template.cut_over(), choice) else {
        return Ok(());
    };
    let millis =
        |text: &Option<String>| text.as_deref().map(|text| -(-time::parse(text).unwrap()).div_euclid(1000));
    prop_assert!(plan.parts.len() <= template.scan_reads() as usize);
    let keys = plan.parts.iter().flat_map(|part| &part.keys);
    if millis(until).is_some_and(|until| until <= cut_over) {
        prop_assert!(plan.parts.len() <= 1, "{:?}", plan);
        prop_assert!(keys.clone().all(|key| template.is_unsalted(key)), "{:?}", plan);
    }
    if millis(from).is_some_and(|from| from >= cut_over) {
        prop_assert!(plan.parts.len() <= template.salts() as usize, "{:?}", plan);
        prop_assert!(keys.clone().all(|key| !template.is_unsalted(key)), "{:?}", plan);
    }
    Ok(())
}

#[test]
fn plans_answer_as_brute_force_does() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let planned = core::cell::Cell::new(0);
    let result = runner.run(&case(), |case| {
        planned.set(planned.get() + u32::from(check_case(&case)?));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // The test must not pass because all cases were refused.
    assert!(planned.get() > 1000, "only {} plans", planned.get());
}

/// Values that contain separators: a result may have too many rows (the advice warns about that),
/// but never too few.
#[test]
fn a_separator_in_a_value_loses_no_row() {
    let layout = Layout::new(LayoutKind::Narrow);
    for text in [
        "{app},{user},{timestamp:iso}",
        "{salt(8, user)}-{app},{user},{timestamp:iso}",
        "{timestamp:iso},{user},{app}",
    ] {
        let (template, _) = Template::parse(text, &event_fields());
        let events: Vec<Event> = ["a", "a,b", "b", ",", ""]
            .iter()
            .flat_map(|app| ["u", "b,u", "u,"].map(|user| (app.to_string(), user.to_string())))
            .map(|(app, user)| {
                let mut event = vec![None; 7];
                (event[0], event[1], event[2]) = (Some(app), Some(user), Some("2019-05-28".to_string()));
                event
            })
            .collect();
        let written = write(&template, &layout, &events);
        let table = table(&written);
        for (asked, key, _) in &written {
            let equals =
                vec![("app".into(), asked[0].clone().unwrap()), ("user".into(), asked[1].clone().unwrap())];
            let plan =
                template.plan(&RowChoice::Fields { equals, from: None, until: None }, &layout).unwrap();
            assert!(
                read(&template, &plan, &table, false, 0, 9).iter().any(|row| row.key == *key),
                "{text} {key}"
            );
            let logical = RowKey::from(template.logical(key));
            let plan = template.plan(&RowChoice::Keys(vec![logical]), &layout).unwrap();
            assert!(
                read(&template, &plan, &table, false, 0, 9).iter().any(|row| row.key == *key),
                "{text} {key}"
            );
        }
    }
}

proptest! {
    /// Boxes under keys with a salt, with parts before and after the Z-order, in both orders of the
    /// axes.
    #[test]
    fn boxes_answer_as_brute_force_does(
        points in proptest::collection::vec((0u32..=20, 0u32..=20, select(vec!["a", "bb"])), 1..60),
        corners in [0u32..=20, 0u32..=20, 0u32..=20, 0u32..=20],
        bits in 1u8..6,
        depth in proptest::option::of(0u8..6),
        form in (select(vec!["hex", "bytes"]), select(vec!["x", "y"])),
        text in select(vec![
            "{z}",
            "{z}#{app}",
            "{app}#{z}",
            "{salt(4)}-{z}#{app}",
            "{salt(3, app)}-{app}|{z}",
            "{salt(4, from=2020-01-01)}-{z}#{app}",
            "{salt(12, from=2020-01-01)}#{z}",
            "{salt(3, app, from=2020-01-01)}-{app}|{z}",
        ]),
        reversed in any::<bool>(),
    ) {
        let zorder = format!("{{zorder(lon, lat, bits={bits}, first={}, as={}, x=0..20, y=0..20)}}", form.1, form.0);
        let fields = fields(&[("lon", FieldKind::Float), ("lat", FieldKind::Float), ("app", FieldKind::Text), ("t", FieldKind::Time)]);
        let (template, problems) = Template::parse(&text.replace("{z}", &zorder), &fields);
        prop_assert!(problems.is_empty(), "{problems:?}");
        let layout = Layout::new(LayoutKind::Wide);
        let event = |(x, y, app): &(u32, u32, &str)| -> Event {
            let time = if (x + y) % 2 == 0 { "2019-01-01" } else { "2021-01-01" };
            vec![Some(x.to_string()), Some(y.to_string()), Some(app.to_string()), Some(time.to_string())]
        };
        let events: Vec<Event> = points.iter().map(event).collect();
        let written = write(&template, &layout, &events);
        let table = table(&written);
        let [a, b, c, d] = corners;
        let span = |field: &str, one: u32, other: u32| AxisSpan {
            field: field.into(),
            from: one.min(other).into(),
            to: one.max(other).into(),
        };
        let (x, y) = (span("lon", a, b), span("lat", c, d));
        let step = |value: f64| scale(value, 0.0, 20.0, bits).unwrap();
        let touches = |span: &AxisSpan, text: &Option<String>| {
            let value = step(text.as_deref().unwrap().parse().unwrap());
            (step(span.from)..=step(span.to)).contains(&value)
        };
        let mut expected: Vec<RowKey> = written
            .iter()
            .filter(|(event, ..)| touches(&x, &event[0]) && touches(&y, &event[1]))
            .map(|(_, key, _)| key.clone())
            .collect();
        expected.sort_by(|one, other| template.logical(one).cmp(template.logical(other)));
        expected.dedup();
        let plan = template.plan(&RowChoice::Box { x, y, depth }, &layout).unwrap();
        let mut keys: Vec<RowKey> = read(&template, &plan, &table, reversed, 0, 3).into_iter().map(|row| row.key).collect();
        if reversed {
            keys.reverse();
        }
        prop_assert_eq!(keys, expected);
        let rows: usize = scanned(&plan, &table).iter().map(Vec::len).sum();
        prop_assert!(plan.scans_more || rows == read(&template, &plan, &table, false, 0, 9).len());
        // The deepest ranges contain no other rows, whatever the salt is, unless another field
        // comes first.
        if depth.is_some_and(|depth| depth >= bits) && !text.starts_with("{app}") && !text.contains("{app}|") {
            prop_assert!(!plan.scans_more, "{plan:?}");
        }
    }
}
