//! Live arrival: which events a table gets once the loaded ones are in it.
//!
//! This is the only definition of it. The clock runs one second per second, and events come as fast
//! as their times can tell apart: at 1,000 per second, or at the rate of the loaded events where their
//! times are coarser, as days are. Each has the values of a loaded event, but every field that follows the clock is
//! that of now: the time of the event, other times near it, dates, times of day, weekdays, counters,
//! and identifiers that rise with the time. So all events of a moment have the same time of day, and
//! a key that begins with one sends them to one place, however far the loaded events lie apart.
//!
//! Now is as long after the last loaded event as the loaded events span. So it is in no hour, day or
//! month of theirs, unless a text that the program cannot continue says so: a date that is not read
//! as a time, or a weekday, is that of the last event.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tabletop_keys::{Field, FieldKind, FieldRole, Record, Roles, time};
use tabletop_model::order::sorted_indices;

/// Live events that are examined: those of one moment.
const EVENTS: usize = 512;
/// Distances between events that are compared to find identifiers that rise, as parts of all events.
const DISTANCES: [usize; 3] = [3, 7, 17];
/// The share of pairs of events in which a field rises that follows the clock. Where events come in
/// a random order, it is a half.
const RISES_MIN: f64 = 0.95;
/// A field with fewer values names kinds, although they may rise, as versions do.
const VALUES_MIN: usize = 32;
/// Units of times, in microseconds: days, hours, minutes, seconds, milliseconds.
const UNITS: [i64; 5] = [86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000];

/// The events of one moment after the loaded ones.
pub struct LiveEvents {
    /// The fields, whose times are read as [`FieldKind::Time`] defines them.
    pub fields: Vec<Field>,
    /// For each event, the index of the loaded event whose values it has.
    sources: Vec<usize>,
    /// For each field that follows the clock, its texts.
    texts: Vec<Option<Vec<Option<String>>>>,
}

impl LiveEvents {
    /// Returns the live events that follow these events, whose fields have these roles; `None` if no
    /// field is the time of the events.
    pub fn of(records: &[Record], roles: &[FieldRole]) -> Option<LiveEvents> {
        let fields = records.first()?.fields;
        let is_time = |at: &usize| roles[*at] == FieldRole::EventTime && fields[*at].kind == FieldKind::Time;
        let clock = (0..fields.len()).find(is_time).or_else(|| Roles::of(fields).time)?;
        let loaded = Loaded::of(records, clock)?;
        let step = records.len().div_ceil(EVENTS).max(1);
        let sources: Vec<usize> = (0..records.len()).step_by(step).collect();
        let mut live_fields = fields.to_vec();
        let mut texts = Vec::with_capacity(fields.len());
        for (at, field) in live_fields.iter_mut().enumerate() {
            let followed = loaded.follow(at, roles[at], &sources);
            // Times are written anew, unless they are those of the last event.
            if followed.is_some() && roles[at] != FieldRole::PartOfTime {
                field.format = None;
            }
            texts.push(followed);
        }
        Some(LiveEvents { fields: live_fields, sources, texts })
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns whether a field is that of now.
    pub fn follows_clock(&self, field: usize) -> bool {
        self.texts[field].is_some()
    }

    /// Returns the text of a field of the live event at `at`.
    pub fn value<'v>(&'v self, records: &'v [Record], at: usize, field: usize) -> Option<&'v str> {
        match &self.texts[field] {
            Some(texts) => texts[at].as_deref(),
            None => records[self.sources[at]].value(field),
        }
    }
}

/// The loaded events in the order of their time.
struct Loaded<'l, 'r> {
    records: &'l [Record<'r>],
    clock: usize,
    /// The time of each event, in microseconds.
    times: Vec<Option<i64>>,
    /// The indices of the events that have a time, in its order.
    order: Vec<usize>,
    /// How long after the last event the present is.
    later: i64,
    /// The largest unit of which all times are multiples.
    unit: i64,
    /// Events that have the same time, on average.
    together: usize,
}

