//! The narrow layout: one cell per event, everything in its value.

use alloc::vec::Vec;

use super::counts::Counts;
use super::encoded;
use super::facet_cache::FacetCells;
use crate::{Encoding, facets};

/// The narrow schema of Algolia's article: the counts of all filters. The qualifier is the name of
/// the event.
pub(super) fn facet_cells(facets: &str, encoding: Encoding) -> FacetCells {
    if encoding != Encoding::Json {
        return encoded::narrow(facets, encoding);
    }
    let mut value = Vec::with_capacity(160);
    let mut counts = Counts::new();
    facets::parse(facets, |facet| counts.add(0, &[facet.name, facet.operator, facet.value], &mut value));
    counts.finish(0, &mut value);
    alloc::vec![(Vec::new(), value)]
}
