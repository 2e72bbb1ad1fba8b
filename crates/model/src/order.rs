//! Sorting of lists that are rarely sorted. One sort serves every type, because an instance per
//! type would add 6 kB to what a browser loads.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Returns the items in ascending order. Equal items keep their order.
pub fn sorted<T>(mut items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = sorted_indices(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(order, &mut |a, b| items.swap(a, b));
    items
}

/// Returns the indices of a list of `length` items in ascending order of the items. Equal items
/// keep their order.
pub fn sorted_indices(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..length).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Moves the item at index `order[i]` to position `i`, for each `i`, with at most one swap per
/// item.
fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        // A finished position has its own index.
        loop {
            let from = core::mem::replace(&mut order[at], at);
            if from == start || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_stay_in_their_order() {
        let items = alloc::vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        assert_eq!(sorted(items, |a, b| a.0.cmp(&b.0)), [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }

    #[test]
    fn sorting_agrees_with_the_standard_library_at_every_length() {
        for length in 0..200_usize {
            let items: Vec<(usize, usize)> = (0..length).map(|at| (at * 7919 % 23, at)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted(items, |a, b| a.0.cmp(&b.0)), expected);
        }
    }
}
