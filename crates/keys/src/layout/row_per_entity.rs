//! The layout with a row per entity: all events of one entity in one row, with different
//! timestamps. A record that is one cell is written in the same way.

use alloc::vec::Vec;

use tabletop_model::Mutation;

use super::Encoding;
use super::cell_writer::CellWriter;
use super::families::RECORD_QUALIFIER;
use crate::Record;

/// Writes the record into one value.
pub(super) fn record(
    cells: &CellWriter<'_>,
    qualifier: Option<usize>,
    record: &Record<'_>,
    encoding: Encoding,
) -> Vec<Mutation> {
    let mut value = Vec::with_capacity(192);
    encoding.push_event(record, &mut value);
    alloc::vec![cells.cell(qualifier_of(qualifier, record).as_bytes(), value)]
}

/// Returns the qualifier of the record's cell: the value of the field at `qualifier`, if there is one.
pub(super) fn qualifier_of<'r>(qualifier: Option<usize>, record: &Record<'r>) -> &'r str {
    qualifier.map_or(RECORD_QUALIFIER, |at| record.values[at].unwrap_or_default())
}
