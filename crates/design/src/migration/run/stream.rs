//! The stream of events next to a migration: the events of a workspace, in one round after another.

use tabletop_keys::{
    Field, Record, Roles,
    time::{self, DAY_MILLIS, TimeFormat},
};
use tabletop_model::{Error, Timestamp};
use tabletop_protocol::migration::MIGRATION_EVENTS_MAX;
use tabletop_workload::Events;
use tabletop_workload::stored_events::EventTexts;

/// Microseconds between the latest event of a round and the earliest of the next one.
const BETWEEN_ROUNDS: i64 = 1_000_000;
/// The minimum number of microseconds that a round spans. Shorter rounds are stretched, so that GC
/// by age has work before the user leaves the page.
const ROUND_MICROS: i64 = 60 * DAY_MILLIS * 1_000;
/// The maximum number of events that are written before the stream begins.
const HISTORY_MAX: u64 = 30_000;

/// The progress of a stream. Each round is later than the one before by the time that a round
/// spans, so time advances and GC has work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stream {
    /// Number of events of a round.
    pub round: u64,
    /// Number of events that have arrived, in all rounds.
    pub arrived: u64,
    /// The time from which times are stretched, microseconds since 1970.
    pub anchor: Timestamp,
    /// The factor by which the times between events are longer than in the workspace.
    pub stretch: i64,
    /// The earliest time of the first round; `None` if no event has a time.
    pub first: Option<Timestamp>,
    /// The latest time so far.
    pub now: Timestamp,
    /// How much later the current round is than the first one, in microseconds.
    pub shift: i64,
    /// Number of events that a design cannot write.
    pub refused: u64,
    /// Why the first refused event cannot be written.
    pub refusal: String,
}

impl Stream {
    /// A stream of these events, none of which has arrived.
    pub fn of(events: &Events) -> Stream {
        let fields = events.fields();
        let time = Roles::of(fields).time.filter(|time| can_write(&fields[*time]));
        let round = Stream::round_of(events);
        // The times of all events are needed, not of a sample: if one event is years later than the
        // others, a stretch computed from the others would move it by thousands of years.
        let times = (0..round).filter_map(|at| fields[time?].micros(events.value(at, time?)?));
        let (first, last) =
            times.fold((i64::MAX, i64::MIN), |(first, last), time| (first.min(time), last.max(time)));
        let span = last.saturating_sub(first);
        Stream {
            round: round as u64,
            arrived: 0,
            anchor: if span >= 0 { first } else { 0 },
            stretch: if span > 0 { (ROUND_MICROS / span).max(1) } else { 1 },
            first: None,
            now: 0,
            shift: 0,
            refused: 0,
            refusal: String::new(),
        }
    }

    /// Returns how many of these events a round has.
    pub fn round_of(events: &Events) -> usize {
        events.len().min(MIGRATION_EVENTS_MAX as usize)
    }

    /// Returns the number of events that are written before the stream begins: three fifths of a
    /// round.
    pub fn history(&self) -> u64 {
        (self.round / 5 * 3).min(HISTORY_MAX)
    }

    /// Returns whether no events remain: a time in the user's own format, or after the year 9999,
    /// cannot be written for another round.
    pub fn is_over(&self, fields: &[Field]) -> bool {
        let can_repeat = Roles::of(fields).time.is_some_and(|time| can_write(&fields[time]));
        self.round == 0 || self.arrived >= self.round && (!can_repeat || self.now >= latest())
    }

    /// Returns the next events, at most `count`.
    pub fn take(&mut self, events: &Events, count: u64) -> Vec<EventTexts> {
        let fields = events.fields();
        let time = Roles::of(fields).time;
        let (mut values, mut taken) = (Vec::new(), Vec::new());
        for _ in 0..count {
            if self.is_over(fields) {
                break;
            }
            let at = self.arrived % self.round;
            // A new round begins. It is later than the first round by the time that all rounds so
            // far span. Example: if the first round spans 60 days, the second one is 60 days and a
            // second later.
            if at == 0 && self.arrived > 0 {
                self.shift =
                    self.now.saturating_sub(self.first.unwrap_or(self.now)).saturating_add(BETWEEN_ROUNDS);
            }
            events.record(at as usize, &mut values);
            let mut texts: EventTexts = values.iter().map(|value| value.map(str::to_owned)).collect();
            let micros = time.and_then(|field| fields[field].micros(values[field]?));
            if let (Some(field), Some(micros)) = (time, micros) {
                let stretched =
                    self.anchor.saturating_add((micros - self.anchor).saturating_mul(self.stretch));
                if self.arrived < self.round {
                    self.first = Some(self.first.map_or(stretched, |first| first.min(stretched)));
                }
                let later = stretched.saturating_add(self.shift);
                if later > latest() && self.arrived >= self.round {
                    self.now = latest();
                    break;
                }
                self.now = self.now.max(later);
                // If times are stretched, the first time is written in the same format as the
                // others.
                if later != micros || self.stretch > 1 {
                    texts[field] = Some(time::format(later));
                }
            }
            self.arrived += 1;
            taken.push(texts);
        }
        taken
    }

    /// Notes an event that cannot be written.
    pub fn refuse(&mut self, error: Error) {
        self.refused += 1;
        if self.refusal.is_empty() {
            self.refusal = error.message;
        }
    }
}

/// Returns whether times of a field can be written. Times in the user's own format can only be
/// read.
fn can_write(field: &Field) -> bool {
    field.format.is_none()
}

/// Returns the latest time that can be written and read again, in microseconds since 1970.
fn latest() -> Timestamp {
    TimeFormat::Iso.bounds().1 * 1_000
}

/// Calls `act` with events.
pub(super) fn with_records<T>(
    fields: &[Field],
    events: &[EventTexts],
    act: impl FnOnce(&[Record]) -> T,
) -> T {
    let values: Vec<Vec<Option<&str>>> =
        events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect();
    let records: Vec<Record> = values.iter().map(|values| Record { fields, values }).collect();
    act(&records)
}
