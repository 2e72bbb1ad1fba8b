//! Compares the encodings of values on the first events: the bytes that they take in a table, and
//! the time to write and read them.
//!
//! The narrow layout stores a value with counts for each event, and a row per entity stores the
//! whole event. Both are written to a table in each encoding. Then all values are encoded and
//! decoded in the way the profile job does, several times, in random order.

use std::hint::black_box;

use tabletop_keys::{Encoding, FacetCount, FacetNames, Field, Layout, LayoutKind, Record, Roles};
use tabletop_model::Result;
use tabletop_protocol::experiment::{EncodingFigures, Median};
use tabletop_workload::Events;
use tabletop_workload::personalization::UserRoles;
use tabletop_workload::random::Random;

use super::table::ExperimentTable;
use super::{STEP_EVENTS, article_design};

/// Events whose values are encoded: the first ones.
const EVENTS_MAX: u32 = 5_000;

/// The state of the comparison between two steps.
pub(super) struct Encodings {
    trials: Vec<Trial>,
    /// Indices of the trials that remain. The last one is next.
    runs: Vec<usize>,
    runs_done: u64,
    events: u32,
    /// The counts of each event, computed when they are first needed.
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
    /// Prepares the tables. There are none if the events do not fit the article's key.
    pub fn new(events: &Events, roles: UserRoles, rounds: u32, seed: u64) -> Encodings {
        let count = (events.len() as u32).min(EVENTS_MAX);
        let trial = |layout: LayoutKind, encoding: Encoding| {
            let design = article_design(encoding.name(), Layout { encoding, ..Layout::new(layout) });
            let (_, table) = ExperimentTable::prepare(&design, events.fields(), roles).ok()?;
            Some(Trial {
                layout,
                encoding,
                table: table(count),
                encode_micros: Vec::new(),
                decode_micros: Vec::new(),
            })
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

    /// Returns how many events have been written to tables, and how many will be.
    pub fn written(&self) -> (u64, u64) {
        let written = self.trials.iter().map(|trial| u64::from(trial.table.written())).sum();
        (written, self.trials.len() as u64 * u64::from(self.events))
    }

    /// Returns how many runs are done, and how many remain.
    pub fn runs(&self) -> (u64, u64) {
        (self.runs_done, self.runs_done + self.runs.len() as u64)
    }

    /// Writes some events, if a table is incomplete. Returns whether it wrote any.
    pub fn fill(&mut self, events: &Events) -> Result<bool> {
        match self.trials.iter_mut().find(|trial| !trial.table.is_complete()) {
            Some(trial) => trial.table.fill(events, STEP_EVENTS).map(|()| true),
            None => Ok(false),
        }
    }

    /// Encodes and decodes all values of one table, if a run remains. Returns whether more runs
    /// remain.
    pub fn measure(&mut self, events: &Events, clock: &mut dyn FnMut() -> u64) -> bool {
        let Some(at) = self.runs.pop() else { return false };
        let trial = &mut self.trials[at];
        let facets = Roles::of(events.fields()).event.map_or(0, |event| event.facets);
        let timed = match trial.layout {
            LayoutKind::Narrow => {
                if self.counts.is_empty() {
                    let of_event = |index: u32| {
                        FacetCount::all_of(events.value(index as usize, facets).unwrap_or_default())
                    };
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

    /// Returns the figures, ordered by layout, then by encoding.
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
    let push = |counts: &Vec<FacetCount<'_>>, out: &mut Vec<u8>| {
        encoding.push_counts(counts, FacetNames::InValue, out);
    };
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
    let push =
        |values: &Vec<Option<&str>>, out: &mut Vec<u8>| encoding.push_event(&Record { fields, values }, out);
    let read = |value: &[u8]| encoding.event_facets(value, fields, facets).map_or(0, |facets| facets.len());
    time(records, push, read, clock)
}

fn time<T>(
    all: &[T],
    push: impl Fn(&T, &mut Vec<u8>),
    read: impl Fn(&[u8]) -> usize,
    clock: &mut dyn FnMut() -> u64,
) -> Timed {
    let (mut out, mut ends) = (Vec::new(), Vec::with_capacity(all.len()));
    let begun = clock();
    for one in all {
        push(one, &mut out);
        ends.push(out.len());
    }
    let encoded = clock();
    let mut start = 0;
    for end in ends {
        // `black_box` marks the result as used. Otherwise the compiler may remove the read.
        black_box(read(&out[start..end]));
        start = end;
    }
    Timed { encode: encoded.saturating_sub(begun), decode: clock().saturating_sub(encoded) }
}
