//! Generated files: a clock, entities that have events, and columns.

use tabletop_keys::{is_number, time};
use tabletop_workload::random::{Random, fate, mix, scale};

use super::ids::{ulid, uuid};
use super::{time_text, windows_1252};

/// The size of the jitter between two events, as a share of their average distance: events come
/// every 0.5 to 1.5 distances.
const JITTER: f64 = 1.0;
/// Entities and events draw from separate random numbers.
const ENTITIES: u64 = 0x5eed;

/// A file that is made of a seed. The same declaration makes the same bytes on every machine.
pub struct Generated {
    seed: u64,
    count: u64,
    start_micros: i64,
    arrival: Arrival,
    burst: u64,
    resends_one_of: Option<u64>,
    form: Form,
    columns: Vec<(&'static str, Make)>,
}

/// Makes the text of a column; an empty text is an absent value.
type Make = Box<dyn Fn(&mut Event) -> String>;

/// Which entity has the next event, and when.
enum Arrival {
    /// A random entity, after a random time. The first entities have most of the events.
    Random { entities: u64, every_micros: f64 },
    /// All entities in turn at each step of time.
    Rounds { entities: u64, step_micros: i64 },
    /// All events of an entity, then all events of the next one.
    Panel { entities: u64, step_micros: i64 },
}

/// How events are written.
enum Form {
    Csv { delimiter: &'static str, header: bool, windows_1252: bool },
    JsonLines,
}

/// The event for which a column is made.
pub struct Event {
    /// The number of the event, from 0.
    pub index: u64,
    /// The number of its entity, from 0.
    pub entity: u64,
    /// The number of the entity's earlier events.
    pub earlier: u64,
    /// Its time, in microseconds since 1970.
    pub micros: i64,
    random: Random,
    /// The random number from which everything is made that is fixed for an entity.
    fixed: u64,
}

impl Generated {
    /// Begins a file of `count` events.
    pub fn new(seed: u64, count: u64) -> Generated {
        Generated {
            seed,
            count,
            start_micros: micros("2026-03-02"),
            arrival: Arrival::Random { entities: 1, every_micros: 1e6 },
            burst: 1,
            resends_one_of: None,
            form: Form::Csv { delimiter: ",", header: true, windows_1252: false },
            columns: Vec::new(),
        }
    }

    /// Sets the time of the first event.
    pub fn from(self, start: &str) -> Self {
        Generated { start_micros: micros(start), ..self }
    }

    /// Events of random entities, one in about `seconds`.
    pub fn random(self, entities: u64, seconds: f64) -> Self {
        Generated { arrival: Arrival::Random { entities, every_micros: seconds * 1e6 }, ..self }
    }

    /// Every `seconds` an event of each entity.
    pub fn rounds(self, entities: u64, seconds: i64) -> Self {
        Generated { arrival: Arrival::Rounds { entities, step_micros: seconds * 1_000_000 }, ..self }
    }

    /// All events of the first entity, one every `seconds`, then all events of the next one.
    pub fn panel(self, entities: u64, seconds: i64) -> Self {
        Generated { arrival: Arrival::Panel { entities, step_micros: seconds * 1_000_000 }, ..self }
    }

    /// Repeats each entity and time in `burst` events.
    pub fn in_bursts(self, burst: u64) -> Self {
        Generated { burst, ..self }
    }

    /// Writes one in `one_of` events twice, exactly.
    pub fn with_resent(self, one_of: u64) -> Self {
        Generated { resends_one_of: Some(one_of), ..self }
    }

    /// Writes CSV with this delimiter.
    pub fn delimited(mut self, by: &'static str) -> Self {
        if let Form::Csv { delimiter, .. } = &mut self.form {
            *delimiter = by;
        }
        self
    }

    /// Writes CSV without a header line.
    pub fn headless(mut self) -> Self {
        if let Form::Csv { header, .. } = &mut self.form {
            *header = false;
        }
        self
    }

    /// Writes CSV in Windows-1252.
    pub fn windows_1252(mut self) -> Self {
        if let Form::Csv { windows_1252, .. } = &mut self.form {
            *windows_1252 = true;
        }
        self
    }

    /// Writes JSON lines. The names of columns are paths: `user.id` is in an object `user`.
    pub fn json_lines(self) -> Self {
        Generated { form: Form::JsonLines, ..self }
    }

    /// Adds a column.
    pub fn column(mut self, name: &'static str, make: impl Fn(&mut Event) -> String + 'static) -> Self {
        self.columns.push((name, Box::new(make)));
        self
    }

