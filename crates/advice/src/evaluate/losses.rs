//! What a design loses of all loaded events.

use alloc::vec::Vec;
use core::cell::OnceCell;

use serde::{Deserialize, Serialize};
use tabletop_keys::{FamilyRule, Layout, LayoutKind, LayoutWriter, Record, Template, salt};
use tabletop_model::order::{sorted, sorted_indices};

/// The most events that [`LossCount::shared`] returns.
const SHARED_MAX: usize = 200;

/// The events that a design does not keep. Events that are equal in all fields count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Losses {
    /// All events.
    pub events: u32,
    /// Events that are equal to an earlier one in all fields.
    pub duplicates: u32,
    /// Events that have no key or no cells: a value is absent, or does not fit.
    pub refused: u32,
    /// Events that have the row, or in a layout that shares rows the cells, of a different event.
    pub shared: u32,
}

impl Losses {
    /// Whether each event has its place.
    pub fn is_complete(&self) -> bool {
        self.refused == 0 && self.shared == 0
    }

    /// The events without a place of their own.
    pub fn lost(&self) -> u32 {
        self.refused + self.shared
    }
}

/// The hashes of the values of events, one after the other. They are the same for all designs.
/// Equal hashes count as equal; the chance that this is wrong is one in millions.
#[derive(Clone, Debug, Default)]
pub struct EventHashes {
    hashes: Vec<u64>,
    /// Whether each event differs from all earlier ones, once it is needed.
    firsts: OnceCell<Vec<bool>>,
    bytes: Vec<u8>,
}

impl EventHashes {
    /// Returns the number of events that were added.
    pub fn count(&self) -> u32 {
        self.hashes.len() as u32
    }

    /// Adds the next event.
    pub fn add(&mut self, record: &Record) {
        self.bytes.clear();
        for value in record.values {
            // The length keeps values apart, and an absent value from an empty one.
            self.bytes.extend_from_slice(&value.map_or(u32::MAX, |text| text.len() as u32).to_le_bytes());
            self.bytes.extend_from_slice(value.unwrap_or_default().as_bytes());
        }
        self.hashes.push(salt::hash(&self.bytes));
        self.firsts = OnceCell::new();
    }

    fn firsts(&self) -> &[bool] {
        self.firsts.get_or_init(|| {
            // Equal hashes keep their order, so the first of them is the first event.
            let order =
                sorted_indices(self.hashes.len(), &|one, other| self.hashes[one].cmp(&self.hashes[other]));
            let mut firsts = alloc::vec![false; self.hashes.len()];
            for equal in order.chunk_by(|&one, &other| self.hashes[one] == self.hashes[other]) {
                firsts[equal[0]] = true;
            }
            firsts
        })
    }
}

/// Counts what a design loses, one event after the other.
#[derive(Clone, Debug)]
pub struct LossCount {
    writer: LayoutWriter,
    kind: LayoutKind,
    /// Whether events that share a row are added up, as is meant.
    aggregates: bool,
    /// For each event so far, the hash of its place in the table; `None` if it has none.
    places: Vec<Option<u64>>,
    bytes: Vec<u8>,
}

impl LossCount {
    /// Begins to count what a design loses whose families have these rules.
    pub fn new(template: &Template, layout: &Layout, families: &[FamilyRule]) -> LossCount {
        let writer = LayoutWriter::new(layout, template.fields(), template).with_families(families);
        let aggregates = families.iter().any(|family| family.aggregate.is_some());
        LossCount { writer, kind: layout.kind, aggregates, places: Vec::new(), bytes: Vec::new() }
    }

    /// Returns the number of events that were added.
    pub fn count(&self) -> u32 {
        self.places.len() as u32
    }

    /// Adds the next event.
    pub fn add(&mut self, record: &Record) {
        let index = self.places.len() as u64;
        self.bytes.clear();
        let place = match self.writer.push_identity(self.kind, record, index, &mut self.bytes) {
            Ok(()) if self.aggregates => Some(index),
            Ok(()) => Some(salt::hash(&self.bytes)),
            Err(_) => None,
        };
        self.places.push(place);
    }

    /// Returns the losses of the events so far, whose values have these hashes.
    pub fn losses(&self, hashes: &EventHashes) -> Losses {
        let distinct = self.places.iter().zip(hashes.firsts()).filter(|(_, is_first)| **is_first);
        let (mut refused, mut places) = (0, Vec::new());
        for (place, _) in distinct {
            match place {
                Some(place) => places.push(*place),
                None => refused += 1,
            }
        }
        let (events, kept) = (self.count(), places.len() as u32);
        // Where a place is does not matter, so the fastest sort is as good as a stable one.
        places.sort_unstable();
        places.dedup();
        let shared = kept - places.len() as u32;
        Losses { events, duplicates: events - kept - refused, refused, shared }
    }

    /// Returns the indices of some events that share a place, in ascending order.
    pub fn shared(&self) -> Vec<u32> {
        let places = sorted(self.places.iter().flatten().copied().collect(), u64::cmp);
        let mut shared: Vec<u64> =
            places.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        shared.dedup();
        shared.truncate(SHARED_MAX / 2);
        let is_shared = |index: &u32| {
            self.places[*index as usize].is_some_and(|place| shared.binary_search(&place).is_ok())
        };
        (0..self.count()).filter(is_shared).take(SHARED_MAX).collect()
    }
}
