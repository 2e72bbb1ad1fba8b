//! Generates events from a seed. Event `i` is always the same, natively and in wasm, and
//! independent of the events before it.

use std::io::Write;

use tabletop_keys::time::{DAY_MILLIS, TimeFormat};
use tabletop_workload::random::{Random, Zipf, fate};

use crate::{Cell, Change, Layout, Row};

/// The number of users, who are drawn from a Zipf distribution.
pub const USERS: u64 = 10_000;
/// The facets that every event has.
pub const FACETS: [&str; 12] = [
    "brand",
    "category",
    "color",
    "department",
    "fit",
    "gender",
    "material",
    "price",
    "rating",
    "season",
    "size",
    "style",
];
/// The types of events. A type that is listed more often is drawn more often.
const TYPES: [&str; 10] =
    ["click", "click", "click", "click", "click", "conversion", "view", "view", "view", "view"];
/// Names of events, as customers choose them. The first ones are drawn more often.
pub const NAMES: [&str; 20] = [
    "homepage",
    "search",
    "product",
    "listing",
    "recommended",
    "related",
    "cart",
    "checkout",
    "wishlist",
    "campaign",
    "newsletter",
    "banner",
    "carousel",
    "autocomplete",
    "trending",
    "compare",
    "review",
    "gift-guide",
    "outlet",
    "collection",
];
/// The values of all facets, in a different order for each facet.
const VALUES: [&str; 50] = [
    "alabaster",
    "amaranth",
    "aquamarine",
    "asparagus",
    "azure-mist",
    "bittersweet",
    "bluebonnet",
    "buttercup",
    "camellia",
    "carnelian",
    "cerulean",
    "champagne",
    "charcoal",
    "chartreuse",
    "chestnut",
    "cinnamon",
    "cornflower",
    "cranberry",
    "dandelion",
    "eggplant",
    "emerald",
    "evergreen",
    "firebrick",
    "goldenrod",
    "graphite",
    "heliotrope",
    "honeydew",
    "jasmine",
    "lavender",
    "lemonade",
    "magnolia",
    "mahogany",
    "malachite",
    "marigold",
    "midnight",
    "mulberry",
    "obsidian",
    "periwinkle",
    "persimmon",
    "pistachio",
    "porcelain",
    "raspberry",
    "rosewood",
    "sandstone",
    "sapphire",
    "seafoam",
    "tangerine",
    "terracotta",
    "turquoise",
    "verdigris",
];
/// The percentage of facets with a second value.
const SECOND_PERCENT: u64 = 40;
/// 2026-01-01T00:00:00Z in milliseconds since 1970; the events spread over the 90 days that follow.
const START_MILLIS: i64 = 1_767_225_600_000;
const DAYS: i64 = 90;
/// The app of all events.
pub const APP: &str = "app";
/// The length of `app,{uuid},`, the key prefix of a user.
pub const USER_BYTES: usize = 41;

/// All events of a run.
#[derive(Clone, Debug)]
pub struct Events {
    seed: u64,
    /// The number of events.
    pub count: u64,
    users: Zipf,
    names: Zipf,
    values: Zipf,
}

/// An event as it arrives, before a layout makes a row of it.
#[derive(Clone, Debug)]
pub struct Event {
    /// The user's token.
    pub user: String,
    /// Microseconds since 1970, in whole milliseconds.
    pub micros: i64,
    /// The event's type.
    pub kind: &'static str,
    /// The event's name.
    pub name: &'static str,
    /// The names and values of its facets, each pair once.
    pub facets: Vec<(&'static str, &'static str)>,
}

impl Event {
    /// Returns the facets as text: `brand:emerald|color:sapphire`.
    pub fn facets_text(&self) -> String {
        let pairs: Vec<String> =
            self.facets.iter().map(|(facet, value)| format!("{facet}:{value}")).collect();
        pairs.join("|")
    }
}

impl Events {
    /// Makes a source of this number of events.
    pub fn new(seed: u64, count: u64) -> Self {
        let zipf = |n: usize| Zipf::new(n as u64, 0.99);
        Events {
            seed,
            count,
            users: Zipf::new(USERS, 0.99),
            names: zipf(NAMES.len()),
            values: zipf(VALUES.len()),
        }
    }

    /// Returns event `index` as a row of this layout. Later events have later times.
    pub fn row(&self, index: u64, layout: Layout) -> Row {
        let mut random = Random::new(fate(self.seed, index));
        let (key, millis) = self.head(index, &mut random);
        let kind = TYPES[random.below(10) as usize];
        let name = NAMES[self.names.draw(&mut random) as usize - 1];
        let mut facets =
            FACETS.iter().enumerate().map(|(facet, name)| (*name, self.values_of(facet, &mut random)));
        let cells = match layout {
            Layout::Narrow => {
                let mut json = vec![b'['];
                for (facet, values) in facets {
                    for (value, times) in values.into_iter().flatten() {
                        write(&mut json, format_args!("[\"{facet}\",\":\",\"{value}\",{times}],"));
                    }
                }
                json.pop();
                json.push(b']');
                vec![Cell { family: kind, qualifier: name.into(), value: json }]
            }
            Layout::Wide => facets
                .by_ref()
                .map(|(facet, values)| {
                    let mut json = vec![b'['];
                    for (value, times) in values.into_iter().flatten() {
                        write(&mut json, format_args!("[\":\",\"{value}\",{times}],"));
                    }
                    json.pop();
                    json.push(b']');
                    Cell { family: "e", qualifier: format!("{kind},{name},{facet}").into(), value: json }
                })
                .collect(),
        };
        Row { key, time: millis * 1_000, cells, change: Change::Put }
    }

