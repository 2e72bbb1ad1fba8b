//! Converts the files of some packages to the sample sets of `www/data`. `www/data/LICENSES.md` has
//! the commands.
//!
//! `convert earthquakes < earthquakes.json > www/data/earthquakes.csv`, and so on for `purchases`,
//! `weather` and `clicks`. `phones` and `profiles` have no input.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use serde_json::Value;
use tabletop_keys::{salt::hash, time};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).expect("a text on the standard input");
    let (header, mut records) = match name.as_str() {
        "earthquakes" => earthquakes(&input),
        "purchases" => purchases(&input),
        "weather" => weather(&input),
        "clicks" => clicks(&input),
        "phones" => phones(),
        "profiles" => profiles(),
        _ => panic!("name a sample set: earthquakes, purchases, weather, clicks, phones or profiles"),
    };
    // The first column is the time, as a text that sorts by time. Records with equal times keep
    // their order.
    records.sort_by(|a, b| a[0].cmp(&b[0]));
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", header.join(",")).expect("an open output");
    for record in records {
        assert_eq!(record.len(), header.len());
        let cells: Vec<String> = record.iter().map(|cell| quoted(cell)).collect();
        writeln!(out, "{}", cells.join(",")).expect("an open output");
    }
}

type Table = (Vec<&'static str>, Vec<Vec<String>>);

/// Converts GeoJSON of the United States Geological Survey. Selects the usual properties, with
/// longer names.
fn earthquakes(input: &str) -> Table {
    let properties = [
        ("magnitude", "mag"),
        ("magnitude_type", "magType"),
        ("type", "type"),
        ("significance", "sig"),
        ("network", "net"),
        ("place", "place"),
    ];
    let header =
        ["time", "id", "longitude", "latitude", "depth"].into_iter().chain(properties.map(|(name, _)| name));
    let file: Value = serde_json::from_str(input).expect("GeoJSON");
    let record = |feature: &Value| {
        let millis = feature["properties"]["time"].as_i64().expect("a count of milliseconds");
        let mut record = vec![time::format(millis * 1_000), text(&feature["id"])];
        record.extend((0..3).map(|axis| text(&feature["geometry"]["coordinates"][axis])));
        record.extend(properties.map(|(_, property)| text(&feature["properties"][property])));
        record
    };
    (header.collect(), file["features"].as_array().expect("features").iter().map(record).collect())
}

/// Converts columns of fixed width: customer, date, number of CDs, dollars. `order` counts the
/// purchases of each customer, who may buy twice on a day.
fn purchases(input: &str) -> Table {
    let mut orders: BTreeMap<&str, u32> = BTreeMap::new();
    let record = |line| {
        let [customer, date, quantity, amount] = words(line);
        let order = orders.entry(customer).or_default();
        *order += 1;
        let date = format!("{}-{}-{}", &date[..4], &date[4..6], &date[6..]);
        vec![date, customer.into(), order.to_string(), quantity.into(), amount.into()]
    };
    (vec!["date", "customer", "order", "quantity", "amount"], input.lines().skip(1).map(record).collect())
}

fn words(line: &str) -> [&str; 4] {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.try_into().expect("four columns")
}

/// Changes only the name of the first column.
fn weather(input: &str) -> Table {
    let records = input.lines().skip(1).map(|line| line.split(',').map(String::from).collect());
    (vec!["time", "pressure", "temperature", "wind"], records.collect())
}

/// Moves the time to the first column, in ISO 8601.
fn clicks(input: &str) -> Table {
    let header = vec![
        "time",
        "user_id",
        "session_id",
        "event",
        "platform",
        "acquisition_channel",
        "user_cohort",
        "user_lifecycle",
    ];
    let record = |line: &str| {
        let mut record: Vec<String> = line.split(',').map(String::from).collect();
        let time = record.remove(3).replace(' ', "T") + "Z";
        record.insert(0, time);
        record
    };
    (header, input.lines().skip(1).map(record).collect())
}

/// Makes a measurement of each of 500 phones on each of 10 days, from hashes. The keys are those of
/// Google's documentation (`phone#4c410523#20190501`), and `java_salt` is what Google's Java sample
/// puts before a key: `rowKey.hashCode() % 4`, which has the sign of the hash.
fn phones() -> Table {
    let header =
        vec!["time", "device", "yyyymmdd", "os_build", "connected_cell", "connected_wifi", "java_salt"];
    let mut records = Vec::new();
    for device in 0..500 {
        let device = format!("{:08x}", hash(format!("phone {device}").as_bytes()) >> 32);
        for day in 1..=10 {
            let chance = hash(format!("{device} {day}").as_bytes());
            let (hours, minutes, seconds) = (chance % 24, (chance >> 8) % 60, (chance >> 16) % 60);
            let time = format!("2019-05-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z");
            let build = if chance >> 24 & 3 == 0 { "PQ2A.190405.003" } else { "PQ2A.190305.002" };
            let bit = |shift: u32| (chance >> shift & 1).to_string();
            let day = format!("201905{day:02}");
            let salt = java_hash_code(&format!("phone#{device}#{day}")) % 4;
            records.push(vec![time, device.clone(), day, build.into(), bit(32), bit(40), salt.to_string()]);
        }
    }
    (header, records)
}

/// Makes what an ad personalization service knows about 100 users on three days: features, an
/// embedding, a profile. Each is a protobuf message (`crates/workspace/src/examples/ad_profile.json`
/// has their types) whose bytes are all ASCII, so that they fit in a CSV: lengths and integers are
/// below 128, and each float is ` x?`, a number from 0.75 to 0.97.
fn profiles() -> Table {
    const TOPICS: [&str; 8] =
        ["music", "running", "gardening", "photography", "cycling", "cooking", "films", "chess"];
    const PLACES: [(&str, &str); 5] = [("DE", "de"), ("FR", "fr"), ("JP", "ja"), ("BR", "pt"), ("US", "en")];
    const MODEL: &str = "two-tower-3";
    let header = vec!["time", "user", "features", "model", "embedding", "profile"];
    let byte = |value: usize| char::from(u8::try_from(value).expect("a byte"));
    let field =
        |number: usize, content: &str| format!("{}{}{content}", byte(number << 3 | 2), byte(content.len()));
    let level = |at: usize| byte(64 + (at % 112).abs_diff(56));
    let mut records = Vec::new();
    for day in 1..=3 {
        for user in 0..100 {
            let at = user * 7 + day * 3;
            let topics: Vec<&str> =
                (0..=user % 3).map(|step| TOPICS[(user * 5 + step * (1 + user % 3)) % 8]).collect();
            let (country, language) = PLACES[at % 5];
            let mut features =
                format!("{}{}\x18{}", field(1, country), field(2, language), byte(14 + at % 100));
            features.extend(topics.iter().map(|topic| field(4, topic)));
            if at % 4 == 0 {
                features.push_str("\x28\x01");
            }
            let vector: String =
                (0..24).map(|i| format!("  {}?", level(i * (3 + user % 8) + user * 11 + day * 5))).collect();
            let interest = |(step, topic): (usize, &&str)| {
                field(1, &format!("{}\x15  {}?", field(1, topic), level(at + step * 17)))
            };
            let interests: String = topics.iter().enumerate().map(interest).collect();
            let time = format!("2024-03-{day:02}T{:02}:{:02}:00Z", user / 5, at % 60);
            let embedding = field(1, MODEL) + &field(2, &vector);
            let profile = format!("{interests}\x10{}{}", byte(1 + at % 2), field(3, "feed"));
            records.push(vec![time, format!("u{user:03}"), features, MODEL.into(), embedding, profile]);
        }
    }
    (header, records)
}

/// Java's `String.hashCode`, for a text in ASCII.
fn java_hash_code(text: &str) -> i32 {
    text.bytes().fold(0, |hash: i32, byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte)))
}

/// Returns a JSON value as a cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}
