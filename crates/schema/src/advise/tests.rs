use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use expect_test::{Expect, expect};
use tabletop_model::{TableView, TableWork, TabletId, TabletView};

use super::*;
use crate::{Design, Field, FieldKind, LayoutKind, Workspace, time};

/// A design with two tablets, the share of the first, and its stored bytes.
pub(crate) fn figures(name: &str, tone: Tone, share: f64, stored: u64) -> DesignFigures {
    let tablet = |id: u64, writes_per_second: f64| TabletView {
        id: TabletId(id),
        parent: None,
        start: Default::default(),
        end: Default::default(),
        rows: 50,
        cells: 100,
        exact: true,
        bytes: stored / 2,
        memtable_bytes: 0,
        sstables: 1,
        reads: 0,
        writes: 50,
        reads_per_second: 0.0,
        writes_per_second,
    };
    let work = TableWork { user_bytes: 1_000, flushed_bytes: 1_500, ..TableWork::default() };
    let tablets = vec![tablet(1, share * 100.0), tablet(2, (1.0 - share) * 100.0)];
    DesignFigures {
        design: Design { name: name.into(), ..Workspace::default().designs[0].clone() },
        problems: Vec::new(),
        events_built: 100,
        events_refused: 0,
        events_total: 100,
        changes: false,
        verdict: Verdict { tone, ..Verdict::default() },
        key_bytes_max: 40,
        logical_bytes: Some(10_000),
        table: TableView { tablets, work, splits: 1, ..TableView::default() },
        indexes: Vec::new(),
    }
}

/// A number that looks random and is always the same for a seed.
fn chance(seed: usize) -> usize {
    (crate::salt::hash(&seed.to_le_bytes()) >> 8) as usize
}

/// Two thousand events like those of Algolia's article: 3 apps, 300 users, one event per second.
fn events() -> (Vec<Field>, Vec<Vec<String>>) {
    use FieldKind::{Facets, Int, Text, Time};
    let fields = [
        ("app_id", Text),
        ("user_token", Text),
        ("timestamp", Time),
        ("event_type", Text),
        ("event_name", Text),
        ("count", Int),
        ("order_id", Int),
        ("facets", Facets),
    ];
    let fields = fields.map(|(name, kind)| Field::new(name, kind)).to_vec();
    let events = (0..2000).map(|at| {
        let user = chance(at) % 300;
        vec![
            format!("app_{}", user % 3),
            format!("{:016x}", chance(user + 5000)),
            time::format(1_559_001_600_000_000 + at as i64 * 1_000_000),
            ["view", "click", "conversion"][chance(at + 1) % 3].to_string(),
            ["home, sweet", "search"][chance(at + 2) % 2].to_string(),
            (chance(at + 3) % 2000).to_string(),
            (at + 995).to_string(),
            "brand:Apple".to_string(),
        ]
    });
    (fields, events.collect())
}

