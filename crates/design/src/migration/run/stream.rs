//! The stream of events beside a migration: those of a workspace, round after round.

use tabletop_model::{Error, Timestamp};
use tabletop_schema::{Field, Record, Roles, time};
use tabletop_workload::Events;
use tabletop_workload::stored_events::EventTexts;

/// Microseconds between the latest event of a round and the earliest of the next one.
const BETWEEN_ROUNDS: i64 = 1_000_000;
/// The most events that are written before the stream begins.
const HISTORY_MAX: u64 = 30_000;

/// How far a stream is. Each round is later than the one before by the time that a round spans, so time goes on and GC has work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    /// Events of a round.
    pub round: u64,
    /// Events that have arrived in all rounds.
    pub arrived: u64,
    /// The earliest time of the first round, microseconds since 1970, if any event has a time.
    pub first: Option<Timestamp>,
    /// The latest time so far.
    pub now: Timestamp,
    /// How much later the present round is than the first one, microseconds.
    pub shift: i64,
    /// Events that a design cannot write.
    pub refused: u64,
    /// Why the first of them cannot be written.
    pub refusal: String,
}

impl Stream {
    /// Events that are written before the stream begins: three fifths of a round.
    pub fn history(&self) -> u64 {
        (self.round / 5 * 3).min(HISTORY_MAX)
    }

    /// Whether no more events follow: a time in a person's own format cannot be written for another round.
    pub fn is_over(&self, fields: &[Field]) -> bool {
        let can_repeat = Roles::of(fields).time.is_some_and(|time| fields[time].format.is_none());
        self.round == 0 || self.arrived >= self.round && !can_repeat
    }

    /// The next events, at most `count`.
    pub fn take(&mut self, events: &Events, count: u64) -> Vec<EventTexts> {
        let fields = events.fields();
        let time = Roles::of(fields).time;
        let (mut values, mut taken) = (Vec::new(), Vec::new());
        for _ in 0..count {
            if self.is_over(fields) {
                break;
            }
            let at = self.arrived % self.round;
            if at == 0 && self.arrived > 0 {
                self.shift = self.now - self.first.unwrap_or(self.now) + BETWEEN_ROUNDS;
            }
            events.record(at as usize, &mut values);
            let mut texts: EventTexts = values.iter().map(|value| value.map(str::to_owned)).collect();
            let micros = time.and_then(|field| fields[field].micros(values[field]?));
            if let (Some(field), Some(micros)) = (time, micros) {
                if self.arrived < self.round {
                    self.first = Some(self.first.map_or(micros, |first| first.min(micros)));
                }
                self.now = self.now.max(micros + self.shift);
                if self.shift > 0 {
                    texts[field] = Some(time::format(micros + self.shift));
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

/// Calls `act` with events.
pub(super) fn with_records<T>(fields: &[Field], events: &[EventTexts], act: impl FnOnce(&[Record]) -> T) -> T {
    let values: Vec<Vec<Option<&str>>> = events.iter().map(|event| event.iter().map(Option::as_deref).collect()).collect();
    let records: Vec<Record> = values.iter().map(|values| Record { fields, values }).collect();
    act(&records)
}
