//! Rows that the comparison has read in the table in which it looks events up.
//!
//! A row of an entity holds the events of many slices of the other table, and can only be read as a
//! whole. If it were read once per slice, the work would grow with the square of the row's length.
//! So the events of long rows are kept until the stage ends, as one number per event. An event that
//! is not among them may have been written later, so its row is read again.
//!
//! Example: a user's row has 10,000 events, and a slice of the other table has 1,000 events of this
//! user. The row is read once instead of ten times.

use std::collections::BTreeMap;

use tabletop_keys::salt::hash;
use tabletop_model::RowKey;

/// A row with at least this many events is kept after its slice. To read a shorter row again costs
/// little.
const EVENTS_MIN: usize = 64;
/// The maximum number of events of all kept rows, at 8 bytes each. Above it, rows that the last
/// slice has not needed are evicted.
const EVENTS_MAX: usize = 1 << 20;

/// An event as a number: XXH64 of its texts. In a row of a million events, the chance that another
/// event has the same number is about one in 10^13.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EventMark(u64);

impl EventMark {
    /// Computes the mark of an event from the texts that are the same in both tables.
    pub fn of(canonical: &[String]) -> EventMark {
        let mut bytes = Vec::new();
        for text in canonical {
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        EventMark(hash(&bytes))
    }
}

/// The rows that have been read.
#[derive(Debug, Default)]
pub(super) struct SeenRows {
    long: BTreeMap<RowKey, LongRow>,
    /// Short rows, which are kept for the current slice only. The marks are sorted.
    short: BTreeMap<RowKey, Vec<EventMark>>,
    /// Number of events of all long rows.
    events: usize,
    /// The number of the current slice.
    slice: u64,
}

#[derive(Debug)]
struct LongRow {
    /// The marks of the row's events, sorted.
    events: Vec<EventMark>,
    /// The last slice that has needed this row.
    slice: u64,
}

impl SeenRows {
    /// Returns whether the row has been read and had the event.
    pub fn has(&mut self, key: &RowKey, event: EventMark) -> bool {
        if let Some(row) = self.long.get_mut(key) {
            row.slice = self.slice;
            return row.events.binary_search(&event).is_ok();
        }
        self.short.get(key).is_some_and(|events| events.binary_search(&event).is_ok())
    }

    /// Removes a row, because it will be read again.
    pub fn forget(&mut self, key: &RowKey) {
        self.short.remove(key);
        if let Some(row) = self.long.remove(key) {
            self.events -= row.events.len();
        }
    }

    /// Stores the events of a row that is not stored yet, or was removed.
    pub fn note(&mut self, key: RowKey, mut events: Vec<EventMark>) {
        events.sort_unstable();
        if events.len() < EVENTS_MIN {
            self.short.insert(key, events);
        } else {
            self.events += events.len();
            self.long.insert(key, LongRow { events, slice: self.slice });
        }
    }

    /// Keeps long rows for the next slice.
    pub fn end_slice(&mut self) {
        self.short.clear();
        if self.events > EVENTS_MAX {
            let slice = self.slice;
            self.long.retain(|_, row| row.slice == slice);
            self.events = self.long.values().map(|row| row.events.len()).sum();
        }
        self.slice += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(from: u64, count: usize) -> Vec<EventMark> {
        (from..).take(count).map(EventMark).collect()
    }

    #[test]
    fn long_rows_are_kept_until_there_are_too_many_events() {
        let (short, long, longer) = (RowKey::from("short"), RowKey::from("long"), RowKey::from("longer"));
        let mut seen = SeenRows::default();
        seen.note(short.clone(), marks(0, EVENTS_MIN - 1));
        seen.note(long.clone(), marks(0, EVENTS_MIN));
        assert!(
            seen.has(&short, EventMark(1))
                && seen.has(&long, EventMark(1))
                && !seen.has(&long, EventMark(1_000))
        );
        seen.end_slice();
        assert!(!seen.has(&short, EventMark(1)) && seen.has(&long, EventMark(1)));
        seen.end_slice();
        seen.note(longer.clone(), marks(5, EVENTS_MAX));
        seen.end_slice();
        assert!(!seen.has(&long, EventMark(1)), "the slice has not needed it");
        assert!(seen.has(&longer, EventMark(5)), "it has needed this one, however long it is");
        seen.forget(&longer);
        assert_eq!((seen.has(&longer, EventMark(5)), seen.events), (false, 0));
    }

    #[test]
    fn events_are_other_ones_if_their_texts_are_divided_differently() {
        let of =
            |texts: &[&str]| EventMark::of(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
    }
}
