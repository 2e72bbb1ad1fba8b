//! The parts of the keys of a table, whose rows are shown together: a sample of the keys determines
//! where they begin, and how the values of older columns are divided among new parts.

#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use tabletop_model::RowKey;

use crate::heat::{BUCKETS_MAX, BusyRow, Cell, Column, RowPeak};

/// The maximum number of keys of a sample, and of their bytes.
const KEYS_MAX: usize = 16 * BUCKETS_MAX;
const KEY_BYTES_MAX: usize = 1 << 20;
/// The number of seconds without a new key after which a small table gets one part for each row.
const SETTLED: u32 = 2;
/// A part with this share of the keys is too large, if smaller ones are possible.
const LARGE: usize = 16;
/// The number of new keys in which growth is looked for.
const GROWTH_KEYS: usize = 16;
/// Keys grow in a few places if at least this many of them fall into a gap between older ones.
const KEYS_OF_GAP: usize = 4;
/// The number of seconds in which growth is looked for.
const GROWTH_SECONDS: u32 = 60;

/// When a key was first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstSeen {
    /// The key existed before the first second.
    Before,
    /// A request read it in this second.
    Read(u32),
    /// A request wrote it in this second.
    Written(u32),
}

impl FirstSeen {
    /// Returns whether the key existed before a second.
    fn is_before(self, second: u32) -> bool {
        match self {
            FirstSeen::Before => true,
            FirstSeen::Read(first) | FirstSeen::Written(first) => first < second,
        }
    }
}

struct Sampled {
    hash: u64,
    seen: FirstSeen,
}

/// A sample of distinct keys. Each key is equally likely to be in it, however often it is seen.
#[derive(Default)]
pub struct Sample {
    keys: BTreeMap<RowKey, Sampled>,
    key_bytes: usize,
    /// The sample has the keys whose hashes end with this many zeros: one in 2^n.
    zeros: u32,
    /// Whether keys were added or removed since the last parts were made.
    is_changed: bool,
    /// The approximate number of rows when the last parts were made.
    rows_then: u64,
    /// The second of the last new key.
    newest: u32,
}

impl Sample {
    /// Records a key. `hash` is a hash of its bytes.
    pub fn note(&mut self, key: &[u8], hash: u64, seen: FirstSeen) {
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        let Entry::Vacant(entry) = self.keys.entry(RowKey::from(key)) else { return };
        entry.insert(Sampled { hash, seen });
        self.key_bytes += key.len();
        self.is_changed = true;
        if let FirstSeen::Read(second) | FirstSeen::Written(second) = seen {
            self.newest = self.newest.max(second);
        }
        while self.keys.len() > KEYS_MAX || self.key_bytes > KEY_BYTES_MAX {
            self.zeros += 1;
            self.keys.retain(|_, sampled| sampled.hash.trailing_zeros() >= self.zeros);
            self.key_bytes = self.keys.keys().map(|key| key.len()).sum();
        }
    }

    /// Returns the approximate number of rows that were seen.
    pub fn rows(&self) -> u64 {
        (self.keys.len() as u64) << self.zeros.min(40)
    }

    /// Returns the approximate bytes of memory in use.
    pub fn memory_bytes(&self) -> usize {
        self.key_bytes + self.keys.len() * (size_of::<RowKey>() + size_of::<Sampled>())
    }

    /// Returns the first keys of parts with about the same number of rows. The first key is empty.
    pub fn starts(&self) -> Vec<RowKey> {
        let count = self.keys.len();
        let buckets = count.clamp(1, BUCKETS_MAX);
        let mut starts = vec![RowKey::default()];
        let mut next = 1;
        for (at, key) in self.keys.keys().enumerate() {
            if next < buckets && at == next * count / buckets {
                starts.push(key.clone());
                next += 1;
            }
        }
        starts
    }

