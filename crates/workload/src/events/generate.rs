//! Events generated from a seed. They model a personalization service (Benjamin Baron, "Choosing
//! the best schema to improve Google Bigtable performance", Algolia 2021). Customers ("apps") run
//! shops, their users view, click and buy objects, and each event has the facets of its object.

mod catalogue;
pub mod random;

use std::fmt::Write;

use tabletop_keys::{Field, FieldKind, time::TimeFormat};
use tabletop_model::Result;
use tabletop_workspace::GeneratorSettings;

use super::Events;
use random::{Random, Zipf, fate, mix, scale};

/// Objects per shop.
const OBJECTS: u64 = 500;
/// The number of objects to which a user returns. Without them, all profiles would look alike.
const FAVOURITES: u64 = 6;
/// 2019-05-28T00:00:00Z, the day of the example in Algolia's article, in milliseconds since 1970.
const START_MILLIS: i64 = 1_559_001_600_000;
/// Gaps between events are products of two uniform numbers: usually short, 1 second on average, 4
/// seconds at most.
const GAP_MILLIS_MAX: u64 = 4_000;

/// Generates events. The same settings always produce the same events, natively and in wasm, in one
/// call or in many.
#[derive(Clone, Debug)]
pub struct Generator {
    seed: u64,
    apps: u64,
    users: Zipf,
    objects: Zipf,
    random: Random,
    now_millis: i64,
    left: u32,
    /// The texts of one event, kept to reuse their memory.
    texts: Texts,
}

#[derive(Clone, Debug, Default)]
struct Texts {
    app: String,
    user: String,
    time: Vec<u8>,
    object: String,
    facets: String,
}

/// A type of event, its frequency, and where in the shop it happens.
struct EventType {
    permille: u64,
    name: &'static str,
    /// Names of events and their percentages.
    places: &'static [(u64, &'static str)],
}

const TYPES: [EventType; 3] = [
    EventType {
        permille: 740,
        name: "view",
        places: &[
            (28, "homepage"),
            (24, "category"),
            (22, "search"),
            (18, "product page"),
            (5, "recommendations"),
            (3, "newsletter"),
        ],
    },
    EventType {
        permille: 210,
        name: "click",
        places: &[
            (38, "search"),
            (22, "category"),
            (18, "homepage"),
            (12, "recommendations"),
            (6, "product page"),
            (4, "newsletter"),
        ],
    },
    EventType {
        permille: 50,
        name: "conversion",
        places: &[(52, "checkout"), (30, "product page"), (12, "wish list"), (6, "newsletter")],
    },
];

impl Generator {
    /// Creates a generator at its first event. Settings outside their limits are clamped.
    pub fn new(settings: &GeneratorSettings) -> Self {
        let skew = if settings.user_skew.is_nan() { 0.0 } else { settings.user_skew.clamp(0.0, 2.0) };
        Generator {
            seed: settings.seed,
            apps: u64::from(settings.apps.max(1)),
            users: Zipf::new(u64::from(settings.users.max(1)), skew),
            objects: Zipf::new(OBJECTS, 0.9),
            random: Random::new(settings.seed),
            now_millis: START_MILLIS,
            left: settings.events.min(1_000_000),
            texts: Texts::default(),
        }
    }

    /// Returns the names and kinds of the fields that all generated events have.
    pub fn fields(&self) -> Vec<Field> {
        [
            ("app_id", FieldKind::Text),
            ("user_token", FieldKind::Text),
            ("timestamp", FieldKind::Time),
            ("event_type", FieldKind::Text),
            ("event_name", FieldKind::Text),
            ("object_id", FieldKind::Text),
            ("facets", FieldKind::Facets),
        ]
        .map(|(name, kind)| Field::new(name, kind))
        .into()
    }

    /// Returns the number of events still to be generated.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Adds the next `count` events, or all that are left if there are fewer. Returns the number of
    /// added events.
    ///
    /// # Errors
    /// `ResourceExhausted` when `events` is full. The events added before stay.
    pub fn fill(&mut self, events: &mut Events, count: u32) -> Result<u32> {
        let count = count.min(self.left);
        for _ in 0..count {
            let (event_type, event_name) = self.make();
            let Texts { app, user, time, object, facets } = &self.texts;
            let time = str::from_utf8(time).expect("digits and signs");
            events.push(&[app, user, time, event_type, event_name, object, facets].map(Some))?;
            self.left -= 1;
        }
        Ok(count)
    }

    /// Writes the next event into `texts`. Returns its type and name.
    fn make(&mut self) -> (&'static str, &'static str) {
        let jitter = scale(self.random.next(), 1 << 32) * self.random.below(GAP_MILLIS_MAX);
        self.now_millis += 1 + (jitter >> 32) as i64;

        let user = fate(self.seed, self.users.draw(&mut self.random));
        // A square is skewed towards 0: the first apps have the most users.
        let app = scale(((u128::from(user) * u128::from(user)) >> 64) as u64, self.apps);

        let event_type = pick(&TYPES, self.random.below(1_000), |event_type| event_type.permille);
        let (_, place) = pick(event_type.places, self.random.below(100), |place| place.0);

        let choice = self.random.next();
        let rank = if choice & 1 == 0 {
            fate(user, scale(choice, FAVOURITES)) % OBJECTS
        } else {
            self.objects.draw(&mut self.random)
        };
        let object = fate(self.seed ^ mix(app), rank);

        let texts = &mut self.texts;
        texts.app.clear();
        texts.user.clear();
        texts.time.clear();
        texts.object.clear();
        texts.facets.clear();
        write!(texts.app, "app-{app:02}").expect("a string takes all");
        push_uuid(&mut texts.user, user);
        TimeFormat::Iso.write(self.now_millis, &mut texts.time).expect("a time of this century");
        push_uuid(&mut texts.object, object);
        catalogue::push_facets(object, &mut texts.facets);
        (event_type.name, place)
    }
}

/// Returns the entry whose share of the whole contains `at`.
fn pick<T>(entries: &[T], mut at: u64, share: impl Fn(&T) -> u64) -> &T {
    for entry in entries {
        match at.checked_sub(share(entry)) {
            None => return entry,
            Some(rest) => at = rest,
        }
    }
    unreachable!("shares add up to the whole")
}

/// Appends a token in the form of a random UUID, a pure function of `n`.
fn push_uuid(out: &mut String, n: u64) {
    // The bits for version 4, variant 1.
    let high = mix(n) & 0xffff_ffff_ffff_0fff | 0x4000;
    let low = mix(!n) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
    let digits = u128::from(high) << 64 | u128::from(low);
    for index in 0..32 {
        if matches!(index, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(char::from(b"0123456789abcdef"[(digits >> (124 - 4 * index)) as usize & 15]));
    }
}

#[cfg(test)]
mod tests;
