//! Counting of distinct items in a few kilobytes: HyperLogLog++ (Heule, Nunkesser, Hall, 2013).
//!
//! An item is hashed to 64 bits. The first bits choose a register, which keeps the highest position
//! at which the first 1 among the other bits has occurred. A small number of items is kept as a
//! list instead, which counts them exactly.
//!
//! ```text
//! value = 1, entry*            sparse: at most 1,024 entries in ascending order, each as the distance from the one before it
//!       | 2, register * 4096   dense: one byte each, 0 for a register without an item, else 1 to 53
//! entry = first 25 bits of the hash, place of the first 1 among the other 39 (1 to 40) in 6 bits       number = varint
//! ```
//! A dense register is chosen by 12 bits; its position can be derived from the bits of a sparse
//! entry. A sketch therefore does not depend on the order in which items were added or sketches
//! were merged. The estimate of a dense sketch is Ertl's (2017), which is unbiased over the whole
//! range without tables of measured bias. Its standard error is 1.6%.

use alloc::vec;
use alloc::vec::Vec;

/// A set of hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// Entries in ascending order, at most one per index.
    Sparse(Vec<u32>),
    /// Registers.
    Dense(Vec<u8>),
}

const SPARSE: u8 = 1;
const DENSE: u8 = 2;
const SPARSE_MAX: usize = 1_024;
/// Bits of a hash that are the index of a sparse entry; the first of them are the index of a dense
/// register.
const SPARSE_BITS: u32 = 25;
const DENSE_BITS: u32 = 12;
const REGISTERS: usize = 1 << DENSE_BITS;
/// The highest possible positions.
const SPARSE_PLACE_MAX: u32 = 64 - SPARSE_BITS + 1;
const DENSE_PLACE_MAX: u8 = (64 - DENSE_BITS + 1) as u8;
/// 1 / (2 ln 2)
const ALPHA: f64 = 0.721_347_520_444_481_7;

impl Sketch {
    /// Creates the sketch of one item.
    pub fn of(hash: u64) -> Sketch {
        let index = (hash >> (64 - SPARSE_BITS)) as u32;
        let place = ((hash << SPARSE_BITS).leading_zeros() + 1).min(SPARSE_PLACE_MAX);
        Sketch::Sparse(vec![index << 6 | place])
    }

    /// Reads the sketch in a cell's value, or returns `None` if it is not a sketch.
    pub fn decode(value: &[u8]) -> Option<Sketch> {
        match value.split_first()? {
            (&SPARSE, mut rest) => {
                let mut entries: Vec<u32> = Vec::new();
                while !rest.is_empty() {
                    let distance = take_varint(&mut rest)?;
                    let entry = entries.last().copied().unwrap_or(0).checked_add(distance)?;
                    let is_new = entries.last().is_none_or(|last| last >> 6 < entry >> 6);
                    let is_entry =
                        entry >> 6 < 1 << SPARSE_BITS && (1..=SPARSE_PLACE_MAX).contains(&(entry & 63));
                    if !is_new || !is_entry || entries.len() == SPARSE_MAX {
                        return None;
                    }
                    entries.push(entry);
                }
                Some(Sketch::Sparse(entries))
            }
            (&DENSE, registers) => {
                let is_right =
                    registers.len() == REGISTERS && registers.iter().all(|place| *place <= DENSE_PLACE_MAX);
                is_right.then(|| Sketch::Dense(registers.to_vec()))
            }
            _ => None,
        }
    }

    /// Returns the sketch as a cell's value.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Sketch::Sparse(entries) => {
                let mut value = vec![SPARSE];
                let mut last = 0;
                for &entry in entries {
                    put_varint(&mut value, entry - last);
                    last = entry;
                }
                value
            }
            Sketch::Dense(registers) => [&[DENSE], registers.as_slice()].concat(),
        }
    }

    /// Adds the items of another sketch.
    pub fn merge(&mut self, other: &Sketch) {
        if let (Sketch::Sparse(a), Sketch::Sparse(b)) = (&*self, other) {
            let both = unite(a, b);
            *self = if both.len() > SPARSE_MAX { Sketch::Dense(dense(&both)) } else { Sketch::Sparse(both) };
            return;
        }
        let mut registers = match core::mem::replace(self, Sketch::Sparse(Vec::new())) {
            Sketch::Sparse(entries) => dense(&entries),
            Sketch::Dense(registers) => registers,
        };
        match other {
            Sketch::Sparse(entries) => raise(&mut registers, entries),
            Sketch::Dense(others) => {
                registers.iter_mut().zip(others).for_each(|(place, other)| *place = (*other).max(*place));
            }
        }
        *self = Sketch::Dense(registers);
    }

    /// Returns the approximate number of distinct items.
    pub fn estimate(&self) -> u64 {
        match self {
            // In one of 64 sketches, two of 1,024 items share one of the 33,554,432 indices.
            Sketch::Sparse(entries) => entries.len() as u64,
            Sketch::Dense(registers) => estimate_dense(registers),
        }
    }
}