    /// Returns, at the end of a second, whether the parts that begin at these keys no longer fit.
    /// If so, the next call assumes that they were changed.
    pub fn outgrows(&mut self, starts: &[RowKey], second: u32) -> bool {
        if !self.is_changed {
            return false;
        }
        let count = self.keys.len();
        let has_grown = starts.len() < count.min(BUCKETS_MAX) && self.rows() * 8 >= self.rows_then * 9;
        let has_settled = count <= BUCKETS_MAX && second >= self.newest + SETTLED;
        if has_grown || has_settled || self.is_uneven(starts) {
            (self.is_changed, self.rows_then) = (false, self.rows());
            return true;
        }
        false
    }

    fn is_uneven(&self, starts: &[RowKey]) -> bool {
        let (count, mut of, mut largest, mut next) = (self.keys.len(), 0, 0, 1);
        for key in self.keys.keys() {
            while starts.get(next).is_some_and(|start| start <= key) {
                (next, of) = (next + 1, 0);
            }
            of += 1;
            largest = largest.max(of);
        }
        largest * LARGE > count && largest > 4 * count.div_ceil(BUCKETS_MAX)
    }

    /// Returns whether keys are written where they grow: in the last minute, most of the new ones
    /// were next to others that were equally new, with no older key between them.
    pub fn grows(&self, second: u32) -> bool {
        let (mut windows, mut growing) = (0, 0);
        let from = second.saturating_sub(GROWTH_SECONDS);
        let mut counts = vec![0; (second - from) as usize];
        let mut older = 0;
        for sampled in self.keys.values() {
            match sampled.seen {
                seen if seen.is_before(from) => older += 1,
                FirstSeen::Written(at) if at < second => counts[(at - from) as usize] += 1,
                _ => {}
            }
        }
        let (mut begin, mut new) = (from, 0);
        for (at, count) in (from..second).zip(counts) {
            new += count;
            if new < GROWTH_KEYS {
                continue;
            }
            if older >= new {
                windows += 1;
                growing += usize::from(self.gaps(begin, at + 1) * KEYS_OF_GAP <= new);
            }
            older += new;
            (begin, new) = (at + 1, 0);
        }
        windows > 0 && growing * 3 >= windows * 2
    }

    /// Returns the number of gaps between older keys that contain the keys first written in some
    /// seconds.
    fn gaps(&self, begin: u32, end: u32) -> usize {
        let (mut gaps, mut is_in_one) = (0, false);
        for sampled in self.keys.values().filter(|sampled| sampled.seen.is_before(end)) {
            let is_new = matches!(sampled.seen, FirstSeen::Written(at) if at >= begin);
            gaps += usize::from(is_new && !is_in_one);
            is_in_one = is_new;
        }
        gaps
    }
}

/// Divides the values of old parts of the keys among new ones.
///
/// The busiest rows of a column go to the parts of their keys. A key that was first seen in the
/// seconds of the column had a request then. Everything else is divided in proportion to the
/// sampled keys that existed at the end of the column; if the column is a single second, to those
/// of them that have received no share of it yet. Sums are preserved. The peak of a single row is
/// never averaged: if its key is not known, it goes to the new part with the most requests, and
/// each other part has at most what all of its rows received.
pub(crate) struct Division<'a> {
    keys: Vec<Placed<'a>>,
    /// For each old part: its keys, `[from, until)`, and the new part of its first key.
    parts: Vec<(usize, usize, usize)>,
    old: &'a [RowKey],
    new: &'a [RowKey],
    /// The number of keys that a sampled key stands for.
    weight: u32,
}

#[derive(Clone, Copy)]
struct Placed<'a> {
    key: &'a RowKey,
    seen: FirstSeen,
    /// The new part.
    bucket: usize,
}

