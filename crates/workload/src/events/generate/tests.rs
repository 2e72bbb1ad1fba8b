use super::*;
use std::collections::BTreeMap;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn settings(events: u32) -> GeneratorSettings {
    GeneratorSettings { seed: 42, events, apps: 4, users: 1_000, user_skew: 1.1 }
}

fn make(settings: &GeneratorSettings, count: u32) -> Events {
    let mut generator = Generator::new(settings);
    let mut events = Events::new(generator.fields());
    while generator.fill(&mut events, count).unwrap() > 0 {}
    events
}

/// FNV-1a over all texts, each terminated by a byte that UTF-8 does not use.
fn digest(events: &Events) -> u64 {
    let mut values = Vec::new();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for index in 0..events.len() {
        events.record(index, &mut values);
        for byte in values.iter().flat_map(|value| value.unwrap().bytes().chain([0xff])) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Runs natively and in wasm: both must produce these numbers. Changing them changes every shared
/// link to generated events.
#[test]
fn the_same_seed_gives_the_same_bytes_everywhere() {
    assert_eq!(digest(&make(&settings(20_000), 20_000)), 2_468_340_222_886_359_635);
    let skewed =
        GeneratorSettings { seed: u64::MAX, events: 5_000, apps: 200, users: 1_000_000, user_skew: 0.73 };
    assert_eq!(digest(&make(&skewed, 5_000)), 11_420_543_941_190_187_005);
}

#[test]
fn calls_of_any_size_give_the_same_events() {
    let whole = digest(&make(&settings(3_000), u32::MAX));
    for count in [1, 7, 1_000, 2_999] {
        assert_eq!(digest(&make(&settings(3_000), count)), whole, "in calls of {count}");
    }
    // The number of events only determines where to stop.
    let mut longer = Generator::new(&settings(100_000));
    let mut events = Events::new(longer.fields());
    longer.fill(&mut events, 3_000).unwrap();
    assert_eq!(digest(&events), whole);
    assert_eq!(longer.left(), 97_000);
}

#[test]
fn events_are_those_of_the_personalization_seed() {
    let events = make(&settings(20_000), 20_000);
    let mut values = Vec::new();
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut last_time = "2019-05-28T00:00:00.000Z";
    for index in 0..events.len() {
        events.record(index, &mut values);
        let record: Vec<&str> = values.iter().map(|value| value.unwrap()).collect();
        for (column, text) in record.iter().take(6).enumerate() {
            *counts.entry((["app", "user", "time", "type", "name", "object"][column], text)).or_default() +=
                1;
        }
        assert!(
            record[2] > last_time,
            "event {index} is not after the one before: {} {last_time}",
            record[2]
        );
        last_time = record[2];
        for token in [record[1], record[5]] {
            let parts: Vec<usize> = token.split('-').map(str::len).collect();
            assert_eq!(parts, [8, 4, 4, 4, 12], "{token}");
        }
    }
    let distinct = |column| counts.keys().filter(|key| key.0 == column).count();
    assert_eq!((distinct("app"), distinct("type"), distinct("time")), (4, 3, 20_000));
    assert!(distinct("user") > 700 && distinct("user") <= 1_000, "{}", distinct("user"));
    assert!(distinct("name") >= 6 && distinct("object") > 1_000);
    // One event per second: 20,000 end in the sixth hour.
    assert!(last_time.starts_with("2019-05-28T05:"), "{last_time}");
    let of_type = |name| counts[&("type", name)];
    assert!(
        of_type("view") > 3 * of_type("click")
            && of_type("click") > 3 * of_type("conversion")
            && of_type("conversion") > 800
    );
    let busiest = counts.iter().filter(|entry| entry.0.0 == "user").map(|entry| *entry.1).max().unwrap();
    assert!(
        (2_500..5_000).contains(&busiest),
        "skew 1.1 gives the busiest of 1,000 users about a sixth, not {busiest}"
    );
}

#[test]
fn settings_out_of_range_are_clamped() {
    for user_skew in [f64::NAN, -3.0, f64::INFINITY] {
        let wild = GeneratorSettings { seed: 0, events: u32::MAX, apps: 0, users: 0, user_skew };
        let mut generator = Generator::new(&wild);
        let mut events = Events::new(generator.fields());
        assert_eq!(generator.left(), 1_000_000);
        assert_eq!(generator.fill(&mut events, 10).unwrap(), 10);
    }
}
