//! The encodings of values, compared on the first events: what they take in a table, and the time of writing and reading them.
//!
//! The narrow layout has a value with counts for each event, and a row per entity has the whole event. Both are written to a table in each
//! encoding. Then all values are encoded and decoded as the job of profiles needs them, several times, in random order.

use std::hint::black_box;

use tabletop_model::Result;
use tabletop_schema::experiment::{EncodingFigures, Median};
use tabletop_schema::{Encoding, FacetCount, FacetNames, Field, Layout, LayoutKind, Record, Roles};
use tabletop_workload::Events;
use tabletop_workload::personalization::UserRoles;
use tabletop_workload::random::Random;

use super::table::ExperimentTable;
use super::{STEP_EVENTS, article_design};

/// Events whose values are encoded: the first ones.
const EVENTS_MAX: u32 = 5_000;

/// The comparison between two steps.
pub(super) struct Encodings {
    trials: Vec<Trial>,
    /// Trials to be measured, by their index, the next one last.
    runs: Vec<usize>,
    runs_done: u64,
    events: u32,
    /// The counts of each event, once they are needed.
    counts: Vec<Vec<FacetCount<'static>>>,
}

/// One encoding in one layout.
struct Trial {
    layout: LayoutKind,
    encoding: Encoding,
    table: ExperimentTable,
    encode_micros: Vec<f64>,
    decode_micros: Vec<f64>,
}

impl Encodings {
    /// Prepares the tables. There are none if the events do not suit the key of the article.
    pub fn new(events: &Events, roles: UserRoles, rounds: u32, seed: u64) -> Encodings {
        let count = (events.len() as u32).min(EVENTS_MAX);
        let trial = |layout: LayoutKind, encoding: Encoding| {
            let design = article_design(encoding.name(), Layout { encoding, ..Layout::new(layout) });
            let (_, table) = ExperimentTable::prepare(&design, events.fields(), roles).ok()?;
            Some(Trial { layout, encoding, table: table(count), encode_micros: Vec::new(), decode_micros: Vec::new() })
        };
        let layouts = [LayoutKind::Narrow, LayoutKind::RowPerEntity];
        let trials: Vec<Trial> = layouts
            .into_iter()
            .flat_map(|layout| Encoding::ALL.into_iter().filter_map(move |encoding| trial(layout, encoding)))
            .collect();
        let mut runs: Vec<usize> = (0..rounds).flat_map(|_| 0..trials.len()).collect();
        let mut random = Random::new(seed);
        for at in (1..runs.len()).rev() {
            runs.swap(at, random.below(at as u64 + 1) as usize);
        }
        Encodings { trials, runs, runs_done: 0, events: count, counts: Vec::new() }
    }

    /// Events that are written to tables, and those that will be.
    pub fn written(&self) -> (u64, u64) {
        let written = self.trials.iter().map(|trial| u64::from(trial.table.written())).sum();
        (written, self.trials.len() as u64 * u64::from(self.events))
    }

    /// Runs that are done, and those that will be.
    pub fn runs(&self) -> (u64, u64) {
        (self.runs_done, self.runs_done + self.runs.len() as u64)
    }

    /// Writes some events, if a table is not complete. Returns whether it did.
    pub fn fill(&mut self, events: &Events) -> Result<bool> {
        match self.trials.iter_mut().find(|trial| !trial.table.is_complete()) {
            Some(trial) => trial.table.fill(events, STEP_EVENTS).map(|()| true),
            None => Ok(false),
        }
    }

    /// Encodes and decodes all values of a table, if any are to be measured. Returns whether more are.
    pub fn measure(&mut self, events: &Events, clock: &mut dyn FnMut() -> u64) -> bool {
        let Some(at) = self.runs.pop() else { return false };
        let trial = &mut self.trials[at];
        let facets = Roles::of(events.fields()).event.map_or(0, |event| event.facets);
        let timed = match trial.layout {
            LayoutKind::Narrow => {
                if self.counts.is_empty() {
                    let of_event = |index: u32| FacetCount::all_of(events.value(index as usize, facets).unwrap_or_default());
                    self.counts = (0..self.events).map(of_event).collect();
                }
                time_counts(trial.encoding, &self.counts, clock)
            }
            _ => {
                let mut values = Vec::new();
                let of_event = |index: u32| {
                    events.record(index as usize, &mut values);
                    values.clone()
                };
                let records: Vec<_> = (0..self.events).map(of_event).collect();
                time_events(trial.encoding, events.fields(), &records, facets, clock)
            }
        };
        trial.encode_micros.push(timed.encode as f64);
        trial.decode_micros.push(timed.decode as f64);
        self.runs_done += 1;
        !self.runs.is_empty()
    }

    /// Returns the figures, by layout, then encoding.
    pub fn figures(&mut self) -> Result<Vec<EncodingFigures>> {
        let events = u64::from(self.events);
        let figures = |trial: &mut Trial| -> Result<EncodingFigures> {
            Ok(EncodingFigures {
                encoding: trial.encoding,
                layout: trial.layout,
                events,
                stored_bytes: trial.table.stored_bytes()?,
                compressed: trial.table.compressed()?,
                encode_micros: Median::of(trial.encode_micros.clone()),
                decode_micros: Median::of(trial.decode_micros.clone()),
            })
        };
        self.trials.iter_mut().filter(|trial| trial.table.is_complete()).map(figures).collect()
    }
}

/// Microseconds for all values.
struct Timed {
    encode: u64,
    decode: u64,
}

fn time_counts(encoding: Encoding, counts: &[Vec<FacetCount<'_>>], clock: &mut dyn FnMut() -> u64) -> Timed {
    let push = |counts: &Vec<FacetCount<'_>>, out: &mut Vec<u8>| encoding.push_counts(counts, FacetNames::InValue, out);
    let read = |value: &[u8]| encoding.counts(value, FacetNames::InValue).map_or(0, |counts| counts.len());
    time(counts, push, read, clock)
}

fn time_events(
    encoding: Encoding,
    fields: &[Field],
    records: &[Vec<Option<&str>>],
    facets: usize,
    clock: &mut dyn FnMut() -> u64,
) -> Timed {
    let push = |values: &Vec<Option<&str>>, out: &mut Vec<u8>| encoding.push_event(&Record { fields, values }, out);
    let read = |value: &[u8]| encoding.event_facets(value, fields, facets).map_or(0, |facets| facets.len());
    time(records, push, read, clock)
}

fn time<T>(all: &[T], push: impl Fn(&T, &mut Vec<u8>), read: impl Fn(&[u8]) -> usize, clock: &mut dyn FnMut() -> u64) -> Timed {
    let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(all.len()));
    let begun = clock();
    for one in all {
        push(one, &mut out);
        ends.push(out.len());
    }
    let encoded = clock();
    let mut start = 0;
    for end in ends {
        // What is read must count as used, or the compiler may leave the reading out.
        black_box(read(&out[start..end]));
        start = end;
    }
    Timed { encode: encoded.saturating_sub(begun), decode: clock().saturating_sub(encoded) }
}
