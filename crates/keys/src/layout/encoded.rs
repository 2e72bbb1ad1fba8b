//! The cells of facets in encodings other than JSON. The page's first view only needs JSON, so this
//! code is fetched later.

use alloc::vec::Vec;

use super::facet_cache::FacetCells;
use super::wide::push_csv;
use crate::{Encoding, FacetCount, FacetNames};

/// All facets in one value.
#[inline(never)]
pub(super) fn narrow(facets: &str, encoding: Encoding) -> FacetCells {
    let mut value = Vec::with_capacity(160);
    encoding.push_counts(&FacetCount::all_of(facets), FacetNames::InValue, &mut value);
    alloc::vec![(Vec::new(), value)]
}

/// Writes one value per name, in the order in which the names first occur. An event without facets
/// still has one cell, with an empty name and no counts.
#[inline(never)]
pub(super) fn wide(facets: &str, encoding: Encoding) -> FacetCells {
    let mut groups: Vec<Vec<FacetCount<'_>>> = Vec::new();
    for counted in FacetCount::all_of(facets) {
        match groups.iter_mut().find(|group| group[0].name == counted.name) {
            Some(group) => group.push(counted),
            None => groups.push(alloc::vec![counted]),
        }
    }
    if groups.is_empty() {
        groups.push(Vec::new());
    }
    let cell = |group: Vec<FacetCount<'_>>| {
        let (mut name, mut value) = (Vec::new(), Vec::with_capacity(32));
        push_csv(&mut name, group.first().map_or("", |counted| &*counted.name));
        encoding.push_counts(&group, FacetNames::InColumn, &mut value);
        (name, value)
    };
    groups.into_iter().map(cell).collect()
}
