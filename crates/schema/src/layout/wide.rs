//! A cell a facet or field, so that the server can pick.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::CellWriter;
use super::counts::Counts;
use crate::roles::EventRoles;
use crate::{Record, facets};

/// The wide schema of Algolia's article: for each filter name the counts of its operators and values. An event without
/// facets keeps one cell, with an empty filter name and no counts, so that it is not lost.
pub(super) fn event(cells: &CellWriter<'_>, roles: &EventRoles, record: &Record<'_>) -> Vec<Mutation> {
    let text = |index: usize| record.values[index].unwrap_or_default();
    let mut qualifier = Vec::with_capacity(64);
    push_csv(&mut qualifier, text(roles.event_type));
    qualifier.push(b',');
    push_csv(&mut qualifier, text(roles.event_name));
    qualifier.push(b',');
    let prefix = qualifier.len();
    let mut columns: Vec<(Vec<u8>, Vec<u8>)> = Vec::with_capacity(8);
    let mut counts = Counts::new();
    facets::parse(text(roles.facets), |facet| {
        qualifier.truncate(prefix);
        push_csv(&mut qualifier, facet.name);
        let at = columns.iter().position(|(known, _)| *known == qualifier).unwrap_or_else(|| {
            columns.push((qualifier.clone(), Vec::with_capacity(32)));
            columns.len() - 1
        });
        counts.add(at, &[facet.operator, facet.value], &mut columns[at].1);
    });
    if columns.is_empty() {
        columns.push((qualifier, Vec::new()));
    }
    let finished = columns.into_iter().enumerate().map(|(at, (qualifier, mut value))| {
        counts.finish(at, &mut value);
        cells.cell(qualifier, value)
    });
    finished.collect()
}

/// Any other record: its fields as they are.
pub(super) fn fields(cells: &CellWriter<'_>, record: &Record<'_>) -> Vec<Mutation> {
    let present = record.fields.iter().zip(record.values).filter_map(|(field, value)| Some((field, (*value)?)));
    present.map(|(field, value)| cells.cell(field.name.as_bytes(), value.as_bytes())).collect()
}

/// Appends one value of a CSV line (RFC 4180), in quotes only if it needs them.
pub(crate) fn push_csv(out: &mut Vec<u8>, text: &str) {
    if !text.contains([',', '"', '\n', '\r']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