impl<'a> Division<'a> {
    pub fn new(sample: &'a Sample, old: &'a [RowKey], new: &'a [RowKey]) -> Division<'a> {
        let placed = |(key, sampled): (&'a RowKey, &Sampled)| Placed {
            key,
            seen: sampled.seen,
            bucket: bucket_of(new, key),
        };
        let keys: Vec<Placed> = sample.keys.iter().map(placed).collect();
        let mut froms: Vec<usize> = Vec::with_capacity(old.len() + 1);
        let mut sorted = sample.keys.keys().enumerate().peekable();
        for start in old {
            while sorted.next_if(|(_, key)| *key < start).is_some() {}
            froms.push(sorted.peek().map_or(keys.len(), |(at, _)| *at));
        }
        froms.push(keys.len());
        let parts = old
            .iter()
            .zip(froms.windows(2))
            .map(|(start, of)| (of[0], of[1], bucket_of(new, start)))
            .collect();
        Division { keys, parts, old, new, weight: 1_u32.checked_shl(sample.zeros).unwrap_or(u32::MAX) }
    }

    /// Divides the values of a column.
    pub fn apply(&self, column: &mut Column) {
        let old = core::mem::replace(&mut column.cells, vec![Cell::default(); self.new.len()]);
        let (begin, end) = (column.second, column.second + column.seconds);
        for (part, cell) in old.iter().enumerate().filter(|(_, cell)| **cell != Cell::default()) {
            let busy: Vec<&BusyRow> =
                column.busy.iter().filter(|row| bucket_of(self.old, &row.key) == part).collect();
            let mut pieces = Pieces::default();
            let mut rest = *cell;
            let mut is_known = false;
            for row in &busy {
                let piece = pieces.of(bucket_of(self.new, &row.key));
                let (reads, writes) = (row.peak.reads.min(rest.reads), row.peak.writes.min(rest.writes));
                (piece.reads, piece.writes) = (piece.reads + reads, piece.writes + writes);
                (rest.reads, rest.writes) = (rest.reads - reads, rest.writes - writes);
                let (bytes, cores) = (row.peak.bytes.min(rest.bytes), row.peak.cores.min(rest.core_seconds));
                (piece.bytes, piece.core_seconds) = (piece.bytes + bytes, piece.core_seconds + cores);
                (rest.bytes, rest.core_seconds) = (rest.bytes - bytes, rest.core_seconds - cores);
                piece.row.raise(&row.peak);
                is_known |= row.peak.requests >= cell.row.requests;
            }
            self.divide_rest(part, begin..end, &busy, &rest, &mut pieces);
            pieces.finish(cell, is_known);
            pieces.0.into_iter().for_each(|(bucket, piece)| column.cells[bucket].add(&piece));
        }
    }

    /// Divides the values that do not belong to the busiest rows.
    fn divide_rest(
        &self,
        part: usize,
        seconds: Range<u32>,
        busy: &[&BusyRow],
        rest: &Cell,
        pieces: &mut Pieces,
    ) {
        let (from, until, home) = self.parts[part];
        let keys = &self.keys[from..until];
        let count = |is_counted: &dyn Fn(&Placed) -> bool| {
            let mut counts: Vec<(usize, u64)> = Vec::new();
            for key in keys.iter().filter(|key| is_counted(key)) {
                match counts.last_mut().filter(|(bucket, _)| *bucket == key.bucket) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((key.bucket, 1)),
                }
            }
            counts
        };
        let is_other = |key: &Placed| busy.iter().all(|row| row.key != *key.key);
        let read =
            count(&|key| matches!(key.seen, FirstSeen::Read(at) if seconds.contains(&at)) && is_other(key));
        let written = count(&|key| {
            matches!(key.seen, FirstSeen::Written(at) if seconds.contains(&at)) && is_other(key)
        });
        // In a single second it is known what the busiest rows and new ones received: everything
        // else belongs to older rows.
        let mut existing = match seconds.len() {
            1 => count(&|key| key.seen.is_before(seconds.start) && is_other(key)),
            _ => Vec::new(),
        };
        if existing.is_empty() {
            existing = count(&|key| key.seen.is_before(seconds.end));
        }
        if existing.is_empty() {
            existing = count(&|_| true);
        }
        if existing.is_empty() {
            existing = vec![(home, 1)];
        }
        let weight = |counts: &[(usize, u64)]| {
            let sum: u64 = counts.iter().map(|(_, count)| count).sum();
            u32::try_from(sum * u64::from(self.weight)).unwrap_or(u32::MAX)
        };
        // First the rows with their first request, then further requests.
        let (reads, writes) = (rest.reads.min(weight(&read)), rest.writes.min(weight(&written)));
        let mut requests: BTreeMap<usize, u32> = BTreeMap::new();
        let (later_reads, later_writes) = (rest.reads - reads, rest.writes - writes);
        for (amount, is_write, weights) in [
            (reads, false, &read),
            (writes, true, &written),
            (later_reads, false, &existing),
            (later_writes, true, &existing),
        ] {
            for (bucket, piece) in divided(amount, weights) {
                let cell = pieces.of(bucket);
                if is_write {
                    cell.writes += piece;
                } else {
                    cell.reads += piece;
                }
                *requests.entry(bucket).or_default() += piece;
            }
        }
        let all = f64::from(rest.reads) + f64::from(rest.writes);
        if all == 0.0 {
            let piece = pieces.of(existing[0].0);
            (piece.bytes, piece.core_seconds) =
                (piece.bytes + rest.bytes, piece.core_seconds + rest.core_seconds);
        }
        for (bucket, requests) in requests {
            let share = f64::from(requests) / all.max(1.0);
            let piece = pieces.of(bucket);
            piece.bytes += (f64::from(rest.bytes) * share) as f32;
            piece.core_seconds += (f64::from(rest.core_seconds) * share) as f32;
        }
    }
}

