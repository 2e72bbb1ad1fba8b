//! Sorting of written rows by key. Equal keys stay in the order of writing.
//!
//! Keys of a table usually share a prefix, so the eight bytes after it distinguish most of them.
//! These eight bytes are sorted byte by byte without comparisons; only keys in which they are equal
//! are compared.

use alloc::vec;
use alloc::vec::Vec;

use tabletop_model::order::sorted;

use super::row::MemRow;

/// Returns the indices of `rows` in the order of their keys.
pub(super) fn by_key<'k>(rows: &[MemRow], key: impl Fn(&MemRow) -> &'k [u8]) -> Vec<u32> {
    if rows.is_sorted_by_key(&key) {
        return (0..rows.len() as u32).collect();
    }
    let first = key(&rows[0]);
    let shared = rows.iter().fold(first.len(), |shared, row| {
        let differs = first[..shared].iter().zip(key(row)).position(|(a, b)| a != b);
        differs.unwrap_or(shared.min(key(row).len()))
    });
    let prefixes = rows.iter().zip(0..).map(|(row, index)| (prefix(&key(row)[shared..]), index)).collect();
    let mut order = sort_prefixes(prefixes);
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0) {
        let key = |item: &(u64, u32)| key(&rows[item.1 as usize]);
        if !equal.is_sorted_by_key(key) {
            equal.copy_from_slice(&sorted(equal.to_vec(), |a, b| key(a).cmp(key(b))));
        }
    }
    order.into_iter().map(|(_, index)| index).collect()
}

/// Returns the first eight bytes; missing bytes are 0.
fn prefix(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = key.len().min(8);
    bytes[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(bytes)
}

/// Sorts by the numbers, from their lowest byte to their highest. Equal numbers keep their order.
fn sort_prefixes(mut items: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    let mut counts = vec![[0_u32; 256]; 8];
    for (prefix, _) in &items {
        for (byte, counts) in prefix.to_le_bytes().iter().zip(&mut counts) {
            counts[usize::from(*byte)] += 1;
        }
    }
    let mut out = vec![(0, 0); items.len()];
    for (shift, counts) in counts.iter_mut().enumerate() {
        // A byte in which all numbers agree does not affect the order.
        if counts.iter().any(|count| *count as usize == items.len()) {
            continue;
        }
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += core::mem::replace(count, sum);
        }
        for item in &items {
            let place = &mut counts[(item.0 >> (8 * shift)) as usize & 0xff];
            out[*place as usize] = *item;
            *place += 1;
        }
        core::mem::swap(&mut items, &mut out);
    }
    items
}
