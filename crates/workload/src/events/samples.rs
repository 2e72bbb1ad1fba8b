//! The sample sets that are shipped with the page. `www/data/LICENSES.md` lists their sources.

use tabletop_keys::{
    Field,
    FieldKind::{self, Float, Int, Text, Time},
};
use tabletop_protocol::SampleInfo;
use tabletop_workspace::{Format, OnBadLine, OwnData};

/// The location of a sample set, and how to read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Path relative to the page.
    pub path: String,
    /// The format and all fields.
    pub own: OwnData,
}

/// Returns all sample sets, in the order in which to show them.
pub fn samples() -> Vec<SampleInfo> {
    SETS.iter()
        .map(|set| SampleInfo {
            name: set.name.into(),
            title: set.title.into(),
            about: set.about.into(),
            events: set.events,
            bytes: set.bytes,
            licence: set.licence.into(),
            template: set.template.into(),
        })
        .collect()
}

/// Returns the sample set called `name`.
pub fn sample(name: &str) -> Option<Sample> {
    let set = SETS.iter().find(|set| set.name == name)?;
    let fields = set.fields.iter().map(|&(name, kind)| Field::new(name, kind)).collect();
    let file = format!("{}.csv", set.name);
    let path = format!("data/{file}");
    Some(Sample {
        path,
        own: OwnData {
            name: file,
            format: Format::Csv,
            fields,
            on_bad_line: OnBadLine::Stop,
            reading: Default::default(),
            content: None,
        },
    })
}

struct Set {
    /// Name of the set, and of its file without the extension.
    name: &'static str,
    title: &'static str,
    about: &'static str,
    events: u32,
    bytes: u32,
    licence: &'static str,
    /// A key that many users would try first, and that leaves room for a better one.
    template: &'static str,
    fields: &'static [(&'static str, FieldKind)],
}