/// The pieces of a cell, by new part.
#[derive(Default)]
struct Pieces(BTreeMap<usize, Cell>);

impl Pieces {
    fn of(&mut self, bucket: usize) -> &mut Cell {
        self.0.entry(bucket).or_default()
    }

    /// Sets the values that are not sums: the latency of all requests, and the peak of a row.
    /// `is_known` says whether a piece has its busiest row.
    fn finish(&mut self, cell: &Cell, is_known: bool) {
        let requests = |piece: &Cell| piece.reads.saturating_add(piece.writes);
        let has_any = self.0.values().any(|piece| requests(piece) > 0);
        for piece in self.0.values_mut().filter(|piece| requests(piece) > 0 || !has_any) {
            piece.latency_micros_p99 = cell.latency_micros_p99;
            let cores = |cores: f32| cores.min(piece.core_seconds);
            let most = RowPeak {
                requests: cell.row.requests.min(requests(piece)),
                reads: cell.row.reads.min(piece.reads),
                writes: cell.row.writes.min(piece.writes),
                bytes: cell.row.bytes.min(piece.bytes),
                cores: cores(cell.row.cores),
                read_cores: if piece.reads > 0 { cores(cell.row.read_cores) } else { 0.0 },
                write_cores: if piece.writes > 0 { cores(cell.row.write_cores) } else { 0.0 },
            };
            piece.row.raise(&most);
        }
        // If there are several, the first one wins.
        let most = self.0.values_mut().rev().max_by_key(|piece| requests(piece));
        if let Some(most) = most {
            most.row_bytes = cell.row_bytes;
            if !is_known {
                most.row.raise(&cell.row);
            }
        }
    }
}

/// Divides a number in proportion to weights. The pieces add up to the number.
fn divided(amount: u32, weights: &[(usize, u64)]) -> impl Iterator<Item = (usize, u32)> {
    let all: u64 = weights.iter().map(|(_, weight)| weight).sum();
    let (mut weighed, mut given) = (0, 0);
    weights.iter().filter(move |_| amount > 0).map(move |(bucket, weight)| {
        weighed += weight;
        let until = (u128::from(amount) * u128::from(weighed) / u128::from(all)) as u32;
        let piece = until - given;
        given = until;
        (*bucket, piece)
    })
}

fn bucket_of(starts: &[RowKey], key: &RowKey) -> usize {
    starts.partition_point(|start| start <= key).saturating_sub(1)
}
