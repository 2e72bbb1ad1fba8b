//! One cell an event, everything in its value.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::CellWriter;
use super::counts::Counts;
use crate::roles::EventRoles;
use crate::{Record, facets};

/// The narrow schema of Algolia's article: the counts of all filters, as JSON.
pub(super) fn event(cells: &CellWriter<'_>, roles: &EventRoles, record: &Record<'_>) -> Vec<Mutation> {
    let mut value = Vec::with_capacity(160);
    let mut counts = Counts::new();
    facets::parse(record.values[roles.facets].unwrap_or_default(), |facet| {
        counts.add(0, &[facet.name, facet.operator, facet.value], &mut value);
    });
    counts.finish(0, &mut value);
    let qualifier = record.values[roles.event_name].unwrap_or_default();
    alloc::vec![cells.cell(qualifier.as_bytes(), value)]
}
