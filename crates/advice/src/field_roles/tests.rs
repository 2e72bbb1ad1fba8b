use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use FieldKind::{Float, Int, Text, Time};
use FieldRole::{
    Category, Counter, EventTime, FreeText, Measure, OtherTime, PartOfTime, Place, SharedIdentifier,
    UniqueIdentifier, Url,
};
use tabletop_keys::salt::hash;

use super::*;

/// A number below `below` that depends on the event and the field.
fn chance(event: u64, field: &str, below: u64) -> u64 {
    let mut bytes = event.to_le_bytes().to_vec();
    bytes.extend_from_slice(field.as_bytes());
    hash(&bytes) % below
}

type Made = fn(u64) -> String;

/// The roles of fields with these values in `count` events.
fn roles_of(count: u64, columns: &[(&str, FieldKind, Made)]) -> Vec<FoundRole> {
    let fields: Vec<Field> = columns.iter().map(|(name, kind, _)| Field::new(*name, *kind)).collect();
    let events: Vec<Vec<String>> =
        (0..count).map(|event| columns.iter().map(|(.., made)| made(event)).collect()).collect();
    let events: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(|text| Some(text.as_str())).collect()).collect();
    field_roles(&fields, &events)
}

/// Checks the roles, which must not depend on the names of fields unless `by_name` lists them.
fn check(columns: &[(&str, FieldKind, Made, FieldRole)], by_name: &[&str]) {
    let without = |named: &[(&'static str, FieldKind, Made)]| roles_of(2_000, named);
    let given: Vec<(&str, FieldKind, Made)> =
        columns.iter().map(|(name, kind, made, _)| (*name, *kind, *made)).collect();
    for (found, (name, .., expected)) in roles_of(2_000, &given).iter().zip(columns) {
        assert_eq!((found.role, found.by_name), (*expected, by_name.contains(name)), "{name}");
    }
    let mut renamed: Vec<(&'static str, FieldKind, Made)> = Vec::new();
    for (name, kind, made, _) in columns {
        let bare: &'static str = if by_name.contains(name) { "" } else { "x" };
        renamed.push((bare, *kind, *made));
    }
    for (found, (name, .., expected)) in without(&renamed).iter().zip(columns) {
        if !by_name.contains(name) {
            assert_eq!(found.role, *expected, "{name}, without its name");
        }
    }
}

fn iso(seconds: u64) -> String {
    tabletop_keys::time::format((1_767_225_600 + seconds as i64) * 1_000_000)
}

#[test]
fn sensors_have_devices_sites_and_measures() {
    check(
        &[
            ("ts", Time, |n| iso(n * 2), EventTime),
            ("device", Text, |n| format!("dev-{}", chance(n, "d", 90)), SharedIdentifier),
            ("site", Text, |n| format!("site-{}", chance(n, "d", 90) % 12), SharedIdentifier),
            ("temperature", Float, |n| format!("{:.2}", chance(n, "t", 4_000) as f64 / 100.0), Measure),
            ("co2", Int, |n| (380 + chance(n, "c", 1_600)).to_string(), Measure),
            ("rssi", Int, |n| format!("-{}", 40 + chance(n, "r", 70)), Measure),
            ("status", Text, |n| ["OK", "WARN", "ERR"][chance(n, "s", 3) as usize].into(), Category),
            ("errors", Int, |n| chance(n, "e", 5).to_string(), Category),
        ],
        &["co2"],
    );
}

#[test]
fn orders_have_a_counter_and_parts_of_the_time() {
    check(
        &[
            ("when", Time, |n| iso(n * 3_000), EventTime),
            ("day", Time, |n| iso(n * 3_000)[..10].into(), PartOfTime),
            ("clock", Text, |n| iso(n * 3_000)[11..16].into(), PartOfTime),
            (
                "weekday",
                Text,
                |n| {
                    format!(
                        "{}tag",
                        ["Don", "Frei", "Sams", "Sonn", "Mon", "Diens", "Mitt"]
                            [(n * 3_000 / 86_400) as usize % 7]
                    )
                },
                PartOfTime,
            ),
            ("month", Int, |n| iso(n * 3_000)[5..7].trim_start_matches('0').into(), PartOfTime),
            ("order", Int, |n| (100_000 + n).to_string(), Counter),
            ("customer", Text, |n| format!("K{}", chance(n, "k", 300)), SharedIdentifier),
            ("delivered", Time, |n| iso(n * 3_000 + 90_000 + chance(n, "l", 40_000)), OtherTime),
            ("amount", Text, |n| format!("{},{:02}", chance(n, "a", 900), chance(n, "b", 100)), Measure),
            (
                "note",
                Text,
                |n| format!("please ring at the door number {} twice", chance(n, "o", 1_500)),
                FreeText,
            ),
        ],
        &[],
    );
}

#[test]
fn identifiers_are_told_from_measures_by_their_repetition() {
    check(
        &[
            // Sparse numbers that repeat, although there are millions of possible ones.
            (
                "a",
                Int,
                |n| (100_000_007 + chance(chance(n, "u", 150), "id", 800_000_000)).to_string(),
                SharedIdentifier,
            ),
            // Each event has another number, although there are hardly more numbers than events.
            ("b", Int, |n| (1 + (n * 1_237) % 2_003).to_string(), UniqueIdentifier),
            ("c", Text, |n| format!("{:08x}-{:04x}", chance(n, "v", 1 << 32), n), UniqueIdentifier),
            ("d", Text, |n| format!("https://shop.example/p/{}", chance(n, "p", 400)), Url),
        ],
        &[],
    );
}

#[test]
fn a_file_that_lists_one_entity_after_the_other_names_them() {
    check(
        &[
            ("symbol", Text, |n| ["IBM", "MSFT", "AMZN", "AAPL"][n as usize / 500].into(), SharedIdentifier),
            ("number", Int, |n| (n / 100 + 7).to_string(), SharedIdentifier),
            ("date", Time, |n| iso((n % 500) * 86_400)[..10].into(), EventTime),
            ("price", Float, |n| format!("{:.2}", chance(n, "q", 90_000) as f64 / 100.0), Measure),
        ],
        &[],
    );
}

#[test]
fn years_are_times_without_another_clock() {
    check(
        &[
            ("land", Text, |n| format!("Land {}", (b'a' + (n / 80) as u8) as char), SharedIdentifier),
            ("jahr", Int, |n| (1_930 + n % 80).to_string(), PartOfTime),
            ("einwohner", Int, |n| (10_000 + chance(n, "e", 90_000_000)).to_string(), Measure),
        ],
        &["einwohner"],
    );
}

#[test]
fn stores_list_their_departments_and_these_their_days() {
    check(
        &[
            ("store", Int, |n| (1 + n / 1_000).to_string(), SharedIdentifier),
            ("dept", Int, |n| (1 + n / 40 % 25).to_string(), SharedIdentifier),
            ("date", Time, |n| iso(n % 40 * 604_800)[..10].into(), EventTime),
            ("sales", Float, |n| format!("{:.2}", chance(n, "q", 90_000) as f64 / 100.0), Measure),
        ],
        &[],
    );
}

#[test]
fn a_number_of_the_hours_of_each_station_is_a_counter() {
    check(
        &[
            ("n", Int, |n| (1 + n % 900).to_string(), Counter),
            ("at", Time, |n| iso(n % 900 * 3_600), EventTime),
            ("hour", Int, |n| (n % 900 % 24).to_string(), PartOfTime),
            ("value", Float, |n| format!("{:.2}", chance(n, "q", 90_000) as f64 / 100.0), Measure),
            (
                "station",
                Text,
                |n| ["Changping", "Dingling", "Tiantan"][n as usize / 900 % 3].into(),
                SharedIdentifier,
            ),
        ],
        &[],
    );
}

#[test]
fn engines_list_their_cycles_without_a_time() {
    check(
        &[
            ("engine", Int, |n| (1 + n / 170).to_string(), SharedIdentifier),
            ("cycle", Int, |n| (1 + n % 170).to_string(), Counter),
            ("pressure", Float, |n| format!("{:.2}", chance(n, "q", 90_000) as f64 / 100.0), Measure),
        ],
        &[],
    );
}

#[test]
fn stores_that_have_an_event_each_at_each_moment_are_identifiers() {
    check(
        &[
            ("f", Int, |n| (1 + n % 50).to_string(), SharedIdentifier),
            ("date", Time, |n| iso(n / 50 * 86_400)[..10].into(), EventTime),
            ("sales", Int, |n| (2_000 + chance(n, "s", 13_000)).to_string(), Measure),
            // No customer comes on a day off.
            (
                "customers",
                Int,
                |n| (if chance(n, "o", 7) == 0 { 0 } else { 200 + chance(n, "k", 300) }).to_string(),
                Measure,
            ),
            ("open", Int, |n| u8::from(chance(n, "o", 7) != 0).to_string(), Category),
        ],
        &["sales", "customers"],
    );
}

#[test]
fn firms_that_have_an_event_each_in_each_year_are_identifiers() {
    check(
        &[
            ("year", Int, |n| (1_990 + n / 50).to_string(), PartOfTime),
            ("f", Int, |n| (1 + n % 50).to_string(), SharedIdentifier),
            ("sales", Float, |n| format!("{:.1}", chance(n, "s", 90_000) as f64 / 10.0), Measure),
        ],
        &[],
    );
}

#[test]
fn places_in_a_chart_are_no_identifiers_unless_their_name_says_so() {
    for (name, role) in [("place", Counter), ("store", SharedIdentifier)] {
        // 50 of 150 songs on each day.
        let found = roles_of(
            2_000,
            &[
                ("day", Time, |n| iso(n / 50 * 86_400)[..10].into()),
                (name, Int, |n| (1 + n % 50).to_string()),
                ("song", Text, |n| format!("Song {}", (n % 50 * 3 + n / 50 * 7) % 150)),
            ],
        );
        assert_eq!(found[1], FoundRole { role, by_name: true }, "{name}");
    }
}

#[test]
fn the_age_of_a_patient_is_no_identifier() {
    check(
        &[
            ("patient", Int, |n| (101 + n / 50).to_string(), SharedIdentifier),
            ("age", Int, |n| (20 + n / 50 * 17 % 13).to_string(), Measure),
            ("at", Time, |n| iso(n % 50 * 3_600), EventTime),
            ("pulse", Int, |n| (50 + chance(n, "p", 90)).to_string(), Measure),
        ],
        &["age", "pulse"],
    );
}

#[test]
fn lines_of_orders_are_no_identifiers() {
    // Orders of one to ten lines.
    fn order_and_line(n: u64) -> (u64, u64) {
        let (mut order, mut first) = (0, 0);
        loop {
            let lines = 1 + chance(order, "lines", 10);
            if n < first + lines {
                return (order, 1 + n - first);
            }
            (order, first) = (order + 1, first + lines);
        }
    }
    let found = roles_of(
        1_000,
        &[
            ("ordered", Time, |n| iso(order_and_line(n).0 * 600)),
            ("line", Int, |n| order_and_line(n).1.to_string()),
            ("customer", Text, |n| format!("K{}", chance(order_and_line(n).0, "k", 60))),
        ],
    );
    let roles: Vec<FieldRole> = found.iter().map(|found| found.role).collect();
    assert!(roles[0] == EventTime && roles[2] == SharedIdentifier, "{roles:?}");
    assert!(roles[1] != SharedIdentifier, "{roles:?}");
}

#[test]
fn a_file_that_is_sorted_by_a_measure_lists_no_entities() {
    check(
        &[
            ("age", Int, |n| (20 + n / 40).to_string(), Measure),
            ("time", Time, |n| iso(chance(n, "t", 90_000_000)), EventTime),
            ("price", Float, |n| format!("{:.2}", chance(n, "q", 90_000) as f64 / 100.0), Measure),
        ],
        &["age"],
    );
}

#[test]
fn the_day_of_an_export_is_not_the_time_of_the_events() {
    check(
        &[
            ("updated", Time, |_| iso(99_000_000), OtherTime),
            ("date", Time, |n| iso(chance(n, "t", 90_000_000)), EventTime),
        ],
        &[],
    );
}

#[test]
fn names_break_ties() {
    for name in ["visitorid", "item_nbr", "StoreId", "order", "kunden_nr"] {
        assert!(names::suggest_identifier(name), "{name}");
    }
    for name in ["paid", "days_since_prior_order", "arrival_week_number", "order_count", "humid"] {
        assert!(!names::suggest_identifier(name), "{name}");
    }
    assert!(names::suggest_part_of_time("arrival_week_number", 53.0));
    assert!(!names::suggest_part_of_time("week", 200.0) && !names::suggest_part_of_time("weight", 20.0));
}

#[test]
fn coordinates_are_places_only_by_their_names() {
    let values: [(&str, FieldKind, Made); 2] = [
        ("latitude", Float, |n| format!("{:.5}", 48.0 + chance(n, "y", 9_999) as f64 / 10_000.0)),
        ("longitude", Float, |n| format!("{:.5}", 11.0 + chance(n, "x", 9_999) as f64 / 10_000.0)),
    ];
    let found = roles_of(500, &values);
    assert!(found.iter().all(|found| *found == FoundRole { role: Place, by_name: true }), "{found:?}");
}

#[test]
fn nothing_is_found_in_nothing() {
    assert_eq!(field_roles(&[], &[]), []);
    let fields = [Field::new("a", Int), Field::new("b", Time), Field::new("c", Text)];
    let roles: Vec<FieldRole> = field_roles(&fields, &[]).iter().map(|found| found.role).collect();
    assert_eq!(roles, [Category, Category, Category]);
    let one = alloc::vec![alloc::vec![Some("5"), None, Some("-")]];
    assert_eq!(field_roles(&fields, &one).len(), 3);
}

/// A sum determines the price of the only thing that costs it, and is no identifier for that.
#[test]
fn a_sum_of_prices_is_a_measure() {
    fn product(event: u64) -> u64 {
        chance(event, "product", 40)
    }
    fn price(event: u64) -> u64 {
        98 + product(event) * 37 % 900 * 3
    }
    check(
        &[
            ("a", Text, |event| format!("shop-{}", chance(event, "a", 90)), SharedIdentifier),
            ("b", Int, |event| price(event).to_string(), Measure),
            ("c", Int, |event| (price(event) * (1 + chance(event, "n", 3))).to_string(), Measure),
            ("d", Int, |event| (1 + chance(event, "n", 3)).to_string(), Category),
        ],
        &["b", "c"],
    );
    // The numbers of machines begin with that of their site, or are in its order.
    let machines = |made: Made| {
        roles_of(
            2_000,
            &[("site", Int, |event| (chance(event, "m", 60) / 5).to_string()), ("machine", Int, made)],
        )[1]
        .role
    };
    assert_eq!(machines(|event| (100 + chance(event, "m", 60)).to_string()), SharedIdentifier);
    assert_eq!(machines(|event| (900 - chance(event, "m", 60) * 7).to_string()), SharedIdentifier);
    assert_eq!(machines(|event| (hash(&[chance(event, "m", 60) as u8]) % 900).to_string()), SharedIdentifier);
}

#[test]
fn numbers_among_which_a_word_stands_for_absent_ones_are_measures() {
    fn or(marker: &str, event: u64, text: String) -> String {
        if event.is_multiple_of(6) { text } else { marker.to_string() }
    }
    check(
        &[
            (
                "a",
                Text,
                |event| or("MM", event, format!("{:.1}", chance(event, "a", 90) as f64 / 7.0)),
                Measure,
            ),
            ("b", Text, |event| or("MM", event, chance(event, "b", 360).to_string()), Measure),
            (
                "c",
                Text,
                |event| or("guest", event, (10_000 + chance(event, "c", 99)).to_string()),
                SharedIdentifier,
            ),
            ("d", Text, |event| or("VIP", event, chance(event, "d", 9).to_string()), Category),
            (
                "e",
                Text,
                |event| format!("{:02}{:02}A", chance(event, "e", 12), chance(event, "f", 60)),
                PartOfTime,
            ),
        ],
        &["b"],
    );
}
