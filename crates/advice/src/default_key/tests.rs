use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::FieldKind::{Int, Text, Time};
use tabletop_keys::{Field, FieldKind, FieldRole, Template};

use super::{DefaultKeys, LoadedEvents, first_template};

/// The fields to look up and the key of the best one, with the roles that the values show.
fn made(list: &[(&str, FieldKind)], events: &[Vec<String>]) -> (Vec<String>, String) {
    let fields: Vec<Field> = list.iter().map(|(name, kind)| Field::new(*name, *kind)).collect();
    let value =
        |event: usize, field: usize| Some(events[event][field].as_str()).filter(|text| !text.is_empty());
    let loaded = LoadedEvents { fields: &fields, count: events.len(), value: &value };
    let found = crate::field_roles(&fields, &loaded.sample(10_000));
    let roles: Vec<FieldRole> = found.into_iter().map(|found| found.role).collect();
    let keys = DefaultKeys::new(loaded, &roles);
    let look_ups = keys.look_ups();
    let names = look_ups.iter().map(|at| fields[*at].name.clone()).collect();
    (names, keys.template(look_ups.first().copied()))
}

/// Numbers that look as if drawn by chance.
fn mixed(n: u32) -> u32 {
    n.wrapping_mul(2_654_435_761).rotate_left(15).wrapping_mul(2_246_822_519) >> 8
}

fn minute(n: u32) -> String {
    format!("2026-01-{:02}T{:02}:{:02}:00Z", 1 + n / 1440, n / 60 % 24, n % 60)
}

#[test]
fn a_collision_that_a_sample_misses_adds_what_distinguishes() {
    // One user has two orders in one minute, among 30,000.
    let event = |n: u32| {
        let user = if n == 20_001 { mixed(20_000) } else { mixed(n) } % 700;
        let at = if n == 20_001 { 20_000 } else { n };
        ["", &format!("u{user:03}"), &minute(at), &format!("{}", mixed(n) % 9_000)]
            .map(ToString::to_string)
            .to_vec()
    };
    let with_id = |n: u32| {
        let mut event = event(n);
        event[0] = format!("{:08x}", mixed(n + 7));
        event
    };
    let fields = [("order", Text), ("user", Text), ("at", Time), ("cents", Int)];
    let events: Vec<Vec<String>> = (0..30_000).map(with_id).collect();
    assert_eq!(made(&fields, &events), (alloc::vec!["user".to_string()], "{user},{at:iso},{order}".into()));
    let others: Vec<Vec<String>> = (0..30_000).filter(|n| *n != 20_001).map(with_id).collect();
    assert_eq!(made(&fields, &others).1, "{user},{at:iso}", "nothing collides");
    let without: Vec<Vec<String>> = (0..30_000).map(event).collect();
    assert_eq!(made(&fields, &without).1, "{user},{at:iso}", "a measure distinguishes nothing");
}

#[test]
fn a_field_is_as_good_to_look_up_in_a_long_file() {
    let event = |n: u32| {
        let (customer, store) = (mixed(n) % 4_000, mixed(n + 1) % 60);
        [format!("{:08x}", mixed(n + 7)), format!("C{customer:05}"), format!("S{store:03}"), minute(n / 20)]
            .to_vec()
    };
    let fields = [("order", Text), ("customer", Text), ("store", Text), ("at", Time)];
    let events: Vec<Vec<String>> = (0..60_000).map(event).collect();
    assert_eq!(
        made(&fields, &events).0,
        ["customer", "store"],
        "15 orders each, which a sample of 10,000 does not show"
    );
}

#[test]
fn exact_duplicates_are_one_event() {
    let event = |n: u32| [format!("u{}", mixed(n) % 50), minute(n)].to_vec();
    let events: Vec<Vec<String>> = (0..2_000).flat_map(|n| [event(n), event(n)]).collect();
    assert_eq!(made(&[("user", Text), ("at", Time)], &events).1, "{user},{at:iso}");
}

#[test]
fn an_identifier_that_some_events_lack_is_not_first() {
    let event = |n: u32| {
        let user = if n % 20 == 3 { String::new() } else { format!("u{}", mixed(n) % 300) };
        [user, format!("s{}", mixed(n / 3) % 400), minute(n)].to_vec()
    };
    let events: Vec<Vec<String>> = (0..4_000).map(event).collect();
    let (look_ups, key) = made(&[("user", Text), ("session", Text), ("at", Time)], &events);
    assert_eq!(
        (look_ups.as_slice(), key.as_str()),
        (&["session".into(), "user".into()][..], "{session},{at:iso}")
    );
}

#[test]
fn a_time_of_day_completes_its_date() {
    let event = |n: u32| {
        let day = format!("2026-01-{:02}", 1 + n / 200);
        let time = format!("{:02}:{:02}:{:02}", 8 + n % 200 / 20, n % 20 * 3, mixed(n) % 60);
        [format!("K{:03}", mixed(n) % 90), day, time].to_vec()
    };
    let events: Vec<Vec<String>> = (0..4_000).map(event).collect();
    assert_eq!(
        made(&[("Kunde", Text), ("Datum", Time), ("Uhrzeit", Text)], &events).1,
        "{Kunde},{Datum:iso},{Uhrzeit}"
    );
}

#[test]
fn a_separator_is_not_in_the_values_before_it() {
    let event = |n: u32| [format!("Smith {}, Ann", mixed(n) % 60), minute(n)].to_vec();
    let events: Vec<Vec<String>> = (0..3_000).map(event).collect();
    assert_eq!(made(&[("name", Text), ("at", Time)], &events).1, "{name}#{at:iso}");
}

#[test]
fn numbers_are_padded_to_the_longest() {
    let event = |n: u32| [format!("{}", 90_000 + mixed(n) % 20_000 / 100), minute(n)].to_vec();
    let events: Vec<Vec<String>> = (0..3_000).map(event).collect();
    assert_eq!(made(&[("customer", Int), ("at", Time)], &events).1, "{customer:pad(5)},{at:iso}");
}

#[test]
fn a_first_template_parses_for_any_field_names() {
    let field = |name: &str, kind| Field::new(name, kind);
    let fields = [field("At: (UTC)", Time), field("Customer, id", Int)];
    let text = first_template(&fields);
    assert_eq!(text, "{\"Customer, id\":pad(19)},{\"At: (UTC)\":iso}");
    assert_eq!(Template::parse(&text, &fields).1, []);
    assert_eq!(first_template(&fields[..1]), "{\"At: (UTC)\":iso}");
    assert_eq!(first_template(&[]), "");
}

#[test]
fn a_number_that_is_null_in_some_events_tells_nothing_apart() {
    // The events of a pair differ in the agent, which a key with a number cannot have.
    let event = |n: u32| {
        let agent = if n.is_multiple_of(2) { "NULL".to_string() } else { (3 + n % 5).to_string() };
        [format!("u{}", mixed(n / 2) % 50), minute(n / 2), agent].to_vec()
    };
    let events: Vec<Vec<String>> = (0..2_000).map(event).collect();
    let (_, key) = made(&[("user", Text), ("at", Time), ("agent", Int)], &events);
    assert_eq!(key, "{user},{at:iso}");
}
