//! The effect of each node of a filter on the cells of a read: the engine reports the same as the
//! reference, for random filters and tables.

use proptest::collection::vec;
use proptest::prelude::*;
use tabletop_engine::{Instance, Trace, TraceDetail};
use tabletop_model::{Bytes, Cell, CellPart, NodeCount, ReadRows, RowFilter, TableRequest, TracedRow};
use tabletop_tests::arbitrary::{config, filter, read, row_mutation, spec};
use tabletop_tests::reference::{NodeNote, RowNotes};
use tabletop_tests::{Database, Reference, read_all};

use crate::properties::{TABLE, take_samples, with_table};

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn each_node_counts_and_drops_as_in_the_reference(
        spec in spec(),
        entries in vec(row_mutation(), 1..60),
        read in read(),
        filter in filter(),
        slice in prop_oneof![Just(0), 1_u64..20],
    ) {
        let mut engine = with_table(Instance::new(), spec.clone());
        let mut reference = with_table(Reference::default(), spec);
        let request = TableRequest::MutateRows(entries).of(TABLE);
        engine.handle(0, request.clone());
        reference.handle(0, request);
        let read = ReadRows { filter: Some(filter.clone()), slice_cells_max: slice, ..read };
        let Ok(answer) = read_all(&mut engine, 1, TABLE, &read) else {
            let refused = traced(&mut engine, &read);
            prop_assert!(refused.is_err(), "the read was refused, and the trace was not: {:?}", refused);
            return Ok(());
        };
        take_samples(&mut engine, &mut reference, 1, Some(&filter), read.sample_seed);
        let mut rows = traced(&mut engine, &read).unwrap();
        for row in &mut rows {
            for cell in &mut row.cells {
                let matches = std::mem::take(&mut cell.matches);
                prop_assert!(matches.is_empty() || cell.dropped_by.is_none());
                for found in matches {
                    let text = match found.part {
                        CellPart::Key => row.key.as_slice(),
                        CellPart::Family => cell.cell.family.as_bytes(),
                        CellPart::Qualifier => &cell.cell.qualifier,
                        CellPart::Value => &cell.cell.value,
                    };
                    prop_assert!(text.get(found.start as usize..found.end as usize).is_some(), "{:?} in {:?}", found, text);
                }
            }
        }
        let expected: Vec<_> = reference.trace(TABLE, &read).iter().map(|row| notes(row, &filter)).collect();
        prop_assert_eq!(&rows, &expected);
        // The trace is of that read.
        let returned: Vec<&Bytes> = rows.iter().filter(|row| row.returned).map(|row| &row.key).collect();
        prop_assert_eq!(returned, answer.rows.iter().map(|row| &row.key).collect::<Vec<_>>());
        // Without the cells, the counts must be the same.
        let counts = trace_all(&mut engine, Trace::new(read, TraceDetail::Counts)).unwrap();
        let without_cells = |row: &TracedRow| TracedRow { cells: Vec::new(), ..row.clone() };
        prop_assert_eq!(counts, rows.iter().map(without_cells).collect::<Vec<_>>());
    }
}

fn traced(engine: &mut Instance, read: &ReadRows) -> Result<Vec<TracedRow>, tabletop_model::Error> {
    trace_all(engine, Trace::new(read.clone(), TraceDetail::Cells))
}

fn trace_all(engine: &mut Instance, mut trace: Trace) -> Result<Vec<TracedRow>, tabletop_model::Error> {
    let mut rows = Vec::new();
    while !trace.is_complete() {
        rows.extend(engine.table(TABLE)?.trace(&mut trace)?);
    }
    Ok(rows)
}

/// Returns the trace of a row, according to the reference's notes.
fn notes(row: &RowNotes, filter: &RowFilter) -> TracedRow {
    let mut predicates = Vec::new();
    mark_predicates(filter, false, &mut predicates);
    let count = |node: &NodeNote| {
        let [cells_in, cells_out] = node.cells.each_ref().map(|cells| cells.len() as u64);
        let is_sink = matches!(node.filter, RowFilter::Sink(_));
        NodeCount { cells_in, cells_out: if is_sink { cells_in } else { cells_out } }
    };
    let traced = |cell: &Cell| {
        let copies = |cells: &[Cell]| cells.iter().filter(|other| name(other) == name(cell)).count();
        let drops = |(at, node): (usize, &NodeNote)| {
            let is_dropped = copies(&node.cells[0]) > copies(&node.cells[1]);
            let is_reason = match &node.filter {
                // The nodes inside these drop the cells.
                RowFilter::Chain(_) | RowFilter::Interleave(_) | RowFilter::Sink(_) => false,
                RowFilter::Condition { .. } => takes_absent_branch(&row.nodes, at),
                _ => true,
            };
            (is_dropped && is_reason && !predicates[at]).then_some(at as u32)
        };
        let dropped_by: Vec<u32> = row.nodes.iter().enumerate().filter_map(drops).collect();
        tabletop_model::TracedCell {
            cell: cell.clone(),
            dropped_by: (copies(&row.result) == 0).then_some(dropped_by),
            matches: Vec::new(),
        }
    };
    TracedRow {
        key: row.key.clone(),
        returned: !row.result.is_empty(),
        nodes: row.nodes.iter().map(count).collect(),
        cells: row.cells.iter().map(traced).collect(),
    }
}

fn name(cell: &Cell) -> (&str, &Bytes, i64) {
    (&cell.family, &cell.qualifier, cell.timestamp)
}

/// For each node, notes whether it is inside the predicate of a condition.
fn mark_predicates(filter: &RowFilter, within: bool, marks: &mut Vec<bool>) {
    marks.push(within);
    match filter {
        RowFilter::Chain(nodes) | RowFilter::Interleave(nodes) => {
            nodes.iter().for_each(|node| mark_predicates(node, within, marks));
        }
        RowFilter::Condition { predicate, on_true, on_false } => {
            mark_predicates(predicate, true, marks);
            [on_true, on_false]
                .into_iter()
                .flatten()
                .for_each(|branch| mark_predicates(branch, within, marks));
        }
        _ => {}
    }
}

/// Returns whether the condition at `at` has no branch for this row.
fn takes_absent_branch(nodes: &[NodeNote], at: usize) -> bool {
    let RowFilter::Condition { on_true, on_false, .. } = &nodes[at].filter else { return false };
    // The predicate is the next node.
    let holds = !nodes[at + 1].cells[1].is_empty();
    if holds { on_true.is_none() } else { on_false.is_none() }
}