/// Returns the entries of both. For a shared index, the one with the higher position wins.
fn unite(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut both: Vec<u32> = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let Some(&entry) =
        if b.peek().is_none_or(|b| a.peek().is_some_and(|a| a <= b)) { a.next() } else { b.next() }
    {
        match both.last_mut() {
            Some(last) if *last >> 6 == entry >> 6 => *last = entry,
            _ => both.push(entry),
        }
    }
    both
}

fn dense(entries: &[u32]) -> Vec<u8> {
    let mut registers = vec![0; REGISTERS];
    raise(&mut registers, entries);
    registers
}

/// Adds entries to registers.
fn raise(registers: &mut [u8], entries: &[u32]) {
    const BETWEEN: u32 = SPARSE_BITS - DENSE_BITS;
    for entry in entries {
        let (index, place) = (entry >> 6, (entry & 63) as u8);
        let between = index & ((1 << BETWEEN) - 1);
        let place = if between == 0 {
            place + BETWEEN as u8
        } else {
            (between.leading_zeros() - (32 - BETWEEN)) as u8 + 1
        };
        let register = &mut registers[(index >> BETWEEN) as usize];
        *register = place.max(*register);
    }
}

fn estimate_dense(registers: &[u8]) -> u64 {
    let mut counts = [0.0_f64; DENSE_PLACE_MAX as usize + 1];
    registers.iter().for_each(|place| counts[usize::from(*place)] += 1.0);
    let registers = REGISTERS as f64;
    let mut sum = counts[1..].iter().rev().fold(0.0, |sum, count| (sum + count) / 2.0);
    // The contribution of registers without an item.
    let mut unused = counts[0] / registers;
    let (mut total, mut weight) = (unused, 1.0);
    while unused < 1.0 {
        unused *= unused;
        let before = total;
        total += unused * weight;
        weight += weight;
        if total == before {
            break;
        }
    }
    if unused >= 1.0 {
        return 0;
    }
    sum += registers * total;
    (ALPHA * registers * registers / sum + 0.5) as u64
}

fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn take_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u64;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return u32::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash that is good enough for these tests.
    fn hash(thing: u64) -> u64 {
        let mut x = thing.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn of(things: impl IntoIterator<Item = u64>) -> Sketch {
        let mut sketch = Sketch::Sparse(Vec::new());
        things.into_iter().for_each(|thing| sketch.merge(&Sketch::of(hash(thing))));
        sketch
    }

    #[test]
    fn small_counts_are_exact_and_large_ones_estimated() {
        let mut sketch = Sketch::Sparse(Vec::new());
        let mut checked = 0;
        for thing in 0..200_000_u64 {
            sketch.merge(&Sketch::of(hash(thing)));
            // A repeated item counts once.
            if thing % 3 == 0 {
                sketch.merge(&Sketch::of(hash(thing / 2)));
            }
            let count = thing + 1;
            if count.is_power_of_two() || count % 10_000 == 0 {
                let error = sketch.estimate().abs_diff(count) as f64 / count as f64;
                let allowed = if count <= 1_024 { 0.0 } else { 0.05 };
                assert!(error <= allowed, "{count} items are estimated as {}", sketch.estimate());
                checked += 1;
            }
        }
        assert!(checked > 30);
    }

    #[test]
    fn the_mean_estimate_is_right_around_the_sparse_limit_and_above() {
        for count in [1_100_u64, 3_000, 10_000, 30_000] {
            let ratio =
                |seed: u64| of((0..count).map(|thing| seed << 32 | thing)).estimate() as f64 / count as f64;
            let mean = (0..20).map(ratio).sum::<f64>() / 20.0;
            assert!((mean - 1.0).abs() < 0.012, "{count} items: {mean} times that on the average of 20");
        }
    }

    #[test]
    fn the_order_of_merging_changes_nothing() {
        for count in [10, 1_000, 1_500, 5_000] {
            let whole = of(0..count);
            let (mut low, mut high) = (of(0..count * 2 / 3), of(count / 3..count));
            let before = low.clone();
            low.merge(&high);
            high.merge(&before);
            assert_eq!((&low, &high), (&whole, &whole), "{count} items");
            assert_eq!(Sketch::decode(&whole.encode()), Some(whole));
        }
        assert!(of(0..1_024).encode().len() < 4_097, "a list is shorter than the registers");
    }

    #[test]
    fn invalid_sketches_are_refused() {
        for value in [
            &[][..],
            &[0],
            &[3],
            &[1, 0],
            &[1, 0x80],
            &[1, 65, 1],
            &[1, 63],
            &[1, 0xff, 0xff, 0xff, 0xff, 0x7f],
            &[2, 0],
        ] {
            assert_eq!(Sketch::decode(value), None, "{value:?}");
        }
        assert_eq!(Sketch::decode(&[&[2], [54; 4_096].as_slice()].concat()), None);
        assert_eq!(Sketch::decode(&[1]).map(|sketch| sketch.estimate()), Some(0));
        assert_eq!(
            Sketch::decode(&[&[2], [0; 4_096].as_slice()].concat()).map(|sketch| sketch.estimate()),
            Some(0)
        );
    }
}
