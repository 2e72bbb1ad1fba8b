use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write as _;

use expect_test::{Expect, expect};
use tabletop_keys::{Field, FieldKind, LayoutKind, time};
use tabletop_model::{TableView, TableWork, TabletId, TabletView};
use tabletop_workspace::{Design, Workspace};

use super::*;

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
        events_shared: 0,
        events_total: 100,
        changes: false,
        verdict: Verdict { tone, ..Verdict::default() },
        key_bytes_max: 40,
        logical_bytes: Some(10_000),
        compressed_bytes: Some(stored),
        table: TableView { tablets, work, splits: 1, ..TableView::default() },
        indexes: Vec::new(),
    }
}

/// A number that looks random and is always the same for a seed.
fn chance(seed: usize) -> usize {
    (tabletop_keys::salt::hash(&seed.to_le_bytes()) >> 8) as usize
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
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(|text| Some(&text[..])).collect()).collect();
    let records = values.iter().map(|values| Record { fields, values });
    let mut out = String::new();
    for warning in advise(&template, &Layout::new(kind), Context::default(), records).warnings {
        let part = warning.part.map(|part| template.parts()[part as usize].clone());
        let part = part.map_or("-".into(), |part| Template::new([part], fields).text());
        writeln!(out, "{:?} {part}\n  {:?}", warning.kind(), warning.cause).unwrap();
        for Fix { kind, patch, .. } in &warning.fixes {
            let layout = patch.layout.as_ref().map(|layout| format!("{:?}", layout.kind));
            let change =
                patch.template.iter().chain(&layout).map(String::as_str).collect::<Vec<_>>().join(" ");
            writeln!(out, "  [{kind:?}] {change}").unwrap();
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
              Pattern(LeadingTime { time: "timestamp", remedy: StartWithAnother, shown: OneMoment { percent: 100 } })
              [MoveToEnd("timestamp")] {app_id},{user_token},{timestamp:iso}
              [Salt(8)] {salt(8)}-{timestamp:iso},{app_id},{user_token}
        "#]],
    );
    check(
        "{timestamp:reverse_time},{user_token}",
        expect![[r#"
            MonotonicFirstField {timestamp:reverse_time}
              Pattern(LeadingTime { time: "timestamp", remedy: StartWithAnother, shown: OneMoment { percent: 100 } })
              [MoveToEnd("timestamp")] {user_token},{timestamp:reverse_time}
              [Salt(8)] {salt(8)}-{timestamp:reverse_time},{user_token}
        "#]],
    );
    check(
        "x{timestamp:bucket(1m)},{user_token},{timestamp:iso}",
        expect![[r#"
            MonotonicFirstField {timestamp:bucket(1m)}
              Pattern(LeadingTime { time: "timestamp", remedy: LeaveOut, shown: OneMoment { percent: 100 } })
              [Remove("{timestamp:bucket(1m)}")] x{user_token},{timestamp:iso}
              [Salt(8)] {salt(8)}-x{timestamp:bucket(1m)},{user_token},{timestamp:iso}
        "#]],
    );
    check(
        "{order_id:pad(10)}",
        expect![[r#"
            MonotonicFirstField {order_id:pad(10)}
              Pattern(LeadingOrder { fields: ["order_id"], is_alone: false, shown: OneMoment { percent: 100 } })
              [PutBefore { field: "user_token", next: "order_id" }] {user_token},{order_id:pad(10)}
              [Salt(8)] {salt(8)}-{order_id:pad(10)}
        "#]],
    );
}

#[test]
fn a_leading_time_is_found_in_unsorted_or_few_events() {
    let (fields, mut events) = events();
    events.sort_by_key(|event| tabletop_keys::salt::hash(event[2].as_bytes()));
    expect![[r#"
        MonotonicFirstField {timestamp:millis}
          Pattern(LeadingTime { time: "timestamp", remedy: StartWithAnother, shown: OneMoment { percent: 100 } })
          [MoveToEnd("timestamp")] {user_token},{timestamp:millis}
          [Salt(8)] {salt(8)}-{timestamp:millis},{user_token}
    "#]]
    .assert_eq(&advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &events));
    expect![[r#"
        MonotonicFirstField {timestamp:millis}
          Pattern(LeadingTime { time: "timestamp", remedy: StartWithAnother, shown: TooFewEvents(3) })
    "#]]
    .assert_eq(&advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &events[..3]));
    assert_eq!(advice("{timestamp:millis},{user_token}", LayoutKind::Narrow, &fields, &[]), "");
}

#[test]
fn few_beginnings() {
    check(
        "{app_id},{timestamp:iso},{user_token}",
        expect![[r#"
            LowCardinalityPrefix {timestamp:iso}
              Pattern(FewRanges { ranges: 3, fields: ["app_id"], time: "timestamp", hottest_percent: 34 })
              [MoveToEnd("timestamp")] {app_id},{user_token},{timestamp:iso}
              [Salt(8)] {salt(8)}-{app_id},{timestamp:iso},{user_token}
        "#]],
    );
    check(
        "{event_type},{event_name:hash(3)}",
        expect![[r#"
            LowCardinalityPrefix {event_type}
              Pattern(FewRows { rows: 6, events: 2000 })
              [Several([AddToEnd(["user_token"]), AddToEnd(["timestamp"])])] {event_type},{event_name:hash(3)},{user_token},{timestamp:iso}
            SharedKey -
              Key(Sharing { shared: 2000, events: 2000, example: "click,1cc" })
        "#]],
    );
}

#[test]
fn numbers_that_sort_as_texts() {
    check(
        "{count},{user_token},{timestamp:iso}",
        expect![[r#"
            UnpaddedNumber {count}
              Value(OutOfOrder { of: Integers("count"), first: "10", second: "9" })
              [Pad(4)] {count:pad(4)},{user_token},{timestamp:iso}
        "#]],
    );
    let (fields, mut events) = events();
    for (at, event) in events.iter_mut().enumerate() {
        event[2] = (999_999_000 + at).to_string();
    }
    expect![[r#"
        UnpaddedNumber {timestamp}
          Value(OutOfOrder { of: Times("timestamp"), first: "1000000000", second: "999999999" })
          [WriteAsIso("timestamp")] {user_token},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp}", LayoutKind::Narrow, &fields, &events));
}

#[test]
fn separators_in_values() {
    check(
        "{event_name},{user_token},{timestamp:iso}",
        expect![[r##"
            SeparatorInsideValue {event_name}
              Value(SeparatorInside { fields: ["event_name"], separator: ",", count: 1033, events: 2000, example: "home, sweet" })
              [SeparateWith("#")] {event_name}#{user_token},{timestamp:iso}
        "##]],
    );
    check(
        "{event_type}{user_token},{timestamp:iso}",
        expect![[r#"
            SeparatorInsideValue {event_type}
              Value(Unseparated { fields: ["event_type"], next: ["user_token"], lengths: ["conversion", "click"] })
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
          Key(Expensive { part: Fields(["user_token"]), longest_bytes: 441, mean_bytes: 441 })
          [Hash("user_token")] {user_token:hash},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    events[7][1] = "x".repeat(5000);
    expect![[r#"
        KeyTooLong {user_token}
          Key(TooLong { part: Fields(["user_token"]), refused: 1, events: 300, longest_bytes: 5025 })
          [Hash("user_token")] {user_token:hash},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
}

#[test]
fn a_cut_over_with_all_events_on_one_side() {
    let (fields, events) = events();
    let (first, last) = (events[0][2].clone(), events[events.len() - 1][2].clone());
    let advice_from = |from: &str, key: &str| {
        advice(&format!("{{salt(8, from={from})}}-{key}"), LayoutKind::Narrow, &fields, &events)
    };
    let mut said = String::new();
    for from in ["2000-01-01", &first, &last, "2100-01-01"] {
        writeln!(said, "{from}\n{}", advice_from(from, "{timestamp:iso},{user_token}")).unwrap();
    }
    expect![[r#"
        2000-01-01
        CutOverWithoutEffect {salt(8, from=2000-01-01)}
          Salt(AllAfterCutOver { salts: 8, from: "2000-01-01", events: 2000 })
          [RemoveCutOver] {salt(8)}-{timestamp:iso},{user_token}

        2019-05-28T00:00:00.000Z
        CutOverWithoutEffect {salt(8, from=2019-05-28)}
          Salt(AllAfterCutOver { salts: 8, from: "2019-05-28", events: 2000 })
          [RemoveCutOver] {salt(8)}-{timestamp:iso},{user_token}

        2019-05-28T00:33:19.000Z

        2100-01-01
        MonotonicFirstField {timestamp:iso}
          Pattern(LeadingTime { time: "timestamp", remedy: StartWithAnother, shown: OneMoment { percent: 100 } })
          [MoveToEnd("timestamp")] {salt(8, from=2100-01-01)}-{user_token},{timestamp:iso}
        CutOverWithoutEffect {salt(8, from=2100-01-01)}
          Salt(NoneAfterCutOver { salts: 8, from: "2100-01-01", events: 2000 })
          [RemoveCutOver] {salt(8)}-{timestamp:iso},{user_token}

    "#]]
    .assert_eq(&said);
    // The events in the middle of the sample: later ones are spread, and only they count for the
    // salts.
    let middle = &events[events.len() / 2][2];
    let (template, _) =
        Template::parse(&format!("{{salt(8, from={middle})}}-{{timestamp:iso}},{{user_token}}"), &fields);
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(|text| Some(text.as_str())).collect()).collect();
    let records = values.iter().map(|values| Record { fields: &fields, values });
    let advice = advise(&template, &Layout::new(LayoutKind::Narrow), Context::default(), records);
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
          Key(Sharing { shared: 1998, events: 2000, example: "0001f1e1085c4206" })
          [AddToEnd(["timestamp"])] {user_token},{timestamp:iso}
    "#]]
    .assert_eq(&advice("{user_token}", LayoutKind::Narrow, &fields, &events));
    // The second field only distinguishes events of the same second. Without a time before it, a
    // range of times is scattered.
    let mut same_second = events.clone();
    for at in 0..1000 {
        same_second[at * 2 + 1] = same_second[at * 2].clone();
        same_second[at * 2 + 1][6] = at.to_string();
    }
    expect![[r#"
        SharedKey -
          Key(SharingAndReplacing { shared: 2000, events: 2000, example: "0001f1e1085c4206", replaced: 1000 })
          [AddToEnd(["timestamp", "order_id"])] {user_token},{timestamp:iso},{order_id:pad(4)}
    "#]]
    .assert_eq(&advice("{user_token}", LayoutKind::Narrow, &fields, &same_second));
    // The same second twice: with the same event name one replaces the other.
    events[100][1] = events[99][1].clone();
    events[100][2] = events[99][2].clone();
    events[100][3] = events[99][3].clone();
    events[100][4] = events[99][4].clone();
    expect![[r#"
        SharedKey -
          Key(SharingAndReplacing { shared: 2, events: 2000, example: "0043a2c5a7da812c,2019-05-28T00:01:39.000…", replaced: 1 })
          [AddToEnd(["app_id"])] {user_token},{timestamp:iso},{app_id}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    expect![[r#"
        SharedKey -
          Key(Replacing { replaced: 1, events: 2000, example: "0043a2c5a7da812c" })
          [AddToEnd(["app_id"])] {user_token},{timestamp:iso},{app_id}
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::RowPerEntity, &fields, &events));
    events[100][4] = "other".into();
    expect![""].assert_eq(&advice(
        "{user_token},{timestamp:iso}",
        LayoutKind::RowPerEntity,
        &fields,
        &events,
    ));
}

#[test]
fn odd_family_names_and_many_families_are_reported() {
    let (fields, mut events) = events();
    for event in &mut events {
        event[3] = "click it".into();
    }
    expect![[r#"
        FamilyNames -
          Layout(ChangedFamily { family: "click.20it" })
    "#]]
    .assert_eq(&advice("{user_token},{timestamp:iso}", LayoutKind::Narrow, &fields, &events));
    for (at, event) in events.iter_mut().enumerate() {
        event[3] = format!("type{}", at % 101);
    }
    expect![[r#"
        FamilyNames -
          Layout(ManyFamilies { families: 101, events: 2000, families_max: 100 })
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
          Key(Expensive { part: Literal, longest_bytes: 2016, mean_bytes: 2016 })
    "#]]
    .assert_eq(&advice(&format!("{{user_token}}{long}"), LayoutKind::Narrow, &fields, &events[..1]));
}

#[test]
fn values_of_another_kind_are_reported_in_any_event() {
    let (mut fields, events) = events();
    fields[3].kind = FieldKind::Int;
    expect![[r#"
        OtherKind -
          Value(OtherKind { field: "event_type", kind: Int, count: 5, events: 5, example: "conversion" })
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
    let advice = advise(&template, &Layout::new(LayoutKind::Narrow), Context::default(), records);
    let mut table = figures("A", Tone::Plain, 0.5, 100).table;
    table.tablets.push(table.tablets[1].clone());
    for (tablet, writes) in table.tablets.iter_mut().zip([15.0, 19.0, 66.0]) {
        tablet.writes_per_second = writes;
    }
    let verdict = judge(&advice, &table, Arrival::Complete);
    assert_eq!((verdict.tone, verdict.hot.as_slice()), (Tone::Hot, [2].as_slice()));
    assert!(
        matches!(verdict.finding, Finding::Concentrated { busy: 1, tablets: 3, share: 0.66 }),
        "{:?}",
        verdict.finding
    );
}

#[test]
fn a_tick_over_tablets_that_share_the_writes_has_no_tablet_over_its_share() {
    let load = LiveLoad { tablets: 92, hottest_tablet: 0.03, hottest_place: 0.03, places: 40 };
    let advice =
        Advice { load: Some(load), losses: Some(Losses::default()), events: 12_000, ..Advice::default() };
    let mut table = figures("A", Tone::Plain, 0.5, 100).table;
    let tablet = table.tablets[1].clone();
    // Most tablets are full: each device writes to the last one of its own.
    table.tablets = (0..92).map(|_| tablet.clone()).collect();
    for (at, tablet) in table.tablets.iter_mut().enumerate() {
        tablet.writes_per_second = if at % 5 < 2 { 5.0 } else { 0.0 };
    }
    let verdict = judge(&advice, &table, Arrival::Complete);
    assert_eq!(verdict.tone, Tone::Good, "{:?}", verdict.finding);
    let shares = TableLoad::of(&table).shares;
    let levels: Vec<usize> = (0..92).map(|at| verdict.level(at, shares[at])).collect();
    assert_eq!((levels[0], levels[2]), (2, 0));
    assert!(levels.iter().all(|level| *level < 3), "{levels:?}");
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
          Layout(LargeRow { share: 0.1705, entity: ["user_token"], remedy: AddFieldOrNarrow, row: "2-004e519c1f354535", events: 341, all: 2000 })
        SaltWithoutEffect {salt(8, user_token)}
          Salt(WithoutEffect { salts: 8, without: 0.338, with: 0.358 })
          [RemoveSalt] {user_token},{timestamp:iso}
    "#]].assert_eq(&row("{salt(8, user_token)}-{user_token},{timestamp:iso}"));
    expect![[r#"
        LargeRow -
          Layout(LargeRow { share: 0.1705, entity: ["user_token"], remedy: AddFieldOrNarrow, row: "7-004e519c1f354535", events: 341, all: 2000 })
        SaltWithoutEffect {salt(8)}
          Salt(WithoutEffect { salts: 8, without: 0.338, with: 0.366 })
          [RemoveSalt] {user_token},{timestamp:iso}
    "#]].assert_eq(&row("{salt(8)}-{user_token},{timestamp:iso}"));
    // Another field divides the row in two.
    assert_eq!(row("{timestamp:iso},{event_name:hash},{user_token}"), "");
    // Under a key that grows, the salt of a frequent value is uneven itself.
    expect![[r#"
        UnevenSalt -
          Salt(UnevenFields { fields: ["user_token"], spread: SaltSpread { used: 8, salts: 8, largest_share: 0.292 } })
          [SaltOverKey] {salt(8)}-{timestamp:iso},{user_token}
    "#]]
    .assert_eq(&advice("{salt(8, user_token)}-{timestamp:iso},{user_token}", LayoutKind::Narrow, &fields, &events));
}

#[test]
fn few_salts_are_a_caution() {
    check(
        "{salt(2)}-{timestamp:iso},{user_token}",
        expect![[r#"
            FewSalts -
              Salt(FewForRising { salts: 2 })
              [Salt(8)] {salt(8)}-{timestamp:iso},{user_token}
        "#]],
    );
    check(
        "{salt(4)}-{app_id},{timestamp:iso},{user_token}",
        expect![[r#"
            FewSalts -
              Salt(FewForRanges { salts: 4, ranges: 3, fields: ["app_id"] })
              [Salt(8)] {salt(8)}-{app_id},{timestamp:iso},{user_token}
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
          Layout(WithoutEffect { reason: OnlyWithoutTime("timestamp"), events: 2000 })
    "#]]
    .assert_eq(&row("{timestamp:iso},{user_token},{order_id}"));
    // As iso, each event would still have its own row.
    expect![[r#"
        LayoutWithoutEffect {timestamp:hash}
          Layout(WithoutEffect { reason: DifferentKeys, events: 2000 })
          [UseNarrow] Narrow
    "#]]
    .assert_eq(&row("{user_token},{timestamp:hash},{order_id}"));
    // As iso, events of one user share a row.
    expect![[r#"
        LayoutWithoutEffect {timestamp:hash}
          Layout(WithoutEffect { reason: TimeInForm { time: "timestamp", form: Hash }, events: 2000 })
          [WriteAsIso("timestamp")] {user_token},{timestamp:iso}
          [UseNarrow] Narrow
    "#]]
    .assert_eq(&row("{user_token},{timestamp:hash}"));
}

/// Events of which every `nth` has no user; the others have one of 300.
fn without_users(nth: usize) -> (Vec<Field>, Vec<[Option<String>; 4]>) {
    use FieldKind::{Text, Time};
    let fields = [("at", Time), ("session", Text), ("user", Text), ("page", Text)];
    let event = |at: usize| {
        let user = format!("u{}", chance(at) % 300);
        [
            Some(time::format(1_559_001_600_000_000 + at as i64 * 1_000_000)),
            Some(format!("{:016x}", chance(at / 4 + 9_000))),
            Some(user).filter(|_| !chance(at + 7).is_multiple_of(nth)),
            Some(format!("/p/{}", chance(at + 3) % 900)),
        ]
    };
    (fields.map(|(name, kind)| Field::new(name, kind)).to_vec(), (0..2_000).map(event).collect())
}

fn advised_without_users(text: &str, nth: usize) -> Advice {
    let (fields, events) = without_users(nth);
    let (template, problems) = Template::parse(text, &fields);
    assert_eq!(problems, []);
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect();
    let records = values.iter().map(|values| Record { fields: &fields, values });
    advise(&template, &Layout::new(LayoutKind::Narrow), Context::default(), records)
}

#[test]
fn refused_events_get_a_place_that_is_not_hot() {
    let few = advised_without_users("{user},{at:iso}", 20);
    let warning = few.warnings.iter().find(|warning| warning.kind() == WarningKind::AbsentValue);
    let fix = &warning.expect("5% of the events are refused").fixes[0];
    assert_eq!(fix.patch.template.as_deref(), Some("{user:or(none)},{at:iso}"));
    assert!(fix.effect.lost[0] > 50 && fix.effect.lost[1] == 0, "{:?}", fix.effect);
    // With half of the events at one place, the key needs a salt as well, or another field.
    let half = advised_without_users("{user},{at:iso}", 2);
    let warning = half.warnings.iter().find(|warning| warning.kind() == WarningKind::AbsentValue);
    let fixes = &warning.expect("half of the events are refused").fixes;
    let templates: Vec<_> = fixes.iter().filter_map(|fix| fix.patch.template.as_deref()).collect();
    assert_eq!(templates, ["{salt(8)}-{user:or(none)},{at:iso}", "{session},{at:iso}"]);
    let none = advised_without_users("{session},{at:iso}", 2);
    assert!(none.warnings.iter().all(|warning| warning.kind() != WarningKind::AbsentValue));
}
