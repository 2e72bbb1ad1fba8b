//! Traces what the nodes of a query's filter do with the cells of its rows, slice by slice. The
//! trace is a separate read, so it does not change the figures of the read that it explains.

use tabletop_engine::{Trace, TraceDetail};
use tabletop_keys::{Merge, Query};
use tabletop_model::{NodeCount, Result, Row, RowKey, SortedMap, TracedRow};
use tabletop_protocol::TraceChunk;

use crate::design_table::DesignTable;
use crate::read::{OpenRead, PlannedRead, SLICE_CELLS, TableOf};

/// The state of a trace between two slices.
pub struct OpenTrace {
    /// The table that is read.
    pub(crate) of: TableOf,
    parts: Vec<Trace>,
    merge: Merge,
    /// Rows that wait for earlier rows of other parts.
    waiting: SortedMap<RowKey, TracedRow>,
    detail: TraceDetail,
    /// Number of rows that may still be returned.
    left: u64,
    /// Number of nodes before those of the user's filter: the plan of the query adds filters, too.
    plan_nodes: usize,
    nodes: Vec<NodeCount>,
}

impl OpenTrace {
    /// Begins to trace a query, without reading anything yet.
    ///
    /// # Errors
    /// The errors of [`OpenRead::begin`].
    pub fn begin(design_table: &DesignTable, query: &Query, detail: TraceDetail) -> Result<OpenTrace> {
        let PlannedRead { mapping, plan, order } = OpenRead::plan(design_table, query)?;
        let reads = OpenRead::reads(&plan, query, order).map(|read| {
            let slice_cells_max = SLICE_CELLS / plan.parts.len().max(1) as u64 + 1;
            Trace::new(tabletop_model::ReadRows { slice_cells_max, ..read }, detail)
        });
        let all = plan.filter(query.filter.as_ref()).map_or(0, |filter| filter.nodes());
        let own = query.filter.as_ref().map_or(0, tabletop_model::RowFilter::nodes);
        Ok(OpenTrace {
            of: TableOf::now(design_table),
            parts: reads.collect(),
            // The limit counts only returned rows, but dropped rows are traced as well. So the
            // merge has no limit.
            merge: Merge::new(mapping.writer.template(), plan.parts.len(), order.reversed, 0),
            waiting: SortedMap::new(),
            detail,
            left: if order.rows_limit == 0 { u64::MAX } else { order.rows_limit },
            plan_nodes: all - own,
            nodes: vec![NodeCount::default(); own],
        })
    }

    /// Traces one slice.
    ///
    /// # Errors
    /// The errors of [`OpenRead::next`].
    pub fn next(&mut self, design_table: &mut DesignTable) -> Result<TraceChunk> {
        let waiting: Vec<usize> = self.merge.waiting().collect();
        for part in waiting {
            let trace = &mut self.parts[part];
            let rows = design_table.table_mut().handle().trace(trace)?;
            let keys = rows.iter().map(|row| Row { key: row.key.clone(), cells: Vec::new() }).collect();
            self.merge.push(part, keys, trace.is_complete());
            rows.into_iter().for_each(|row| drop(self.waiting.insert(row.key.clone(), row)));
        }
        let mut rows = Vec::new();
        for key in self.merge.pull() {
            let traced = if self.left == 0 { None } else { self.waiting.remove(&key.key) };
            let Some(mut row) = traced else { break };
            if let Some(half) = self.merge.other_half(&key.key).and_then(|half| self.waiting.remove(&half)) {
                if half.returned && !row.returned {
                    (row.key, row.returned) = (half.key, true);
                }
                row.nodes.iter_mut().zip(half.nodes).for_each(|(sum, count)| sum.add(count));
                row.cells.extend(half.cells);
            }
            self.left -= u64::from(row.returned);
            let own = row.nodes.split_off(self.plan_nodes.min(row.nodes.len()));
            self.nodes.iter_mut().zip(own).for_each(|(sum, count)| sum.add(count));
            if self.detail == TraceDetail::Cells {
                self.name_own_nodes(&mut row);
                rows.push(row);
            }
        }
        let complete = self.left == 0 || self.merge.is_complete();
        Ok(TraceChunk { nodes: self.nodes.clone(), rows, complete })
    }

    /// Numbers the nodes from the first node of the user's filter. The nodes of the plan do not
    /// have names.
    fn name_own_nodes(&self, row: &mut TracedRow) {
        row.nodes.clear();
        for by in row.cells.iter_mut().filter_map(|cell| cell.dropped_by.as_mut()) {
            by.retain(|node| *node as usize >= self.plan_nodes);
            by.iter_mut().for_each(|node| *node -= self.plan_nodes as u32);
        }
    }
}
