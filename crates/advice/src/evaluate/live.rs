//! Live arrival: which events a table gets once the loaded ones are in it.
//!
//! This is the only definition of it. The clock runs one second per second, and a simulation sends events
//! at the rate of its traffic. An evaluation without a rate takes them as fast as their times can tell
//! apart: at 1,000 per second, or at the rate of the loaded events where their times are coarser, as days
//! are. Each has the values of a loaded event, but every field that follows the clock is that of now: the time of the event, other times near it, dates, times of day, weekdays, counters,
//! and identifiers that rise with the time. So all events of a moment have the same time of day, and
//! a key that begins with one sends them to one place, however far the loaded events lie apart.
//!
//! Now is as long after the last loaded event as the loaded events span. So it is in no hour, day or
//! month of theirs, unless a text that the program cannot continue says so: a date that is not read
//! as a time, or a weekday, is that of the last event.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_keys::{Field, FieldKind, FieldRole, Record, Roles, time::TimeStyle};
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
    /// For each event, the index of the loaded event whose values it has.
    sources: Vec<usize>,
    /// For each field that follows the clock, its texts.
    texts: Vec<Option<Vec<Option<String>>>>,
}

impl LiveEvents {
    /// Returns the live events that follow these events, whose fields have these roles; `None` if no
    /// field is the time of the events.
    pub fn of(records: &[Record], roles: &[FieldRole]) -> Option<LiveEvents> {
        let clock = LiveClock::of(records, roles)?;
        let step = records.len().div_ceil(EVENTS).max(1);
        let sources: Vec<usize> = (0..records.len()).step_by(step).collect();
        let text = |field: usize, (at, &source): (usize, &usize)| {
            // As fast as the times can tell apart.
            let elapsed = (at / clock.together) as i64 * clock.unit;
            clock.text(field, at as u64, elapsed, &|field| records[source].value(field))
        };
        let of = |field: usize| {
            clock.follows(field).then(|| sources.iter().enumerate().map(|each| text(field, each)).collect())
        };
        let texts = (0..clock.fields.len()).map(of).collect();
        Some(LiveEvents { sources, texts })
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

/// Returns the index of the time of the events, among fields with these roles.
pub(crate) fn event_time(fields: &[Field], roles: &[FieldRole]) -> Option<usize> {
    let is_time = |at: &usize| roles[*at] == FieldRole::EventTime && fields[*at].kind == FieldKind::Time;
    (0..fields.len()).find(is_time).or_else(|| Roles::of(fields).time)
}

/// The values that live events have in the fields that follow the clock.
pub struct LiveClock {
    fields: Vec<FollowedField>,
    clock: usize,
    /// The time of the first live event, in microseconds since 1970.
    start: i64,
    /// The largest unit of which all times are multiples, in microseconds.
    unit: i64,
    /// Loaded events that have the same time, on average.
    together: usize,
}

/// A field of live events.
struct FollowedField {
    field: Field,
    follows: Option<Follows>,
}

/// How a field follows the clock.
enum Follows {
    /// It is the time of the event.
    Now(TimeStyle),
    /// It is another time, as far from now as it was from its event's own time.
    Distance(TimeStyle),
    /// It stays as in the last loaded event.
    Last(Option<String>),
    /// It is an identifier that rises, and these two are the last loaded ones.
    Rises { last: String, before: String },
}

impl LiveClock {
    /// Returns the clock of the live events that follow these events, whose fields have these roles;
    /// `None` if no field is the time of the events.
    pub fn of(records: &[Record], roles: &[FieldRole]) -> Option<LiveClock> {
        let fields = records.first()?.fields;
        let clock = event_time(fields, roles)?;
        let loaded = Loaded::of(records, clock)?;
        let followed = fields.iter().zip(roles).enumerate().map(|(at, (field, role))| FollowedField {
            field: field.clone(),
            follows: loaded.follow(at, *role),
        });
        Some(LiveClock {
            fields: followed.collect(),
            clock,
            start: loaded.times[loaded.newest()]?.saturating_add(loaded.later),
            unit: loaded.unit,
            together: loaded.together,
        })
    }

    /// Returns whether live events have other values in this field than the loaded ones.
    pub fn follows(&self, field: usize) -> bool {
        self.fields[field].follows.is_some()
    }

    /// Returns the text that a field which follows the clock has in live event number `number`, from 0,
    /// `elapsed` microseconds after the first one. The event has the other values of a loaded event:
    /// `loaded` returns them by the index of the field. `None` if the event has no value.
    pub fn text<'v>(
        &self,
        field: usize,
        number: u64,
        elapsed: i64,
        loaded: &dyn Fn(usize) -> Option<&'v str>,
    ) -> Option<String> {
        let now = self.start.saturating_add(elapsed.div_euclid(self.unit) * self.unit);
        match self.fields[field].follows.as_ref()? {
            Follows::Now(style) => style.write(now),
            Follows::Distance(style) => {
                let own = self.fields[field].field.micros(loaded(field)?)?;
                let time = loaded(self.clock).and_then(|text| self.fields[self.clock].field.micros(text));
                style.write(now.saturating_add(time.map_or(0, |time| own.saturating_sub(time))))
            }
            Follows::Last(text) => text.clone(),
            Follows::Rises { last, before } => {
                Some(next(last, before, loaded(field).unwrap_or(last), number))
            }
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

    /// Returns how a field follows the clock; `None` if it does not.
    fn follow(&self, field: usize, role: FieldRole) -> Option<Follows> {
        if field == self.clock {
            return Some(Follows::Now(self.style(field)));
        }
        match role {
            FieldRole::PartOfTime => {
                Some(Follows::Last(self.records[self.newest()].value(field).map(str::to_owned)))
            }
            FieldRole::EventTime | FieldRole::OtherTime => {
                let is_time = self.records[0].fields[field].kind == FieldKind::Time;
                (is_time && self.rises(field)).then(|| Follows::Distance(self.style(field)))
            }
            FieldRole::Counter | FieldRole::UniqueIdentifier | FieldRole::SharedIdentifier => {
                let newest: Vec<&str> = if self.rises(field) {
                    self.order.iter().rev().filter_map(|at| self.records[*at].value(field)).collect()
                } else if role == FieldRole::Counter {
                    self.numbers(field)?
                } else {
                    return None;
                };
                let last = *newest.first()?;
                let before = newest.iter().find(|text| **text != last).unwrap_or(&last);
                Some(Follows::Rises { last: last.to_owned(), before: (*before).to_owned() })
            }
            _ => None,
        }
    }

    /// Returns the values of a field that numbers the events, the greatest first. The next number is
    /// greater, even where events were not numbered in the order of their times. `None` if numbers
    /// occur again, as the line numbers of orders do.
    fn numbers(&self, field: usize) -> Option<Vec<&str>> {
        let values: Vec<&str> = self.order.iter().filter_map(|at| self.records[*at].value(field)).collect();
        let of = &self.records[0].fields[field];
        let order = sorted_indices(values.len(), &|one, other| compare(of, values[other], values[one]));
        let distinct = order.chunk_by(|&one, &other| values[one] == values[other]).count();
        let are_numbers = distinct >= VALUES_MIN && distinct * 100 >= values.len() * 99;
        are_numbers.then(|| order.into_iter().map(|at| values[at]).collect())
    }

    /// Returns how the times of a field are written.
    fn style(&self, field: usize) -> TimeStyle {
        let newest = self.order.iter().rev().find_map(|at| self.records[*at].value(field));
        TimeStyle::of(&self.records[0].fields[field], newest.unwrap_or_default())
    }

    /// Whether the field rises with the time: not only between neighbours, whose order may be that
    /// of a moment.
    fn rises(&self, field: usize) -> bool {
        let values: Vec<&str> = self.order.iter().filter_map(|at| self.records[*at].value(field)).collect();
        if values.len() < VALUES_MIN {
            return false;
        }
        let of = &self.records[0].fields[field];
        let (mut pairs, mut rising) = (0, 0);
        for part in DISTANCES {
            let distance = (values.len() / part).max(1);
            for (one, other) in values.iter().zip(&values[distance..]) {
                pairs += 1;
                rising += usize::from(compare(of, one, other).is_lt());
            }
        }
        let distinct = {
            let order = sorted_indices(values.len(), &|one, other| values[one].cmp(values[other]));
            order.chunk_by(|&one, &other| values[one] == values[other]).count()
        };
        distinct >= VALUES_MIN && f64::from(rising as u32) >= RISES_MIN * f64::from(pairs as u32)
    }
}

/// The order of two values of a field: T9 comes before T10.
fn compare(field: &Field, one: &str, other: &str) -> Ordering {
    match (rank(field, one), rank(field, other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        _ => (one.len(), one).cmp(&(other.len(), other)),
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
fn next(last: &str, before: &str, other: &str, at: u64) -> String {
    if let (Ok(last_number), Ok(before_number)) = (last.parse::<i128>(), before.parse::<i128>()) {
        let step = (last_number - before_number).max(1);
        let number = last_number + step * (i128::from(at) + 1);
        let width = if last.starts_with('0') { last.len() } else { 0 };
        return format!("{number:0width$}");
    }
    let digits = last.len() - last.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let head = &last[..last.len() - digits];
    if digits > 0 && before.starts_with(head) && before.len() == last.len() && digits < 19 {
        let number = last[head.len()..].parse::<u64>().unwrap_or(0).saturating_add(at + 1);
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
