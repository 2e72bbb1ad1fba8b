//! All loaded events, for what a sample does not show, and the number of those that a key would
//! lose.

use alloc::vec::Vec;
use core::cell::OnceCell;

use tabletop_keys::{Field, FieldKind, FieldRole, Placeholder, edit, is_placeholder, salt::hash};

use crate::field_roles::{FoundRole, field_roles};

/// With fewer events per value, a field that looks unique in a sample may be unique.
const SHARED_BY: f64 = 1.5;

/// All loaded events, in the order of the file.
#[derive(Clone, Copy)]
pub struct LoadedEvents<'e> {
    /// The fields of the events.
    pub fields: &'e [Field],
    /// The number of events.
    pub count: usize,
    /// Returns the text of a field in an event, by the positions of both.
    pub value: &'e dyn Fn(usize, usize) -> Option<&'e str>,
}

impl<'e> LoadedEvents<'e> {
    /// Returns at most `most` events with one value per field, in their order and evenly spread
    /// over all of them.
    pub fn sample(&self, most: u32) -> Vec<Vec<Option<&'e str>>> {
        let step = self.count.div_ceil(most as usize).max(1);
        let event = |event| (0..self.fields.len()).map(|field| (self.value)(event, field)).collect();
        (0..self.count).step_by(step).map(event).collect()
    }

    /// Finds the role of each field in a sample of at most `most` events. Whether an identifier is
    /// unique depends on all events: in a sample, most parcels have one of their five scans.
    pub fn roles(&self, most: u32) -> Vec<FoundRole> {
        let mut roles = field_roles(self.fields, &self.sample(most));
        if self.count > most as usize {
            let all = Losses::of(*self, 1);
            for (at, found) in roles.iter_mut().enumerate() {
                if found.role == FieldRole::UniqueIdentifier {
                    let present = self.count - all.absent(&[at]);
                    if present as f64 >= all.keys(&[at]) as f64 * SHARED_BY {
                        found.role = FieldRole::SharedIdentifier;
                    }
                }
            }
        }
        roles
    }

    /// Returns the text that a key has for absent values of a field; `None` if it has none: a key with
    /// a number or a time refuses an event whose value is `NULL`.
    pub(super) fn placeholder(&self, field: usize) -> Option<Placeholder> {
        let kind = self.fields[field].kind;
        let texts = || (0..self.count).filter_map(move |event| (self.value)(event, field));
        let is_refused = |text: &str| !text.is_empty() && is_placeholder(text);
        if matches!(kind, FieldKind::Int | FieldKind::Time) && texts().any(is_refused) {
            return None;
        }
        edit::free_placeholder(kind, texts())
    }

    /// Returns the digits of the longest whole number of a field; `None` for a field of another kind.
    pub fn digits(&self, field: usize) -> Option<u8> {
        let is_int = self.fields[field].kind == FieldKind::Int;
        is_int.then(|| edit::digits(self.texts(field))).flatten()
    }

    /// Returns the texts of a field that mean a value.
    pub(super) fn texts(&self, field: usize) -> impl Iterator<Item = &'e str> + '_ {
        let texts = (0..self.count).filter_map(move |event| (self.value)(event, field));
        texts.filter(|text| !is_placeholder(text))
    }
}

/// Counts the events that a key loses. Each field is read once.
pub(super) struct Losses<'e> {
    events: LoadedEvents<'e>,
    /// One event in `step` is counted.
    step: usize,
    /// The hash of each value, as a key has it; `None` where the event has no value.
    columns: Vec<OnceCell<Vec<Option<u64>>>>,
    /// The number of events that differ from each other.
    different: OnceCell<usize>,
}

impl<'e> Losses<'e> {
    pub fn of(events: LoadedEvents<'e>, step: usize) -> Losses<'e> {
        let columns = events.fields.iter().map(|_| OnceCell::new()).collect();
        Losses { events, step, columns, different: OnceCell::new() }
    }

    /// The number of counted events.
    pub fn count(&self) -> usize {
        self.events.count.div_ceil(self.step)
    }

    fn column(&self, field: usize) -> &[Option<u64>] {
        self.columns[field].get_or_init(|| {
            let kind = self.events.fields[field].kind;
            let value = |event| (self.events.value)(event, field);
            let field = &self.events.fields[field];
            let of_text = |text: &str| match kind {
                // A key has a number in digits, and a time with its milliseconds.
                FieldKind::Int => text.parse::<i64>().ok().map(i64::cast_unsigned),
                FieldKind::Time => field.micros(text).map(|micros| micros.div_euclid(1_000).cast_unsigned()),
                _ => Some(text.as_bytes()).filter(|text| !text.is_empty()).map(hash),
            };
            (0..self.events.count).step_by(self.step).map(|event| value(event).and_then(of_text)).collect()
        })
    }

    /// The number of events without a value of one of these fields.
    pub fn absent(&self, fields: &[usize]) -> usize {
        let is_absent = |event: &usize| fields.iter().any(|field| self.column(*field)[*event].is_none());
        (0..self.count()).filter(is_absent).count()
    }

    /// What the key of an event without a value of a field has instead; `None` if it has no key.
    fn of_absent(&self, field: usize) -> Option<u64> {
        self.events.placeholder(field).map(|placeholder| hash(placeholder.text().as_bytes()))
    }

    /// The number of different keys of these fields. Events without a time have none.
    pub fn keys(&self, fields: &[usize]) -> usize {
        let columns: Vec<(&[Option<u64>], Option<u64>)> =
            fields.iter().map(|field| (self.column(*field), self.of_absent(*field))).collect();
        let key = |event: usize| {
            columns.iter().try_fold(0, |key, (column, of_absent)| {
                column[event].or(*of_absent).map(|value| joined(key, value))
            })
        };
        distinct((0..self.count()).filter_map(key).collect())
    }

    /// The number of different events that have no key of their own. Exact duplicates are one
    /// event.
    pub fn of_key(&self, fields: &[usize]) -> usize {
        let keys = self.keys(fields);
        if keys == self.count() { 0 } else { self.different().saturating_sub(keys) }
    }

    fn different(&self) -> usize {
        *self.different.get_or_init(|| {
            let event = |event: usize| {
                let texts = (0..self.events.fields.len()).map(|field| (self.events.value)(event, field));
                texts.fold(0, |all, text| joined(all, text.map_or(0, |text| hash(text.as_bytes()))))
            };
            distinct((0..self.events.count).step_by(self.step).map(event).collect())
        })
    }
}

/// Joins the hashes of a key's fields. The order matters.
fn joined(key: u64, value: u64) -> u64 {
    let mixed = (key ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(23)
}

fn distinct(mut keys: Vec<u64>) -> usize {
    keys.sort_unstable();
    keys.dedup();
    keys.len()
}
