//! Lists of distinct texts with their counts: `[["brand",":","Apple",2],["color",":","Black",1]]`.

use alloc::vec::Vec;

use super::json::push_string;
use crate::time::push_digits;

/// The entries of the lists of one event. There are only a few, so comparing with each entry costs
/// less than a map. All lists share one allocation.
pub(super) struct Counts {
    entries: Vec<Entry>,
}

/// One entry of one list.
struct Entry {
    list: usize,
    /// The offsets of the entry and of its count in the list's text.
    start: usize,
    count_at: usize,
    count: u32,
}

impl Counts {
    /// Creates counts without lists.
    pub fn new() -> Self {
        Counts { entries: Vec::with_capacity(8) }
    }

    /// Counts `texts` in the list with this number. `out` is the text of this list so far.
    pub fn add(&mut self, list: usize, texts: &[&str], out: &mut Vec<u8>) {
        let before = out.len();
        out.push(if before == 0 { b'[' } else { b',' });
        let start = out.len();
        out.push(b'[');
        for text in texts {
            push_string(out, text);
            out.push(b',');
        }
        let count_at = out.len();
        let is_same = |entry: &&mut Entry| {
            entry.list == list && out[entry.start..entry.count_at] == out[start..count_at]
        };
        if let Some(entry) = self.entries.iter_mut().find(is_same) {
            entry.count += 1;
            out.truncate(before);
        } else {
            self.entries.push(Entry { list, start, count_at, count: 1 });
            out.extend_from_slice(b"1]");
        }
    }

    /// Ends the text of the list with this number.
    pub fn finish(&self, list: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(if out.is_empty() { b"[]" } else { b"]" });
        // A count may be longer than the `1` that was written as a placeholder. Replacing from the
        // end keeps the earlier offsets valid. Example: in `["a",":","x",1],["b",":","y",1]` with
        // counts 12 and 2, the second `1` becomes `2` first, then the first one becomes `12`.
        for entry in self.entries.iter().rev().filter(|entry| entry.list == list && entry.count > 1) {
            let mut digits = Vec::new();
            push_digits(&mut digits, i64::from(entry.count), entry.count.ilog10() as usize + 1);
            out.splice(entry.count_at..entry.count_at + 1, digits);
        }
    }
}
