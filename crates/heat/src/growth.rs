//! The order of the keys that are written, in each part of the keys.

use alloc::vec::Vec;
use core::cmp::Ordering;

use tabletop_model::RowKey;

/// The share of an older second's evidence that stays after another second: most of it is from the
/// last ten seconds.
const KEPT: f32 = 0.9;
/// Fewer pairs of keys than this show no order.
const PAIRS_MIN: f32 = 8.0;
/// Of all pairs, this share has one order. Keys in no order have a half.
const ORDERED: f32 = 0.75;

/// Counts in each part of the keys how often a written key is the next one in key order, or the one
/// before. Recent seconds have the most weight.
#[derive(Clone, Debug)]
pub struct Growth {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Default)]
struct Part {
    last: Option<RowKey>,
    ascending: f32,
    descending: f32,
    same: f32,
}

impl Growth {
    /// Counts from now on in this many parts.
    pub fn new(parts: usize) -> Growth {
        Growth { parts: alloc::vec![Part::default(); parts] }
    }

    /// Counts a written row.
    pub fn note(&mut self, part: u16, key: &RowKey) {
        let Some(part) = self.parts.get_mut(usize::from(part)) else { return };
        match part.last.as_ref().map(|last| key.cmp(last)) {
            Some(Ordering::Greater) => part.ascending += 1.0,
            Some(Ordering::Less) => part.descending += 1.0,
            Some(Ordering::Equal) => part.same += 1.0,
            None => {}
        }
        part.last = Some(key.clone());
    }

    /// Ends a second.
    pub fn end_second(&mut self) {
        for part in &mut self.parts {
            part.ascending *= KEPT;
            part.descending *= KEPT;
            part.same *= KEPT;
        }
    }

    /// Returns whether most keys in the parts `[from, until)` are written in their order.
    pub fn is_in(&self, from: usize, until: usize) -> bool {
        let parts = self.parts.get(from..until.min(self.parts.len())).unwrap_or_default();
        let sum = |of: fn(&Part) -> f32| parts.iter().map(of).sum::<f32>();
        let ordered: f32 = parts.iter().map(|part| part.ascending.max(part.descending)).sum();
        let all = sum(|part| part.ascending) + sum(|part| part.descending) + sum(|part| part.same);
        all >= PAIRS_MIN && ordered >= ORDERED * all
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    fn grows(keys: impl Iterator<Item = u32>) -> bool {
        let mut growth = Growth::new(2);
        keys.for_each(|key| growth.note(1, &RowKey::from(format!("{key:05}").as_str())));
        assert!(!growth.is_in(0, 1), "nothing was written there");
        growth.is_in(0, 2)
    }

    #[test]
    fn only_keys_in_their_order_grow() {
        assert!(grows(0..100));
        assert!(grows((0..100).rev()), "newest first");
        assert!(grows((0..100).map(|at| if at % 5 == 0 { at * 7_919 % 99_991 } else { at + 50_000 })));
        assert!(!grows((1..100).map(|at| at * 61_803 % 99_991)), "in no order");
        assert!(!grows((0..100).map(|_| 7)), "one row");
        assert!(!grows(0..5), "too few");
    }

    #[test]
    fn earlier_seconds_fade() {
        let mut growth = Growth::new(1);
        (0..20).for_each(|key: u32| growth.note(0, &RowKey::from(format!("{key:05}").as_str())));
        assert!(growth.is_in(0, 1));
        (0..20).for_each(|_| growth.end_second());
        assert!(!growth.is_in(0, 1));
    }
}
