//! The wide layout: one cell per facet or field, so that a filter can select single ones.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::cell_writer::CellWriter;
use super::counts::Counts;
use super::facet_cache::FacetCells;
use super::{Encoding, encoded};
use crate::roles::EventRoles;
use crate::{Record, facets};

/// The wide schema of Algolia's article: for each filter name the counts of its operators and
/// values. An event without facets still has one cell, with an empty filter name and no counts, so
/// that the event is stored.
pub(super) fn facet_cells(facets: &str, encoding: Encoding) -> FacetCells {
    if encoding != Encoding::Json {
        return encoded::wide(facets, encoding);
    }
    let mut cells: FacetCells = Vec::with_capacity(8);
    let mut name = Vec::new();
    let mut counts = Counts::new();
    facets::parse(facets, |facet| {
        name.clear();
        push_csv(&mut name, facet.name);
        let at = cells.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
            cells.push((name.clone(), Vec::with_capacity(32)));
            cells.len() - 1
        });
        counts.add(at, &[facet.operator, facet.value], &mut cells[at].1);
    });
    if cells.is_empty() {
        cells.push(Default::default());
    }
    cells.iter_mut().enumerate().for_each(|(at, (_, value))| counts.finish(at, value));
    cells
}

/// Returns the beginning of the qualifiers of an event's cells: type and name, which precede the
/// filter name.
pub(super) fn qualifier(roles: &EventRoles, record: &Record<'_>) -> Vec<u8> {
    let mut qualifier = Vec::with_capacity(64);
    for field in [roles.event_type, roles.event_name] {
        push_csv(&mut qualifier, record.values[field].unwrap_or_default());
        qualifier.push(b',');
    }
    qualifier
}

/// Returns the cells of any other record: its fields, unchanged.
pub(super) fn fields(cells: &CellWriter<'_>, record: &Record<'_>) -> Vec<Mutation> {
    let present =
        record.fields.iter().zip(record.values).filter_map(|(field, value)| Some((field, (*value)?)));
    present.map(|(field, value)| cells.cell(field.name.as_bytes(), value.as_bytes())).collect()
}

/// Appends one value of a CSV line (RFC 4180), in quotes only if it needs them.
pub fn push_csv(out: &mut Vec<u8>, text: impl AsRef<[u8]>) {
    let text = text.as_ref();
    if !text.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for &byte in text {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