const SETS: [Set; 6] = [
    Set {
        name: "earthquakes",
        title: "Earthquakes",
        about: "A week of earthquakes with place and magnitude. Which key keeps neighbours together?",
        events: 1_707,
        bytes: 196_421,
        licence: "U.S. Geological Survey, public domain",
        template: "{longitude},{latitude},{time:iso}",
        fields: &[
            ("time", Time),
            ("id", Text),
            ("longitude", Float),
            ("latitude", Float),
            ("depth", Float),
            ("magnitude", Float),
            ("magnitude_type", Text),
            ("type", Text),
            ("significance", Int),
            ("network", Text),
            ("place", Text),
        ],
    },
    Set {
        name: "purchases",
        title: "Purchases",
        about: "Every purchase of 23,570 customers of a music shop, 1997 and 1998. Optimize for all purchases of a customer, or for all of one day?",
        events: 69_659,
        bytes: 1_890_729,
        licence: "CDNOW, from Lifetimes, MIT",
        template: "{date:date},{customer},{order}",
        fields: &[("date", Time), ("customer", Text), ("order", Int), ("quantity", Int), ("amount", Float)],
    },
    Set {
        name: "weather",
        title: "Weather",
        about: "Hourly weather of a typical year in Seattle: a time series with only a timestamp to key on.",
        events: 8_759,
        bytes: 311_148,
        licence: "NOAA, public domain",
        template: "{time:iso}",
        fields: &[("time", Time), ("pressure", Float), ("temperature", Float), ("wind", Float)],
    },
    Set {
        name: "clicks",
        title: "Clicks",
        about: "Half a year of clicks by 600 users of a shop, synthetic. Most reads need the events of one user.",
        events: 31_106,
        bytes: 2_644_292,
        licence: "Retentioneering, Apache-2.0",
        template: "{user_id},{time:iso},{event}",
        fields: &[
            ("time", Time),
            ("user_id", Text),
            ("session_id", Text),
            ("event", Text),
            ("platform", Text),
            ("acquisition_channel", Text),
            ("user_cohort", Text),
            ("user_lifecycle", Text),
        ],
    },
    Set {
        name: "phones",
        title: "Phones",
        about: "A measurement of each of 500 phones on ten days, made for this page, with the salt that Google's Java sample computes.",
        events: 5_000,
        bytes: 306_975,
        licence: "Tabletop, MIT or Apache-2.0",
        template: "{time:iso},{device}",
        fields: &[
            ("time", Time),
            ("device", Text),
            ("yyyymmdd", Int),
            ("os_build", Text),
            ("connected_cell", Int),
            ("connected_wifi", Int),
            ("java_salt", Int),
        ],
    },
    Set {
        name: "profiles",
        title: "Ad profiles",
        about: "Features, an embedding and an ad profile of each of 100 users on three days, made for this page. They are messages of protobuf.",
        events: 300,
        bytes: 68_482,
        licence: "Tabletop, MIT or Apache-2.0",
        template: "{time:iso},{user}",
        fields: &[
            ("time", Time),
            ("user", Text),
            ("features", Text),
            ("model", Text),
            ("embedding", Text),
            ("profile", Text),
        ],
    },
];

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::{Events, Reader};
    use super::*;
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use tabletop_keys::Template;

    fn www() -> PathBuf {
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "www"].iter().collect()
    }

    fn read(own: &OwnData, text: &[u8]) -> Events {
        let mut reader = Reader::new(own);
        let mut events = Events::default();
        reader.feed(text, true, &mut events).unwrap();
        assert_eq!(reader.problems(), []);
        events
    }

    #[test]
    fn every_sample_matches_its_description() {
        for info in samples() {
            let Sample { path, own } = sample(&info.name).unwrap();
            let text = std::fs::read(www().join(path)).unwrap();
            assert_eq!(text.len() as u32, info.bytes, "{}", info.name);
            let events = read(&own, &text);
            assert_eq!(events.len() as u32, info.events, "{}", info.name);
            assert_eq!(events.fields(), own.fields, "{}", info.name);
            // Loading the same file as the user's own data detects the same kinds: customers have
            // leading zeros, so they are not numbers.
            let detected = read(&OwnData { fields: Vec::new(), ..own.clone() }, &text);
            assert_eq!(detected.fields(), own.fields, "{}", info.name);
        }
        assert_eq!(sample("nothing"), None);
    }

    #[test]
    fn sets_are_sorted_by_their_time() {
        for info in samples() {
            let Sample { path, own } = sample(&info.name).unwrap();
            let events = read(&own, &std::fs::read(www().join(path)).unwrap());
            let mut values = Vec::new();
            let mut last = i64::MIN;
            for index in 0..events.len() {
                events.record(index, &mut values);
                let time = tabletop_keys::time::parse(values[0].unwrap()).unwrap();
                assert!(time >= last, "{} {index}", info.name);
                last = time;
            }
        }
    }

    #[test]
    fn every_template_gives_every_event_a_key() {
        for info in samples() {
            let Sample { path, own } = sample(&info.name).unwrap();
            let events = read(&own, &std::fs::read(www().join(path)).unwrap());
            let (template, problems) = Template::parse(&info.template, &own.fields);
            assert_eq!(problems, [], "{}", info.template);
            let mut values = Vec::new();
            let mut keys = BTreeSet::new();
            for index in 0..events.len() {
                events.record(index, &mut values);
                let mut key = Vec::new();
                template
                    .write_key(&tabletop_keys::Record { fields: events.fields(), values: &values }, &mut key)
                    .unwrap();
                keys.insert(key);
            }
            // Thirty clicks occur twice in the source.
            assert!(keys.len() + 30 >= events.len(), "{}: {} keys", info.name, keys.len());
        }
    }

    /// Google's Java sample salts a key with `rowKey.hashCode() % 4`.
    #[test]
    fn phones_have_the_salt_of_java() {
        let Sample { path, own } = sample("phones").unwrap();
        let events = read(&own, &std::fs::read(www().join(path)).unwrap());
        let mut values = Vec::new();
        for index in 0..events.len() {
            events.record(index, &mut values);
            let (device, day, salt) = (values[1].unwrap(), values[2].unwrap(), values[6].unwrap());
            let key = format!("phone#{device}#{day}");
            let hash =
                key.bytes().fold(0i32, |hash, byte| hash.wrapping_mul(31).wrapping_add(i32::from(byte)));
            assert_eq!(salt, (hash % 4).to_string(), "{key}");
        }
    }

    #[test]
    fn every_file_has_a_licence() {
        let licences = std::fs::read_to_string(www().join("data/LICENSES.md")).unwrap();
        let mut files = 0;
        for file in std::fs::read_dir(www().join("data")).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if name != "LICENSES.md" {
                files += 1;
                assert!(licences.contains(&format!("\n## {name}\n")), "{name}");
            }
        }
        // And the outline of the land.
        assert_eq!(files, samples().len() + 1);
    }
}
