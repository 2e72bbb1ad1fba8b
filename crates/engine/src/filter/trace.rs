//! Evaluates a filter node by node over all cells of a row, to report what each node did. A read
//! does not do this: it drops most cells by their column before it evaluates anything.

use alloc::string::String;
use alloc::vec::Vec;

use tabletop_model::{Cell, NodeCount, Result, Row, TracedCell, TracedRow};

use super::evaluate::{merge, run};
use super::{Cells, Filter, Highlights, Item, Node, RowState, Tests};
use crate::columns::FamilyId;

/// How much a trace reports about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceDetail {
    /// The counts of the nodes.
    Counts,
    /// Also the nodes that dropped each cell.
    Cells,
}

impl Filter {
    /// Evaluates the filter over all cells of a row.
    ///
    /// # Errors
    /// `ResourceExhausted` when interleaves make too many copies.
    pub fn trace(
        &mut self,
        row: Row,
        families: &[String],
        highlights: &Highlights,
        detail: TraceDetail,
    ) -> Result<TracedRow> {
        self.begin_row(&row.key);
        self.state.overflow = false;
        let cells = self.row_cells(&row, families);
        let mut items: Vec<Item> =
            (0..cells.count()).map(|cell| Item { cell, label: 0, stripped: false }).collect();
        let mut tracer = Tracer {
            cells: &cells,
            tests: &mut self.tests,
            state: &mut self.state,
            nodes: Vec::new(),
            fates: (detail == TraceDetail::Cells).then(Fates::default),
        };
        tracer.node(&self.root, &mut items);
        let Tracer { nodes, fates, .. } = tracer;
        let sunk = core::mem::take(&mut self.state.sunk);
        self.state.check_overflow()?;
        let returned = !items.is_empty() || !sunk.is_empty();
        let mut cells = Vec::new();
        if let Some(fates) = fates {
            let traced = |cell: Cell| TracedCell { cell, dropped_by: Some(Vec::new()), matches: Vec::new() };
            cells.extend(row.cells.into_iter().map(traced));
            for (cell, node) in fates.drops {
                let by = cells[cell as usize].dropped_by.get_or_insert_default();
                if !by.contains(&node) {
                    by.push(node);
                }
            }
            items.iter().chain(&sunk).for_each(|item| cells[item.cell as usize].dropped_by = None);
            for (cell, node) in fates.passes {
                let TracedCell { cell, dropped_by, matches } = &mut cells[cell as usize];
                if dropped_by.is_none() {
                    let mut found = highlights.find(node as usize, &row.key, cell);
                    found.retain(|found| !matches.contains(found));
                    matches.append(&mut found);
                }
            }
        }
        Ok(TracedRow { key: row.key, returned, nodes, cells })
    }

    fn row_cells<'r>(&mut self, row: &'r Row, families: &[String]) -> RowCells<'r> {
        let words = self.fact_words();
        let mut cells = RowCells { row, words, facts: Vec::new(), ordinals: Vec::new() };
        let mut ordinal = 0;
        for (at, cell) in row.cells.iter().enumerate() {
            let last = at.checked_sub(1).map(|last| &row.cells[last]);
            let start = cells.facts.len();
            if last.is_some_and(|last| last.family == cell.family && last.qualifier == cell.qualifier) {
                cells.facts.extend_from_within(start - words..);
            } else {
                ordinal += 1;
                cells.facts.resize(start + words, 0);
                let family =
                    families.iter().position(|family| *family == cell.family).unwrap_or(families.len());
                self.judge_column(family as FamilyId, &cell.qualifier, &mut cells.facts[start..]);
            }
            cells.ordinals.push(ordinal);
        }
        cells
    }
}

/// The cells of a whole row.
struct RowCells<'r> {
    row: &'r Row,
    words: usize,
    facts: Vec<u64>,
    ordinals: Vec<u32>,
}

impl Cells for RowCells<'_> {
    fn count(&self) -> u32 {
        self.row.cells.len() as u32
    }

    fn facts(&self, cell: u32) -> &[u64] {
        &self.facts[cell as usize * self.words..][..self.words]
    }

    fn timestamp(&self, cell: u32) -> i64 {
        self.row.cells[cell as usize].timestamp
    }

    fn value(&self, cell: u32) -> &[u8] {
        &self.row.cells[cell as usize].value
    }

    fn column_ordinal(&self, cell: u32) -> u32 {
        self.ordinals[cell as usize]
    }
}

/// Evaluates the nodes that combine others, and counts around each node.
struct Tracer<'a, 'r> {
    cells: &'a RowCells<'r>,
    tests: &'a mut Tests,
    state: &'a mut RowState,
    nodes: Vec<NodeCount>,
    /// What happened to each cell; `None` if the caller did not ask for it.
    fates: Option<Fates>,
}

/// What happened to the cells at the nodes that pass or drop them.
#[derive(Default)]
struct Fates {
    /// Cells, each with a node that dropped it.
    drops: Vec<(u32, u32)>,
    /// Cells, each with a node whose pattern it passed.
    passes: Vec<(u32, u32)>,
}

impl Tracer<'_, '_> {
    fn node(&mut self, node: &Node, items: &mut Vec<Item>) {
        let at = self.nodes.len();
        let cells_in = items.len() as u64;
        self.nodes.push(NodeCount { cells_in, cells_out: 0 });
        match node {
            Node::Chain(stages) => stages.iter().for_each(|stage| self.node(stage, items)),
            Node::Interleave(branches) => {
                let input = core::mem::take(items);
                for branch in branches {
                    // Further branches receive no cells, but are listed.
                    let mut branch_items = if self.state.overflow { Vec::new() } else { input.clone() };
                    self.node(branch, &mut branch_items);
                    merge(items, &mut branch_items);
                    self.state.overflows(items, self.cells);
                }
            }
            Node::Condition { predicate, on_true, on_false } => {
                let mut found = items.clone();
                // A cell that the predicate drops is not dropped from the result.
                let fates = self.fates.take();
                self.node(predicate, &mut found);
                self.fates = fates;
                let holds = !found.is_empty();
                for (branch, is_taken) in [(on_true, holds), (on_false, !holds)] {
                    match branch {
                        Some(branch) if is_taken => self.node(branch, items),
                        Some(branch) => self.node(branch, &mut Vec::new()),
                        None if is_taken => self.drop_from(at, core::mem::take(items), &[]),
                        None => {}
                    }
                }
            }
            _ => {
                let before = if self.fates.is_some() && !matches!(node, Node::Sink) {
                    items.clone()
                } else {
                    Vec::new()
                };
                run(node, self.cells, self.tests, self.state, items);
                self.drop_from(at, before, items);
                if let (Some(fates), Node::Row(_) | Node::Column(_) | Node::Value(_)) =
                    (&mut self.fates, node)
                {
                    fates.passes.extend(items.iter().map(|item| (item.cell, at as u32)));
                }
            }
        }
        self.nodes[at].cells_out = if matches!(node, Node::Sink) { cells_in } else { items.len() as u64 };
    }

    /// Records the cells that a node has dropped: `after` has some of the cells `before`, in the
    /// same order.
    fn drop_from(&mut self, node: usize, before: Vec<Item>, after: &[Item]) {
        let Some(Fates { drops, .. }) = &mut self.fates else { return };
        let mut left = after.iter().peekable();
        for item in before {
            if left.next_if(|next| next.cell == item.cell).is_none() {
                drops.push((item.cell, node as u32));
            }
        }
    }
}
