//! The values for which an access pattern is checked: the pattern's own, and some of the events',
//! among them all kinds that a key may confuse with others.

use tabletop_keys::salt;
use tabletop_model::order::sorted;

use crate::supply::Supply;

/// The most values of a kind that are checked.
const ODD_MAX: usize = 3;
const CONFUSED_MAX: usize = 6;

/// The values that the events have for a list of fields.
pub(super) struct Values {
    /// Indices of the fields.
    pub fields: Vec<usize>,
    /// For each event that has all of them, the hash of its values and the event's index.
    found: Vec<(u64, u32)>,
}

impl Values {
    pub(super) fn new(fields: Vec<usize>) -> Values {
        Values { fields, found: Vec::new() }
    }

    /// Adds the next event.
    pub(super) fn add(&mut self, index: u32, values: &[Option<&str>]) {
        let texts = self.fields.iter().map(|at| values[*at]);
        if let Some(hash) = hash_of(texts) {
            self.found.push((hash, index));
        }
    }

    /// Returns events that have the values to check, each value once. `separators` are the texts between
    /// the values of a key.
    pub(super) fn choose(self, supply: Supply, separators: &[&str]) -> Vec<u32> {
        let (first, last) = (self.found.first().copied(), self.found.last().copied());
        let middle = self.found.get(self.found.len() / 2).copied();
        let found = sorted(self.found, |one: &(u64, u32), other| one.cmp(other));
        let groups = || found.chunk_by(|one, other| one.0 == other.0);
        let frequent = groups().max_by_key(|group| group.len()).map(|group| group[0]);
        let mut chosen: Vec<(u64, u32)> = [first, last, frequent, middle].into_iter().flatten().collect();
        let event_of = |hash: Option<u64>| {
            let at = found.partition_point(|(other, _)| Some(*other) < hash);
            found.get(at).copied().filter(|(other, _)| Some(*other) == hash)
        };
        let (mut odd, mut confused) = (Vec::new(), Vec::new());
        // For each list of characters, the first value that has one of them.
        let kinds: [fn(&str) -> bool; ODD_MAX] = [
            |text| !text.is_ascii() || text.trim() != text || text.is_empty(),
            |text| text.contains(['\\', '.', '*', '+', '?', '(', '[', '{', '|', '^', '$', '"', '\n']),
            |text| text.contains(|c: char| !c.is_alphanumeric()),
        ];
        for group in groups() {
            let (hash, index) = group[0];
            let texts: Vec<&str> =
                self.fields.iter().filter_map(|at| supply.events.value(index as usize, *at)).collect();
            if odd.len() < ODD_MAX && texts.iter().any(|text| kinds[odd.len()](text)) {
                odd.push((hash, index));
            }
            if confused.len() >= CONFUSED_MAX {
                continue;
            }
            // A value before or after a separator in another value: `a` and `b` of `a#b` in `{x}#{y}`.
            for (of, text) in texts.iter().enumerate() {
                let found = separators.iter().flat_map(|separator| text.match_indices(separator));
                let parts = found.flat_map(|(at, one)| [&text[..at], &text[at + one.len()..]]);
                let with = |part: &str| {
                    let texts = texts.iter().enumerate();
                    hash_of(texts.map(|(at, text)| Some(if at == of { part } else { text })))
                };
                confused
                    .extend(parts.filter(|part| !part.is_empty()).filter_map(|part| event_of(with(part))));
            }
        }
        confused.truncate(CONFUSED_MAX);
        chosen.extend(odd.into_iter().chain(confused));
        let mut known = Vec::new();
        chosen.retain(|(hash, _)| {
            !known.contains(hash) && {
                known.push(*hash);
                true
            }
        });
        chosen.into_iter().map(|(_, index)| index).collect()
    }
}

/// Returns the hash of texts; `None` if one is absent.
fn hash_of<'t>(texts: impl Iterator<Item = Option<&'t str>>) -> Option<u64> {
    let mut hash = 0_u64;
    for text in texts {
        hash = salt::hash(text?.as_bytes()) ^ hash.rotate_left(7);
    }
    Some(hash)
}