    /// Writes the file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Form::Csv { header: true, .. } = self.form {
            self.line(&mut out, self.columns.iter().map(|(name, _)| (*name).to_owned()).collect());
        }
        for event in &mut self.events() {
            let start = out.len();
            let texts = self.columns.iter().map(|(_, make)| make(event)).collect();
            match self.form {
                Form::Csv { .. } => self.line(&mut out, texts),
                Form::JsonLines => self.object(&mut out, &texts),
            }
            if self.resends_one_of.is_some_and(|one_of| mix(event.index).is_multiple_of(one_of)) {
                out.extend_from_within(start..);
            }
        }
        match self.form {
            Form::Csv { windows_1252: true, .. } => {
                str::from_utf8(&out).expect("texts").chars().map(windows_1252::encode).collect()
            }
            _ => out,
        }
    }

    fn events(&self) -> Vec<Event> {
        let mut random = Random::new(self.seed);
        let mut now = self.start_micros;
        let mut earlier = std::collections::HashMap::new();
        let mut entity = 0;
        let moments = self.count / self.burst;
        let event = |index: u64| {
            let moment = index / self.burst;
            if index.is_multiple_of(self.burst) {
                entity = match self.arrival {
                    Arrival::Random { entities, every_micros } => {
                        now += (every_micros * (1.0 - JITTER / 2.0 + JITTER * random.unit())) as i64;
                        skewed(random.next(), entities)
                    }
                    Arrival::Rounds { entities, step_micros } => {
                        now = self.start_micros + (moment / entities) as i64 * step_micros;
                        moment % entities
                    }
                    Arrival::Panel { entities, step_micros } => {
                        let length = moments.div_ceil(entities);
                        now = self.start_micros + (moment % length) as i64 * step_micros;
                        moment / length
                    }
                };
            }
            let earlier = earlier.entry(entity).or_insert(0);
            *earlier += 1;
            Event {
                index,
                entity,
                earlier: *earlier - 1,
                micros: now,
                random: Random::new(fate(self.seed, index)),
                fixed: fate(self.seed ^ ENTITIES, entity),
            }
        };
        (0..self.count).map(event).collect()
    }

    fn line(&self, out: &mut Vec<u8>, texts: Vec<String>) {
        let Form::Csv { delimiter, .. } = self.form else { return };
        for (at, text) in texts.iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(delimiter.as_bytes());
            }
            // Only the delimiter and quotes need quotes, as in files with a decimal comma.
            if text.contains(delimiter) || text.contains('"') {
                out.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes());
            } else {
                out.extend_from_slice(text.as_bytes());
            }
        }
        out.push(b'\n');
    }

    fn object(&self, out: &mut Vec<u8>, texts: &[String]) {
        let mut object = serde_json::Map::new();
        for ((name, _), text) in self.columns.iter().zip(texts).filter(|(_, text)| !text.is_empty()) {
            let value = if is_number(text) {
                serde_json::from_str(text).expect("a number")
            } else {
                serde_json::Value::from(text.as_str())
            };
            let mut inside = &mut object;
            let mut path = name.split('.').peekable();
            while let Some(part) = path.next() {
                if path.peek().is_none() {
                    inside.insert(part.to_owned(), value);
                    break;
                }
                let deeper = inside.entry(part).or_insert_with(|| serde_json::Map::new().into());
                inside = deeper.as_object_mut().expect("an object");
            }
        }
        serde_json::to_writer(&mut *out, &object).expect("a vector takes all");
        out.push(b'\n');
    }
}

impl Event {
    /// Returns the time in a format of `strftime`.
    pub fn time(&self, format: &str) -> String {
        time_text::text(format, self.micros)
    }

    /// Returns the time in ISO 8601, in seconds.
    pub fn iso(&self) -> String {
        self.time("%Y-%m-%dT%H:%M:%SZ")
    }

