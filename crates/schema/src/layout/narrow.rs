//! One cell an event, everything in its value.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::CellWriter;
use super::json::push_string;
use crate::roles::EventRoles;
use crate::time::push_digits;
use crate::{Record, facets};

/// Seed 000's narrow schema: the counts of all filters, as JSON.
pub(super) fn event(cells: &CellWriter<'_>, roles: &EventRoles, record: &Record<'_>) -> Vec<Mutation> {
    let mut value = Vec::with_capacity(160);
    push_counts(&mut value, record.values[roles.facets].unwrap_or_default());
    let qualifier = record.values[roles.event_name].unwrap_or_default();
    alloc::vec![cells.cell(qualifier.as_bytes(), value)]
}

/// Appends `[[name, operator, value, count], …]`, each facet once, in the order of their first mention.
fn push_counts(out: &mut Vec<u8>, text: &str) {
    out.push(b'[');
    // Facets are few: looking through those that are written is cheaper than a map.
    let mut written: Vec<(u64, usize, u32)> = Vec::new();
    facets::parse(text, |facet| {
        let start = out.len();
        if start > 1 {
            out.push(b',');
        }
        let from = out.len();
        out.push(b'[');
        for text in [facet.name, facet.operator, facet.value] {
            push_string(out, text);
            out.push(b',');
        }
        let hash = crate::salt::hash(&out[from..]);
        match written.iter_mut().find(|(known, ..)| *known == hash) {
            Some((_, _, count)) => {
                *count += 1;
                out.truncate(start);
            }
            None => {
                written.push((hash, out.len(), 1));
                out.extend_from_slice(b"1]");
            }
        }
    });
    out.push(b']');
    // Counts above one grow the text: from the back, so that the places before stay.
    for (_, at, count) in written.into_iter().rev().filter(|(.., count)| *count > 1) {
        let mut digits = Vec::new();
        push_digits(&mut digits, i64::from(count), count.ilog10() as usize + 1);
        out.splice(at..at + 1, digits);
    }
}