    /// Returns event `index`, of which [`Events::row`] makes a row. An event after the last one has
    /// a later time, too.
    pub fn event(&self, index: u64) -> Event {
        let mut random = Random::new(fate(self.seed, index));
        let (key, millis) = self.head(index, &mut random);
        let kind = TYPES[random.below(10) as usize];
        let name = NAMES[self.names.draw(&mut random) as usize - 1];
        let mut facets = Vec::new();
        for (at, facet) in FACETS.iter().enumerate() {
            facets.extend(
                self.values_of(at, &mut random).into_iter().flatten().map(|(value, _)| (*facet, value)),
            );
        }
        let user = String::from_utf8_lossy(&key[APP.len() + 1..USER_BYTES - 1]).into_owned();
        Event { user, micros: millis * 1_000, kind, name, facets }
    }

    /// Returns the key of event `index`.
    pub fn key(&self, index: u64) -> Vec<u8> {
        self.head(index, &mut Random::new(fate(self.seed, index))).0
    }

    /// Returns the key prefix of a user. Users with lower numbers are drawn more often.
    pub fn user(&self, number: u64) -> Vec<u8> {
        let (high, low) = (fate(!self.seed, 2 * number), fate(!self.seed, 2 * number + 1));
        let mut key = Vec::with_capacity(USER_BYTES + 24);
        let [a, b, c] = [high >> 32, high >> 16 & 0xffff, high & 0xfff];
        let [d, e] = [low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff];
        write(&mut key, format_args!("app,{a:08x}-{b:04x}-4{c:03x}-{d:04x}-{e:012x},"));
        key
    }

    fn head(&self, index: u64, random: &mut Random) -> (Vec<u8>, i64) {
        let step = DAYS * DAY_MILLIS / self.count as i64;
        let millis = START_MILLIS + index as i64 * step + random.below(step as u64) as i64;
        let mut key = self.user(self.users.draw(random) - 1);
        TimeFormat::Iso.write(millis, &mut key).expect("a year of four digits");
        (key, millis)
    }

    /// Draws one or two values, each with a count.
    fn values_of(&self, facet: usize, random: &mut Random) -> [Option<(&'static str, u64)>; 2] {
        let first = self.values.draw(random);
        let mut second = (random.below(100) < SECOND_PERCENT).then(|| self.values.draw(random));
        second = second.filter(|second| *second != first);
        let mut value =
            |rank: u64| (VALUES[(rank as usize * 7 + facet * 11) % VALUES.len()], 1 + random.below(10) / 8);
        [Some(value(first)), second.map(value)]
    }
}

fn write(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_the_requested_sizes() {
        let events = Events::new(1, 10_000);
        let (mut narrow, mut wide) = (0, 0);
        for index in 0..events.count {
            let row = events.row(index, Layout::Narrow);
            assert_eq!(row.key, events.key(index));
            assert_eq!(row.key.len(), USER_BYTES + 24);
            assert!(index == 0 || events.row(index - 1, Layout::Narrow).time < row.time);
            narrow += row.cells[0].value.len();
            let row = events.row(index, Layout::Wide);
            assert_eq!(row.cells.len(), FACETS.len());
            assert!(row.cells.is_sorted_by(|a, b| a.qualifier < b.qualifier));
            wide += row.cells.iter().map(|cell| cell.value.len()).sum::<usize>();
        }
        let (narrow, wide) = (narrow / 10_000, wide / 120_000);
        assert!((450..550).contains(&narrow) && (20..40).contains(&wide), "{narrow} {wide}");
    }

    #[test]
    fn an_event_has_what_its_row_has() {
        let events = Events::new(1, 1_000);
        for index in 0..events.count {
            let (event, row) = (events.event(index), events.row(index, Layout::Narrow));
            let cell = &row.cells[0];
            assert_eq!(
                (event.micros, event.kind, event.name.as_bytes()),
                (row.time, cell.family, &*cell.qualifier)
            );
            assert!(row.key.starts_with(format!("{APP},{},", event.user).as_bytes()));
            let facets: serde_json::Value = serde_json::from_slice(&cell.value).expect("JSON");
            let facets = facets.as_array().expect("a list of facets").iter();
            let texts: Vec<String> =
                facets.map(|facet| format!("{}:{}", facet[0], facet[2]).replace('"', "")).collect();
            assert_eq!(event.facets_text(), texts.join("|"));
        }
    }
}