    /// Returns a uniformly distributed number in `[0, n)`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.random.below(n)
    }

    /// Returns whether something happens that happens once in `n` events.
    pub fn is_one_of(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns a whole number in `[low, high]`.
    pub fn int(&mut self, low: i64, high: i64) -> String {
        (low + self.below((high - low + 1) as u64) as i64).to_string()
    }

    /// Returns a number around `center`, at most `spread` away, with this number of decimals.
    pub fn near(&mut self, center: f64, spread: f64, decimals: usize) -> String {
        // The sum of three uniform numbers is nearly normal.
        let sum = self.random.unit() + self.random.unit() + self.random.unit();
        format!("{:.decimals$}", center + spread * (sum / 1.5 - 1.0))
    }

    /// Returns a number that differs between entities and changes slowly in the course of a day, as
    /// measurements do: at most `spread` away from `center`, with this number of decimals.
    pub fn slow(&mut self, center: f64, spread: f64, decimals: usize) -> String {
        /// The number of different entities; it is a power of two, so that shares are exact.
        const STEPS: u64 = 1 << 20;
        let share = |what: u64| self.fixed(center.to_bits() ^ what, STEPS) as f64 / STEPS as f64;
        let day = self.micros.rem_euclid(time_text::DAY_MICROS) as f64 / time_text::DAY_MICROS as f64;
        let moment = day + share(1);
        // Up for half a day, then down.
        let wave = (moment - moment.floor() - 0.5).abs() * 4.0 - 1.0;
        let offset = share(2) * 2.0 - 1.0;
        let noise = self.random.unit() * 2.0 - 1.0;
        format!("{:.decimals$}", center + spread * (0.45 * wave + 0.45 * offset + 0.1 * noise))
    }

    /// Returns a whole number from 1 to `n`, of which the lowest ones are by far the most frequent,
    /// as quantities are.
    pub fn few(&mut self, n: u64) -> String {
        let most = self.skewed(n) + 1;
        (self.skewed(most) + 1).to_string()
    }

    /// Returns one of these texts. Texts that are listed twice are twice as likely.
    pub fn pick(&mut self, texts: &[&str]) -> String {
        texts[self.below(texts.len() as u64) as usize].to_owned()
    }

    /// Returns a number in `[0, n)` of which the lower ones are more likely.
    pub fn skewed(&mut self, n: u64) -> u64 {
        skewed(self.random.next(), n)
    }

    /// Returns a number in `[0, n)` that is fixed for the entity. `what` tells several of them from
    /// each other.
    pub fn fixed(&self, what: u64, n: u64) -> u64 {
        scale(fate(self.fixed, what), n)
    }

    /// Returns a number with `digits` digits, without a leading zero, that identifies the entity.
    pub fn number_of_entity(&self, digits: u32) -> String {
        let lowest = 10u64.pow(digits - 1);
        (lowest + self.fixed(17, 9 * lowest)).to_string()
    }

    /// Returns a random UUID.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.random.next(), self.random.next());
        uuid(high & 0xffff_ffff_ffff_0fff | 0x4000, low)
    }

    /// Returns a random UUID that is fixed for a number.
    pub fn uuid_of(&self, number: u64) -> String {
        uuid(mix(number) & 0xffff_ffff_ffff_0fff | 0x4000, mix(!number))
    }

    /// Returns a UUID of version 7, which begins with the time.
    pub fn uuid_v7(&mut self) -> String {
        let (random, low) = (self.below(1 << 12), self.random.next());
        uuid(((self.micros / 1_000) as u64) << 16 | 0x7000 | random, low)
    }

    /// Returns a ULID, which begins with the time.
    pub fn ulid(&mut self) -> String {
        let random = u128::from(self.random.next()) << 16 | u128::from(self.below(1 << 16));
        ulid(self.micros / 1_000, random)
    }

    /// Returns a number of 64 bits that begins with the time, as Twitter's do.
    pub fn snowflake(&mut self) -> String {
        /// The milliseconds of 2010-11-04T01:42:54.657Z.
        const EPOCH: i64 = 1_288_834_974_657;
        (((self.micros / 1_000 - EPOCH) << 22) + self.below(1 << 22) as i64).to_string()
    }

    /// Returns `count` words.
    pub fn words(&mut self, count: u64) -> String {
        const WORDS: [&str; 24] = [
            "the", "order", "was", "late", "again", "please", "call", "me", "tomorrow", "thanks", "for",
            "help", "your", "new", "page", "does", "not", "load", "after", "update", "it", "works", "now",
            "good",
        ];
        let words: Vec<String> = (0..count).map(|_| self.pick(&WORDS)).collect();
        words.join(" ")
    }
}

/// Returns a number in `[0, n)`, the square of a uniform number: the lower ones are more likely.
fn skewed(random: u64, n: u64) -> u64 {
    scale(((u128::from(random) * u128::from(random)) >> 64) as u64, n)
}

fn micros(text: &str) -> i64 {
    time::parse(text).expect("a time in ISO 8601")
}
