//! The work of one slice: how often slices read a long row, and the pace of slices next to a
//! stream.

use super::*;

/// One row for all events of a user.
const LONG: (&str, LayoutKind) = ("{app_id},{user_token}", LayoutKind::Wide);

/// Event number n of one user: each has ten cells of a wide table.
fn event_of_one(n: i64) -> EventTexts {
    let facets: Vec<String> = (0..10).map(|facet| format!("facet{facet}:a")).collect();
    let time = time::format(NOW + n * 1_000_000);
    ["a", "u", &time, "click", "view", &facets.join("|")].map(|text| Some(text.to_owned())).into()
}

#[test]
fn a_long_row_is_read_once_however_many_slices_look_into_it() {
    const EVENTS: u64 = 10_000;
    let mut host = Host::holding(NARROW, (0..EVENTS as i64).map(event_of_one));
    let mut cells = 0;
    let mut ask = |request: Request| {
        let reads = |request: &TableRequest| matches!(request, TableRequest::ReadRows(_));
        let is_counted =
            matches!(&request, Request::Table { table, request } if table == "new" && reads(request));
        let response = host.instance.handle(NOW, request);
        if let Response::Rows(chunk) = &response {
            cells += if is_counted { chunk.stats.cells_seen } else { 0 };
        }
        response
    };
    let mut tables = Tables::new(&mut ask);
    let (from, to, fields) = (design(NARROW), design(LONG), fields());
    let plan = MigrationPlan { from: ("old", &from), to: ("new", &to), fields: &fields, since: 0 };
    let mut migration = Migration::open(&mut tables, &plan).expect("it begins");
    let mut slices = 0;
    while migration.step(&mut tables, 500).expect("a step") {
        slices += u32::from(migration.status().stage == MigrationStage::Verifying);
    }
    let status = migration.status();
    assert_eq!((status.stage, status.compared), (MigrationStage::Ready, EVENTS));
    assert!(slices >= 19, "{slices} slices look into the row");
    // The row is read once to look events up, and once to compare it in the other direction.
    assert!((EVENTS * 10..=2 * EVENTS * 10).contains(&cells), "{cells} cells");
}

#[test]
fn events_that_arrive_while_a_long_row_is_compared_are_not_a_difference() {
    let mut host = Host::holding(NARROW, (0..200).map(event_of_one));
    let mut migration = host.open(NARROW, LONG, 0).expect("it begins");
    let mut next = 200;
    while host.ask(|tables| migration.step(tables, 10)).expect("a step") {
        if migration.status().stage == MigrationStage::Verifying && next < 203 {
            host.write_event(&mut migration, &event_of_one(next)).expect("it is stored");
            next += 1;
        }
    }
    let status = migration.status();
    assert_eq!((status.stage, status.compared, status.difference), (MigrationStage::Ready, 203, None));
}

#[test]
fn the_pace_falls_while_the_stream_is_slow_and_rises_again() {
    let mut pace = Pace::new(10_000);
    (0..300).for_each(|n| pace.note(100 + n % 10));
    assert_eq!(pace.p99_before(), Some(109));
    let first = pace.next_slice();
    let mut last = first;
    for _ in 0..60 {
        pace.note(150);
        let next = pace.next_slice();
        assert!(next >= last);
        last = next;
    }
    assert_eq!(last, 10_000, "150 is within 1.5 of 109");
    for _ in 0..4 {
        pace.note(400);
        assert_eq!(pace.next_slice(), last / 2);
        last /= 2;
    }
    pace.note(100);
    assert!(pace.next_slice() > last);
    (0..100).for_each(|_| {
        pace.note(9_000);
        pace.next_slice();
    });
    pace.note(9_000);
    assert_eq!(pace.next_slice(), 16, "a backfill ends, however busy the stream is");
    let mut alone = Pace::new(64);
    let slices: Vec<u64> = (0..10).map(|_| alone.next_slice()).collect();
    assert_eq!((slices[0], slices[9]), (16, 64), "without a stream there is nothing to delay");
}

#[test]
fn slices_that_are_too_large_at_their_smallest_are_rare() {
    let mut pace = Pace::new(10_000);
    let (mut slices, mut is_delayed) = (0, false);
    for _ in 0..6_000 {
        pace.note(if is_delayed { 1_000 } else { 100 });
        is_delayed = !pace.rests();
        if is_delayed {
            slices += 1;
            assert_eq!(pace.next_slice(), 16);
        }
    }
    assert_eq!((pace.p99_before(), pace.p99()), (Some(100), Some(100)), "{slices} slices");
    assert!(slices > 15, "a backfill ends: {slices} slices");
}
