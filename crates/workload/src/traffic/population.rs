//! What choices of keys need to know about the loaded events.

use std::ops::Range;

use tabletop_workspace::Traffic;

use crate::events::Events;

/// The number of loaded events, and for each field that a traffic names, the events of each value.
/// It takes 4 bytes per event and field, and 12 bytes per value.
#[derive(Clone, Debug)]
pub struct Population {
    events: u32,
    fields: Vec<FieldValues>,
}

/// The values of a field, in the order of their hashes. The order thus depends neither on the
/// events nor on the texts, and stays the same when events are added.
#[derive(Clone, Debug)]
pub(super) struct FieldValues {
    name: String,
    /// The hashes of the texts, ascending. Texts with equal hashes count as one value; among a
    /// million texts, two have the same hash in one of 30 million sets of events.
    hashes: Vec<u64>,
    /// For each value, the end of its range in `events`.
    ends: Vec<u32>,
    /// The events of the first value in their order, followed by those of the second …
    events: Vec<u32>,
}

impl Population {
    /// Creates the population of the first `count` events, or of all if there are fewer. Fields of
    /// the traffic that the events do not have are left out: [`Traffic::problems`] and
    /// [`super::Arrivals::new`] report them.
    pub fn new(events: &Events, count: usize, traffic: &Traffic) -> Population {
        // Indices of events have 32 bits, because their addresses do.
        let count = count.min(events.len()) as u32;
        let mut fields: Vec<FieldValues> = Vec::new();
        for name in traffic.streams.iter().filter_map(|stream| stream.keys.field()) {
            let at = events.fields().iter().position(|field| field.name == name);
            if let Some(at) = at.filter(|_| !fields.iter().any(|field| field.name == name)) {
                fields.push(FieldValues::new(name, events, count, at));
            }
        }
        Population { events: count, fields }
    }

    /// Returns the number of loaded events.
    pub fn events(&self) -> u32 {
        self.events
    }

    /// Returns the values of a field that the traffic names.
    pub(super) fn field(&self, name: &str) -> Option<(usize, &FieldValues)> {
        self.fields.iter().enumerate().find(|(_, field)| field.name == name)
    }

    /// Returns an event of a field by its place, see [`FieldValues::events_of`].
    pub(super) fn event_of(&self, field: usize, place: usize) -> u32 {
        self.fields[field].events[place]
    }

    /// Returns the places of the events of a value, see [`FieldValues::events_of`].
    pub(super) fn events_of(&self, field: usize, value: usize) -> Range<usize> {
        self.fields[field].events_of(value)
    }
}

impl FieldValues {
    fn new(name: &str, events: &Events, count: u32, at: usize) -> FieldValues {
        let mut hashed: Vec<(u64, u32)> =
            (0..count).filter_map(|index| Some((hash(events.value(index as usize, at)?), index))).collect();
        hashed.sort_unstable();
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        for (place, &(hash, _)) in hashed.iter().enumerate() {
            if hashes.last() != Some(&hash) {
                hashes.push(hash);
                ends.push(0);
            }
            if let Some(end) = ends.last_mut() {
                *end = place as u32 + 1;
            }
        }
        FieldValues {
            name: name.into(),
            hashes,
            ends,
            events: hashed.into_iter().map(|(_, event)| event).collect(),
        }
    }

    /// Returns the number of values.
    pub(super) fn values(&self) -> usize {
        self.ends.len()
    }

    /// Returns the places of the events of a value in the list of all events that have one.
    pub(super) fn events_of(&self, value: usize) -> Range<usize> {
        let start = value.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[value] as usize
    }

    /// Returns the value with this text, if an event has it.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.hashes.binary_search(&hash(text)).ok()
    }

    /// Returns the value with the most events, the first one of several, or `None` if no event has
    /// a value.
    pub(super) fn most_frequent(&self) -> Option<usize> {
        (0..self.values()).rev().max_by_key(|&value| self.events_of(value).len())
    }
}

/// Returns a hash that is the same on every machine and in every build, because the order of values
/// depends on it.
fn hash(text: &str) -> u64 {
    xxhash_rust::xxh64::xxh64(text.as_bytes(), 0)
}
