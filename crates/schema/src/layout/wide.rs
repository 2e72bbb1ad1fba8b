//! A cell a facet or field, so that the server can pick.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::CellWriter;
use super::json::push_string;
use crate::roles::EventRoles;
use crate::time::push_digits;
use crate::{Record, facets};

/// Seed 000's wide schema: for each filter name the counts of its operators and values. An event without facets keeps
/// one cell, with an empty filter name and no counts, so that it is not lost.
pub(super) fn event(cells: &CellWriter<'_>, roles: &EventRoles, record: &Record<'_>) -> Vec<Mutation> {
    let mut columns: Vec<Column> = Vec::new();
    facets::parse(record.values[roles.facets].unwrap_or_default(), |facet| {
        let mut name = Vec::new();
        push_csv(&mut name, facet.name);
        let mut value = Vec::new();
        value.push(b'[');
        push_string(&mut value, facet.operator);
        value.push(b',');
        push_string(&mut value, facet.value);
        let at = columns.iter().position(|column| column.name == name).unwrap_or_else(|| {
            columns.push(Column { name, counts: Vec::new() });
            columns.len() - 1
        });
        let counts = &mut columns[at].counts;
        match counts.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counts.push((value, 1)),
        }
    });
    if columns.is_empty() {
        columns.push(Column { name: Vec::new(), counts: Vec::new() });
    }
    let text = |index: usize| record.values[index].unwrap_or_default();
    let mut prefix = Vec::new();
    push_csv(&mut prefix, text(roles.event_type));
    prefix.push(b',');
    push_csv(&mut prefix, text(roles.event_name));
    prefix.push(b',');
    columns.iter().map(|column| cells.cell(&[&prefix[..], &column.name].concat(), column.value())).collect()
}

/// Any other record: its fields as they are.
pub(super) fn fields(cells: &CellWriter<'_>, record: &Record<'_>) -> Vec<Mutation> {
    let present = record.fields.iter().zip(record.values).filter_map(|(field, value)| Some((field, (*value)?)));
    present.map(|(field, value)| cells.cell(field.name.as_bytes(), value.as_bytes().to_vec())).collect()
}

/// All facets of one name.
struct Column {
    name: Vec<u8>,
    /// `["operator","value"` and how often it is there.
    counts: Vec<(Vec<u8>, u32)>,
}

impl Column {
    fn value(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        out.push(b'[');
        for (at, (begin, count)) in self.counts.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(begin);
            out.push(b',');
            push_digits(&mut out, i64::from(*count), count.ilog10() as usize + 1);
            out.push(b']');
        }
        out.push(b']');
        out
    }
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
