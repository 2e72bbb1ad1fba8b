//! The conflict rules once more, in their shortest form: all writes of a row, in the order of their
//! stamps, change a map.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{AggregateInput, Cell, Mutation, Qualifier, Timestamp};

use crate::replication::entry::Stamp;

/// The aggregate family of the tests; it sums.
pub(super) const SUM: &str = "sum";
/// The families in the order of their creation.
pub(super) const FAMILIES: [&str; 3] = ["a", "b", SUM];

/// Returns the cells of a row after writes in any order.
pub(super) fn fold(writes: &mut Vec<(Stamp, &[Mutation])>) -> Vec<Cell> {
    writes.sort_unstable_by_key(|(stamp, _)| *stamp);
    // Families in the order of creation, newest cells first.
    let mut cells: BTreeMap<(usize, Qualifier, core::cmp::Reverse<Timestamp>), Vec<u8>> = BTreeMap::new();
    let at =
        |family: &String| FAMILIES.iter().position(|name| name == family).expect("a family of the tests");
    for mutation in writes.iter().flat_map(|(_, mutations)| *mutations) {
        match mutation {
            Mutation::SetCell { family, qualifier, timestamp, value } => {
                let key = (at(family), qualifier.clone(), core::cmp::Reverse(*timestamp));
                cells.insert(key, value.to_vec());
            }
            Mutation::AddToCell { family, qualifier, timestamp, input: AggregateInput::Int(input) } => {
                let key = (at(family), qualifier.clone(), core::cmp::Reverse(*timestamp));
                let sum = cells.entry(key).or_insert_with(|| alloc::vec![0; 8]);
                let before = i64::from_be_bytes(sum.as_slice().try_into().expect("eight bytes"));
                *sum = before.wrapping_add(*input).to_be_bytes().to_vec();
            }
            Mutation::DeleteFromColumn { family, qualifier, range } => {
                let is_in = |timestamp: Timestamp| {
                    range.start <= timestamp && (range.end == 0 || timestamp < range.end)
                };
                cells.retain(|(of, column, timestamp), _| {
                    *of != at(family) || column != qualifier || !is_in(timestamp.0)
                });
            }
            Mutation::DeleteFromFamily { family } => cells.retain(|(of, _, _), _| *of != at(family)),
            Mutation::DeleteFromRow => cells.clear(),
            other => panic!("the tests do not use {other:?}"),
        }
    }
    let cell = |((family, qualifier, timestamp), value): ((usize, Qualifier, _), Vec<u8>)| {
        let core::cmp::Reverse(timestamp) = timestamp;
        Cell { family: FAMILIES[family].into(), qualifier, timestamp, value: value.into(), label: None }
    };
    cells.into_iter().map(cell).collect()
}