impl<'l, 'r> Loaded<'l, 'r> {
    fn of(records: &'l [Record<'r>], clock: usize) -> Option<Loaded<'l, 'r>> {
        let field = &records.first()?.fields[clock];
        let times: Vec<Option<i64>> =
            records.iter().map(|record| field.micros(record.value(clock)?)).collect();
        let known: Vec<usize> = (0..times.len()).filter(|at| times[*at].is_some()).collect();
        // Of equal times, the later one in the file is later, unless the file is in descending order.
        let descends = times[*known.first()?] > times[*known.last()?];
        let rank = |at: usize| (times[at], if descends { times.len() - at } else { at });
        let order = sorted_indices(known.len(), &|one, other| rank(known[one]).cmp(&rank(known[other])));
        let order: Vec<usize> = order.into_iter().map(|at| known[at]).collect();
        let (first, last) = (times[*order.first()?]?, times[*order.last()?]?);
        let is_multiple = |unit: &i64| times.iter().flatten().all(|time| time % unit == 0);
        let unit = UNITS.into_iter().find(is_multiple).unwrap_or(1);
        let later = last.saturating_sub(first).max(unit);
        let instants = order.chunk_by(|&one, &other| times[one] == times[other]).count();
        let together = order.len().div_ceil(instants);
        Some(Loaded { records, clock, times, order, later, unit: unit.max(1_000), together })
    }

    fn newest(&self) -> usize {
        self.order[self.order.len() - 1]
    }

    /// The time of the live event at `at`, as exact as the loaded ones.
    fn now(&self, at: usize) -> i64 {
        let start = self.times[self.newest()].unwrap_or_default().saturating_add(self.later);
        start.saturating_add((at / self.together) as i64 * self.unit)
    }

    /// The texts of a field for live events with these sources; `None` if it does not follow the
    /// clock.
    fn follow(&self, field: usize, role: FieldRole, sources: &[usize]) -> Option<Vec<Option<String>>> {
        if field == self.clock {
            return Some((0..sources.len()).map(|at| self.time_text(field, self.now(at))).collect());
        }
        match role {
            FieldRole::PartOfTime => {
                let last = self.records[self.newest()].value(field).map(str::to_owned);
                Some(alloc::vec![last; sources.len()])
            }
            FieldRole::EventTime | FieldRole::OtherTime => self.other_times(field, sources),
            FieldRole::Counter | FieldRole::UniqueIdentifier | FieldRole::SharedIdentifier => {
                self.rises(field).then(|| self.next_identifiers(field, sources))
            }
            _ => None,
        }
    }

    /// The texts of another time, if it rises with that of the events: as far from now as it was
    /// from the event's own time.
    fn other_times(&self, field: usize, sources: &[usize]) -> Option<Vec<Option<String>>> {
        let of = &self.records[0].fields[field];
        if of.kind != FieldKind::Time || !self.rises(field) {
            return None;
        }
        let text = |(at, &source): (usize, &usize)| {
            let own = of.micros(self.records[source].value(field)?)?;
            let distance = self.times[source].map_or(0, |time| own - time);
            self.time_text(field, self.now(at).saturating_add(distance))
        };
        Some(sources.iter().enumerate().map(text).collect())
    }

    /// Writes a time as the field's texts are: as a count if they are counts.
    fn time_text(&self, field: usize, micros: i64) -> Option<String> {
        let sample = self.order.iter().rev().find_map(|at| self.records[*at].value(field))?;
        let of = &self.records[0].fields[field];
        let is_count = of.format.is_none() && sample.bytes().all(|byte| byte.is_ascii_digit());
        Some(match sample.len() {
            9..=10 if is_count => (micros / 1_000_000).to_string(),
            13 if is_count => (micros / 1_000).to_string(),
            16 if is_count => micros.to_string(),
            _ => time::format(micros),
        })
    }

    /// Whether the field rises with the time: not only between neighbours, whose order may be that
    /// of a moment.
    fn rises(&self, field: usize) -> bool {
        let values: Vec<&str> = self.order.iter().filter_map(|at| self.records[*at].value(field)).collect();
        if values.len() < VALUES_MIN {
            return false;
        }
        let of = &self.records[0].fields[field];
        let is_less = |one: &str, other: &str| match (rank(of, one), rank(of, other)) {
            (Some(one), Some(other)) => one < other,
            _ => (one.len(), one) < (other.len(), other) && one.len() <= other.len(),
        };
        let (mut pairs, mut rising) = (0, 0);
        for part in DISTANCES {
            let distance = (values.len() / part).max(1);
            for (one, other) in values.iter().zip(&values[distance..]) {
                pairs += 1;
                rising += usize::from(is_less(one, other));
            }
        }
        let distinct = {
            let order = sorted_indices(values.len(), &|one, other| values[one].cmp(values[other]));
            order.chunk_by(|&one, &other| values[one] == values[other]).count()
        };
        distinct >= VALUES_MIN && f64::from(rising as u32) >= RISES_MIN * f64::from(pairs as u32)
    }

    /// The texts of a field that rises, after all loaded ones.
    fn next_identifiers(&self, field: usize, sources: &[usize]) -> Vec<Option<String>> {
        let newest = || self.order.iter().rev().filter_map(|at| self.records[*at].value(field));
        let Some(last) = newest().next() else { return alloc::vec![None; sources.len()] };
        let before = newest().find(|text| *text != last).unwrap_or(last);
        let text = |(at, &source): (usize, &usize)| {
            Some(next(last, before, self.records[source].value(field).unwrap_or(last), at))
        };
        sources.iter().enumerate().map(text).collect()
    }
}

/// The place of a value in the order of its field; `None` if it is that of its text.
fn rank(field: &Field, text: &str) -> Option<f64> {
    match field.kind {
        FieldKind::Time => field.micros(text).map(|micros| micros as f64),
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// The identifier after `last`, which follows `before`: a number that is greater, or a text whose
/// common beginning is greater and whose rest is that of another identifier.
fn next(last: &str, before: &str, other: &str, at: usize) -> String {
    if let (Ok(last_number), Ok(before_number)) = (last.parse::<i128>(), before.parse::<i128>()) {
        let step = (last_number - before_number).max(1);
        let number = last_number + step * (at as i128 + 1);
        let width = if last.starts_with('0') { last.len() } else { 0 };
        return format!("{number:0width$}");
    }
    let digits = last.len() - last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let head = &last[..last.len() - digits];
    if digits > 0 && before.starts_with(head) && before.len() == last.len() && digits < 19 {
        let number = last[head.len()..].parse::<u64>().unwrap_or(0) + at as u64 + 1;
        return format!("{head}{number:0digits$}");
    }
    let common = last.char_indices().zip(before.chars()).find(|((_, one), other)| one != other);
    let Some(((start, greater), _)) = common else { return format!("{last}{at:04}") };
    let raised = match greater {
        '0'..='8' | 'a'..='y' | 'A'..='Y' => char::from(greater as u8 + 1),
        '9' => 'a',
        _ => '~',
    };
    let rest: String = other.chars().skip(last[..start].chars().count() + 1).collect();
    format!("{}{raised}{rest}", &last[..start])
}