fn advice(text: &str, kind: LayoutKind, fields: &[Field], events: &[Vec<String>]) -> String {
    let (template, problems) = Template::parse(text, fields);
    assert_eq!(problems, []);
    let values: Vec<Vec<Option<&str>>> = events.iter().map(|event| event.iter().map(|text| Some(&text[..])).collect()).collect();
    let records = values.iter().map(|values| Record { fields, values });
    let mut out = String::new();
    for warning in advise(&template, &Layout::new(kind), records).warnings {
        let part = warning.part.map(|part| template.parts()[part as usize].clone());
        let part = part.map_or("-".into(), |part| Template::new([part], fields).text());
        writeln!(out, "{:?} {part}\n  {}\n  {}", warning.kind, warning.message, warning.evidence).unwrap();
        for Fix { label, patch } in &warning.fixes {
            let layout = patch.layout.as_ref().map(|layout| format!("{:?}", layout.kind));
            let change = patch.template.iter().chain(&layout).map(String::as_str).collect::<Vec<_>>().join(" ");
            writeln!(out, "  [{label}] {change}").unwrap();
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    let (fields, events) = events();
    expected.assert_eq(&advice(text, LayoutKind::Narrow, &fields, &events));
}

#[test]
fn a_good_key_has_no_warnings() {
    let (fields, events) = events();
    for text in [
        "{app_id},{user_token},{timestamp:iso}",
        "{user_token}#{timestamp:reverse_time}",
        "{salt(16)}-{timestamp:iso},{user_token}",
        "{timestamp:iso:reverse}",
        "{order_id:reverse}#{user_token}",
        "{user_token:hash(4)}{user_token}{timestamp:millis}",
        "{event_type},{user_token},{timestamp:iso}",
        "{user_token},{order_id}",
        "{count:pad(5)},{timestamp:iso}",
    ] {
        assert_eq!(advice(text, LayoutKind::Narrow, &fields, &events), "", "{text}");
        assert_eq!(advice(text, LayoutKind::Wide, &fields, &events), "", "{text}");
    }
    assert_eq!(advice("{timestamp:iso},{user_token}", LayoutKind::RowPerEntity, &fields, &events), "");
}

#[test]
fn a_key_that_begins_with_the_time() {
    check(
        "{timestamp:iso},{app_id},{user_token}",
        expect![[r#"
            MonotonicFirstField {timestamp:iso}
              The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Start with what you query by and put timestamp after it, or salt the key.
              The row key of 1,999 of 2,000 events is greater than all before it.
              [Move timestamp to the end] {app_id},{user_token},{timestamp:iso}
              [Salt with 8] {salt(8)}-{timestamp:iso},{app_id},{user_token}
        "#]],
    );
    check(
        "{timestamp:reverse_time},{user_token}",
        expect![[r#"
            MonotonicFirstField {timestamp:reverse_time}
              The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Start with what you query by and put timestamp after it, or salt the key.
              The row key of 1,999 of 2,000 events is smaller than all before it.
              [Move timestamp to the end] {user_token},{timestamp:reverse_time}
              [Salt with 8] {salt(8)}-{timestamp:reverse_time},{user_token}
        "#]],
    );
    check(
        "x{timestamp:bucket(1m)},{user_token},{timestamp:iso}",
        expect![[r#"
            MonotonicFirstField {timestamp:bucket(1m)}
              The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Leave it out, because the key has the exact timestamp after it, or salt the key.
              Eight of ten of the last 200 events lie within 8 % of the keys.
              [Remove {timestamp:bucket(1m)}] x{user_token},{timestamp:iso}
              [Salt with 8] {salt(8)}-x{timestamp:bucket(1m)},{user_token},{timestamp:iso}
        "#]],
    );
    check(
        "{order_id:pad(10)}",
        expect![[r#"
            MonotonicFirstField {order_id:pad(10)}
              Events arrive in the order of order_id, so one tablet or a few take most of the current writes. Start with a field that varies more between events, or salt the key. A file that is sorted by order_id is hot only while it is loaded.
              The row key of 1,999 of 2,000 events is greater than all before it.
              [Put user_token before order_id] {user_token},{order_id:pad(10)}
              [Salt with 8] {salt(8)}-{order_id:pad(10)}
        "#]],
    );
}

#[test]
fn a_leading_time_is_found_in_unsorted_or_few_events() {
    let (fields, mut events) = events();
    events.sort_by_key(|event| crate::salt::hash(event[2].as_bytes()));
    expect![[r#"
        MonotonicFirstField {timestamp:millis}
          The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Start with what you query by and put timestamp after it, or salt the key.
          These events are not in the order of timestamp, but live ones will be.
          [Move timestamp to the end] {user_token},{timestamp:millis}
          [Salt with 8] {salt(8)}-{timestamp:millis},{user_token}
    "#]].assert_eq(&advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &events));
    expect![[r#"
        MonotonicFirstField {timestamp:millis}
          The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Start with what you query by and put timestamp after it, or salt the key.
          3 events do not show it yet; many that arrive one after the other will.
          [Move timestamp to the end] {user_token},{timestamp:millis}
          [Salt with 8] {salt(8)}-{timestamp:millis},{user_token}
    "#]].assert_eq(&advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &events[..3]));
    assert_eq!(advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &[]), "");
}

#[test]
fn few_beginnings() {
    check(
        "{app_id},{timestamp:iso},{user_token}",
        expect![[r#"
            LowCardinalityPrefix {timestamp:iso}
              Only 3 values of app_id come before timestamp, so at most 3 tablets take writes at a time. Put a field with many values between them, or salt the key.
              3 different values of app_id; events that arrive together touch 16 % of the keys.
              [Move timestamp to the end] {app_id},{user_token},{timestamp:iso}
              [Salt with 8] {salt(8)}-{app_id},{timestamp:iso},{user_token}
        "#]],
    );
    check(
        "{event_type},{event_name:hash(3)}",
        expect![[r#"
            LowCardinalityPrefix {event_type}
              Only 6 distinct keys. A row cannot be split, so at most 6 tablets can share the load. Add a field with many values to the key.
              2,000 events have 6 distinct keys.
              [Add user_token to the end] {event_type},{event_name:hash(3)},{user_token}
            SharedKey -
              Events share a row key, so their cells end up in one row: add a field that distinguishes them to the end of the key, or choose Row per entity.
              In shared rows: 2,000 of 2,000 events, some of them in "click,1cc".
              [Add user_token and timestamp to the end] {event_type},{event_name:hash(3)},{user_token},{timestamp:iso}
        "#]],
    );
}

#[test]
fn numbers_that_sort_as_texts() {
    check(
        "{count},{user_token},{timestamp:iso}",
        expect![[r#"
            UnpaddedNumber {count}
              Row keys sort as bytes, so values of count are not in numeric order. Write {count:pad(10)}.
              "10" sorts before "9".
              [Pad to 10] {count:pad(10)},{user_token},{timestamp:iso}
        "#]],
    );
    let (fields, mut events) = events();
    for (at, event) in events.iter_mut().enumerate() {
        event[2] = (999_999_000 + at).to_string();
    }
    expect![[r#"
        UnpaddedNumber {timestamp}
          Row keys sort as bytes, so values of timestamp are not in order of time. Write {timestamp:iso}.
          "1000000000" sorts before "999999999".
          [Write timestamp as iso] {user_token},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp}", LayoutKind::Narrow, &fields, &events));
}

#[test]
fn separators_in_values() {
    check(
        "{event_name},{user_token},{timestamp:iso}",
        expect![[r#"
            SeparatorInsideValue {event_name}
              Values of event_name contain ",", the separator after them, so a prefix also finds other values and a key can be read in two ways. Choose another separator, or hash event_name.
              1,033 of 2,000 events, among them "home, sweet".
              [Separate with #] {event_name}#{user_token},{timestamp:iso}
        "#]],
    );
    check(
        "{event_type}{user_token},{timestamp:iso}",
        expect![[r#"
            SeparatorInsideValue {event_type}
              Nothing separates event_type from user_token, so a key can be read in two ways. Put a separator between them.
              "conversion" and "click" have different lengths.
        "#]],
    );
}

#[test]
fn long_keys_are_expensive_or_refused() {
    let (fields, mut events) = events();
    events.truncate(300);
    for (at, event) in events.iter_mut().enumerate() {
        event[1] = format!("{:016x}{}", chance(at), "x".repeat(400));
    }
    expect![[r#"
        KeyTooLong {user_token}
          Long row keys are expensive: they are stored with every row and sent with every read. Hash user_token, or leave it out.
          The longest key has 441 bytes, the mean is 441.
          [Hash user_token] {user_token:hash},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    events[7][1] = "x".repeat(5000);
    expect![[r#"
        KeyTooLong {user_token}
          Row keys over 4,096 bytes are refused. Hash user_token, or leave it out.
          Refused: 1 of 300 events; the longest key has 5,025 bytes.
          [Hash user_token] {user_token:hash},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
}

#[test]
fn a_cut_over_with_all_events_on_one_side() {
    let (fields, events) = events();
    let (first, last) = (events[0][2].clone(), events[events.len() - 1][2].clone());
    let advice_from =
        |from: &str, key: &str| advice(&format!("{{salt(8, from={from})}}-{key}"), LayoutKind::Narrow, &fields, &events);
    let mut said = String::new();
    for from in ["2000-01-01", &first, &last, "2100-01-01"] {
        writeln!(said, "{from}\n{}", advice_from(from, "{timestamp:iso},{user_token}")).unwrap();
    }
    expect![[r#"
        2000-01-01
        CutOverWithoutEffect {salt(8, from=2000-01-01)}
          All events are salted: none is before 2000-01-01. A scan reads 9 ranges, and the one of unsalted keys is empty. Remove the cut-over, or load the older events, too.
          0 of 2,000 events are before the cut-over.
          [Salt all events] {salt(8)}-{timestamp:iso},{user_token}

        2019-05-28T00:00:00.000Z
        CutOverWithoutEffect {salt(8, from=2019-05-28)}
          All events are salted: none is before 2019-05-28. A scan reads 9 ranges, and the one of unsalted keys is empty. Remove the cut-over, or load the older events, too.
          0 of 2,000 events are before the cut-over.
          [Salt all events] {salt(8)}-{timestamp:iso},{user_token}

        2019-05-28T00:33:19.000Z

        2100-01-01
        MonotonicFirstField {timestamp:iso}
          The key starts with timestamp, so one tablet or a few take most of the current writes, no matter how many nodes you add. Salt the key.
          The row key of 1,999 of 2,000 events is greater than all before it.
          [Move timestamp to the end] {salt(8, from=2100-01-01)}-{user_token},{timestamp:iso}
        CutOverWithoutEffect {salt(8, from=2100-01-01)}
          No event is salted: all are before 2100-01-01. A scan reads 9 ranges, and those of the 8 salts are empty. Take an earlier time, or salt all events.
          2,000 of 2,000 events are before the cut-over.
          [Salt all events] {salt(8)}-{timestamp:iso},{user_token}

    "#]].assert_eq(&said);
    // The events in the middle of the sample: later ones are spread, and only they count for the salts.
    let middle = &events[events.len() / 2][2];
    let (template, _) = Template::parse(&format!("{{salt(8, from={middle})}}-{{timestamp:iso}},{{user_token}}"), &fields);
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(|text| Some(text.as_str())).collect()).collect();
    let records = values.iter().map(|values| Record { fields: &fields, values });
    let advice = advise(&template, &Layout::new(LayoutKind::Narrow), records);
    let salt = advice.salt.expect("there is a salt");
    assert_eq!((salt.salts, salt.used, salt.is_uneven), (8, 8, false));
    assert!(salt.largest_share < 0.2, "{salt:?}");
    assert_eq!((advice.warnings, advice.pattern), (Vec::new(), Pattern::Rising));
}

#[test]
fn events_that_share_a_row() {
    let (fields, mut events) = events();
    expect![[r#"
        SharedKey -
          Events share a row key, so their cells end up in one row: add a field that distinguishes them to the end of the key, or choose Row per entity.
          In shared rows: 1,998 of 2,000 events, some of them in "0001f1e1085c4206".
          [Add timestamp to the end] {user_token},{timestamp:iso}
    "#]].assert_eq(&advice("{user_token}", LayoutKind::Narrow, &fields, &events));
    // The second field only distinguishes events of the same second. Without a time before it, a range of times is scattered.
    let mut same_second = events.clone();
    for at in 0..1000 {
        same_second[at * 2 + 1] = same_second[at * 2].clone();
        same_second[at * 2 + 1][6] = at.to_string();
    }
    expect![[r#"
        SharedKey -
          Events share a row key, and the later one replaces cells of the earlier one: add a field that distinguishes them to the end of the key.
          In shared rows: 2,000 of 2,000 events, some of them in "0001f1e1085c4206". Replaced in whole or in part: 1,000.
          [Add timestamp and order_id to the end] {user_token},{timestamp:iso},{order_id:pad(10)}
    "#]].assert_eq(&advice("{user_token}", LayoutKind::Narrow, &fields, &same_second));
    // The same second twice: with the same event name one replaces the other.
    events[100][1] = events[99][1].clone();
    events[100][2] = events[99][2].clone();
    events[100][3] = events[99][3].clone();
    events[100][4] = events[99][4].clone();
    expect![[r#"
        SharedKey -
          Events share a row key, and the later one replaces cells of the earlier one: add a field that distinguishes them to the end of the key.
          In shared rows: 2 of 2,000 events, some of them in "0043a2c5a7da812c,2019-05-28T00:01:39.000…". Replaced in whole or in part: 1.
          [Add order_id to the end] {user_token},{timestamp:iso},{order_id:pad(10)}
    "#]].assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    expect![[r#"
        SharedKey -
          Events with the same row, column and millisecond replace each other, and only the last one stays: add a field that distinguishes them to the end of the key.
          Replaced: 1 of 2,000 events, among them one in the row "0043a2c5a7da812c".
    "#]].assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::RowPerEntity, &fields, &events));
    events[100][4] = "other".into();
    expect![""].assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::RowPerEntity, &fields, &events));
}

#[test]
fn odd_family_names_and_many_families_are_reported() {
    let (fields, mut events) = events();
    for event in &mut events {
        event[3] = "click it".into();
    }
    expect![[r#"
        FamilyNames -
          A family name has at most 64 letters, digits, - and _. Other bytes become a full stop and two hexadecimal digits.
          One family is called "click.20it".
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    for (at, event) in events.iter_mut().enumerate() {
        event[3] = format!("type{}", at % 101);
    }
    expect![[r#"
        FamilyNames -
          A table should have at most about 100 families, because each takes memory: name them after a field with few values.
          2,000 events have 101 families.
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    assert_eq!(advice("{user_token},{timestamp:iso}", LayoutKind::Wide, &fields, &events), "");
}

#[test]
fn a_long_literal_of_the_template_is_reported() {
    let (fields, events) = events();
    let long = "k".repeat(2000);
    expect![[r#"
        KeyTooLong -
          Long row keys are expensive: they are stored with every row and sent with every read. Shorten the literal text in the template.
          The longest key has 2,016 bytes, the mean is 2,016.
    "#]]
    .assert_eq(&advice(&format!("{{user_token}}{long}"), LayoutKind::Narrow, &fields, &events[..1]));
}

#[test]
fn values_of_another_kind_are_reported_in_any_event() {
    let (mut fields, events) = events();
    fields[3].kind = FieldKind::Int;
    expect![[r#"
        OtherKind -
          Some values of event_type are not of its type (integer) and count as text. Correct the type in the data pane.
          5 of 5 events, among them "conversion".
    "#]]
    .assert_eq(&advice("{user_token}#{timestamp:iso}", LayoutKind::Narrow, &fields, &events[..5]));
}

#[test]
fn writes_to_all_tablets_of_a_small_table_are_not_said_to_hit_all_of_them() {
    let (fields, events) = events();
    let (template, _) = Template::parse("{timestamp:iso},{user_token}", &fields);
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(|text| Some(text.as_str())).collect()).collect();
    let records = values.iter().map(|values| Record { fields: &fields, values });
    let advice = advise(&template, &Layout::new(LayoutKind::Narrow), records);
    let mut table = figures("A", Tone::Plain, 0.5, 100).table;
    table.tablets.push(table.tablets[1].clone());
    for (tablet, writes) in table.tablets.iter_mut().zip([15.0, 19.0, 66.0]) {
        tablet.writes_per_second = writes;
    }
    let verdict = judge(&advice, &table, Arrival::Complete);
    assert_eq!((verdict.tone, verdict.hot.as_slice()), (Tone::Hot, [2].as_slice()));
    assert_eq!(verdict.headline(), "66 % of the current writes hit 1 of 3 tablets");
}

#[test]
fn a_salt_cannot_divide_the_row_of_an_entity() {
    let (fields, mut events) = events();
    for at in (0..2000).step_by(6) {
        events[at][1] = events[0][1].clone();
    }
    let row = |text: &str| advice(text, LayoutKind::RowPerEntity, &fields, &events);
    expect![[r#"
        LargeRow -
          One row takes 17 % of the writes: a row has all events of one user_token. A row cannot be split, and a salt cannot divide it. If one tablet cannot take that, add a field to the key that distinguishes its events, or choose Narrow.
          The row "2-004e519c1f354535" has 341 of 2,000 events.
    "#]].assert_eq(&row("{salt(8, user_token)}-{user_token},{timestamp:iso}"));
    expect![[r#"
        LargeRow -
          One row takes 17 % of the writes: a row has all events of one user_token. A row cannot be split, and a salt cannot divide it. If one tablet cannot take that, add a field to the key that distinguishes its events, or choose Narrow.
          The row "7-004e519c1f354535" has 341 of 2,000 events.
    "#]].assert_eq(&row("{salt(8)}-{user_token},{timestamp:iso}"));
    // Another field divides the row in two.
    assert_eq!(row("{salt(8)}-{timestamp:iso},{event_name:hash},{user_token}"), "");
    // Under a key that grows, the salt of a frequent value is uneven itself.
    expect![[r#"
        UnevenSalt -
          The salt is made of user_token, which has too few values, or some that are far more frequent than others. Take the salt over the whole key.
          8 of 8 salts are used; one has 29 % of the events.
          [Salt over the whole key] {salt(8)}-{timestamp:iso},{user_token}
    "#]].assert_eq(&advice(
        "{salt(8, user_token)}-{timestamp:iso},{user_token}",
        LayoutKind::Narrow,
        &fields,
        &events,
    ));
}

#[test]
fn few_salts_are_a_caution() {
    check(
        "{salt(2)}-{timestamp:iso},{user_token}",
        expect![[r#"
        FewSalts -
          With 2 salts, at most 2 tablets take writes at a time. Take more salts if you expect more writes than 2 tablets can take.
          Without the salt, new rows lie next to each other.
          [Salt with 8] {salt(8)}-{timestamp:iso},{user_token}
    "#]],
    );
    check(
        "{salt(4)}-{app_id},{timestamp:iso},{user_token}",
        expect![[r#"
        FewSalts -
          With 4 salts, at most 4 tablets take the writes of one app_id at a time. Take more salts if you expect more writes of the most frequent one than 4 tablets can take.
          3 different values of app_id.
          [Salt with 8] {salt(8)}-{app_id},{timestamp:iso},{user_token}
    "#]],
    );
    check("{salt(5)}-{timestamp:iso},{user_token}", expect![[r#""#]]);
}

#[test]
fn a_row_per_entity_that_only_removes_the_time() {
    let (fields, events) = events();
    let row = |text: &str| advice(text, LayoutKind::RowPerEntity, &fields, &events);
    expect![[r#"
        LayoutWithoutEffect -
          Each row has one event: this layout only removes timestamp from the key.
          2,000 events have 2,000 different row keys.
    "#]]
    .assert_eq(&row("{timestamp:iso},{user_token},{order_id}"));
    // As iso, each event would still have its own row.
    expect![[r#"
        LayoutWithoutEffect {timestamp:hash}
          Row per entity has no effect: no two events share a row key.
          2,000 events have 2,000 different row keys.
          [Use Narrow] Narrow
    "#]]
    .assert_eq(&row("{user_token},{timestamp:hash},{order_id}"));
    // As iso, events of one user share a row.
    expect![[r#"
        LayoutWithoutEffect {timestamp:hash}
          Row per entity has no effect: the key has timestamp as a hash, which cannot become the cells' timestamp, so each event has its own row. Write it as iso, millis or reverse_time.
          2,000 events have 2,000 different row keys.
          [Write timestamp as iso] {user_token},{timestamp:iso}
          [Use Narrow] Narrow
    "#]].assert_eq(&row("{user_token},{timestamp:hash}"));
}
